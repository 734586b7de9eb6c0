"""Whether search finds after a run what it found before."""

import pytest
from mem0_dream.cli.recall import FIRST, Probe, Recall, carried, compare, described, probes, queries, search, touched
from mem0_dream.memory import Memory, Scope
from mem0_dream.planning.plan import Conflict, Merge, Plan, Prune
from mem0_dream.review.answers import decide
from mem0_dream.runs.journal import Operation

from tests.memories import STORE

SCOPE = Scope("dev", "shop")


def memory(id, text):
    return Memory({"id": id, "memory": text})


class Words:
    """A store that finds by shared words, best first."""

    def __init__(self, *memories):
        self.memories = list(memories)

    def search(self, query, scope, limit):
        wanted = set(query.lower().split())
        found = [m for m in self.memories if wanted & set(m.text.lower().split())]
        return sorted(found, key=lambda m: (-len(wanted & set(m.text.lower().split())), m.id))[:limit]


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("The gateway gives up after 30s, then it retries.", "The gateway gives up after 30s"),
        ("网关的超时是30秒，然后重试。", "网关的超时是30秒"),
        ("Auth: tokens live in src/auth.py (rotated weekly)", "tokens live in src/auth.py"),
        ("one\ntwo lines of it\nthree", "two lines of it"),
    ],
)
def test_the_first_question_is_the_first_clause_that_says_something(text, clause):
    assert queries(text)[0] == clause


def test_the_second_question_is_the_longest_words_in_their_order():
    assert queries("The gateway of the shop gives up after thirty seconds")[1] == "gateway gives after thirty seconds"


def test_the_same_text_gives_the_same_questions():
    text = "Deploys go to the staging cluster first; nobody skips it."
    assert queries(text) == queries(text)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_text_asks_nothing(text):
    assert queries(text) == []


def test_questions_are_never_long():
    assert max(map(len, queries("x" * 5000 + " " + "y" * 5000))) <= 120


def test_a_merged_fact_is_found_through_the_memory_that_carries_it():
    a, b = memory("a", "staging runs postgres fifteen"), memory("b", "staging runs postgres fifteen on db-1")
    asked = probes([a, b])
    before = search(Words(a, b), SCOPE, asked)
    after = search(Words(memory("c", "staging runs postgres fifteen on db-1")), SCOPE, asked)
    found = compare(before, after, {"a": "c", "b": "c"})
    assert (found.asked, found.before, found.after, found.lost) == (len(asked), len(asked), len(asked), [])


def test_a_fact_that_is_no_longer_found_is_named():
    a = memory("a", "staging runs postgres fifteen")
    asked = [Probe("a", "staging postgres")]
    before = search(Words(a), SCOPE, asked)
    after = search(Words(memory("c", "something else entirely")), SCOPE, asked)
    assert compare(before, after, {"a": "c"}).lost == asked


def test_a_fact_that_was_never_found_is_not_counted_as_lost():
    asked = [Probe("a", "nothing like it")]
    found = compare({asked[0]: []}, {asked[0]: []}, {})
    assert (found.before, found.after, found.lost) == (0, 0, [])


def test_only_the_first_results_count():
    crowd = [memory(f"{i}", "gateway timeout") for i in range(FIRST + 1)]
    asked = [Probe(str(FIRST), "gateway timeout")]
    found = search(Words(*crowd), SCOPE, asked)
    assert compare(found, found, {}).before == 0


def test_a_fact_that_was_merged_twice_is_followed_to_the_end():
    asked = [Probe("a", "x")]
    assert compare({asked[0]: ["a"]}, {asked[0]: ["c"]}, {"a": "b", "b": "c"}).after == 1


def test_a_circle_of_carriers_ends():
    asked = [Probe("a", "x")]
    assert compare({asked[0]: ["a"]}, {asked[0]: ["b"]}, {"a": "b", "b": "a"}).asked == 1


def decided():
    """A plan of which all is accepted: a merge whose memory then loses a contradiction, and a prune."""
    records = {id: {"id": id, "memory": f"text {id}", "metadata": {"type": "decision"}} for id in "abcde"}
    plan = Plan(
        STORE,
        SCOPE,
        merges=[Merge("M1", ["a", "b"], "safe", "text b", "")],
        conflicts=[Conflict("C1", "b", "c", "x", None, "")],
        prunes=[Prune("P1", "d", "decision", "retention", 9, 1)],
        memories=records,
    )
    return decide(plan, {"C1": "B"}), [
        Operation("o", "M1", "merge", [records["a"], records["b"]], state="done", left=[{"id": "m"}])
    ]


def test_touched_are_members_and_both_sides_but_not_what_is_pruned():
    assert [m.id for m in touched(decided()[0])] == ["a", "b", "c"]


def test_a_merged_memory_that_loses_is_carried_by_the_winner():
    asked = [Probe("a", "x")]
    assert compare({asked[0]: ["a"]}, {asked[0]: ["c"]}, carried(*decided())).after == 1


def test_a_merge_that_was_dropped_carries_nothing():
    decisions, operations = decided()
    operations[0].state = "dropped"
    assert "a" not in carried(decisions, operations)


def test_the_result_names_what_is_no_longer_found_on_one_line_each():
    lines = described(Recall(4, 4, 3, [Probe("0123456789", "two\nlines")])).split("\n")
    assert lines[0] == "Search: 4 of 4 questions found their fact before, 3 do now (in the first 5)."
    assert lines[1:] == ['  no longer: [mem0:01234567] by "two\\nlines"']
