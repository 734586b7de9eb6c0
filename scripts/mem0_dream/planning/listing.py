"""Every memory on one line with a number ("#12"): the same numbers in every step, whatever the store's order."""

from __future__ import annotations

from collections import defaultdict

from ..matching.text import read
from ..memory import Memory
from ..runs.snapshot import Snapshot
from .blocking import candidates


def listing(snapshot: Snapshot) -> list[Memory]:
    """All of them, those that share words together; number 12 is item 11. It depends on nothing but the memories."""
    groups: dict[tuple[str, str], list[Memory]] = defaultdict(list)
    for memory in sorted(snapshot.memories, key=lambda memory: (memory.text, memory.id)):
        groups[repr(memory.scope), memory.type].append(memory)
    return [memory for key in sorted(groups) for memory in _together(groups[key])]


def _together(memories: list[Memory]) -> list[Memory]:
    """Each memory right after the first one that it is like, directly or by others in between."""
    first = list(range(len(memories)))

    def root(i: int) -> int:
        while first[i] != i:
            first[i] = i = first[first[i]]
        return i

    texts = list(dict.fromkeys(memory.text for memory in memories))
    place = {memory.text: i for i, memory in reversed(list(enumerate(memories)))}
    for a, b in candidates([read(text).words for text in texts]):
        one, other = sorted((root(place[texts[a]]), root(place[texts[b]])))
        first[other] = one
    return [memories[i] for i in sorted(range(len(memories)), key=lambda i: (root(place[memories[i].text]), i))]
