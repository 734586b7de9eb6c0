"""Groups in which every pair agrees: that A is like B, and B like C, says nothing of A and C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

MOST = 200  # members of one group: all pairs are looked at, and nobody reads more


def clusters(edges: Iterable[tuple[int, int]], agree: Callable[[int, int], bool]) -> list[list[int]]:
    """Complete linkage over `edges`, the closest first; each group sorted, the groups by their first member."""
    home: dict[int, list[int]] = {}
    for a, b in edges:
        left, right = home.setdefault(a, [a]), home.setdefault(b, [b])
        if left is right or len(left) + len(right) > MOST or not all(agree(x, y) for x in left for y in right):
            continue
        if len(left) < len(right):
            left, right = right, left
        left += right
        for member in right:
            home[member] = left
    groups = {id(group): sorted(group) for group in home.values() if len(group) > 1}
    return sorted(groups.values())


def undisputed(
    groups: Sequence[Sequence[int]], edges: Iterable[tuple[int, int]], ranked: Callable[[Sequence[int]], Sequence[int]]
) -> list[int | None]:
    """For each group the member whose text may stand for it, the first of `ranked` that can; None: it is left alone.

    A member cannot if its text is also like one outside that stays. Merged, the two would be asked about again next
    time, and one merge after the other would join what does not agree.
    """
    home = {member: number for number, group in enumerate(groups) for member in group}
    outside: dict[int, set[int]] = {}
    for a, b in edges:
        one, other = home.get(a), home.get(b)
        if one is None or one != other:
            outside.setdefault(a, set()).add(b)
            outside.setdefault(b, set()).add(a)
    chosen: list[int | None] = []
    for group in groups:
        able = ranked(group)
        chosen.append(next((i for i in able if all(j in home for j in outside.get(i, ()))), able[0]))
    while True:
        voices = {voice for voice in chosen if voice is not None}
        merged = [group for group, voice in zip(groups, chosen, strict=True) if voice is not None]
        going = {member for group in merged for member in group} - voices
        disputed = {voice for voice in voices if outside.get(voice, set()) - going}
        if not disputed:
            return chosen
        chosen = [None if voice in disputed else voice for voice in chosen]
