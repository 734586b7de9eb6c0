"""A pass with a person at a terminal: fetch, plan, ask, apply."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from datetime import date

from ..review import consent, queue
from ..runs import history
from ..runs.journal import read
from ..views import html_page, prompts
from ..views.prompts import Console, consult
from . import apply, pipeline, recall
from .pipeline import Pass
from .session import Session

Tell = Callable[..., None]  # lines beside the data


def begin(session: Session, today: date, tell: Tell) -> Pass | str:
    """Fetch and plan; if there is nothing to ask or apply the sentence that says so, and no run folder is left."""
    fetched = pipeline.fetch(session, "asked", *pipeline.unfinished_business(session))
    tell(*fetched.notes)
    waiting = queue.left(session.folder, fetched.snapshot.memories)
    tell(*(["Left by the last unattended run:"] if waiting else []), *(f"  {line}" for line in waiting))
    plan = fetched.plan(today)
    if sentence := pipeline.nothing(plan):
        return sentence
    answers = pipeline.earlier_answers(session, plan)
    tell(f"Taken over from the run you left: {', '.join(sorted(answers))}." if answers else "")
    begun = pipeline.start(session, fetched, plan)
    begun.answers = prompts.drafted(plan, answers)
    return begun


def ask(session: Session, begun: Pass, console: Console, check_recall: bool) -> tuple[str, bool]:
    """Ask, apply what the person agreed to; what to tell, and whether all of it was ended. Raises Cancelled."""
    most = begun.policies.settings.questions
    decisions = consult(begun.plan, begun.answers, begun.memories, most, console, begun.save)
    begun.save(decisions)
    apply.seen(begun.run, decisions)
    consent.require(begun.run, decisions, os.environ)
    if not check_recall:
        return apply.apply(session, begun, decisions)
    asked = recall.probes(recall.touched(decisions))
    before = recall.search(session.store, session.identity.scope, asked)
    text, whole = apply.apply(session, begun, decisions)
    after = recall.search(session.store, session.identity.scope, asked)
    found = recall.compare(before, after, recall.carried(decisions, read(begun.run.journal)))
    return f"{text}\n{recall.told(found)}", whole


def web_page(session: Session, begun: Pass, today: date) -> str:
    """The run as a page to look through."""
    runs = [asdict(entry) for entry in reversed(history.history(session.folder)) if entry.state != "open"]
    # Nothing is answered in the run yet, and apply_plan.py takes no review merge as drafted: the page starts there too.
    return html_page.page(begun.plan, None, runs, begun.policies, begun.memories, str(begun.run.folder), today)
