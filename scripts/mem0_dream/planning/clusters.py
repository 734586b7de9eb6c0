"""Groups in which every pair agrees: that A is like B, and B like C, says nothing of A and C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

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


def spokesmen(
    groups: Sequence[Sequence[int]], edges: Iterable[tuple[int, int]], ranked: Callable[[Sequence[int]], Sequence[int]]
) -> Mapping[int, Sequence[int]]:
    """The groups that may be merged, each by the member that stands for it: the first of `ranked` that can.

    A member cannot that is also like somebody outside who stays: merged, the two would be asked about again next time,
    and one merge after the other would join what does not agree. A group where nobody can is left alone.
    """
    home = {member: group for group in groups for member in group}
    outside: dict[int, set[int]] = {}
    for a, b in edges:
        one, other = home.get(a, (a,)), home.get(b, (b,))
        if one is not other and len(one) + len(other) <= MOST:
            outside.setdefault(a, set()).add(b)
            outside.setdefault(b, set()).add(a)
    chosen = {}
    for group in groups:
        able = ranked(group)
        alone = (i for i in able if not any(j not in home for j in outside.get(i, ())))
        chosen[next(alone, able[0])] = group
    while True:
        staying = set(outside).difference(*chosen.values()).union(chosen)
        disputed = [i for i in chosen if not staying.isdisjoint(outside.get(i, ()))]
        if not disputed:
            return chosen
        for i in disputed:
            del chosen[i]
