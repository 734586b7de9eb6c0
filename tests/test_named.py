"""What becomes of the metadata of memories that are merged."""

import pytest
from mem0_dream.execution.operations import merged_metadata
from mem0_dream.memory import Memory
from mem0_dream.planning import named

from tests.memories import record


def members(*metadata):
    rows = [record(id, "Use tabs") for id in "abc"[: len(metadata)]]
    for row, more in zip(rows, metadata, strict=True):
        row["metadata"].update(more)
    return [Memory(row) for row in rows]


@pytest.mark.parametrize(
    ("one", "other", "kept"),
    [
        (["x", "y"], ["y", "z"], ["x", "y", "z"]),
        (["x"], "y", ["x", "y"]),
        (3, 11, 11),
        (0.5, 0.25, 0.5),
        ("2026-05-01", "2026-05-09T10:00:00Z", "2026-05-09T10:00:00Z"),
        ("api", None, "api"),
        ("api", "api", "api"),
        ("api", "web", None),
        (True, False, None),
    ],
)
def test_lists_are_united_the_highest_kept_and_names_dropped(one, other, kept):
    assert merged_metadata(members({"key": one}, {"key": other}), None, "op").get("key") == kept


@pytest.mark.parametrize("pair", [("api", "web"), (True, False), ({"a": 1}, {"a": 2})])
def test_what_is_dropped_is_told(pair):
    found = members(*({"service": value} for value in pair))
    assert named.dropped(found) == [f"service: {value}" for value in pair]


def test_who_wrote_a_member_is_kept():
    found = merged_metadata(members({"source": "hook"}, {"source": "mem0-dream"}, {}), None, "op")
    assert (found["source"], found["merged_from"]) == ("mem0-dream", [{"id": "a", "source": "hook"}, "b", "c"])


def test_what_a_store_keeps_by_itself_names_nothing():
    assert named.names(members({"run_id": "1", "hash": "x"}, {"run_id": "2", "hash": "y"})) == []
