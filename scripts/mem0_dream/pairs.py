"""Who might be the same: every pair that shares enough significant words, found by an index and not by trying all.

A word weighs log(1 + N / n) where n of N texts have it. Two texts are as alike as the weight of what they share is of
the geometric mean of their own weights. How much is enough grows with the store: a small one is searched widely.

The index is by two words at once. Of a text's words, the rarest first, take so many that the others, and one of these,
weigh too little to make a pair: any text that is alike shares two of those taken. (Or it shares a single word that
outweighs all others: such words are indexed alone.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import chain, combinations

FEW = 300  # texts of one type that are compared each with each,
LONE = 30  # or only so many, in a store with more memories than
WIDE = 5_000
NARROW = 50_000
CLOSEST = 10  # heavier texts that one text is paired with, at most
LOOKED_AT = 100  # of the texts that share two words, those of the nearest weight


def candidates(texts: Sequence[Collection[str]], total: int = 0) -> Iterable[tuple[int, int]]:
    """The pairs (i, j), i < j, worth judging among texts given as their words, in a store of `total` memories."""
    total = max(total, len(texts))
    if len(texts) <= (FEW if total <= WIDE else LONE):
        return combinations(range(len(texts)), 2)
    return alike(texts, enough(total))


def enough(total: int) -> float:
    """How alike two texts must be in a store of so many memories: 0.4 up to 5,000, 0.6 from 50,000 on."""
    return 0.4 + 0.2 * min(max(math.log(total / WIDE) / math.log(NARROW / WIDE), 0.0), 1.0)


def alike(texts: Sequence[Collection[str]], least: float) -> Iterator[tuple[int, int]]:
    """The pairs that are at least so much alike."""
    counts = Counter(chain.from_iterable(map(frozenset, texts)))
    ranked = sorted(counts, key=lambda word: (counts[word], word))
    rank = {word: i for i, word in enumerate(ranked)}
    weight = [math.log(1 + len(texts) / counts[word]) for word in ranked]
    rows = [tuple(sorted(map(rank.__getitem__, frozenset(words)))) for words in texts]
    sizes = [math.fsum(map(weight.__getitem__, row)) for row in rows]
    roots = [math.sqrt(size) for size in sizes]
    index: dict[tuple[int, ...], list[int]] = {}
    for i in sorted(range(len(rows)), key=sizes.__getitem__):  # the lighter of a pair is in the index first
        row, size = rows[i], sizes[i]
        met: set[int] = set()
        for found in filter(None, map(index.get, _keys(row, weight, size, least * least))):
            met.update(found[-LOOKED_AT:] if len(found) > LOOKED_AT else found)
        if met:
            have = frozenset(row)
            need = least * roots[i] - 1e-9
            scored = []
            for j in met:
                score = sum(map(weight.__getitem__, have.intersection(rows[j]))) / roots[j]
                if score >= need:
                    scored.append((score, j))
            for _, j in nlargest(CLOSEST, scored) if len(scored) > CLOSEST else scored:
                yield (i, j) if i < j else (j, i)
        for key in _keys(row, weight, size, least):
            index.setdefault(key, []).append(i)


def _keys(row: Sequence[int], weight: Sequence[float], size: float, least: float) -> Iterator[tuple[int, ...]]:
    """What a text is found by, by all that share at least this part of its weight."""
    if not row:
        return iter(())
    room = (1 - least) * size + weight[row[0]] + 1e-9
    taken = 0
    for word in row:
        if room < 0:
            break
        taken += 1
        room -= weight[word]
    pairs = combinations(row[:taken], 2)
    if weight[row[0]] < least * size - 1e-9:
        return pairs
    return chain(((word,) for word in row if weight[word] >= least * size - 1e-9), pairs)
