"""Carrying on with a run that was stopped: every open operation is finished or taken back."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..memory import Scope
from ..runs import journal
from ..runs.lock import Lock
from ..runs.run_folder import Run
from ..stores.protocol import Store
from .apply import Summary, refuse_other_store
from .executor import Desk, carry_out
from .undo import remember


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
