"""Groups in which every pair agrees: that A is like B, and B like C, says nothing of A and C."""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
