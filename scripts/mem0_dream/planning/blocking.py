"""Who might be the same: every pair that shares enough significant words, found by an index and not by trying all.

A word weighs log(1 + N / n) where n of N texts have it. Two texts are as alike as the weight of what they share is of
the geometric mean of their own weights. How much is enough grows with the store: a small one is searched widely.

The index is by two words at once. Of a text's words, the rarest first, take so many that the others, and one of these,
weigh too little to make a pair: any text that is alike shares two of those taken. (Or it shares a single word that
outweighs all others: such words are indexed alone.)
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import accumulate, chain, combinations

FEW = 300  # texts of one type that are compared each with each,
LONE = 30  # or only so many, in a store with more memories than
WIDE = 3_000
NARROW = 30_000
CLOSEST = 10  # heavier texts that one text is paired with, at most
LOOKED_AT = 32  # of the texts that share two words, those of the nearest weight


def candidates(texts: Sequence[frozenset[str]], total: int = 0) -> Iterable[tuple[int, int]]:
    """The pairs (i, j), i < j, worth judging among texts given as their words, in a store of `total` memories."""
    total = max(total, len(texts))
    if len(texts) <= (FEW if total <= WIDE else LONE):
        return combinations(range(len(texts)), 2)
    return alike(texts, enough(total))


def enough(total: int) -> float:
    """How alike two texts must be in a store of so many memories: 0.4 up to 3,000, 0.6 from 30,000 on."""
    return (2 + min(max(math.log(total / WIDE) / math.log(NARROW / WIDE), 0.0), 1.0)) / 5


def alike(texts: Sequence[frozenset[str]], least: float) -> Iterator[tuple[int, int]]:
    """The pairs that are at least so much alike."""
    rows = _Rows(texts)
    weight, roots = rows.weight, rows.roots
    index: dict[tuple[int, ...], list[int]] = {}
    for i in sorted(range(len(texts)), key=rows.sizes.__getitem__):  # the lighter of a pair is in the index first
        met: set[int] = set()
        sums = list(accumulate(map(weight.__getitem__, rows.words[i])))
        for found in filter(None, map(index.get, rows.keys(i, sums, least * least))):
            met.update(found[-LOOKED_AT:] if len(found) > LOOKED_AT else found)
        if met:
            words = frozenset(rows.words[i])
            need = least * roots[i] - 1e-9
            near = []
            for j in met:
                score = sum(map(weight.__getitem__, words.intersection(rows.words[j]))) / roots[j]
                if score >= need:
                    near.append((score, j))
            for _, j in nlargest(CLOSEST, near) if len(near) > CLOSEST else near:
                yield (i, j) if i < j else (j, i)
        for key in rows.keys(i, sums, least):
            index.setdefault(key, []).append(i)


class _Rows:
    """The texts as numbered words, the rarest first, without those that no other text has; and what they weigh."""

    def __init__(self, texts: Sequence[frozenset[str]]) -> None:
        counts = Counter(chain.from_iterable(texts))
        shared = sorted((word for word in counts if counts[word] > 1), key=lambda word: (counts[word], word))
        rank = {word: i for i, word in enumerate(shared, 1)}
        alone = math.log(1 + len(texts))
        self.weight = [0.0, *(math.log(1 + len(texts) / counts[word]) for word in shared)]
        self.words = [tuple(sorted(filter(None, map(rank.get, words)))) for words in texts]
        self.sizes = [
            math.fsum(map(self.weight.__getitem__, row)) + alone * (len(words) - len(row))
            for words, row in zip(texts, self.words, strict=True)
        ]
        self.roots = list(map(math.sqrt, self.sizes))

    def keys(self, i: int, sums: Sequence[float], least: float) -> Iterable[tuple[int, ...]]:
        """What a text is found by, by all that share at least this part of its weight.

        `sums`: the weight of its words up to each of them, of those that others have.
        """
        row, weight, want = self.words[i], self.weight, least * self.sizes[i] - 1e-9
        if not row or sums[-1] < want:
            return ()
        pairs = combinations(row[: bisect_right(sums, sums[-1] - want + weight[row[0]]) + 1], 2)
        if weight[row[0]] < want:
            return pairs
        return chain(((word,) for word in row if weight[word] >= want), pairs)
