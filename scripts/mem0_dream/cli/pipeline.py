"""One pass over a scope, whoever drives it: a person in a terminal, an agent step by step, or nobody at all.

Fetch, plan, decide. All of it lies in the run folder, so that the next step, in another process, goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from ..config.policies import Policies, unmatched
from ..errors import DreamError
from ..memory import Memory, undated
from ..planning.decisions import Decisions
from ..planning.listing import listing
from ..planning.plan import Conflict, Plan
from ..planning.planner import make_plan
from ..review import answers as answering
from ..review import queue, verdicts
from ..runs import history
from ..runs.dismissals import Kept
from ..runs.lock import Lock
from ..runs.run_folder import Run, newest_open
from ..runs.snapshot import Snapshot, read_snapshot
from ..views import report
from .session import Session, quoted


@dataclass
class Fetched:
    """Everything a plan is made from, and the lines to tell of it."""

    snapshot: Snapshot
    policies: Policies
    dismissals: Kept | None = None  # None: a bare snapshot, for which nothing was ever decided
    notes: list[str] = field(default_factory=list)

    def plan(self, today: date, neighbours: Sequence[tuple[str, str]] = ()) -> Plan:
        return make_plan(self.snapshot, self.policies, self.dismissals, today, neighbours)


def fetch(session: Session, mode: str, *first: str) -> Fetched:
    """What every pass begins with: the memories and the policies; the lines of `first` are told before their notes."""
    snapshot, notes = session.fetch(mode)
    policies = session.policies()
    odd = unmatched(policies, {memory.type for memory in snapshot.memories})
    history.sweep(session.folder, policies.settings.keep_runs)
    dismissals = Kept.load(session.folder)
    count = len(dismissals.entries)
    skipped = f"Left alone, as somebody decided or undid: {count} (apply_plan.py --kept lists them)." if count else ""
    lines = [
        session.first_line(len(snapshot.memories)),
        *first,
        *notes,
        *policies.notes,
        *odd,
        undated(snapshot.memories),
        skipped,
    ]
    if not snapshot.memories:
        lines.append(session.elsewhere())
    return Fetched(snapshot, policies, dismissals, lines)


def nothing(plan: Plan) -> str:
    """The sentence for a plan with nothing to ask and nothing to apply; empty for any other."""
    if not plan.total:
        return report.no_memories(plan.scope.project)
    return "" if plan.proposes() else report.NOTHING_FOUND


@dataclass
class Pass:
    """A plan in its run folder, and the answers to it so far."""

    run: Run
    snapshot: Snapshot
    policies: Policies
    plan: Plan
    answers: dict[str, Any] = field(default_factory=dict)

    @property
    def memories(self) -> list[Memory]:
        """All memories; in the order of --list if an answer names them by number."""
        return listing(self.snapshot) if "+" in self.answers else self.snapshot.memories

    def decisions(self) -> Decisions:
        """The plan with the answers, after every rail. UsageError if an answer cannot be taken."""
        return answering.decide(self.plan, self.answers, self.memories)

    def decide(self, given: dict[str, Any]) -> Decisions:
        """Take more answers, under the scope's lock. If one of them cannot be taken, none is."""
        with _lock_of(self.run):
            more = Pass(self.run, self.snapshot, self.policies, self.plan, verdicts.combine(self.answers, given))
            dismissals = Kept.load(self.run.scope_folder)
            decisions = answering.decide(self.plan, more.answers, more.memories, dismissed=dismissals)
            self.answers = more.answers
            self.save(decisions)
        return decisions

    def save(self, decisions: Decisions) -> None:
        """Keep the answers in the run, and what they leave alone in the scope."""
        self.run.write("verdicts", {"answers": self.answers})
        dismissals = Kept.load(self.run.scope_folder)
        answering.remember(dismissals, decisions)
        dismissals.save()


def start(session: Session, fetched: Fetched, plan: Plan) -> Pass:
    """A pass in a new run folder."""
    run = session.keep(fetched.snapshot, fetched.policies)
    run.write("plan", plan.to_document())
    return Pass(run, fetched.snapshot, fetched.policies, plan)


def reopen(run: Run) -> Pass:
    """The pass that an earlier step left in this run folder; DreamError if it has no plan yet."""
    if not run.has("plan"):
        raise DreamError(f"This run has no plan yet; run find_dupes.py --run {quoted(str(run.folder))} first.")
    policies = Policies.from_document(run.read("policies"))
    plan = Plan.from_document(run.read("plan"))
    answers = run.read("verdicts")["answers"] if run.has("verdicts") else {}
    return Pass(run, read_snapshot(run.folder / "snapshot.json"), policies, plan, answers)


def earlier_answers(session: Session, plan: Plan) -> dict[str, Any]:
    """What a person answered in the scope's newest open run and left there, as far as the same is asked again."""
    try:
        before = reopen(newest_open(session.folder))
    except DreamError:
        return {}
    sides = {
        _asked(before.plan, c): before.answers[c.handle]
        for c in before.plan.conflicts
        if before.answers.get(c.handle) in ("A", "B")
    }
    return {c.handle: sides[key] for c in plan.conflicts if (key := _asked(plan, c)) in sides}


def unfinished_business(session: Session) -> list[str]:
    """What a person is told first: a run that was stopped on the way, and unattended runs that failed."""
    return [*interrupted(session.folder), *queue.failures(session.folder)]


def interrupted(folder: Path) -> list[str]:
    """A sentence if runs of this scope were stopped on the way."""
    names = ", ".join(run.name for run in history.interrupted(folder))
    return [f"Run {names} was interrupted; --resume finishes or takes back what it began."] if names else []


def _asked(plan: Plan, conflict: Conflict) -> tuple[str, ...]:
    return conflict.a, plan.memory(conflict.a).text, conflict.b, plan.memory(conflict.b).text


@contextmanager
def _lock_of(run: Run) -> Iterator[None]:
    """The scope's lock for one command; an unattended run holds it already, and goes on holding it."""
    if not run.has("lock"):
        with Lock(run.scope_folder):
            yield
        return
    lock = Lock(run.scope_folder, "agent", run.read("lock")["token"])
    lock.acquire()
    try:
        yield
    finally:
        lock.leave()
