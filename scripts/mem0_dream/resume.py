"""Carrying on with a run that was stopped: every open operation is finished or taken back."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from . import journal
from .apply import Summary, refuse_other_store
from .carry import Desk, carry_out
from .journal import Operation
from .lock import Lock
from .memory import Scope
from .runs import Run, all_runs
from .stores.protocol import Store
from .undo import remember


def open_operations(run: Run) -> list[Operation]:
    """What this run, or an undo of it, has begun and not ended."""
    return [op for op in journal.read(run.journal) if op.state == "open"]


def interrupted(scope_folder: Path) -> list[Run]:
    """The scope's runs that were stopped on the way, oldest first."""
    return [run for run in all_runs(scope_folder) if open_operations(run)]


def resume(run: Run, store: Store, lock: Lock, sleep: Callable[[float], None] = time.sleep) -> Summary:
    """Finish or take back what is open; what was never begun stays undone and is found again by the next run."""
    facts = journal.head(run.journal)
    found = journal.read(run.journal)
    operations = [op for op in found if op.state == "open"]
    if not operations:
        return Summary()
    refuse_other_store(facts["store"], store)
    desk = Desk(run, store, Scope(*facts["scope"]), lock, sleep)
    desk.brought_back.update(id for op in found for id in op.restored.values())
    before = len(desk.look().by_id)
    carry_out(operations, desk, resumed=True)
    summary = Summary(before=before, after=len(desk.look().by_id))
    summary.count(operations)
    remember(run, operations)
    desk.journal.note(ended="resume", after=summary.after)
    return summary
