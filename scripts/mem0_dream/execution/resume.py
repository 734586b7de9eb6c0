"""Carrying on with a run that was stopped: every open operation is finished or taken back."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..runs import history, journal
from ..runs.lock import Lock
from ..runs.run_folder import Run
from ..stores.protocol import Store
from .apply import Summary, refuse_other_store
from .desk import Desk
from .executor import carry_out
from .undo import remember


def resume(run: Run, store: Store, lock: Lock, sleep: Callable[[float], None] = time.sleep) -> Summary:
    """Finish or take back what is open; what was never begun stays undone and is found again by the next run.

    An undo that was stopped at its very end is remembered for the scope now.
    """
    if not journal.unfinished(run.journal):
        return Summary()
    head = history.head(run)
    refuse_other_store(head.store, store)
    found = journal.read(run.journal)
    desk = Desk(run, store, head.scope, lock, sleep)
    for op in found:
        desk.view.claimed.update(op.seen, op.restored.values())
    desk.begun = [op for op in found if op.state == "open"]
    summary = Summary()
    with summary.of(desk):
        carry_out(desk.begun, desk, resumed=True)
    remember(run)
    desk.journal.note(ended="resume", after=summary.after)
    return summary
