"""What two memories are to each other, and why. Similarity does not decide: what differs does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import specifics as details
from .guards import Difference, differences
from .text import Reading

LEAST_SHARED = 0.6


class Judgement(NamedTuple):
    """`kind` is "duplicate", "covers" (one says all of the other and more), "conflict" or "distinct".

    `safe`: they may be merged with nobody looking. `score` is how sure, 0 to 1. `near`: alike enough to
    tell a person why they are left alone.
    """

    kind: str
    safe: bool
    score: float
    near: bool
    shared: list[str]
    differs: list[str]
    why: str
    topic: str


def judge(a: Reading, b: Reading) -> Judgement:
    """What the pair is. The same for (a, b) and (b, a) but for the side named first in the texts."""
    if a.exact == b.exact:
        return Judgement("duplicate", True, 1.0, False, [], [], "word for word the same statement", "")
    common = len(a.words & b.words)
    least = min(len(a.words), len(b.words))
    overlap = common / least if least else 0.0
    if overlap < LEAST_SHARED:
        return Judgement("distinct", False, overlap / 2, False, [], [], "they share too little", "")
    found = differences(a, b)
    shared = [word for word in a.words if word in b.words][:8]
    score = common / max(len(a.words | b.words), 1)
    why = ", ".join(d.text for d in found) or "nothing that matters differs"
    kind = "distinct" if any(not d.swapped for d in found) else "conflict" if found else _same(a, b)
    return Judgement(kind, False, score, kind == "distinct" and score > 0.8, shared, [d.text for d in found], why, "")


def _same(a: Reading, b: Reading) -> str:
    return "covers" if a.words < b.words or b.words < a.words else "duplicate"


def loses(members: Sequence[str], text: str) -> list[str]:
    """The specifics of the members that `text` drops, as a person would read them."""
    return details.missing(members, [text])


def brings(members: Sequence[str], text: str) -> list[str]:
    """The specifics of `text` that no member has."""
    return details.missing([text], members)


__all__ = ["Difference", "Judgement", "brings", "judge", "loses"]
