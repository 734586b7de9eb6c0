"""What may be pruned: memories older than the policy of their type, and doubtful ones that say nothing specific."""

from __future__ import annotations

from datetime import date

from ..config.policies import Policies
from ..matching.details import of as specifics
from ..memory import Memory
from .plan import Prune

LOW_CONFIDENCE = 0.3


def stale(memory: Memory, policies: Policies, today: date) -> Prune | None:
    """Its prune where it is older than its type's policy. No policy, one nobody could read, or no date: never."""
    limit = policies.retention.get(memory.type)
    if limit is None or not policies.may_prune(memory.type):
        return None
    days = age(memory, today)
    if days is None or days <= limit:
        return None
    return Prune("", memory.id, memory.type, "retention", days, limit)


def low_confidence(memory: Memory, policies: Policies, today: date) -> Prune | None:
    """Its prune where its confidence is below 0.3 and its text has no specifics at all."""
    confidence = memory.confidence
    if confidence is None or confidence >= LOW_CONFIDENCE or not policies.may_prune(memory.type):
        return None
    if specifics(memory.text):
        return None
    return Prune("", memory.id, memory.type, "low_confidence", age(memory, today), None)


def age(memory: Memory, today: date) -> int | None:
    """Whole days from its creation to today (UTC); None without a readable date."""
    created = memory.created
    return None if created is None else (today - created.date()).days
