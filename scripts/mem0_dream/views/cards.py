"""Questions as a page shows them: what stands side by side, where it differs, and which answers are open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ..matching.differences import Part, brought, differences
from ..memory import Memory
from ..planning.decisions import (
    ConflictDecision,
    Decision,
    Decisions,
    MergeDecision,
    NearMissDecision,
    PruneDecision,
    UpdateDecision,
)
from ..planning.plan import Plan
from ..review.verdicts import read
from ..safe_text import short_ids

SAME = ("true", "Same fact: merge into this text")
BOTH = ("keep", "Keep both")
CONTRADICT = ("conflict", "They contradict")
LATER = ("skip", "Ask me later")
WAITING = ("open", "held")
GROUP = 3  # questions with one reason, from which on they can be answered together


@dataclass(frozen=True)
class Side:
    """One text of a question. `look` says whether it goes, stays, or would be new."""

    name: str
    parts: Sequence[Part]
    look: str = "old"


@dataclass(frozen=True)
class Card:
    """One question. `draft` is the text that a merge would leave, for the person to change."""

    handle: str
    kind: str
    type: str
    state: str
    title: str
    sides: Sequence[Side]
    choices: Sequence[tuple[str, str]]
    why: str
    draft: str | None = None
    drops: Sequence[str] = ()


def cards(decisions: Decisions) -> list[Card]:
    """Every question of the plan: those that wait for an answer first, and of these the most useful."""
    rank = {handle: number for number, handle in enumerate(decisions.plan.order)}
    names = short_ids(decisions.plan.memories)
    made = [_card(decisions.plan, names, item) for item in decisions.items]
    return sorted(made, key=lambda card: (card.state not in WAITING, rank.get(card.handle, len(rank))))


def alike(shown: Sequence[Card]) -> list[tuple[str, list[str]]]:
    """Questions that one answer can settle together: the reason they share, and their handles."""
    groups: dict[tuple[str, str], list[str]] = {}
    for card in (card for card in shown if card.state in WAITING):
        groups.setdefault((card.kind, card.why), []).append(card.handle)
    return [(f"{kind}: {why}", handles) for (kind, why), handles in groups.items() if len(handles) >= GROUP]


def fates(decisions: Decisions, memories: Sequence[Memory], today: date) -> list[tuple[str, dict[str, int]]]:
    """What becomes of the memories of each type: how many stay, are merged away, pruned, or protected."""
    gone = dict.fromkeys((p.prune.id for p in decisions.prunes if p.state == "accepted"), "pruned")
    for merge in decisions.merges:
        if merge.state == "accepted":
            gone |= dict.fromkeys(merge.ids[:-1], "merged away")
    counts: dict[str, Counter[str]] = {}
    for memory in memories:
        fate = gone.get(memory.id) or ("protected" if memory.protection(today) else "stays")
        counts.setdefault(memory.type, Counter())[fate] += 1
    return sorted(((type, dict(count)) for type, count in counts.items()), key=lambda row: -sum(row[1].values()))


def lost(item: MergeDecision) -> list[str]:
    """What the memories of a merge say and its text does not."""
    return list(dict.fromkeys([*item.loses, *item.words]))


def _card(plan: Plan, names: dict[str, str], item: Decision) -> Card:
    if isinstance(item, MergeDecision):
        return _merge(plan, names, item)
    if isinstance(item, ConflictDecision):
        return _conflict(plan, names, item)
    if isinstance(item, PruneDecision):
        return _prune(plan, names, item)
    if isinstance(item, UpdateDecision):
        return _update(plan, names, item)
    return _near_miss(plan, names, item)


def _merge(plan: Plan, names: dict[str, str], item: MergeDecision) -> Card:
    texts = [plan.memory(id).text for id in item.ids]
    sides = [
        Side(_known(plan, names, id), differences(text, item.text)[0]) for id, text in zip(item.ids, texts, strict=True)
    ]
    result = Side("Merged", brought(item.text, texts), "new")
    choices = (SAME, BOTH, CONTRADICT, LATER)
    title = f"{len(item.ids)} memories that say the same"
    return Card(
        item.handle,
        "merge",
        _type(plan, item.ids[0]),
        item.state,
        title,
        [*sides, result],
        choices,
        item.why,
        item.text,
        lost(item),
    )


def _conflict(plan: Plan, names: dict[str, str], item: ConflictDecision) -> Card:
    versions = item.versions()
    texts = {letter: plan.memory(id).text for letter, id in versions.items()}
    newest = texts.get("B", "")
    sides = []
    for letter, id in versions.items():
        other = texts["A"] if letter == "B" else newest
        name = f"{letter} · {_known(plan, names, id)}"
        sides.append(Side(name, differences(texts[letter], other)[0], "new" if letter == item.winner else "old"))
    more = f"; the answer holds for {len(item.conflict.also)} more pairs" if item.conflict.also else ""
    choices = [*((letter, f"{letter} is current") for letter in versions), BOTH, ("same", "Same fact: merge"), LATER]
    title = f"“{item.conflict.topic}”" if item.conflict.topic else "Two versions of one fact"
    kind = _type(plan, item.conflict.a)
    return Card(item.handle, "contradiction", kind, item.state, title, sides, choices, item.conflict.why + more)


def _near_miss(plan: Plan, names: dict[str, str], item: NearMissDecision) -> Card:
    ids = item.miss.ids
    texts = [plan.memory(id).text for id in ids]
    sides = [
        Side(_known(plan, names, id), differences(text, texts[1] if number == 0 else texts[0])[0])
        for number, (id, text) in enumerate(zip(ids, texts, strict=True))
    ]
    choices = (BOTH, SAME, CONTRADICT, LATER)
    newest = max((plan.memory(id) for id in ids), key=lambda memory: (memory.created is not None, str(memory.created)))
    title = "They look alike, and were left alone"
    return Card(
        item.handle, "near miss", _type(plan, ids[0]), item.state, title, sides, choices, item.miss.why, newest.text
    )


def _prune(plan: Plan, names: dict[str, str], item: PruneDecision) -> Card:
    prune = item.prune
    age = "of unknown age" if prune.age_days is None else f"{prune.age_days} days old"
    why = prune.why or (
        f"older than the {prune.policy_days} days that mem0.md allows its type"
        if prune.reason == "retention"
        else "low confidence, and nothing specific"
    )
    side = Side(_known(plan, names, prune.id), [Part(plan.memory(prune.id).text, False)])
    choices = (("true", "Remove it"), ("keep", "Keep it"), LATER)
    return Card(item.handle, "prune", prune.type, item.state, age, [side], choices, why)


def _update(plan: Plan, names: dict[str, str], item: UpdateDecision) -> Card:
    id, text = item.update.id, plan.memory(item.update.id).text
    before, after = differences(text, item.update.text)
    sides = [Side(_known(plan, names, id), before), Side("Changed", after, "new")]
    choices = (("true", "Change the text"), ("keep", "Leave it as it is"), LATER)
    return Card(
        item.handle,
        "update",
        _type(plan, id),
        item.state,
        "A text that is no longer right",
        sides,
        choices,
        item.update.why,
    )


def _known(plan: Plan, names: dict[str, str], id: str) -> str:
    memory = plan.memory(id)
    day = memory.created.date().isoformat() if memory.created else "no date"
    sure = "" if memory.confidence is None else f" · confidence {memory.confidence:g}"
    return f"{names[id]} · {day}{sure}"


def _type(plan: Plan, id: str) -> str:
    return plan.memory(id).type


def answer_value(answer: Any) -> str | None:
    """The value of the choice that an answer is; a text of one's own is the merge that it makes. None: no answer."""
    said = read(answer)
    if said is None:
        return None
    return said.text if said.word == "version" else "true" if said.word == "text" else said.word
