"""An unattended run: what is provably safe is applied, the rest is left to a person with the reason."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from ..config.policies import Policies
from ..errors import Busy, DreamError
from ..execution import reminder
from ..execution.apply import Summary, apply
from ..memory import Memory
from ..planning.decisions import Decisions
from ..planning.planner import make_plan
from ..review import consent, limits, queue
from ..review.answers import decide
from ..runs.dismissals import Kept
from ..runs.lock import Lock
from ..runs.run_folder import Run
from ..views import report
from . import actions, process
from .fetch import gather
from .session import Session, start

Tell = Callable[..., None]  # lines for the log


@dataclass
class Outcome:
    """What an unattended run did: lines for the log, the one summary line, and the exit code."""

    last: str
    lines: list[str] = field(default_factory=list)
    code: int = 0


def of_project(args: Namespace, tell: Tell) -> Outcome:
    """The whole pass on the project that the options name; a failure is an outcome, too."""
    name = args.project or (args.cwd[0] if args.cwd else Path.cwd()).name
    try:
        session = start(args)
    except DreamError as error:
        return Outcome(_failed(name, str(error)), [], error.exit_code)
    except Exception as error:
        return Outcome(_failed(name, process.unexpected(error)), [], 1)
    return alone(session, args.max_removed, tell)


def worse(one: int, other: int) -> int:
    """The exit code that says more: a failure, then something to decide, then a lock held, then done."""
    return min(one, other, key=[1, 2, 3, 75, 0].index)


def alone(session: Session, percent: int | None, tell: Tell) -> Outcome:
    """The whole pass in this process, with no agent."""

    def work_alone() -> Outcome:
        with Lock(session.folder) as lock:
            return _pass(session, percent, lock, tell)

    with session:
        return _ended(session, work_alone)


def by_agent(session: Session, run: Run, decisions: Decisions, percent: int | None) -> Outcome:
    """The last step of a pass that an agent drives: fetched with --auto, answered, and now applied."""
    consent.require_auto(decisions)
    token = run.read("lock")["token"] if run.has("lock") else None

    def apply_answers() -> Outcome:
        with Lock(session.folder, "agent", token) as lock:
            policies = Policies.from_document(run.read("policies"))
            return _conclude(session, run, decisions, policies, percent, lock, actions.numbers(run, {}))

    return _ended(session, apply_answers)


def _ended(session: Session, act: Callable[[], Outcome]) -> Outcome:
    """What it did; a failure is an outcome, too: the next project has its turn, and the next person is told."""
    try:
        return act()
    except Busy as busy:
        return Outcome(report.AUTO_BUSY, [str(busy)], busy.exit_code)
    except DreamError as error:
        why, code = str(error), error.exit_code
    except Exception as error:
        why, code = process.unexpected(error), 1
    queue.failed(session.folder, why)
    return Outcome(_failed(session.identity.project, why), [], code)


def _pass(session: Session, percent: int | None, lock: Lock, tell: Tell) -> Outcome:
    resumed, _ = actions.resumed(session, lock)
    now = f"Unattended, {datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC."
    snapshot, policies, lines = gather(session, "auto", now, *resumed)
    tell(*lines)
    plan = make_plan(snapshot, policies, Kept.load(session.folder), datetime.now(timezone.utc).date())
    if not (plan.merges or plan.conflicts or plan.prunes):
        reminder.settle(session.store, snapshot.memories)
        queue.succeeded(session.folder)
        if not snapshot.memories:
            tell(report.no_memories(session.identity.project))
        return Outcome(_last(session, Summary(), 0))
    run = session.keep(snapshot, policies)
    run.write("plan", plan.to_document())
    decisions = decide(plan, {}, snapshot.memories)
    return _conclude(session, run, decisions, policies, percent, lock, snapshot.memories)


def _conclude(
    session: Session,
    run: Run,
    decisions: Decisions,
    policies: Policies,
    percent: int | None,
    lock: Lock,
    memories: list[Memory],
) -> Outcome:
    """Apply what the caps leave, queue the rest, see to the reminder."""
    allowed = limits.unattended(decisions, policies, session.folder, percent)
    capped = len(allowed.held_back) > len(decisions.held_back)
    summary = apply(run, session.store, allowed, policies, lock) if allowed.changes() else Summary()
    done = summary.merged + summary.pruned
    lines = [*actions.told(summary), *queue.queue(run, allowed)]
    conflicts = sum(conflict.state != "dismissed" for conflict in allowed.conflicts)
    if not conflicts:
        summary.after -= reminder.settle(session.store, memories)
    elif policies.settings.reminder and reminder.remind(
        session.store, session.identity.scope, memories, session.identity.branch
    ):
        run.write("reminder", {"added": True})
        summary.after += 1
        lines.append("A reminder of the open contradictions was stored.")
    limits.used(session.folder, policies.retention)
    queue.succeeded(session.folder)
    failed = summary.unfinished or (summary.left_alone and not done)
    code = 1 if failed else 3 if capped and not done else 0
    if done:
        lines.append(report.undo_line(actions.undo_command(run), summary.before, summary.after))
    return Outcome(_last(session, summary, conflicts), lines, code)


def _last(session: Session, summary: Summary, conflicts: int) -> str:
    return report.auto_line(session.identity.project, summary.merged, summary.pruned, conflicts)


def _failed(project: str | None, why: str) -> str:
    return f"[mem0-dream --auto] project={project or 'none'}  failed: {why}"
