"""Memories that the store's vectors hold to be alike, whatever words they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from ..memory import Memory
from .plan import Plan

CLOSE = 3  # each must be among the first so many of the other
SEARCHED = 200  # memories that are looked up in one run; the others wait for the next


def pairs(memories: Iterable[Memory], nearest: Callable[[Memory], list[Memory]]) -> list[tuple[str, str]]:
    """The pairs of ids of these memories and their neighbours that are each among the first three of the other."""

    @cache
    def first(id: str) -> list[str]:
        found = nearest(known[id])
        known.update((memory.id, memory) for memory in found)
        return [memory.id for memory in found if memory.id != id][:CLOSE]

    known: dict[str, Memory] = {memory.id: memory for memory in memories}
    mutual = [(id, other) for id in [*known] for other in first(id) if id in first(other)]
    return sorted({(min(pair), max(pair)) for pair in mutual})


def unseen(plan: Plan, found: Iterable[tuple[str, str]]) -> set[str]:
    """The ids of pairs that the plan had no room for: they are to be looked up again."""
    shown = [set(merge.ids) for merge in plan.merges] + [set(miss.ids) for miss in plan.near_misses]
    shown += [{conflict.a, conflict.b, *conflict.ids} for conflict in plan.conflicts]
    return {id for pair in found if not any(set(pair) <= ids for ids in shown) for id in pair}
