"""Contradictions that are none: other things of one kind, each with a value of its own."""

from __future__ import annotations

import re

from .differences import stretches

SERIES = 3  # contradictions of one memory from which on it is taken for one of a series
_LONGEST = 500  # characters compared
_PARTS = re.compile(r"[^\W_]{3,}")


def other_things(a: str, b: str, contradictions: int) -> bool:
    """Whether two texts of one form are about two things: they differ in what it is and in its value.

    That is so where the thing's name stands in its value again (the login test, test_login.py), or where so many
    texts of that form contradict each other that they cannot all be versions of one fact.
    """
    swaps = [(old, new) for old, new in stretches(a[:_LONGEST], b[:_LONGEST]) if old and new and old != new]
    if len(swaps) < 2:
        return False
    return contradictions >= SERIES or (_recurs([old for old, _ in swaps]) and _recurs([new for _, new in swaps]))


def _recurs(places: list[str]) -> bool:
    """Whether a word of one place stands in another, too."""
    words = [set(_PARTS.findall(place.casefold())) for place in places]
    return any(one & other for i, one in enumerate(words) for other in words[i + 1 :])
