"""A run with a person at a terminal: fetch, plan, ask, apply."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from ..config.policies import Policies
from ..memory import Memory
from ..planning.decisions import Decisions
from ..planning.plan import Plan
from ..planning.planner import make_plan
from ..review import consent, queue
from ..review.answers import decide
from ..runs import history
from ..runs.dismissals import Kept
from ..runs.journal import read
from ..runs.run_folder import Run
from ..views import html_page, prompts, report
from ..views.prompts import Console, consult
from . import actions, recall
from .fetch import gather
from .session import Session

Tell = Callable[..., None]  # lines beside the data


@dataclass
class Begun:
    """A run with something to ask or to apply."""

    run: Run
    plan: Plan
    policies: Policies
    memories: list[Memory]
    answers: dict[str, Any]

    def decisions(self) -> Decisions:
        return decide(self.plan, self.answers, self.memories)


def begin(session: Session, today: date, tell: Tell) -> Begun | str:
    """Fetch and plan; where there is nothing to ask or apply the sentence that says so, and no run folder is left."""
    stopped = [actions.stopped(session.folder), *queue.failures(session.folder)]
    snapshot, policies, lines = gather(session, "asked", *stopped)
    tell(*lines)
    if not snapshot.memories:
        return report.no_memories(session.identity.project)
    left = queue.left(session.folder, snapshot.memories)
    tell(*(["Left by the last unattended run:"] if left else []), *(f"  {line}" for line in left))
    plan = make_plan(snapshot, policies, Kept.load(session.folder), today)
    if not (plan.merges or plan.conflicts or plan.prunes):
        return report.NOTHING_FOUND
    answers = actions.earlier_answers(session.folder, plan)
    tell(f"Taken over from the run you left: {', '.join(sorted(answers))}." if answers else "")
    run = session.keep(snapshot, policies)
    run.write("plan", plan.to_document())
    return Begun(run, plan, policies, snapshot.memories, prompts.drafted(plan, answers))


def ask(session: Session, begun: Begun, console: Console, check_recall: bool) -> tuple[str, bool]:
    """Ask, apply what the person agreed to; what to tell, and whether all of it was ended. Raises Cancelled."""
    decisions = consult(
        begun.plan,
        begun.answers,
        begun.memories,
        begun.policies.settings.questions,
        console,
        lambda decisions: actions.save(begun.run, decisions, begun.answers),
    )
    actions.save(begun.run, decisions, begun.answers)
    actions.seen(begun.run, decisions)
    consent.require(begun.run, decisions, os.environ)
    if not check_recall:
        return actions.carry(session, begun.run, decisions)
    asked = recall.probes(recall.touched(decisions))
    before = recall.search(session.store, session.identity.scope, asked)
    text, whole = actions.carry(session, begun.run, decisions)
    after = recall.search(session.store, session.identity.scope, asked)
    found = recall.compare(before, after, recall.carried(decisions, read(begun.run.journal)))
    return f"{text}\n{recall.told(found)}", whole


def web_page(session: Session, begun: Begun, today: date) -> str:
    """The run as a page to look through."""
    runs = [asdict(entry) for entry in reversed(history.history(session.folder)) if entry.state != "open"]
    # Nothing is answered in the run yet, and apply_plan.py takes no review merge as drafted: the page starts there too.
    return html_page.page(begun.plan, None, runs, begun.policies, begun.memories, str(begun.run.folder), today)
