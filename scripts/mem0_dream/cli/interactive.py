"""A pass with a person at a terminal: fetch, plan, ask, apply."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from ..review import consent, queue
from ..runs.journal import read
from ..views import prompts, report
from ..views.interview import Interview
from ..views.prompts import Console
from . import apply, pipeline, recall
from .pipeline import Pass
from .session import Session

Tell = Callable[..., None]  # lines beside the data


@dataclass(frozen=True)
class Done:
    """What to print, what to tell beside it, and the exit code."""

    text: str
    note: str = ""
    code: int = 0


def begin(session: Session, today: date, tell: Tell, type: str | None = None) -> Pass | str:
    """Fetch and plan; if there is nothing to ask or apply the sentence that says so, and no run folder is left."""
    fetched = pipeline.fetch(session, "asked", *pipeline.unfinished_business(session))
    tell(*fetched.notes)
    waiting = queue.left(session.folder, fetched.snapshot.memories)
    tell(*(["Left by the last unattended run:"] if waiting else []), *(f"  {line}" for line in waiting))
    plan = fetched.of_type(type).plan(today)
    tell(*plan.notes)
    if sentence := pipeline.nothing(plan):
        return sentence
    answers = pipeline.earlier_answers(session, plan)
    tell(f"Taken over from the run you left: {', '.join(sorted(answers))}." if answers else "")
    begun = pipeline.start(session, fetched, plan)
    begun.answers = prompts.drafted(plan, answers)
    return begun


def check(session: Session, today: date, tell: Tell, type: str | None = None) -> Done:
    """Whether anything waits for a person: exit code 3 if so. Nothing is changed, and no run folder is left."""
    fetched = pipeline.fetch(session, "asked")
    tell(*fetched.notes)
    plan = fetched.of_type(type).plan(today)
    tell(*plan.notes)
    merges = sum(merge.tier == "review" for merge in plan.merges)
    if not (plan.conflicts or merges):
        return Done(pipeline.nothing(plan) or "Nothing waits for an answer.")
    counts = f"{report.counted(len(plan.conflicts), 'contradiction')} and {report.counted(merges, 'merge')}"
    return Done(f"Waiting for an answer: {counts}.", code=3)


def ask(
    session: Session,
    begun: Pass,
    console: Console,
    check_recall: bool = False,
    limit: int | None = None,
    verbose: bool = False,
) -> Done:
    """Ask, and apply what the person agreed to."""
    session.require_writable()
    most = limit or begun.policies.settings.questions
    interview = Interview(begun.plan, begun.answers, begun.memories, console, begun.save)
    try:
        decisions = interview.hold(most, verbose)
    except prompts.Cancelled as cancelled:
        if cancelled.code:
            note = "Nobody answered: start it in a terminal, or with --dry-run or --auto."
        else:
            answers = report.counted(cancelled.answered, "answer")
            note = f"Your {answers} will be taken over by the next pass within a day." if cancelled.answered else ""
        return Done(report.CANCELLED, note, cancelled.code)
    begun.save(decisions)
    apply.seen(begun.run, decisions)
    consent.require(begun.run, decisions, os.environ)
    asked = recall.probes(recall.touched(decisions)) if check_recall else []
    before = recall.search(session.store, session.identity.scope, asked) if asked else {}
    text, whole = apply.apply(session, begun, decisions)
    if check_recall:
        after = recall.search(session.store, session.identity.scope, asked)
        found = recall.compare(before, after, recall.carried(decisions, read(begun.run.journal)))
        text = f"{text}\n{recall.described(found)}"
    return Done(text, code=0 if whole else 1)
