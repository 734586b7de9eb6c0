"""What holds for every answer, whoever gave it: nothing protected, nothing twice, no fact left without a version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from itertools import combinations
from typing import Protocol

from ..matching.classifier import judge
from ..matching.text import read, words
from ..memory import Memory
from ..planning.decisions import Decisions, MergeDecision
from ..planning.plan import HeldBack, Plan
from ..runs.snapshot import Mode

MOST_TEXT = 10_000  # characters of a merged text, or as many as its longest member has
OWN_SHARE = 1 / 3  # of a text's significant words that its members must have
KEPT_SHARE = 1 / 2  # of each member's significant words that a text keeps, or a person says yes to it


class Dismissed(Protocol):
    """What was answered "keep" or "both" before."""

    def forbids(self, kind: str, texts: Sequence[str]) -> bool: ...
    def add(self, kind: str, texts: Sequence[str], said: str) -> None: ...
    def discard(self, kind: str, texts: Sequence[str]) -> None: ...


def by_age(memories: Iterable[Memory]) -> list[Memory]:
    """The oldest first; those without a date come before all others."""
    return sorted(memories, key=lambda memory: (memory.created is not None, str(memory.created), memory.id))


def text_faults(merge: MergeDecision, plan: Plan) -> list[str]:
    """What is wrong with a merged text that somebody wrote."""
    members = [plan.memory(id).text for id in merge.ids]
    most = max(MOST_TEXT, *map(len, members))
    if not merge.text:
        return ["has an empty text"]
    if len(merge.text) > most:
        return [f"has a text of {len(merge.text)} characters; {most} are the most"]
    if any("\ud800" <= char <= "\udfff" for char in merge.text):
        return ["has a text with half a character in it"]
    own = set(words(merge.text))
    known = own.intersection(word for member in members for word in words(member))
    if merge.text not in members and len(known) <= len(own) * OWN_SHARE:
        return ["has a text that shares too few words with its memories"]
    return []


def drops_much(members: Iterable[str], text: str) -> bool:
    """Whether a text keeps so little of a member that a person must say yes to it."""
    kept = set(words(text))
    return any(len(kept & (said := set(words(member)))) < len(said) * KEPT_SHARE for member in members)


def addition_fault(texts: Sequence[str], kind: str, mode: Mode, dismissed: Dismissed | None) -> str:
    """Why these memories may not be added as a question: left alone before, or, unattended, not alike."""
    if dismissed and dismissed.forbids(kind, texts):
        return "that was left alone before; --kept lists it and --forget takes it back"
    if mode == "auto" and kind == "merge":
        readings = [read(text) for text in texts]
        found = [judge(a, b) for a, b in combinations(readings, 2)]
        if not all(one.near or one.kind in ("duplicate", "covers", "conflict") for one in found):
            return "its memories are not alike enough to be merged unattended"
    return ""


def join_merges(decisions: Decisions) -> None:
    """A merge of copies is part of the accepted merge that one of them is in: its text and handle stand for both."""
    for made in [m for m in decisions.merges if m.tier != "safe" and m.state == "accepted"]:
        for other in [*decisions.merges]:
            if other is not made and other.state == "accepted" and other.tier == "safe" and {*other.ids} & {*made.ids}:
                made.ids = list(dict.fromkeys([*made.ids, *other.ids]))
                decisions.merges.remove(other)


def decide_other_pairs(decisions: Decisions) -> list[str]:
    """An answer that removes a memory decides its other pairs; the fault if no version of a fact would stay."""
    home = {id: merge.ids[0] for merge in decisions.merges if merge.state == "accepted" for id in merge.ids}
    beaten: dict[str, tuple[str, str]] = {}  # loser: winner and handle, a merge being one memory
    for c in decisions.conflicts:
        for winner, loser in c.losses():
            beaten[home.get(loser, loser)] = home.get(winner, winner), c.handle
    for c in decisions.conflicts:
        standing = [letter for letter, id in c.versions().items() if home.get(id, id) not in beaten]
        if c.state == "open" and len(standing) == 1 and not c.conflict.also:
            c.state, c.winner = "accepted", standing[0]
    for start in beaten:
        seen: list[str] = []
        id = start
        while id in beaten and id not in seen:
            seen.append(id)
            id = beaten[id][0]
        if id in seen:
            handles = ", ".join(sorted({beaten[id][1] for id in seen}))
            return [f"{handles} together would leave no version of what they are about"]
    return []


def broken(decisions: Decisions, given: Collection[str], memories: Iterable[Memory], today: date) -> list[str]:
    """Every rail that a given answer would break, as a fault; what nobody answered is held back instead.

    The day may have changed since the plan was made, or somebody the plan.
    """
    faults: list[str] = []
    for handle, why in dict.fromkeys(_broken(decisions, {memory.text for memory in memories}, today)):
        if handle in given:
            faults.append(f"{handle} {why}")
        else:
            next(item for item in decisions.items if item.handle == handle).state = "held"
            decisions.held_back.append(HeldBack(handle, why))
    return faults


def _broken(decisions: Decisions, texts: Collection[str], today: date) -> list[tuple[str, str]]:
    """Every rail that what is accepted would break: the handle, and what is wrong with it."""
    plan = decisions.plan
    faults: list[tuple[str, str]] = []
    merges = [merge for merge in decisions.merges if merge.state in ("accepted", "held")]
    conflicts = [conflict for conflict in decisions.conflicts if conflict.state == "accepted"]
    removed = [(p.handle, p.prune.id) for p in decisions.prunes if p.state == "accepted"]
    updates = [update.update for update in decisions.updates if update.state == "accepted"]
    for merge in merges:
        if len(set(merge.ids)) < 2:
            faults.append((merge.handle, "needs two memories"))
        if merge.text in texts and merge.text not in {plan.memory(id).text for id in merge.ids}:
            faults.append((merge.handle, "has the text of a memory outside of it"))
    faults += [(u.handle, "has the text of another memory") for u in updates if u.text in texts]
    copies = {id for m in merges if m.tier == "safe" and m.state == "accepted" for id in m.ids}
    used = [(m.handle, id) for m in merges for id in m.ids if m.state == "accepted" or id not in copies]
    used += [*((update.handle, update.id) for update in updates), *removed]
    asked = [(c.handle, id) for c in conflicts for id in c.ids()]
    for handle, id in (*used, *asked):
        if why := plan.memory(id).protection(today):
            faults.append((handle, f"names a memory that is {why} and must not be touched"))
    once = Counter(id for _, id in used)
    alone = {id for _, id in removed} | {update.id for update in updates}  # what a merge makes of it may still lose
    once.update(alone.intersection(loser for c in conflicts for _, loser in c.losses()))
    faults += [(handle, "names a memory that another answer uses already") for handle, id in used if once[id] > 1]
    groups = [(m.handle, m.ids, "would merge memories") for m in merges]
    groups += [(c.handle, c.ids(), "is about memories") for c in conflicts]
    for handle, ids, what in groups:
        if len({(memory.scope, memory.type) for memory in map(plan.memory, ids)}) > 1:
            faults.append((handle, f"{what} of different scope or type"))
    return faults
