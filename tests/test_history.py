"""History, what is dropped by age, and erasing."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.errors import AttentionNeeded, UsageError
from mem0_dream.execution.apply import apply
from mem0_dream.execution.undo import undo
from mem0_dream.memory import Scope
from mem0_dream.runs.dismissals import Dismissals
from mem0_dream.runs.erase import erase
from mem0_dream.runs.history import history, sweep
from mem0_dream.runs.run_folder import Run, all_runs, new_run
from mem0_dream.runs.snapshot import Snapshot, write_snapshot

from .worlds import FaultyStore, Killed, MemoryStore, World, example, world


@pytest.fixture
def made(tmp_path) -> World:
    rows, plan, answers = example()
    made = world(tmp_path, MemoryStore({row["id"]: row for row in rows}), plan, answers)
    scope = Scope("user", "project")
    snapshot = Snapshot(made.decisions.plan.store, scope, "main", "2026-06-01", "asked", True, made.before)
    write_snapshot(made.run.folder / "snapshot.json", snapshot)
    made.run.write("plan", made.decisions.plan.to_document())
    made.run.write("verdicts", {"answers": answers})
    return made


def do(made: World, store=None) -> None:
    with made.lock() as lock:
        apply(made.run, store or made.store, made.decisions, Policies(), lock, lambda _: None)


def undo_it(made: World, *only: str) -> None:
    with made.lock() as lock:
        undo(made.run, made.store, only, lock, lambda _: None)


def states(made: World) -> list[str]:
    return [entry.state for entry in history(made.run.scope_folder)]


def test_the_history_tells_what_a_run_did_and_what_undoing_it_would_do(made):
    do(made)
    [entry] = history(made.run.scope_folder)
    assert (entry.run, entry.state, entry.mode) == (made.run.name, "applied", "asked")
    assert (entry.merged, entry.pruned, entry.resolved) == (3, 2, 1)
    assert (entry.restores, entry.removes) == (8, 2)
    assert made.run.name in entry.line() and "undo brings back 8" in entry.line()


def test_a_run_goes_from_open_to_applied_to_undone(made):
    assert states(made) == ["open"]
    do(made)
    undo_it(made, "P1")
    assert states(made) == ["partly undone"]
    undo_it(made)
    assert states(made) == ["undone"]


def test_an_interrupted_run_and_a_queue_are_told_apart(made):
    new_run(made.run.scope_folder, datetime(2026, 1, 1, tzinfo=timezone.utc)).write("queued", {"items": []})
    with pytest.raises(Killed):
        do(made, FaultyStore(made.store, {3: "killed before"}))
    assert states(made) == ["interrupted", "queued"]


def swept(made: World, days: float, keep_days: int = 365) -> list[Run]:
    sweep(made.run.scope_folder, keep_days, datetime.now(timezone.utc) + timedelta(days=days))
    return all_runs(made.run.scope_folder)


def test_a_run_that_was_never_applied_goes_after_a_day(made):
    assert swept(made, 0.9) and not swept(made, 1.1)


def test_a_run_that_was_applied_stays_as_long_as_mem0_md_says(made):
    do(made)
    assert swept(made, 364) and not swept(made, 366)


def test_a_run_that_can_be_undone_stays_for_a_month_whatever_mem0_md_says(made):
    do(made)
    assert swept(made, 29, keep_days=0)
    undo_it(made)
    assert not swept(made, 29, keep_days=0)


def test_a_run_with_an_unfinished_journal_never_goes(made):
    with pytest.raises(Killed):
        do(made, FaultyStore(made.store, {3: "killed before"}))
    assert swept(made, 9999)


def test_the_newest_queue_stays_and_older_ones_go(made):
    old = new_run(made.run.scope_folder, datetime(2026, 1, 1, tzinfo=timezone.utc))
    new = new_run(made.run.scope_folder, datetime(2026, 1, 2, tzinfo=timezone.utc))
    for run in (old, new):
        run.write("queued", {"items": []})
    assert new.name in {run.name for run in swept(made, 30)}
    assert old.name not in {run.name for run in swept(made, 30)}


def files(made: World) -> str:
    paths = [path for path in made.run.scope_folder.rglob("*") if path.is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_a_run_can_be_erased(made):
    do(made)
    assert made.run.name in erase(made.run.scope_folder, made.run.name)
    assert all_runs(made.run.scope_folder) == []


def test_a_memory_can_be_erased_from_all_records(made):
    kept = Dismissals.load(made.run.scope_folder)
    kept.add("merge", ["Use pnpm", "Bystander"], "keep")
    kept.save()
    do(made)
    undo_it(made, "M1")
    assert "1 run;" in erase(made.run.scope_folder, "id-00000001")
    left = files(made)
    assert "id-00000001" not in left and "Use pnpm" not in left
    assert "Old state" in left


def test_a_memory_that_undoing_brought_back_is_erased_under_both_ids(made):
    do(made)
    undo_it(made, "P1")
    [new] = [memory.id for memory in made.now().values() if memory.text == "Old state"]
    erase(made.run.scope_folder, "id-00000006")
    left = files(made)
    assert new not in left and "Old state" not in left


def test_what_is_not_about_the_erased_memory_can_still_be_undone(made):
    do(made)
    erase(made.run.scope_folder, "id-00000001")
    undo_it(made)
    texts = {memory.text for memory in made.now().values()}
    assert "Old state" in texts and "Use pnpm" not in texts


def test_nothing_is_erased_while_a_run_is_interrupted(made):
    with pytest.raises(Killed):
        do(made, FaultyStore(made.store, {3: "killed before"}))
    for what in (made.run.name, "id-00000001"):
        with pytest.raises(AttentionNeeded, match="--resume"):
            erase(made.run.scope_folder, what)


@pytest.mark.parametrize(
    ("what", "words"),
    [("nothing-like-it", "is in no record"), ("id-00000", "names more than one"), ("id", "shorter than 8 characters")],
)
def test_an_id_that_is_not_one_memory_is_refused(made, what, words):
    with pytest.raises(UsageError, match=words):
        erase(made.run.scope_folder, what)
