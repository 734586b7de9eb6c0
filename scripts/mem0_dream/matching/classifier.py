"""What two memories are to each other, and why. Similarity does not decide: what differs does."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import NamedTuple

from . import lexicon
from .details import brings, loses
from .explanation import differences
from .features import evidence, facts, foreign
from .order import turned
from .sameness import same_statement
from .text import Reading, odd

# From which probability on a pair is proposed as a merge, else asked as a contradiction, else mentioned.
MERGE = {"words": 0.49, "scripts": 0.45}
CONFLICT = {"words": 0.22, "scripts": 0.3}
NEAR = 0.12
# What makes a contradiction of two texts that share much, where there are too few examples to learn it from.
_PLAIN = ("number_swap", "negated", "opposite", "tool")
LEAST_SHARED = 0.3  # of the words of the shorter text
LEAST_FOREIGN = 0.15  # where words run together or change their endings


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


_SAME = Judgement("duplicate", True, 1.0, False, [], [], "word for word the same statement")
_DISTINCT = Judgement("distinct", False, 0.0, False, [], [], "they say different things")
_ODD = Judgement("distinct", False, 0.0, True, [], [], "one holds characters that cannot be seen or pass for others")
_TOO_LITTLE = Judgement("distinct", False, 0.0, False, [], [], "they share too little")


def too_little(a: Reading, b: Reading) -> bool:
    """True where two texts share so little, or one says so little, that nothing else need be looked at."""
    x, y = a.words, b.words
    both = len(x & y)
    if not both:
        return True
    least = len(x) if len(x) < len(y) else len(y)
    if both >= least * (LEAST_SHARED if both > 1 else 0.5):
        return least < 2 and (len(a.tokens) < 2 or len(b.tokens) < 2)
    return both < LEAST_FOREIGN * least or (a.text.isascii() and b.text.isascii()) or not foreign(a, b)


def judge(a: Reading, b: Reading) -> Judgement:
    """What the pair is. The same for (a, b) and (b, a) but for the side named first in the texts."""
    if a.words == b.words and a.exact == b.exact:
        return _SAME
    if too_little(a, b):
        return _TOO_LITTLE
    if odd(a.text) or odd(b.text):
        return _ODD
    table = "scripts" if foreign(a, b) else "words"
    found = evidence(a, b)
    conflict, same = _probabilities(found, table)
    if table == "scripts" and found["jaccard"] >= 0.4 and any(map(found.get, _PLAIN)):
        conflict, same = max(conflict, same, CONFLICT[table]), 0.0
    if found["jaccard"] > 0.6 and same_statement(a, b):
        return _SAME._replace(why="the same statement but for words that carry nothing")
    if same >= MERGE[table]:
        kind = "covers" if a.words < b.words or b.words < a.words else "duplicate"
        if (found.get("negated") and _denied(a, b)) or (a.words == b.words and turned(a, b)):
            kind, conflict = "conflict", same
    elif conflict >= CONFLICT[table]:
        kind = "conflict"
    elif max(conflict, same) >= NEAR:
        kind = "distinct"
    else:
        return _DISTINCT
    told = differences(a, b)
    score = conflict if kind == "conflict" else same
    return Judgement(kind, False, score, kind == "distinct", _shared(a, b), told, "; ".join(told))


def _denied(a: Reading, b: Reading) -> bool:
    """Whether the side with a "not" denies what the other says: it brings no more than a word with it.

    A longer addition has a "not" of its own ("no setup needed").
    """
    denies, says = (a, b) if facts(a).negations else (b, a)
    return len(denies.words - says.words - lexicon.words("negations")) <= 1


def explain(a: Reading, b: Reading) -> Judgement:
    """The judgement with all that can be told, also of a pair that is plainly distinct."""
    found = judge(a, b)
    return found if found.differs or found.safe else found._replace(shared=_shared(a, b), differs=differences(a, b))


def weighed(a: Reading, b: Reading) -> str:
    """The evidence that spoke loudest for or against a duplicate and a contradiction, with its weight."""
    weights = _weights()["scripts" if foreign(a, b) else "words"]
    told = []
    for side, title in ((1, "a duplicate"), (0, "a contradiction")):
        votes = [(value * weights[name][side], name) for name, value in evidence(a, b).items() if name in weights]
        loudest = sorted(votes, key=lambda vote: -abs(vote[0]))[:4]
        told.append(f"{title}: " + ", ".join(f"{name.replace('_', ' ')} {vote:+.1f}" for vote, name in loudest if vote))
    return "; ".join(told)


def _shared(a: Reading, b: Reading) -> list[str]:
    """Up to six words that both have, as `a` writes them."""
    common = a.words & b.words
    return list(dict.fromkeys(token.raw for token in a.tokens if token.norm in common))[:6]


@cache
def _weights() -> dict[str, dict[str, list[float]]]:
    """What each piece of evidence says for a contradiction and for a duplicate; tools/fit_weights.py learns them."""
    tables: dict[str, dict[str, list[float]]] = json.loads(
        (lexicon.FOLDER / "weights.json").read_text(encoding="utf-8")
    )
    return tables


def _probabilities(found: dict[str, float], table: str) -> tuple[float, float]:
    """The probabilities that a pair with this evidence is a contradiction, and that it is a duplicate."""
    weights = _weights()[table]
    conflict, same = weights["bias"]
    for name, value in found.items():
        if value and name in weights:
            against, alike = weights[name]
            conflict += against * value
            same += alike * value
    conflict, same = math.exp(min(conflict, 30.0)), math.exp(min(same, 30.0))
    return conflict / (1 + conflict + same), same / (1 + conflict + same)


__all__ = ["Judgement", "brings", "explain", "judge", "loses", "weighed"]
