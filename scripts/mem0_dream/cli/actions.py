"""The work on one run, as apply_plan.py and dream.py both do it: answers, the report, applying, undoing, resuming."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import progress
from ..config.policies import Policies
from ..errors import DreamError, UsageError
from ..execution import reminder
from ..execution.apply import Summary, apply
from ..execution.resume import resume
from ..execution.undo import undo
from ..memory import Memory, Scope
from ..planning import listing
from ..planning.decisions import Decisions, MergeDecision
from ..planning.plan import Conflict, Plan
from ..review import consent, limits
from ..review.answers import combine, remember
from ..review.answers import decide as decide_all
from ..runs import history, journal
from ..runs.dismissals import Kept
from ..runs.history import interrupted
from ..runs.lock import Lock
from ..runs.run_folder import Run, all_runs, newest_open
from ..runs.snapshot import read_snapshot
from ..safe_text import shown
from ..views import paging, report
from .session import Session

_NAMED = 12  # handles in one sentence
SCRIPTS = Path(__file__).resolve().parents[2]
_SAID = {
    "accepted": "will be applied",
    "dismissed": "left alone, and remembered",
    "open": "skipped",
    "held": "held back",
}


def plan_of(run: Run) -> Plan:
    """The run's plan; DreamError where find_dupes.py has not made it yet."""
    if not run.has("plan"):
        raise DreamError(f"This run has no plan yet; run find_dupes.py --run {quoted(str(run.folder))} first.")
    return Plan.from_document(run.read("plan"))


def answers_of(run: Run) -> dict[str, Any]:
    """Every answer given so far."""
    return run.read("verdicts")["answers"] if run.has("verdicts") else {}


def earlier_answers(scope_folder: Path, plan: Plan) -> dict[str, Any]:
    """What a person answered in the scope's newest open run and left there, as far as the same is asked again."""
    try:
        run = newest_open(scope_folder)
    except DreamError:
        return {}
    if not (run.has("plan") and run.has("verdicts")):
        return {}
    before, answers = plan_of(run), answers_of(run)
    given = {_asked(before, c): answers[c.handle] for c in before.conflicts if answers.get(c.handle) in ("A", "B")}
    return {c.handle: given[key] for c in plan.conflicts if (key := _asked(plan, c)) in given}


def _asked(plan: Plan, conflict: Conflict) -> tuple[str, ...]:
    return conflict.a, plan.memory(conflict.a).text, conflict.b, plan.memory(conflict.b).text


def numbers(run: Run, answers: dict[str, Any]) -> list[Memory]:
    """All memories of the run; in the order of --list where an answer names them by number."""
    snapshot = read_snapshot(run.folder / "snapshot.json")
    return listing.listing(snapshot) if "+" in answers else snapshot.memories


def decided(run: Run, plan: Plan, answers: dict[str, Any]) -> Decisions:
    """The plan with its answers, after every rail."""
    return decide_all(plan, answers, numbers(run, answers))


def decide(run: Run, plan: Plan, given: dict[str, Any]) -> Decisions:
    """Take more answers; none of them is kept where one cannot be taken."""
    with _lock_of(run):
        answers = combine(answers_of(run), given)
        decisions = decided(run, plan, answers)
        save(run, decisions, answers)
    return decisions


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


def save(run: Run, decisions: Decisions, answers: dict[str, Any]) -> None:
    """Keep the answers in the run, and what is left alone in the scope."""
    run.write("verdicts", {"answers": answers})
    kept = Kept.load(run.scope_folder)
    remember(kept, decisions)
    kept.save()


def taken(plan: Plan, decisions: Decisions, given: dict[str, Any]) -> str:
    """What became of the answers just given, a line each; what they add to the plan is among it."""
    before = {item.handle for item in plan.items}
    answered = (item for item in decisions.items if item.handle in given or item.handle not in before)
    return "\n".join(f"{item.handle}: {_state(item)}" for item in answered)


