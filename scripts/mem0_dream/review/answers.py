"""The answers to a plan, and the rails that hold for whoever gives them, agent or person."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timezone
from typing import Any

from ..errors import UsageError
from ..matching.classifier import brings, loses
from ..memory import Memory
from ..planning.decisions import ConflictDecision, Decisions, MergeDecision, PruneDecision
from ..planning.plan import Conflict, HeldBack, Merge, Plan, Prune
from ..runs.dismissals import Kept
from .additions import extended

MOST_TEXT = 10_000  # characters of a merged text, or as many as its longest member has
_SIDES = {"a": "A", "b": "B", "both": "both", "skip": "skip"}


def parse(text: str) -> dict[str, Any]:
    """The answers of one --decide; UsageError where they are not a JSON object."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError(f'The answers are not JSON ({error}); write them like {{"M1": true, "C1": "A"}}.') from None
    if not isinstance(found, dict):
        raise UsageError('The answers must be one JSON object, like {"M1": true, "C1": "A"}.')
    return found


def combine(before: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Later answers win; `true` after a text confirms that text; additions add up."""
    combined = {**before, **new}
    for handle, answer in new.items():
        text = before.get(handle)
        text = text.get("text") if isinstance(text, dict) else text
        if answer is True and isinstance(text, str) and text != "keep" and handle.startswith("M"):
            combined[handle] = {"text": text, "confirmed": True}
    if isinstance(before.get("+"), list) and isinstance(new.get("+"), list):
        combined["+"] = before["+"] + [item for item in new["+"] if item not in before["+"]]
    return combined


def decide(plan: Plan, answers: dict[str, Any], numbers: Sequence[Memory] = (), today: date | None = None) -> Decisions:
    """The plan with its answers, after every rail. `numbers` are all memories in the order of --list.

    Raises UsageError that names every answer which cannot be taken, and why.
    """
    plan, faults = extended(plan, answers.get("+", []), answers, numbers)
    decisions = Decisions(plan, held_back=list(plan.held_back))
    known = {item.handle for item in plan.items}
    faults += [f"{handle} is not in this plan" for handle in answers if handle not in known and handle != "+"]
    texts = {memory.text: memory.id for memory in numbers}
    for merge in plan.merges:
        decisions.merges.append(_merge(plan, merge, answers.get(merge.handle), faults))
    for conflict in plan.conflicts:
        decisions.conflicts.append(_conflict(plan, conflict, answers.get(conflict.handle), faults))
    for prune in plan.prunes:
        decisions.prunes.append(_prune(plan, prune, answers.get(prune.handle), faults))
    _settle_other_pairs(decisions, faults)
    drafted = {*known} - {*answers} - {m.handle for m in plan.merges if m.tier == "added"}
    for handle, why in dict.fromkeys(_broken(decisions, texts, today or datetime.now(timezone.utc).date())):
        if handle in drafted:  # nobody's answer: the day may have changed since, or somebody the plan
            _hold(decisions, handle, why)
        else:
            faults.append(f"{handle} {why}")
    if faults:
        raise UsageError("; ".join(dict.fromkeys(faults)) + ".")
    return decisions


def remember(kept: Kept, decisions: Decisions) -> None:
    """Put what is left alone into the scope's memory, and take out what is wanted after all."""
    plan = decisions.plan
    for merge in decisions.merges:
        _remember(kept, "merge", "keep", merge.state, [plan.memory(id).text for id in merge.ids])
    for c in decisions.conflicts:
        _remember(kept, "conflict", "both", c.state, [plan.memory(id).text for id in (c.conflict.a, c.conflict.b)])
    for p in decisions.prunes:
        _remember(kept, "prune", "keep", p.state, [plan.memory(p.prune.id).text])


def _remember(kept: Kept, kind: str, said: str, state: str, texts: list[str]) -> None:
    if state == "dismissed":
        kept.add(kind, texts, said)
    elif state == "accepted":
        kept.discard(kind, texts)


def _merge(plan: Plan, merge: Merge, answer: Any, faults: list[str]) -> MergeDecision:
    members = [plan.memory(id).text for id in merge.ids]
    confirmed = answer is True
    text, state = merge.text, "accepted" if confirmed or merge.tier == "safe" else "open"
    if isinstance(answer, dict) and set(answer) == {"text", "confirmed"}:
        confirmed, answer = answer["confirmed"] is True, answer["text"]
    if answer == "keep":
        state = "dismissed"
    elif isinstance(answer, str):
        text, state = answer.strip(), "accepted"
        faults += _text_faults(merge.handle, text, members)
    elif answer is not None and answer is not True:
        faults.append(f'{merge.handle} takes true, a merged text or "keep"')
    if merge.tier == "added" and answer is None:
        state = "accepted"
    lost, brought = (
        ([], []) if merge.tier == "safe" and text == merge.text else (loses(members, text), brings(members, text))
    )
    if state == "accepted" and (lost or brought) and (plan.mode == "auto" or not confirmed):
        state = "held"
    return MergeDecision(merge.handle, merge.ids, merge.tier, text, state, merge.why, lost, brought)


def _text_faults(handle: str, text: str, members: list[str]) -> list[str]:
    if not text:
        return [f"{handle} has an empty text"]
    most = max(MOST_TEXT, *map(len, members))
    if len(text) > most:
        return [f"{handle} has a text of {len(text)} characters; {most} are the most"]
    if any("\ud800" <= char <= "\udfff" for char in text):
        return [f"{handle} has a text with half a character in it"]
    return []


def _conflict(plan: Plan, conflict: Conflict, answer: Any, faults: list[str]) -> ConflictDecision:
    if answer is None:
        return ConflictDecision(conflict, "open")
    said = _SIDES.get(answer.strip().lower()) if isinstance(answer, str) else None
    if said is None:
        faults.append(f'{conflict.handle} takes "A", "B", "both" or "skip"')
        return ConflictDecision(conflict, "open")
    if said in ("both", "skip"):
        return ConflictDecision(conflict, "dismissed" if said == "both" else "open")
    return ConflictDecision(conflict, "held" if plan.mode == "auto" else "accepted", said)


def _prune(plan: Plan, prune: Prune, answer: Any, faults: list[str]) -> PruneDecision:
    if answer is not None and answer is not True and answer != "keep":
        faults.append(f'{prune.handle} takes true or "keep"')
    if answer == "keep":
        return PruneDecision(prune, "dismissed")
    doubtful = prune.reason != "retention" and plan.mode == "auto" and answer is not True
    return PruneDecision(prune, "held" if doubtful else "accepted")


def _settle_other_pairs(decisions: Decisions, faults: list[str]) -> None:
    """An answer that removes a memory settles its other pairs; one version of every fact must stay."""
    home = {id: merge.ids[0] for merge in decisions.merges if merge.state == "accepted" for id in merge.ids}
    beaten: dict[str, tuple[str, str]] = {}  # loser: winner and handle, a merge being one memory
    for c in decisions.conflicts:
        if c.state == "accepted":
            winner, loser = (home.get(id, id) for id in c.sides())
            beaten[loser] = winner, c.handle
    for c in decisions.conflicts:
        sides = [s for s, id in (("A", c.conflict.a), ("B", c.conflict.b)) if home.get(id, id) not in beaten]
        if c.state == "open" and len(sides) == 1:
            c.state, c.winner = "accepted", sides[0]
    for start in beaten:
        seen: list[str] = []
        id = start
        while id in beaten and id not in seen:
            seen.append(id)
            id = beaten[id][0]
        if id in seen:
            handles = ", ".join(sorted(beaten[id][1] for id in seen))
            faults.append(f"{handles} together would leave no version of what they are about")
            return


def _hold(decisions: Decisions, handle: str, why: str) -> None:
    next(item for item in decisions.items if item.handle == handle).state = "held"
    decisions.held_back.append(HeldBack(handle, why))


def _broken(decisions: Decisions, texts: dict[str, str], today: date) -> list[tuple[str, str]]:
    """Every rail that what is accepted would break: the handle, and what is wrong with it."""
    plan = decisions.plan
    faults: list[tuple[str, str]] = []
    merges = [m for m in decisions.merges if m.state in ("accepted", "held")]
    conflicts = [c for c in decisions.conflicts if c.state == "accepted"]
    prunes = [p for p in decisions.prunes if p.state == "accepted"]
    for merge in merges:
        members = [plan.memory(id) for id in merge.ids]
        if len({(member.scope, member.type) for member in members}) > 1:
            faults.append((merge.handle, "would merge memories of different scope or type"))
        if len(set(merge.ids)) < 2:
            faults.append((merge.handle, "needs two memories"))
        if merge.text in texts and merge.text not in {member.text for member in members}:
            faults.append((merge.handle, "has the text of a memory outside of it"))
    touched = [
        *((m.handle, id) for m in merges for id in m.ids),
        *((c.handle, id) for c in conflicts for id in (c.conflict.a, c.conflict.b)),
        *((p.handle, p.prune.id) for p in prunes),
    ]
    for handle, id in touched:
        if why := plan.memory(id).protection(today):
            faults.append((handle, f"names a memory that is {why} and must not be touched"))
    once = Counter(id for handle, id in touched if not handle.startswith("C"))
    once.update({c.sides()[1] for c in conflicts} & {p.prune.id for p in prunes})
    for handle, id in touched:
        if once[id] > 1 and not handle.startswith("C"):
            faults.append((handle, "names a memory that another answer uses already"))
    for c in conflicts:
        a, b = plan.memory(c.conflict.a), plan.memory(c.conflict.b)
        if (a.scope, a.type) != (b.scope, b.type):
            faults.append((c.handle, "is about memories of different scope or type"))
    return faults
