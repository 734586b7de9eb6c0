"""How one item of a plan is written: on one line, with the texts quoted and the ids cut short."""

from __future__ import annotations

from collections.abc import Sequence

from ..memory import Memory
from ..planning.decisions import ConflictDecision, Decisions, MergeDecision, UpdateDecision
from ..planning.plan import Plan, Prune
from ..planning.quotation import quotation
from ..review.additions import ADDED
from ..safe_text import short_ids, shown

NAMED = 8  # memories of one item that a line names


def which(conflict: ConflictDecision) -> str:
    """The question about a contradiction, with a letter for each version."""
    return f"Which is current? [{'/'.join(conflict.versions())}/skip]"


def answer(conflict: ConflictDecision) -> str:
    """What was answered to a contradiction; empty while nobody did."""
    said = {"dismissed": "both stay", "skipped": "skipped"}
    return f"→ {conflict.winner}" if conflict.winner else said.get(conflict.state, "")


def merge(names: dict[str, str], item: MergeDecision) -> str:
    """A merge on a line; if it is accepted, what it drops."""
    gone = f" ({drops(item)})" if item.state == "accepted" and drops(item) else ""
    return f'{joined(names, item.ids)} → "{shown(item.text, 100)}"{gone}'


def update(names: dict[str, str], decided: UpdateDecision) -> str:
    return f'{names[decided.update.id]} → "{shown(decided.update.text, 100)}"'


def conflict(decisions: Decisions, names: dict[str, str], item: ConflictDecision) -> str:
    said = answer(item) or f"[{'/'.join(item.versions())}/skip]"
    more = f" (and {len(item.conflict.also)} more pairs)" if item.conflict.also else ""
    return f'{joined(names, [*item.versions().values()], " vs ")} — "{topic(decisions, item)}"{more} {said}'


def topic(decisions: Decisions, item: ConflictDecision) -> str:
    """What a contradiction is about: both texts quoted, cut, whatever topic an answer gave it."""
    quote = shown(quotation(texts_of(decisions, item)))
    return f"{shown(item.conflict.topic, 40)}: {quote}" if item.conflict.why == ADDED else quote


def prune(plan: Plan, names: dict[str, str], item: Prune) -> str:
    memory = plan.memory(item.id)
    why = {"retention": "", "gone": item.why}.get(
        item.reason, f"confidence {confidence(memory)}, says nothing specific"
    )
    ground = f" — {shown(why)}" if why else ""
    return f'{names[item.id]} — {shown(item.type)}, {age(item)}{ground} — "{shown(memory.text, 80)}"'


def doubt(item: MergeDecision) -> str:
    """What speaks against a merge: what it drops or brings, or else what differs."""
    brings = f"adds {quoted(item.brings)}" if item.brings else ""
    return "; ".join(filter(None, [drops(item), brings])) or shown(item.why)


def drops(item: MergeDecision) -> str:
    """What its text drops, whatever kind of word it is, if it drops a specific or waits for a yes."""
    gone = [*item.loses, *item.words] if item.loses or item.state == "held" else []
    return f"drops {quoted(gone[:NAMED])}{' …' if len(gone) > NAMED else ''}" if gone else ""


def texts_of(decisions: Decisions, item: ConflictDecision) -> list[str]:
    """The texts of its versions; a member of an accepted merge is shown with the merged text."""
    merged = {id: merge.text for merge in decisions.merges if merge.state == "accepted" for id in merge.ids}
    return [merged.get(id, decisions.plan.memory(id).text) for id in item.versions().values()]


def sides(decisions: Decisions, item: ConflictDecision) -> list[str]:
    """Text, date and confidence of each version, A first."""
    memories = [decisions.plan.memory(id) for id in item.versions().values()]
    both = zip(texts_of(decisions, item), memories, strict=True)
    return [f'"{shown(text)}" ({dated(memory)})' for text, memory in both]


def dated(memory: Memory) -> str:
    """When it was stored and how sure it is, as a question shows it."""
    return f"{day(memory)}, confidence: {confidence(memory)}"


def day(memory: Memory) -> str:
    return memory.created.date().isoformat() if memory.created else "no date"


def confidence(memory: Memory) -> str:
    return "none" if memory.confidence is None else f"{memory.confidence:g}"


def age(prune: Prune) -> str:
    return "age unknown" if prune.age_days is None else f"{prune.age_days}d old"


def names_of(plan: Plan) -> dict[str, str]:
    return {id: f"[mem0:{short}]" for id, short in short_ids([*plan.memories, *plan.ids()]).items()}


def joined(names: dict[str, str], ids: Sequence[str], by: str = " + ") -> str:
    more = f"{by}… ({len(ids) - NAMED:,} more)" if len(ids) > NAMED else ""
    return by.join(names[id] for id in ids[:NAMED]) + more


def quoted(details: Sequence[str]) -> str:
    return ", ".join(f'"{shown(detail)}"' for detail in details)
