"""An unattended run: what is provably safe is applied, the rest is left to a person with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from ..errors import Busy, DreamError
from ..execution import reminder
from ..execution.apply import Summary
from ..execution.apply import apply as execute
from ..planning.decisions import Decisions
from ..review import consent, limits, queue
from ..runs.lock import Lock
from ..safe_text import shown
from ..views import report
from . import apply, pipeline, process
from .options import Target
from .pipeline import Pass
from .session import Session, start

Tell = Callable[..., None]  # lines for the log


@dataclass
class Outcome:
    """What an unattended run did: lines for the log, the one summary line, and the exit code."""

    last: str
    lines: list[str] = field(default_factory=list)
    code: int = 0


def of_project(target: Target, percent: int | None, tell: Tell, verbose: bool = False) -> Outcome:
    """The whole pass on the project that the options name; a failure is an outcome, too."""
    name = target.project or (target.cwd or Path.cwd()).name
    try:
        session = start(target)
    except DreamError as error:
        return Outcome(_failed(name, str(error)), [], error.exit_code)
    except Exception as error:
        return Outcome(_failed(name, process.unexpected(error)), [], 1)
    return alone(session, percent, tell, verbose)


def worse(one: int, other: int) -> int:
    """The exit code that says more: a failure, then something to decide, then a lock held, then done."""
    return min(one, other, key=[1, 2, 3, 75, 0].index)


def alone(session: Session, percent: int | None, tell: Tell, verbose: bool = False) -> Outcome:
    """The whole pass in this process, with no agent."""

    def work_alone() -> Outcome:
        with Lock(session.folder) as lock:
            return _pass(session, percent, lock, tell, verbose)

    with session:
        return _ended(session, work_alone)


def by_agent(session: Session, current: Pass, decisions: Decisions, percent: int | None) -> Outcome:
    """The last step of a pass that an agent drives: fetched with --auto, answered, and now applied."""
    consent.require_auto(decisions)
    token = current.run.read("lock")["token"] if current.run.has("lock") else None

    def apply_answers() -> Outcome:
        with Lock(session.folder, "agent", token) as lock:
            return _conclude(session, current, decisions, percent, lock)

    return _ended(session, apply_answers)


def _ended(session: Session, act: Callable[[], Outcome]) -> Outcome:
    """What it did; a failure is an outcome, too: the next project has its turn, and the next person is told."""
    try:
        return act()
    except Busy as busy:
        return Outcome(report.AUTO_BUSY, [str(busy)], busy.exit_code)
    except DreamError as error:
        why, code, lines = str(error), error.exit_code, error.report.splitlines()
    except Exception as error:
        why, code, lines = process.unexpected(error), 1, []
    queue.failed(session.folder, why)
    return Outcome(_failed(session.identity.project, why), lines, code)


def _pass(session: Session, percent: int | None, lock: Lock, tell: Tell, verbose: bool) -> Outcome:
    resumed, _ = apply.resumed(session, lock)
    now = datetime.now(timezone.utc)
    fetched = pipeline.fetch(session, "auto", f"Unattended, {now:%Y-%m-%d %H:%M} UTC.", *resumed)
    tell(*fetched.notes)
    plan = fetched.plan(now.date())
    tell(*plan.notes)
    if sentence := pipeline.nothing(plan):
        reminder.settle(session.store, session.identity.scope, fetched.snapshot.memories)
        limits.used(session.folder, fetched.policies.retention)
        queue.succeeded(session.folder)
        tell("" if plan.total else sentence)
        return Outcome(_last(session, Summary(), 0))
    begun = pipeline.start(session, fetched, plan)
    return _conclude(session, begun, begun.decisions(), percent, lock, verbose)


def _conclude(
    session: Session, current: Pass, decisions: Decisions, percent: int | None, lock: Lock, verbose: bool = False
) -> Outcome:
    """Apply what the caps leave, queue the rest, see to the reminder."""
    policies, run = current.policies, current.run
    allowed = limits.unattended(decisions, policies, session.folder, percent)
    capped = len(allowed.held_back) > len(decisions.held_back)
    done = Summary()
    if allowed.changes():
        done = apply.told_on_failure(run, execute, run, session.store, allowed, policies, lock)
    lines = [*apply.not_done(done), *queue.queue(run, allowed, verbose)]
    conflicts = sum(conflict.state != "dismissed" for conflict in allowed.conflicts)
    reminded = _remind(session, current, conflicts, done)
    limits.used(session.folder, policies.retention)
    changed = done.merged + done.pruned
    failed = done.unfinished or reminded.failed or (done.left_alone and not changed)
    if not failed:
        queue.succeeded(session.folder)
    code = 1 if failed else 3 if capped and not changed else 0
    lines += [*reminded.lines, *apply.worth_and_undo(run, done)]
    return Outcome(_last(session, done, conflicts), lines, code)


@dataclass(frozen=True)
class _Reminded:
    lines: list[str]
    failed: bool = False


def _remind(session: Session, current: Pass, conflicts: int, done: Summary) -> _Reminded:
    """Bring the reminder up to date, and count it; a failure undoes nothing of what was applied before."""
    memories, scope = current.snapshot.memories, session.identity.scope
    try:
        if not conflicts:
            done.after -= reminder.settle(session.store, scope, memories)
        elif current.policies.settings.reminder and reminder.remind(
            session.store, scope, memories, session.identity.branch, conflicts
        ):
            current.run.write("reminder", {"added": True})
            done.after += 1
            return _Reminded(["A reminder of the open contradictions was stored."])
    except DreamError as error:
        return _Reminded([str(error)], failed=True)
    return _Reminded([])


def _last(session: Session, summary: Summary, conflicts: int) -> str:
    return report.auto_line(session.identity.project, summary.merged, summary.pruned, conflicts)


def _failed(project: str | None, why: str) -> str:
    return f"[mem0-dream --auto] project={shown(project or 'none')}  failed: {shown(why)}"
