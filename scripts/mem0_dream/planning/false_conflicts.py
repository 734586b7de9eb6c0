"""Contradictions that are none: other things of one kind, each with a value of its own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from ..matching.differences import stretches
from .diary import other_days

SERIES = 3  # contradictions of one memory from which on it is taken for one of a series
FILLERS = 5  # words in one place of a form from which on they name things and are no versions
_LONGEST = 500  # characters compared
_DIGIT = re.compile(r"\d")


def other_things(pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """For each contradiction whether its two texts, of one form, are about two things.

    They are where they differ in the thing and in its value, and so many of that form contradict each other that they
    cannot all be versions of one fact; where one place of the form holds many a word (not number): these are names;
    and where both are entries of a diary, of different days.
    """
    count = Counter(text for pair in pairs for text in set(pair))
    split = [_split(a, b) for a, b in pairs]
    fillers: dict[str, set[str]] = defaultdict(set)
    for form, swaps in split:
        if len(swaps) == 1:
            fillers[form].update(swaps[0])
    found = []
    for (a, b), (form, swaps) in zip(pairs, split, strict=True):
        if other_days(a, b):
            found.append(True)
        elif len(swaps) == 1:
            named = not any(map(_DIGIT.search, swaps[0]))
            found.append(named and len(fillers[form]) >= FILLERS)
        else:
            found.append(len(swaps) > 1 and max(count[a], count[b]) >= SERIES)
    return found


def _split(a: str, b: str) -> tuple[str, list[tuple[str, str]]]:
    """What both share, with a gap where they differ, and what stands in the gaps of each."""
    parts = stretches(a[:_LONGEST], b[:_LONGEST])
    form = " ".join(old if old == new else "…" for old, new in parts)
    return form, [(old, new) for old, new in parts if old and new and old != new]
