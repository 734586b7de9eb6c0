"""What two memories are to each other, and why. Guards say what a pair can be, the learned score how likely that is."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Literal, NamedTuple

from . import lexicon
from .changes import newer_state
from .explanation import differences
from .features import FEATURES, evidence, facts, foreign
from .guards import exchanges, turned
from .text import odd
from .tokenizer import Reading, words

Kind = Literal["duplicate", "covers", "conflict", "distinct"]

# From which probability on a pair is proposed as a merge, unless a contradiction is likely; else asked as a
# contradiction; else mentioned. If a value is exchanged it is no duplicate, whatever it looks like: that both are about
# one thing is enough.
MERGE = {"words": 0.43, "scripts": 0.36}
UNLESS = 0.35
CONFLICT = 0.2
EXCHANGED = 0.35
NEAR = 0.12
LEAST_SHARED = 0.3  # of the words of the shorter text
LEAST_FOREIGN = 0.15  # in scripts whose words run together or change their endings
# Exchanged, these are another value of one thing; a name, a letter, code or a place can be another thing.
VALUES = {
    "number",
    "sign",
    "opposite",
    "strength",
    "amount",
    "comparison",
    "time",
    "direction",
    "joining",
    "condition",
    "state",
}


class Judgement(NamedTuple):
    """What a pair is.

    `kind`: "covers" if one says all of the other and more. `safe`: they may be merged with no one asked. `score`: how
    sure, 0 to 1. `near`: alike enough to tell a person why they are left alone. `winner`: "a" or "b" if that text
    tells of the change.
    """

    kind: Kind
    safe: bool
    score: float
    near: bool
    shared: list[str]
    differs: list[str]
    why: str
    winner: str | None = None


_SAME = Judgement("duplicate", True, 1.0, False, [], [], "the same but for how it is written")
_DISTINCT = Judgement("distinct", False, 0.0, False, [], [], "they say different things")
_ODD = Judgement("distinct", False, 0.0, True, [], [], "one holds characters that cannot be seen or pass for others")
_TOO_LITTLE = Judgement("distinct", False, 0.0, False, [], [], "they share too little")


def too_little(a: Reading, b: Reading) -> bool:
    """True if two texts share so little, or one says so little, that nothing else need be looked at."""
    both, least = len(a.words & b.words), min(len(a.words), len(b.words))
    if not both:
        return True
    if both >= least * (LEAST_SHARED if both > 1 else 0.5):
        return least < 2 and (len(a.tokens) < 2 or len(b.tokens) < 2)
    return both < LEAST_FOREIGN * least or (a.text.isascii() and b.text.isascii()) or not foreign(a, b)


def judge(a: Reading, b: Reading) -> Judgement:
    """What the pair is. The same for (a, b) and (b, a) but for the side named first in the texts."""
    if a.words == b.words and a.normal == b.normal:
        return _SAME
    winner = newer_state(a, b)
    if winner is None and too_little(a, b):
        return _TOO_LITTLE
    if odd(a.text) or odd(b.text):
        return _ODD
    conflict, same = _probabilities(evidence(a, b))
    kind, score = _decided(a, b, conflict, same)
    if winner:
        kind, score = "conflict", max(conflict, same, 0.5)
    if kind == "distinct" and max(conflict, same) < NEAR:
        return _DISTINCT
    found = differences(a, b)
    return Judgement(kind, False, score, kind == "distinct", _shared(a, b), found, "; ".join(found), winner)


def _decided(a: Reading, b: Reading, conflict: float, same: float) -> tuple[Kind, float]:
    """What the guards let the pair be, and how likely that is."""
    if conflict + same < CONFLICT:
        return "distinct", same
    swapped = exchanges(a, b)
    if swapped and all(found.kind == "environment" for found in swapped):
        return "distinct", same  # what holds in staging and what holds in production are both true
    if swapped or turned(a, b) or _denied(a, b):
        is_value = not swapped or any(found.kind in VALUES for found in swapped)
        likely = min(conflict + same if is_value else conflict / max(1 - same, 0.01), 1.0)
        return ("conflict" if likely >= (EXCHANGED if is_value else CONFLICT) else "distinct"), likely
    if same >= MERGE["scripts" if foreign(a, b) else "words"] and conflict < UNLESS:
        return ("covers" if a.words < b.words or b.words < a.words else "duplicate"), same
    return ("conflict", conflict) if conflict >= CONFLICT else ("distinct", same)


def _denied(a: Reading, b: Reading) -> bool:
    """Whether one side denies what the other says: it has a "not" and brings no more than a word with it."""
    denies, says = (a, b) if facts(a).negations else (b, a)
    if facts(says).negations or not facts(denies).negations:
        return False
    said = set(words(lexicon.solid("negations").sub("", denies.text)))
    return len(said - says.words - lexicon.words("negations")) <= 1


def explain(a: Reading, b: Reading) -> Judgement:
    """The judgement with all that can be told, also of a pair that is plainly distinct."""
    found = judge(a, b)
    return found if found.differs or found.safe else found._replace(shared=_shared(a, b), differs=differences(a, b))


def weighed(a: Reading, b: Reading) -> str:
    """The features that spoke loudest for or against a duplicate and a contradiction, with their weight."""
    labels = {feature.__name__: feature.__doc__ for feature in FEATURES}
    said = []
    for side, title in ((1, "a duplicate"), (0, "a contradiction")):
        votes = [(value * _weights()[name][side], labels[name]) for name, value in evidence(a, b).items()]
        loudest = sorted(votes, key=lambda vote: -abs(vote[0]))[:4]
        said.append(f"{title}: " + ", ".join(f"{label} {vote:+.1f}" for vote, label in loudest if vote))
    return "; ".join(said)


def _shared(a: Reading, b: Reading) -> list[str]:
    """Up to six words that both have, as `a` writes them."""
    common = a.words & b.words
    return list(dict.fromkeys(token.raw for token in a.tokens if token.norm in common))[:6]


@cache
def _weights() -> dict[str, list[float]]:
    """What each feature says for a contradiction and for a duplicate; tools/fit_weights.py learns them."""
    table: dict[str, list[float]] = json.loads((lexicon.FOLDER / "weights.json").read_text(encoding="utf-8"))
    return table


def _probabilities(found: dict[str, float]) -> tuple[float, float]:
    """The probabilities that a pair with this evidence is a contradiction, and that it is a duplicate."""
    weights = _weights()
    conflict, same = weights["bias"]
    for name, value in found.items():
        conflict += weights[name][0] * value
        same += weights[name][1] * value
    conflict, same = math.exp(min(conflict, 30.0)), math.exp(min(same, 30.0))
    return conflict / (1 + conflict + same), same / (1 + conflict + same)
