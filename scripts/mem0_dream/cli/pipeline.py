"""One pass over a scope, whoever drives it: a person in a terminal, an agent step by step, or nobody at all.

Fetch, plan, decide. All of it lies in the run folder, so that the next step, in another process, goes on from there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

from ..config.policies import Policies, unmatched
from ..errors import DreamError
from ..memory import Memory, undated
from ..planning import outdated
from ..planning.decisions import Decisions
from ..planning.listing import listing
from ..planning.plan import Plan
from ..planning.planner import make_plan
from ..review import answers as answering
from ..review import queue, verdicts
from ..runs import history
from ..runs.dismissals import Dismissals
from ..runs.lock import Lock
from ..runs.run_folder import FRESH, Run, all_runs
from ..runs.snapshot import Mode, Snapshot, read_snapshot
from ..views import report
from . import records
from .session import Session, quoted


@dataclass
class Fetched:
    """Everything a plan is made from, and the lines to tell of it."""

    snapshot: Snapshot
    policies: Policies
    dismissals: Dismissals | None = None  # None: a bare snapshot, for which nothing was ever decided
    notes: list[str] = field(default_factory=list)
    folder: Path | None = None  # whose repository memories are held against; None for a bare snapshot

    def of_type(self, type: str | None) -> Fetched:
        """The same with the memories of one metadata.type only (None: of every type)."""
        if type is None:
            return self
        memories = [memory for memory in self.snapshot.memories if memory.type == type]
        return replace(self, snapshot=replace(self.snapshot, memories=memories))

    def plan(self, today: date, neighbours: Sequence[tuple[str, str]] = ()) -> Plan:
        plan = make_plan(self.snapshot, self.policies, self.dismissals, today, neighbours)
        settings = self.policies.settings
        outdated.add(plan, self.snapshot.memories, settings, self.folder, self.dismissals, today)
        return plan


def fetch(session: Session, mode: Mode, *first: str) -> Fetched:
    """What every pass begins with: the memories and the policies; the lines of `first` are told before their notes."""
    snapshot, notes = session.fetch(mode)
    policies = session.policies()
    odd = unmatched(policies, {memory.type for memory in snapshot.memories})
    history.sweep(session.folder, policies.settings.keep_runs)
    dismissals = Dismissals.load(session.folder)
    lines = [
        session.first_line(len(snapshot.memories)),
        *first,
        *notes,
        *policies.notes,
        *odd,
        undated(snapshot.memories),
    ]
    lines.append(records.skipped(dismissals))
    if not snapshot.memories:
        lines.append(session.elsewhere())
    return Fetched(snapshot, policies, dismissals, lines, session.cwd)


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
            dismissals = Dismissals.load(self.run.scope_folder)
            decisions = answering.decide(self.plan, more.answers, more.memories, dismissed=dismissals)
            self.answers = more.answers
            self.save(decisions)
        return decisions

    def preview(self, given: dict[str, Any]) -> Decisions:
        """What the decisions would be with these answers, too; nothing is kept."""
        return answering.decide(self.plan, verdicts.combine(self.answers, given), self.memories)

    def withdraw(self, handles: Collection[str]) -> None:
        """Take answers back, as if they had never been given; what they had left alone is asked again."""
        with _lock_of(self.run):
            dismissals = Dismissals.load(self.run.scope_folder)
            answering.forget(dismissals, self.decisions(), handles)
            dismissals.save()
            self.answers = {handle: answer for handle, answer in self.answers.items() if handle not in handles}
            self.save(self.decisions())

    def save(self, decisions: Decisions) -> None:
        """Keep the answers in the run, and what they leave alone in the scope."""
        self.run.write("verdicts", {"answers": self.answers})
        dismissals = Dismissals.load(self.run.scope_folder)
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
    """What a person answered in the scope's newest asked pass of this day, as far as the very same is asked again.

    Answers of a pass that was left, or whose store failed: what was applied or dismissed is not asked again anyway.
    """
    since = datetime.now(timezone.utc) - FRESH
    for run in reversed(all_runs(session.folder)):
        if run.has("plan") and run.has("verdicts") and run.started >= since:
            before = reopen(run)
            given = {_asked(before.plan, item): before.answers.get(item.handle) for item in before.plan.items}
            found = {item.handle: given.get(_asked(plan, item)) for item in plan.items}
            return {handle: answer for handle, answer in found.items() if answer not in (None, "skip", "keep", "both")}
    return {}


def unfinished_business(session: Session) -> list[str]:
    """What a person is told first: a run that was stopped on the way, and unattended runs that failed."""
    return [*interrupted(session.folder), *queue.failures(session.folder)]


def interrupted(folder: Path) -> list[str]:
    """A sentence if runs of this scope were stopped on the way."""
    names = ", ".join(run.name for run in history.interrupted(folder))
    return [f"Run {names} was interrupted; --resume finishes or takes back what it began."] if names else []


def _asked(plan: Plan, item: Any) -> str:
    """The question itself: its kind, and the memories that it is about, word for word."""
    facts = {key: value for key, value in vars(item).items() if key in ("ids", "a", "b", "id", "also", "text")}
    ids = [*facts.get("ids", ()), *(facts[key] for key in ("a", "b", "id") if key in facts)]
    return repr((type(item).__name__, facts, [plan.memory(id).text for id in ids]))


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