def waiting(decisions: Decisions) -> list[str]:
    """What stays out of the report until somebody answers, as sentences."""
    unanswered = [merge.handle for merge in decisions.merges if merge.state == "open"]
    named = ", ".join(unanswered[:_NAMED]) + (" …" if len(unanswered) > _NAMED else "")
    return [f"Merges that wait for an answer of their own: {len(unanswered)} ({named})."] if unanswered else []


def show(run: Run, decisions: Decisions, verbose: bool, number: int = 0) -> str:
    """The report, or of a long one page `number`; and on record that exactly this was shown."""
    text = report.long(decisions) if verbose else report.short(decisions)
    every = paging.pages(text.splitlines(keepends=True)) if number else [text]
    seen(run, decisions, number or 1, len(every))
    return paging.page(every, number or 1).rstrip("\n")


def seen(run: Run, decisions: Decisions, page: int = 1, pages: int = 1) -> None:
    """On record: a person was shown exactly this (this page of it), and the retention it went by."""
    consent.reported(run, decisions, page, pages)
    if page == pages and os.environ.get("CLAUDE_CODE_SESSION_ATTENDED") != "0":
        limits.seen(run.scope_folder, run.read("policies")["retention"])


def carry(session: Session, run: Run, decisions: Decisions, only: Sequence[str] = ()) -> tuple[str, bool]:
    """Apply what is accepted (of it only these handles, where named); what to tell, and whether all of it was ended."""
    chosen = decisions.only(only) if only else decisions
    policies = Policies.from_document(run.read("policies"))
    if not chosen.changes():
        return report.summary(0, 0, 0, sum(c.state == "open" for c in chosen.conflicts)), True
    with Lock(session.folder) as lock, progress.stage("Applying", "changes", total=chosen.changes()):
        summary = apply(run, session.store, chosen, policies, lock)
    lines = [*told(summary), report.summary(summary.merged, summary.pruned, summary.resolved, summary.skipped)]
    if summary.merged or summary.pruned or summary.resolved:
        lines.append(report.undo_line(undo_command(run), summary.before, summary.after))
    return "\n".join(lines), not summary.unfinished


def take_back(session: Session, run: Run, only: Sequence[str]) -> tuple[str, bool]:
    """Undo a run, or the named operations of it; what to tell, and whether all of it was ended."""
    with Lock(session.folder) as lock:
        summary = undo(run, session.store, only, lock)
        if summary.undone and not only and run.has("reminder"):
            summary.after -= reminder.settle(session.store, session.store.fetch(session.identity.scope).memories)
    lines = told(summary)
    if summary.undone:
        changes = f"{summary.undone} change{'' if summary.undone == 1 else 's'}"
        lines.append(f"Undone: {changes} ({summary.before} → {summary.after} memories)")
    return "\n".join(
        lines
    ) or "Nothing to undo: what this run changed is taken back already, or it changed nothing.", not summary.unfinished


def finish(session: Session) -> tuple[str, bool]:
    """End every run of the scope that was stopped on the way; what to tell of each, and whether all were ended."""
    with Lock(session.folder) as lock:
        lines, whole = resumed(session, lock)
    return "\n".join(lines), whole


def resumed(session: Session, lock: Lock) -> tuple[list[str], bool]:
    """As `finish`, under a lock that is held already."""
    lines: list[str] = []
    whole = True
    for run in interrupted(session.folder):
        summary = resume(run, session.store, lock)
        lines += [
            f"Resumed {run.name}: {summary.before} → {summary.after} memories.",
            *told(summary),
            *_not_begun(run),
            report.undo_line(undo_command(run), summary.before, summary.after),
        ]
        whole = whole and not summary.unfinished
    return lines, whole


