"""Memories that a store's vectors hold to be alike."""

from mem0_dream.memory import Memory
from mem0_dream.planning import neighbours
from mem0_dream.planning.comparing import BY_MEANING

from tests.memories import record
from tests.test_draft import PORT, plan_of

MEANT = ("Invoices go out on Fridays", "Bills are mailed at the end of the week")
rows = {id: Memory(record(id, f"text {id}")) for id in "abcde"}


def test_a_pair_is_of_two_that_are_each_among_the_first_three_of_the_other():
    near = {"a": "abcd", "b": "ba", "c": "cdeb", "d": "dabc", "e": "e"}
    found = neighbours.pairs([rows["a"]], lambda memory: [rows[id] for id in near[memory.id]])
    assert found == [("a", "b"), ("a", "d")]


def test_each_memory_is_looked_up_once():
    asked = []

    def nearest(memory):
        asked.append(memory.id)
        return list(rows.values())[:4]

    neighbours.pairs(rows.values(), nearest)
    assert len(asked) == len(set(asked)) == 5


def test_what_only_the_vectors_hold_to_be_alike_is_a_near_miss():
    pair = [record(id, text) for id, text in zip("ab", MEANT, strict=True)]
    assert not plan_of(*pair).near_misses
    plan = plan_of(*pair, neighbours=[("a", "b")])
    assert [(miss.ids, miss.why) for miss in plan.near_misses] == [(["b", "a"], BY_MEANING)]
    assert not plan.merges and not plan.conflicts


def test_a_pair_that_the_plan_has_no_room_for_is_looked_up_again():
    plan = plan_of(record("a", PORT), record("b", PORT))
    assert neighbours.unseen(plan, [("a", "b"), ("a", "c")]) == {"a", "c"}
