"""What an answer means: of a pair, whatever the code took it for, every answer that can be true is open."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timezone
from typing import Any

from ..errors import UsageError
from ..matching.details import brings, dropped, loses
from ..memory import Memory
from ..planning.decisions import (
    ConflictDecision,
    Decisions,
    MergeDecision,
    NearMissDecision,
    PruneDecision,
    State,
    UpdateDecision,
)
from ..planning.plan import Conflict, Merge, NearMiss, Plan, Prune
from ..runs.dismissals import kind_of
from . import rails
from .additions import extended
from .rails import Dismissed, by_age
from .verdicts import Said, Word, read


def decide(
    plan: Plan,
    answers: dict[str, Any],
    memories: Sequence[Memory] = (),
    today: date | None = None,
    dismissed: Dismissed | None = None,
) -> Decisions:
    """The plan with its answers, after every rail.

    `memories` are all of the run, in the order of --list where an answer adds to the plan. Raises UsageError that names
    every answer which cannot be taken, and why.
    """
    faults: list[str] = []
    plan = extended(plan, answers, memories, dismissed, faults)
    known = {item.handle for item in plan.items}
    faults += [f"{handle} is not in this plan" for handle in answers if handle not in known and handle != "+"]
    decisions = Decisions(plan, held_back=list(plan.held_back))
    pairs: list[Merge | Conflict | NearMiss] = [*plan.merges, *plan.conflicts, *plan.near_misses]
    for item in pairs:
        _decide_pair(decisions, item, answers.get(item.handle), faults)
    for prune in plan.prunes:
        decisions.prunes.append(PruneDecision(prune, _yes_or_keep(plan, prune, answers.get(prune.handle), faults)))
    for update in plan.updates:
        state = _yes_or_keep(plan, None, answers.get(update.handle), faults, update.handle)
        decisions.updates.append(UpdateDecision(update, state))
    rails.join_merges(decisions)
    faults += rails.decide_other_pairs(decisions)
    given = {handle for handle in known if handle in answers} | {m.handle for m in plan.merges if m.tier == "added"}
    faults += rails.broken(decisions, given, memories, today or datetime.now(timezone.utc).date())
    if faults:
        raise UsageError("; ".join(dict.fromkeys(faults)) + ".")
    return decisions


def remember(dismissed: Dismissed, decisions: Decisions) -> None:
    """Put what is left alone into the scope's memory, and take out what is wanted after all."""
    for item in decisions.items:
        kind = kind_of(item.handle)
        for ids in _asked_about(item):
            texts = [decisions.plan.memory(id).text for id in ids]
            if item.state == "dismissed":
                dismissed.add(kind, texts, "both" if kind == "conflict" else "keep")
            elif item.state == "accepted":
                dismissed.discard(kind, texts)


def forget(dismissed: Dismissed, decisions: Decisions, handles: Collection[str]) -> None:
    """Take what these answers had left alone out of the scope's memory."""
    for item in decisions.items:
        if item.handle in handles and item.state == "dismissed":
            for ids in _asked_about(item):
                dismissed.discard(kind_of(item.handle), [decisions.plan.memory(id).text for id in ids])


def _asked_about(item: Any) -> Iterator[list[str]]:
    """The memories of a question; of a conflict with further pairs each pair by itself."""
    if isinstance(item, ConflictDecision):
        yield item.conflict.ids or [item.conflict.a, item.conflict.b]
        yield from item.conflict.also
    elif isinstance(item, (PruneDecision, UpdateDecision)):
        yield [item.prune.id if isinstance(item, PruneDecision) else item.update.id]
    else:
        yield item.miss.ids if isinstance(item, NearMissDecision) else item.ids


