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
    groups: Sequence[list[int]],
    edges: Iterable[tuple[int, int]],
    voice: Callable[[list[int]], int],
    compatible: Callable[[int, int], bool],
) -> list[tuple[list[int], int | None]]:
    """The groups, each with the member whose text may stand for it; None: the group is left alone.

    If that text is also like a memory outside that stays, the two would be asked about again next time. So that one
    joins the group, if the text is like every member then and no two of them are incompatible. Else the group is left
    alone: another member's text would be an older one, or a poorer one.
    """
    like: dict[int, set[int]] = {}
    for a, b in edges:
        like.setdefault(a, set()).add(b)
        like.setdefault(b, set()).add(a)
    home = {member: group for group in groups for member in group}
    waiting = list(groups)
    while waiting:
        group = waiting.pop()
        if home[group[0]] is not group:
            continue
        for outsider in sorted(like[voice(group)].difference(group)):
            other = home.get(outsider, [outsider])
            wider = sorted([*group, *other])
            if len(wider) > MOST or voice(other) != outsider:
                continue
            best = voice(wider)
            if like[best] | {best} >= set(wider) and all(compatible(a, b) for a in group for b in other):
                home.update(dict.fromkeys(wider, wider))
                waiting.append(wider)
                break
    settled = sorted({group[0]: group for group in home.values()}.values())
    return _left_alone([(group, voice(group)) for group in settled], like)


def _left_alone(found: list[tuple[list[int], int]], like: dict[int, set[int]]) -> list[tuple[list[int], int | None]]:
    """The groups without those whose text is like one that stays; what was left alone stays."""
    merged = found
    while True:
        going = {member for group, voice in merged for member in group if member != voice}
        still = [(group, voice) for group, voice in merged if not like[voice].difference(going, group)]
        if len(still) == len(merged):
            voices = {voice for _, voice in merged}
            return [(group, voice if voice in voices else None) for group, voice in found]
        merged = still
