"""The second step: a scope's memories into a new run folder, for a pass that is asked about or that nobody attends."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import Busy
from ..runs.lock import Lock
from ..runs.run_folder import Run
from ..runs.snapshot import Mode
from ..views import report
from . import apply, pipeline
from .session import Session


@dataclass
class Step:
    """What to print, what to tell beside it, and the exit code."""

    text: str
    notes: list[str] = field(default_factory=list)
    code: int = 0


def asked(session: Session) -> Step:
    """Fetch for a person or agent that will answer."""
    return _fetch(session, "asked", pipeline.unfinished_business(session))[0]


def unattended(session: Session) -> Step:
    """Fetch for a run that nobody attends: the lock is held until its last step, and what was stopped is finished."""
    lock = Lock(session.folder, "agent")
    try:
        lock.acquire()
    except Busy as busy:
        return Step(report.AUTO_BUSY, [str(busy)], busy.exit_code)
    keep = False
    try:
        resumed, _ = apply.resumed(session, lock)
        step, run = _fetch(session, "auto", resumed)
        if run:
            run.write("lock", {"token": lock.token})
            keep = True
        return step
    finally:
        lock.leave() if keep else lock.release()


def _fetch(session: Session, mode: Mode, first: list[str]) -> tuple[Step, Run | None]:
    fetched = pipeline.fetch(session, mode, *first)
    if not fetched.snapshot.memories:
        return Step(report.no_memories(session.identity.project), fetched.notes), None
    run = session.keep(fetched.snapshot, fetched.policies)
    return Step(f"Run: {run.folder}", fetched.notes), run
