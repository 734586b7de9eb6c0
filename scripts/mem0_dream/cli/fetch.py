"""The second step: a scope's memories into a new run folder, for somebody to be asked about or for nobody."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..config.policies import Policies, unmatched
from ..errors import Busy
from ..review import queue
from ..runs import history
from ..runs.dismissals import Kept
from ..runs.lock import Lock
from ..runs.run_folder import Run
from ..runs.snapshot import Snapshot
from ..views import report
from . import actions
from .session import Session


@dataclass
class Fetched:
    """What to print, what to tell beside it, and the exit code."""

    text: str
    told: list[str] = field(default_factory=list)
    code: int = 0


def asked(session: Session) -> Fetched:
    """Fetch for a person or agent that will answer."""
    return _fetch(session, "asked", [actions.stopped(session.folder), *queue.failures(session.folder)])[0]


def unattended(session: Session) -> Fetched:
    """Fetch for a run that nobody attends: the lock is held until its last step, and what was stopped is finished."""
    lock = Lock(session.folder, "agent")
    try:
        lock.acquire()
    except Busy as busy:
        return Fetched(report.AUTO_BUSY, [str(busy)], busy.exit_code)
    keep = False
    try:
        resumed, _ = actions.resumed(session, lock)
        fetched, run = _fetch(session, "auto", resumed)
        if run:
            run.write("lock", {"token": lock.token})
            keep = True
        return fetched
    finally:
        lock.leave() if keep else lock.release()


def gather(session: Session, mode: str, *told: str) -> tuple[Snapshot, Policies, list[str]]:
    """What every run begins with: the memories, the policies, and the lines to tell of both, after those of `told`."""
    snapshot, notes = session.fetch(mode)
    policies = session.policies()
    odd = unmatched(policies, {memory.type for memory in snapshot.memories})
    history.sweep(session.folder, policies.settings.keep_runs)
    decided = len(Kept.load(session.folder).entries)
    kept = f"Left alone, as somebody decided or undid: {decided} (apply_plan.py --kept lists them)." if decided else ""
    lines = [session.first_line(len(snapshot.memories)), *told, *notes, *policies.notes, *odd, kept]
    return snapshot, policies, [*lines, session.elsewhere()] if not snapshot.memories else lines


def _fetch(session: Session, mode: str, told: list[str]) -> tuple[Fetched, Run | None]:
    snapshot, policies, lines = gather(session, mode, *told)
    if not snapshot.memories:
        return Fetched(report.no_memories(session.identity.project), lines), None
    run = session.keep(snapshot, policies)
    return Fetched(f"Run: {run.folder}", lines), run
