"""From decisions to the store and back, as apply_plan.py and dream.py both do it: report, apply, undo, resume."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import progress
from ..errors import DreamError
from ..execution import reminder
from ..execution.apply import Summary
from ..execution.apply import apply as execute
from ..execution.resume import resume
from ..execution.undo import undo
from ..memory import Memory
from ..planning.decisions import Decisions
from ..planning.plan import HeldBack, Plan
from ..review import consent, limits
from ..runs import history, journal
from ..runs.history import interrupted
from ..runs.lock import Lock
from ..runs.run_folder import Run
from ..safe_text import shown
from ..views import paging, questions, report
from . import pipeline, process, records
from . import session as session_of
from .options import Target
from .pipeline import Pass
from .session import SCRIPTS, Session, quoted

_NAMED = 12  # handles in one sentence


def answered(plan: Plan, decisions: Decisions, given: dict[str, Any]) -> str:
    """What became of the answers just given; what they add to the plan is among it."""
    return questions.answered(decisions, given, {item.handle for item in plan.items})


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
    if page == pages and consent.attended(os.environ):
        limits.seen(run.scope_folder, run.read("policies")["retention"])


def apply(session: Session, current: Pass, decisions: Decisions, only: Sequence[str] = ()) -> tuple[str, bool]:
    """Apply what is accepted (of it only these handles, if any); what to tell, and whether all of it was ended."""
    chosen = decisions.only(only) if only else decisions
    if not chosen.changes():
        return report.summary(0, 0, 0, chosen.unresolved()), True
    with Lock(session.folder) as lock, progress.stage("Applying", "changes", total=chosen.changes()):
        summary = told_on_failure(current.run, execute, current.run, session.store, chosen, current.policies, lock)
    return "\n".join(outcome(current.run, summary)), not summary.unfinished


def outcome(run: Run, summary: Summary) -> list[str]:
    """What a run did, and the line that takes it back."""
    counts = report.summary(summary.merged, summary.pruned, summary.resolved, summary.skipped, summary.updated)
    return [*not_done(summary), counts, *worth_and_undo(run, summary)]


def worth_and_undo(run: Run, summary: Summary) -> list[str]:
    """What a run came to and the line that takes it back; nothing if it changed nothing."""
    if not (summary.merged or summary.pruned or summary.resolved or summary.updated):
        return []
    return [report.worth(summary.before, summary.after, _less(run)), report.undo_line(undo_command(run))]


def told_on_failure(run: Run, act: Callable[..., Summary], *arguments: Any) -> Summary:
    """The summary of `act`; if a failure stops it halfway, the failure takes along what was done before."""
    try:
        return act(*arguments)
    except DreamError as error:
        if error.summary is not None:
            error.report = "\n".join(outcome(run, error.summary))
        raise


def _less(run: Run) -> int:
    """How many characters the texts of a scope have less than before a run."""
    less = 0
    for op in journal.standing(journal.read(run.journal)):
        made = [Memory(record) for record in op.left]
        ids = {*op.removed, *(memory.id for memory in made)}
        less += sum(len(member.text) for member in op.members if member.id in ids)
        less -= sum(len(memory.text) for memory in made)
    return less


def take_back(session: Session, run: Run, only: Sequence[str]) -> tuple[str, bool]:
    """Undo a run, or the named operations of it; what to tell, and whether all of it was ended."""
    with Lock(session.folder) as lock:
        try:
            summary = undo(run, session.store, only, lock)
        except DreamError as error:
            if error.summary is not None:
                error.report = "\n".join([*_taken_back(error.summary), "The rest is open; run --resume to end it."])
            raise
        lines = _taken_back(summary)
        whole = not summary.unfinished
        if summary.undone and not only and run.has("reminder"):
            scope = session.identity.scope
            try:
                summary.after -= reminder.settle(session.store, scope, session.store.fetch(scope).memories)
                lines = _taken_back(summary)
            except DreamError as error:
                lines.append(str(error))
                whole = False
    lines = [*journal.load(run.journal).damage, *lines]
    if not lines:
        lines = [f"Nothing to undo: what run {run.name} changed is taken back already, or it changed nothing."]
        if before := records.undoable(session.folder, before=run.name):
            lines += [f"The run before it: {before.name}", report.undo_line(undo_command(before))]
    return "\n".join(lines), whole


def _taken_back(summary: Summary) -> list[str]:
    lines = not_done(summary)
    if summary.undone:
        lines.append(
            f"Undone: {report.counted(summary.undone, 'change')} ({summary.before} → {summary.after} memories)"
        )
    return lines


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
        try:
            summary = resume(run, session.store, lock)
        except DreamError as error:
            before = [f"Resumed {run.name} in part.", *not_done(error.summary)] if error.summary else []
            error.report = "\n".join([*lines, *before])
            raise
        lines += [
            f"Resumed {run.name}: {summary.before} → {summary.after} memories.",
            *not_done(summary),
            *_not_begun(run),
            report.undo_line(undo_command(run)),
        ]
        whole = whole and not summary.unfinished
    return lines, whole


def _not_begun(run: Run) -> list[str]:
    """What was agreed to and the run was stopped before: it is not done, and the next run asks again."""
    if not run.has("plan"):
        return []
    begun = {op.handle for op in journal.read(run.journal)}
    items = pipeline.reopen(run).decisions().items
    handles = [item.handle for item in items if item.state == "accepted" and item.handle not in begun]
    return [f"Not begun, and asked again by the next run: {', '.join(handles)}."] if handles else []


@dataclass(frozen=True)
class Done:
    """What to print, and the exit code."""

    text: str
    code: int


def undo_or_resume(run: str | None, target: Target, name: str | None, only: Sequence[str]) -> Done:
    """--undo NAME ("": the newest applied run), or --resume if there is no name. The journal says which store."""
    folder = session_of.folder_of(run, target)
    if name is None:
        runs = interrupted(folder)
        if not runs:
            return Done("No run of this project was interrupted; there is nothing to resume.", 0)
    else:
        runs = [session_of.named_run(run) if run and not name else records.applied_run(folder, name)]
    head = history.head(runs[0])
    with session_of.of_run(head.store, head.scope, target) as session:
        process.tell(session.first_line(len(session.fetch("asked")[0].memories)))
        text, whole = finish(session) if name is None else take_back(session, runs[0], only)
        return Done(text, 0 if whole else 1)


def undo_command(run: Run) -> str:
    """The line that takes a run back, from any folder; it begins as the skill's grant does."""
    python = "py -3" if os.name == "nt" else "python3"
    return f"{python} {quoted(str(SCRIPTS / 'apply_plan.py'))} --undo --run {quoted(str(run.folder))}"


def not_done(summary: Summary) -> list[str]:
    """What was not done, and why: a line for each reason."""
    return [
        *(f"Left alone: {handles} — {why}" for handles, why in _by_reason(summary.left_alone)),
        *(f"Not finished: {handles} — {why}; run --resume." for handles, why in _by_reason(summary.unfinished)),
    ]


def _by_reason(items: Sequence[HeldBack]) -> Iterator[tuple[str, str]]:
    reasons: dict[str, list[str]] = {}
    for held in items:
        reasons.setdefault(held.why, []).append(held.handle)
    for why, handles in reasons.items():
        yield ", ".join(handles[:_NAMED]) + (f" … ({len(handles)})" if len(handles) > _NAMED else ""), shown(why)
