"""Who might be the same: every pair that shares enough significant words, found by an index and not by trying all.

A word weighs log(1 + N / n), n of N texts having it. Two texts are candidates where the weight of what they share is at
least 0.6 of the geometric mean of their own weights. Such a pair must share one of the rarest words of each: only those
are indexed (prefix filtering).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

ENOUGH = 0.6


def candidates(texts: Sequence[Collection[str]]) -> Iterator[tuple[int, int]]:
    """The pairs (i, j), i < j, of texts that share enough of their words; each pair once, whatever their order."""
    counts = Counter(word for words in texts for word in set(words))
    weight = {word: math.log(1 + len(texts) / count) for word, count in counts.items()}
    rarest = {word: rank for rank, word in enumerate(sorted(counts, key=lambda word: (counts[word], word)))}
    sets = [frozenset(words) for words in texts]
    sizes = [math.fsum(weight[word] for word in words) for words in sets]
    index: dict[str, list[int]] = {}
    for i in sorted(range(len(texts)), key=lambda i: -sizes[i]):  # the heavier one of a pair is in the index first
        ordered = sorted(sets[i], key=rarest.__getitem__)
        met = {j for word in _prefix(ordered, weight, (1 - ENOUGH) * sizes[i]) for j in index.get(word, ())}
        for j in met:
            shared = math.fsum(weight[word] for word in sets[i] & sets[j])
            if shared >= ENOUGH * math.sqrt(sizes[i] * sizes[j]):
                yield (i, j) if i < j else (j, i)
        for word in _prefix(ordered, weight, (1 - ENOUGH**2) * sizes[i]):
            index.setdefault(word, []).append(i)


def _prefix(words: Sequence[str], weight: dict[str, float], room: float) -> Iterator[str]:
    """The rarest words, as many as it takes that those left out weigh too little to make a pair alone."""
    for word in words:
        if room < -1e-9:
            return
        yield word
        room -= weight[word]
