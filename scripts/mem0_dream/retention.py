"""What may be pruned: memories older than the policy of their type, and doubtful ones that say nothing specific."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from .memory import Memory
from .plan import Prune
from .policies import Policies
from .specifics import of as specifics

LOW_CONFIDENCE = 0.3


def age(memory: Memory, today: date) -> int | None:
    """Whole days from its creation to today (UTC); None without a readable date."""
    created = memory.created
    return None if created is None else (today - created.date()).days


def stale(memories: Iterable[Memory], policies: Policies, today: date) -> list[Prune]:
    """Those older than their type's policy, the oldest first. No policy, or one that could not be read: never."""
    found = []
    for memory in memories:
        limit = policies.retention.get(memory.type)
        if limit is None or not policies.may_prune(memory.type):
            continue
        days = age(memory, today)
        if days is not None and days > limit:
            found.append(Prune("", memory.id, memory.type, "retention", days, limit))
    return sorted(found, key=lambda prune: (-(prune.age_days or 0), prune.id))


def low_confidence(memories: Iterable[Memory], today: date) -> list[Prune]:
    """Those with a confidence below 0.3 and no specifics at all, the most doubtful first."""
    found = []
    for memory in memories:
        confidence = memory.confidence
        if confidence is not None and confidence < LOW_CONFIDENCE and not specifics(memory.text):
            prune = Prune("", memory.id, memory.type, "low_confidence", age(memory, today), None)
            found.append((confidence, prune.id, prune))
    return [prune for *_, prune in sorted(found, key=lambda item: item[:2])]
