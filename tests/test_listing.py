import random

from mem0_dream.planning.listing import listing

from tests.memories import record, snapshot

ROWS = [
    record("a", "Use tabs in Go files"),
    record("b", "The office dog is called in at noon"),
    record("c", "In Go files use tabs"),
    record("d", "Use tabs in Go files", type="preference"),
    record("e", "An office plant needs water"),
    record("f", "Use tabs in Go files", pinned=True),
]


def test_every_memory_has_one_number():
    assert sorted(memory.id for memory in listing(snapshot(ROWS))) == sorted("abcdef")


def test_the_numbers_do_not_depend_on_the_order_of_the_store():
    wanted = [memory.id for memory in listing(snapshot(ROWS))]
    for seed in range(5):
        rows = ROWS[:]
        random.Random(seed).shuffle(rows)
        assert [memory.id for memory in listing(snapshot(rows))] == wanted


def test_similar_ones_of_a_type_stand_together():
    rows = [record(f"x{i}", f"filler number {'abcdefghijkl'[i]} about {'mnopqrstuvwx'[i] * 4}") for i in range(12)]
    ids = [memory.id for memory in listing(snapshot([*ROWS, *rows]))]
    assert {abs(ids.index("a") - ids.index("c")), abs(ids.index("a") - ids.index("f"))} == {1, 2}
    assert ids.index("d") > max(ids.index(id) for id in "abcef")


def test_memories_without_text_or_id_have_numbers_too():
    assert len(listing(snapshot([record("", ""), record("", ""), record("a", "  ")]))) == 3
