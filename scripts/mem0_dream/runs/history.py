"""The runs of a scope: what each did, what undoing it would bring back, and which are dropped by age."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ..errors import DreamError
from . import journal
from .journal import Head, Operation
from .run_folder import FRESH, Run, all_runs

UNDOABLE = timedelta(days=30)  # the least that a run can be undone


@dataclass
class Entry:
    """One run. `restores` and `removes` count the memories that undoing it would bring back and take away.

    `before` and `after` are the memories of the scope when it was applied, None if it was not applied.
    """

    run: str
    at: str
    mode: str
    state: str  # open, queued, interrupted, nothing, applied, partly undone, undone
    merged: int
    pruned: int
    resolved: int
    restores: int
    removes: int
    before: int | None = None
    after: int | None = None
    updated: int = 0
    damage: list[str] = field(default_factory=list)  # sentences: what of its journal cannot be read

    def line(self) -> str:
        counts = f"merged: {self.merged}, pruned: {self.pruned}, conflicts resolved: {self.resolved}"
        counts += f", updated: {self.updated}" if self.updated else ""
        undo = f"; undo brings back {self.restores} and takes away {self.removes}" if self.restores else ""
        return f"{self.run}  {self.at[:16].replace('T', ' ')}  {self.mode}  {self.state}  {counts}{undo}" + "".join(
            f"\n  {sentence}" for sentence in self.damage
        )


def history(scope_folder: Path) -> list[Entry]:
    """The scope's runs, the newest first."""
    return [_entry(run) for run in reversed(all_runs(scope_folder))]


def sweep(scope_folder: Path, keep_days: int, now: datetime | None = None) -> None:
    """Drop old runs: those that were applied after `keep_days`, the others after a day.

    A run that can be undone stays for UNDOABLE at least: mem0.md comes with a repository. One with an unfinished
    journal never goes, nor does the newest queue.
    """
    moment = now or datetime.now(timezone.utc)
    runs = all_runs(scope_folder)
    queue = next((run.name for run in reversed(runs) if run.has("queued")), None)
    for run in runs:
        age = moment - run.started
        record = journal.load(run.journal)
        found = list(record.operations.values())
        limit = timedelta(days=keep_days) if run.journal.exists() else FRESH
        if journal.standing(found):
            limit = max(limit, UNDOABLE)
        if age > limit and run.name != queue and not record.damage and all(op.state != "open" for op in found):
            shutil.rmtree(run.folder, ignore_errors=True)


def head(run: Run) -> Head:
    """The facts that an applied run began with; DreamError if it cannot be taken back at all."""
    record = journal.load(run.journal)
    if record.damage and not (record.head and record.operations):
        raise DreamError(f"Run {run.name} cannot be taken back: {record.damage[0]}")
    if not record.head:
        raise DreamError(f"Run {run.name} changed nothing, so there is nothing to take back.")
    return record.head


def _entry(run: Run) -> Entry:
    record = journal.load(run.journal)
    found, begun = list(record.operations.values()), record.head
    done = [op for op in found if op.kind != "undo" and op.state == "done"]
    standing = journal.standing(found)
    counts = {kind: sum(op.kind == kind for op in done) for kind in ("merge", "prune", "conflict", "update")}
    return Entry(
        run.name,
        begun.at if begun else run.started.isoformat(),
        begun.mode if begun else "not applied",
        _state(run, found, done, standing),
        counts["merge"],
        counts["prune"],
        counts["conflict"],
        sum(len(op.removed) + _hidden(op) for op in standing),
        sum(len(op.adds) for op in standing),
        begun.before if begun else None,
        next((note["after"] for note in record.notes if note.get("ended") in ("apply", "resume")), None),
        counts["update"],
        record.damage,
    )


def _state(run: Run, found: list[Operation], done: list[Operation], standing: list[Operation]) -> str:
    if not run.journal.exists():
        return "queued" if run.has("queued") else "open"
    if open_operations(run):
        return "interrupted"
    if not done:
        return "nothing"
    if len(standing) == len(done):
        return "applied"
    return "partly undone" if standing else "undone"


def _hidden(op: Operation) -> int:
    return 1 if op.change and not op.removes and op.kind != "update" else 0


def open_operations(run: Run) -> list[Operation]:
    """What this run, or an undo of it, has begun and not ended."""
    return journal.unfinished(run.journal)


def interrupted(scope_folder: Path) -> list[Run]:
    """The scope's runs that were stopped on the way, oldest first."""
    return [run for run in all_runs(scope_folder) if open_operations(run)]