def _not_begun(run: Run) -> list[str]:
    """What was agreed to and the run was stopped before: it is not done, and the next run asks again."""
    if not run.has("plan"):
        return []
    decisions = decided(run, plan_of(run), answers_of(run))
    begun = {op.handle for op in journal.read(run.journal)}
    left = [item.handle for item in decisions.items if item.state == "accepted" and item.handle not in begun]
    return [f"Not begun, and asked again by the next run: {', '.join(left)}."] if left else []


def stopped(folder: Path) -> str:
    """A sentence where a run of this scope was stopped on the way; else nothing."""
    names = [run.name for run in interrupted(folder)]
    return f"Run {', '.join(names)} was interrupted; --resume finishes or takes back what it began." if names else ""


def applied_run(folder: Path, name: str) -> Run:
    """The run that a person names by its name or the beginning of it, or by ""; then it is the newest applied one."""
    runs = [run for run in all_runs(folder) if run.journal.exists()]
    named = [run for run in runs if run.name.startswith(name)]
    if not named:
        raise DreamError(f"No applied run{f' is named {name}' if name else ' is on record'}; --history lists the runs.")
    if name and len(named) > 1:
        raise DreamError(f"{name} names {len(named)} runs; --history lists them.")
    return named[-1]


def store_of(run: Run) -> tuple[dict[str, str], Scope]:
    """Store and scope that an applied run's journal names."""
    facts = journal.head(run.journal)
    if not facts:
        raise DreamError(f"Run {run.name} changed nothing, so there is nothing to take back.")
    return facts["store"], Scope(*facts["scope"])


def history_text(folder: Path, as_json: bool) -> str:
    """The runs of a scope, newest first."""
    entries = history.history(folder)
    if as_json:
        return json.dumps([asdict(entry) for entry in entries], indent=1)
    return "\n".join(entry.line() for entry in entries) or "No run of this project is on record."


def kept_text(folder: Path) -> str:
    """What was decided to be left alone, numbered for --forget."""
    entries = Kept.load(folder).entries
    rows = (
        f"{number}  {entry['at'][:10]}  {entry['said']} ({entry['kind']}): "
        + " / ".join(f'"{shown(text)}"' for text in entry["about"])
        for number, entry in enumerate(entries, 1)
    )
    return "\n".join(rows) or "Nothing was decided to be left alone."


def forget(folder: Path, which: str) -> str:
    """Forget one decision, by its number in `kept_text`, or all."""
    kept = Kept.load(folder)
    if which == "all":
        count = kept.clear()
    elif which.isdigit() and 1 <= int(which) <= len(kept.entries):
        kept.remove(int(which) - 1)
        count = 1
    else:
        raise UsageError(f"There is no entry {which}; --kept numbers them.")
    kept.save()
    return f"Forgotten: {count}; the next run asks again."


def undo_command(run: Run) -> str:
    """The line that takes a run back, from any folder."""
    python = "py -3" if os.name == "nt" else "python3"
    return f"{python} {quoted(str(SCRIPTS / 'apply_plan.py'))} --run {quoted(str(run.folder))} --undo"


def quoted(text: str) -> str:
    """Text as one word of this system's shell."""
    return f'"{text}"' if os.name == "nt" else shlex.quote(text)


def told(summary: Summary) -> list[str]:
    """What was not done, and why."""
    return [
        *(f"Left alone: {held.handle} — {shown(held.why)}" for held in summary.left_alone),
        *(f"Not finished: {held.handle} — {shown(held.why)}; run --resume." for held in summary.unfinished),
    ]


def losses(merge: MergeDecision) -> str:
    """What is different in the merged text, in words."""
    parts = (("drops", merge.loses), ("adds", merge.brings))
    return " and ".join(f"{verb} {report.quoted(details)}" for verb, details in parts if details)


def _state(item: Any) -> str:
    if isinstance(item, MergeDecision) and item.state == "held":
        return f'held back: the text {losses(item)}; a person\'s yes is {{"{item.handle}": true}}'
    if item.state == "accepted" and getattr(item, "winner", None):
        return f"{item.winner} is current"
    return _SAID[item.state]
