"""The journal as it is found: one damaged byte costs one operation, of one run, and is named."""

from __future__ import annotations

import json
import re

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.errors import DreamError
from mem0_dream.execution.apply import apply
from mem0_dream.execution.undo import undo
from mem0_dream.runs import history, journal, run_folder
from mem0_dream.runs.snapshot import write_snapshot

from . import memories
from .worlds import MemoryStore, World, contents, example, world


@pytest.fixture
def applied(tmp_path) -> World:
    """A run that did six operations."""
    rows, plan, answers = example()
    made = world(tmp_path, MemoryStore({row["id"]: row for row in rows}), plan, answers)
    with made.lock() as lock:
        apply(made.run, made.store, made.decisions, Policies(), lock, lambda _: None)
    return made


def lines(made: World) -> list[bytes]:
    return made.run.journal.read_bytes().split(b"\n")


def damage(made: World, number: int, old: bytes, new: bytes) -> None:
    """Change one thing in a line, counted from 1."""
    written = lines(made)
    assert written[number - 1].count(old) >= 1
    written[number - 1] = written[number - 1].replace(old, new, 1)
    made.run.journal.write_bytes(b"\n".join(written))


def line_of(made: World, kind: str, handle: str) -> int:
    """The number of the line with this operation's intent or outcome."""
    ids = {op.handle: op.id for op in journal.read(made.run.journal)}
    beginning = f'{{"{kind}": {{"id": "{ids[handle]}"'.encode()
    return next(n for n, raw in enumerate(lines(made), 1) if raw.startswith(beginning))


def test_every_line_carries_the_checksum_of_what_it_says(applied):
    assert all(re.search(rb', "sum": "[0-9a-f]{12}"}$', raw) for raw in lines(applied) if raw)
    assert journal.load(applied.run.journal).damage == []


def test_a_journal_of_0_1_0_without_checksums_is_read_and_undone(applied):
    bare = [re.sub(rb', "sum": "[0-9a-f]{12}"}$', b"}", raw) for raw in lines(applied)]
    applied.run.journal.write_bytes(b"\n".join(bare))
    with applied.lock() as lock:
        undo(applied.run, applied.store, (), lock, lambda _: None)
    assert contents(applied.now().values()) == contents(applied.before)


@pytest.mark.parametrize(
    ("kind", "old", "new"), [("intent", b'"prune"', b'"prune!"'), ("outcome", b'"done"', b'"dome"')]
)
def test_a_flipped_byte_costs_its_own_operation_and_is_named_with_its_line(applied, kind, old, new):
    number = line_of(applied, kind, "P1")
    damage(applied, number, old, new)
    found = journal.load(applied.run.journal)
    assert len(found.damage) == 1 and f"Line {number} of" in found.damage[0]
    standing = [op.handle for op in journal.standing(found.operations.values())]
    assert standing == ["M1", "M2", "M3", "C1", "P2"]
    assert not history.open_operations(applied.run)


def test_what_a_damaged_line_does_not_touch_is_undone(applied):
    damage(applied, line_of(applied, "intent", "P1"), b"Old state", b"Odd state")
    with applied.lock() as lock:
        undo(applied.run, applied.store, (), lock, lambda _: None)
    wanted = [memory for memory in applied.before if memory.text != "Old state"]
    assert contents(applied.now().values()) == contents(wanted)


def test_a_damaged_line_is_named_in_the_history_and_stops_no_other_run(applied):
    damage(applied, 2, b'"', b"'")
    other = run_folder.new_run(applied.run.scope_folder)
    entries = history.history(applied.run.scope_folder)
    assert [entry.run for entry in entries] == [other.name, applied.run.name]
    assert "\n  Line 2 of " in entries[1].line()
    assert history.interrupted(applied.run.scope_folder) == []


def test_a_damaged_beginning_is_read_from_the_snapshot(applied):
    write_snapshot(applied.run.folder / "snapshot.json", memories.snapshot([]))
    damage(applied, 1, b'"begin"', b'"began"')
    head = history.head(applied.run)
    assert (head.store, head.scope) == (memories.snapshot([]).store, memories.snapshot([]).scope)


def test_a_damaged_beginning_without_a_snapshot_is_not_nothing_changed(applied):
    damage(applied, 1, b'"begin"', b'"begxn"')
    with pytest.raises(DreamError, match=r"Line 1 of .* is damaged"):
        history.head(applied.run)


def test_a_journal_of_another_version_is_refused_by_itself(applied):
    first = json.loads(lines(applied)[0])
    first["begin"]["version"] = 2
    del first["sum"]
    applied.run.journal.write_bytes(b"\n".join([journal.encode(first).strip().encode(), *lines(applied)[1:]]))
    assert journal.read(applied.run.journal) == []
    with pytest.raises(DreamError, match="is of version 2"):
        history.head(applied.run)
    assert history.interrupted(applied.run.scope_folder) == []


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_line_that_a_crash_tore_counts_as_never_written(applied, cut):
    raw = applied.run.journal.read_bytes().rstrip(b"\n")
    applied.run.journal.write_bytes(raw[:-cut])
    assert journal.load(applied.run.journal).damage == []


def test_json_nested_without_end_is_a_damaged_line(applied):
    with applied.run.journal.open("ab") as file:
        file.write(b'{"note": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n")
    assert len(journal.load(applied.run.journal).damage) == 1