def _decide_pair(decisions: Decisions, item: Merge | Conflict | NearMiss, answer: Any, faults: list[str]) -> None:
    """What an answer makes of a merge, a contradiction or a near miss: any of the three."""
    plan = decisions.plan
    said = read(answer)
    fault = ""
    if answer is not None and said is None:
        fault = 'takes true, "same" or a merged text, "keep" or "both", "conflict", "A" or "B", "skip"'
    elif said and said.word in ("conflict", "version"):
        conflict = ConflictDecision(_as_conflict(plan, item), "open")
        if said.word == "conflict":
            decisions.conflicts.append(conflict)
            return
        if said.text in conflict.versions():
            state: State = "held" if plan.mode == "auto" else "accepted"
            decisions.conflicts.append(replace(conflict, state=state, winner=said.text))
            return
        fault = f"has no version {said.text}; it takes {' or '.join(conflict.versions())}"
    elif said and said.word in ("true", "same", "text"):
        if not (isinstance(item, Conflict) and item.also):
            merge = _merged(plan, item, said)
            decisions.merges.append(merge)
            faults += [f"{merge.handle} {wrong}" for wrong in rails.text_faults(merge, plan) if said.word == "text"]
            return
        fault = f'stands for {len(item.also) + 1} pairs of one renaming; it takes "A", "B", "both" or "skip"'
    if fault:
        faults.append(f"{item.handle} {fault}")
    _as_it_is(decisions, item, said.word if said and not fault else None)


def _as_it_is(decisions: Decisions, item: Merge | Conflict | NearMiss, word: Word | None) -> None:
    """A question that no answer changes: not answered, skipped, or all of it stands."""
    states: dict[Word | None, State] = {"keep": "dismissed", "skip": "skipped"}
    state = states.get(word, "open")
    if isinstance(item, Conflict):
        decisions.conflicts.append(ConflictDecision(item, state))
    elif isinstance(item, NearMiss):
        decisions.near_misses.append(NearMissDecision(item, state))
    else:
        decided = _merged(decisions.plan, item, Said("same"))
        by_itself = word is None and item.tier in ("safe", "added")
        decisions.merges.append(decided if by_itself else replace(decided, state=state))


def _merged(plan: Plan, item: Merge | Conflict | NearMiss, said: Said) -> MergeDecision:
    """The merge that an answer asks for, held back if it needs a person's yes."""
    found = isinstance(item, Merge)
    merge = item if isinstance(item, Merge) else _as_merge(plan, item)
    members = [plan.memory(id).text for id in merge.ids]
    text = said.text if said.word == "text" else merge.text
    made = MergeDecision(merge.handle, merge.ids, merge.tier, text, "accepted", merge.why)
    if merge.tier == "safe" and text == merge.text:
        return made
    made.loses, made.brings, made.words = loses(members, text), brings(members, text), dropped(members, text)
    yes = said.confirmed or (said.word == "true" and found)  # its question showed what the draft drops
    own = bool(said.text) or merge.tier == "added" or not found
    doubtful = made.loses or made.brings or (own and rails.drops_much(members, text))
    if (made.words or doubtful) if plan.mode == "auto" else (doubtful and not yes):
        made.state = "held"
    return made


def _as_merge(plan: Plan, item: Conflict | NearMiss) -> Merge:
    """One fact in several wordings; the draft is the text that drops the fewest specifics, the newest of equals."""
    ids = ConflictDecision(item, "open").ids() if isinstance(item, Conflict) else item.ids
    members = by_age(plan.memory(id) for id in ids)
    texts = [memory.text for memory in members]
    draft = min(reversed(texts), key=lambda text: len(loses(texts, text)))
    return Merge(item.handle, [memory.id for memory in members], "review", draft, "one fact, by an answer")


def _as_conflict(plan: Plan, item: Merge | Conflict | NearMiss) -> Conflict:
    if isinstance(item, Conflict):
        return item
    newest = [memory.id for memory in reversed(by_age(plan.memory(id) for id in item.ids))]
    chain = newest if len(newest) > 2 else []
    return Conflict(item.handle, newest[1], newest[0], "", None, "a contradiction, by an answer", chain)


def _yes_or_keep(plan: Plan, prune: Prune | None, answer: Any, faults: list[str], handle: str = "") -> State:
    """What becomes of a prune or an update: true, "keep" or "skip"."""
    said = read(answer)
    if answer is not None and (said is None or said.word not in ("true", "keep", "skip")):
        faults.append(f'{prune.handle if prune else handle} takes true, "keep" or "skip"')
    if said and said.word == "keep":
        return "dismissed"
    if said and said.word == "skip":
        return "skipped"
    if said is None and (prune is None or prune.reason == "gone"):
        return "open"
    return "held" if plan.mode == "auto" and (prune is None or prune.reason != "retention") else "accepted"
