"""A run with a person at a terminal: fetch, plan, ask, apply."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from . import consent, history, interactive, page, recall, report, waiting, work
from .draft import make_plan
from .interactive import Cancelled, Console, consult
from .journal import read
from .kept import Kept
from .memory import Memory
from .plan import Plan
from .policies import Policies, unmatched
from .runs import Run
from .session import Session
from .verdicts import Settled

Tell = Callable[..., None]  # lines beside the data


@dataclass
class Begun:
    """A run with something to ask or to apply."""

    run: Run
    plan: Plan
    policies: Policies
    memories: list[Memory]
    answers: dict[str, Any]

    def settled(self) -> Settled:
        return work.settle(self.run, self.plan, self.answers)


def begin(session: Session, today: date, tell: Tell) -> Begun | str:
    """Fetch and plan; where there is nothing to ask or apply the sentence that says so, and no run folder is left."""
    snapshot, notes = session.fetch("asked")
    policies = session.policies()
    types = {memory.type for memory in snapshot.memories}
    tell(session.first_line(len(snapshot.memories)), work.stopped(session.folder), *waiting.failures(session.folder))
    tell(*notes, *policies.notes, *unmatched(policies, types))
    history.sweep(session.folder, policies.settings.keep_runs)
    if not snapshot.memories:
        tell(session.elsewhere())
        return report.no_memories(session.identity.project)
    left = waiting.left(session.folder, snapshot.memories)
    tell(*(["Left by the last unattended run:"] if left else []), *(f"  {line}" for line in left))
    plan = make_plan(snapshot, policies, Kept.load(session.folder), today)
    if not (plan.merges or plan.conflicts or plan.prunes):
        return report.NOTHING_FOUND
    run = session.keep(snapshot, policies)
    run.write("plan", plan.to_document())
    return Begun(run, plan, policies, snapshot.memories, interactive.drafted(plan, {}))


def ask(session: Session, begun: Begun, console: Console, check_recall: bool) -> tuple[str, bool]:
    """Ask, apply what the person agreed to; what to tell, and whether all of it was ended. Raises Cancelled."""
    numbers = work.numbers(begun.run, begun.answers)
    settled = consult(
        begun.plan,
        begun.answers,
        numbers,
        begun.policies.settings.questions,
        console,
        lambda settled: work.save(begun.run, settled, begun.answers),
    )
    work.save(begun.run, settled, begun.answers)
    work.seen(begun.run, settled)
    consent.require(begun.run, settled, os.environ)
    before = _searched(session, _probes(settled)) if check_recall else {}
    text, whole = work.carry(session, begun.run, settled)
    return "\n".join([text, *_recall(session, begun.run, before)]), whole


def web_page(session: Session, begun: Begun, today: date) -> str:
    """The run as a page to look through."""
    runs = [asdict(entry) for entry in reversed(history.history(session.folder)) if entry.state != "open"]
    return page.page(begun.plan, begun.settled(), runs, begun.policies, begun.memories, str(begun.run.folder), today)


def _probes(settled: Settled) -> list[recall.Probe]:
    ids = [id for merge in settled.merges if merge.state == "accepted" for id in merge.ids]
    return recall.probes(settled.plan.memory(id) for id in ids)


def _searched(session: Session, probes: list[recall.Probe]) -> dict[recall.Probe, list[str]]:
    return recall.search(session.store, session.identity.scope, probes)


def _recall(session: Session, run: Run, before: dict[recall.Probe, list[str]]) -> list[str]:
    """What searching again for the originals of every merge says."""
    if not before:
        return []
    merges = [op for op in read(run.journal) if op.kind == "merge" and op.state == "done" and op.left]
    carried = {member.id: op.left[0]["id"] for op in merges for member in op.members}
    asked = [probe for probe in before if probe.id in carried]
    found = recall.compare({p: before[p] for p in asked}, _searched(session, asked), carried)
    lost = [f'  no longer found: "{report.shown(probe.query, 100)}"' for probe in found.lost]
    return [f"Recall: {found.before} of {found.asked} searches found their fact before, {found.after} do now.", *lost]


__all__ = ["Begun", "Cancelled", "ask", "begin", "web_page"]
