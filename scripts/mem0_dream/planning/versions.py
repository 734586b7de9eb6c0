"""Contradictions that one answer settles: the versions of one fact, and one thing renamed wherever it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from ..memory import Memory
from .exchange import exchanges, one_subject
from .wording import age_key, at_once

RENAMED = 3  # pairs with the same exchange from which on it is a rename
CHAIN = 3  # versions of one fact from which on they are one question

Pair = tuple[Memory, Memory]  # the older and the newer


def renames(pairs: Sequence[Pair]) -> list[list[int]]:
    """The pairs, by their number, in which the same words stand for the same others, three and more; each once."""
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, (older, newer) in enumerate(pairs):
        if not at_once(older, newer):
            for words in dict.fromkeys(exchange.words for exchange in exchanges(older.text, newer.text)):
                places[words].append(i)
    used: set[int] = set()
    found = []
    for numbers in sorted(places.values(), key=lambda numbers: (-len(numbers), numbers)):
        fresh = [i for i in numbers if i not in used]
        texts = [{pairs[i][side].text for i in fresh} for side in (0, 1)]
        if min(map(len, texts)) >= RENAMED:
            found.append(fresh)
            used.update(fresh)
    return found


def chains(pairs: Sequence[Pair], alike: Sequence[Pair] = ()) -> list[list[Memory]]:
    """The versions of one fact, three and more, each list newest first.

    They contradict each other in `pairs` (or are alike), are about one subject, and each was written at its own time.
    """
    home: dict[str, dict[str, Memory]] = {}
    for older, newer in [*pairs, *alike]:
        if at_once(older, newer) or not one_subject(older.text, newer.text):
            continue
        joined = {**home.get(older.id, {older.id: older}), **home.get(newer.id, {newer.id: newer})}
        home.update(dict.fromkeys(joined, joined))
    found = []
    disputed = {frozenset((a.id, b.id)) for a, b in pairs}
    for group in {id(group): group for group in home.values()}.values():
        versions = sorted(group.values(), key=age_key, reverse=True)
        apart = all(one.created and not at_once(one, other) for one, other in pairwise(versions))
        between = sum(pair <= group.keys() for pair in disputed)
        if len(versions) >= CHAIN and apart and between >= 2:
            found.append(versions)
    return sorted(found, key=lambda versions: versions[0].id)
