"""Texts read, and what an agent must know of one before it reads it."""

from __future__ import annotations

import re
from functools import cache

from . import lexicon
from .tokenizer import Reading, read, words

__all__ = ["Reading", "marks", "moves", "odd", "read", "words"]


def moves(text: str) -> bool:
    """Whether it tells of a day by how far it is from now ("yesterday"): noted on another day it is another event."""
    return _relative().search(text) is not None


@cache
def _relative() -> re.Pattern[str]:
    phrases = lexicon.words("days/vague").union(lexicon.heads("days/relative"))
    solid = {phrase for phrase in phrases if phrase[0] >= "\u2e80"}  # scripts without spaces
    return re.compile(rf"(?i)\b(?:{lexicon.alternation(phrases - solid)})\b|{lexicon.alternation(solid)}")


def marks(text: str) -> list[str]:
    """What an agent must be warned of before it reads the text: "looks like an order", "looks like a secret"."""
    found = []
    if _ORDER.search(text):
        found.append("looks like an order")
    if _SECRET.search(text):
        found.append("looks like a secret")
    return found


_ORDER = re.compile(
    r"(?i)\b(ignore|disregard|forget)\b.{0,30}\b(previous|earlier|above|prior|all|other)\b"
    r"|\bsupersedes? (all|earlier|every|the other)|^\s*(system|assistant)\s*:|</?(system|instructions?)>"
    r"|\b(delete|remove|erase|drop|merge|keep|discard)\b.{0,20}\b(memor(y|ies)|the others?|other (entries|notes))\b"
    r"|\byou (must|should|are) (now|always|never|an?)\b|\bas an? (ai|agent|assistant)\b"
)
_SECRET = re.compile(
    r"\b(sk|pk|rk|m0|ghp|gho|ghs|glpat|xox[abprs]|AKIA|ASIA|AIza|eyJ)[-_]?[A-Za-z0-9_-]{14,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|\b[a-z]{2,12}://[^\s/:@]+:[^\s/@]{3,}@"
    r"|(?i:\b(password|passwd|secret|token|api[_ -]?key)\b\s*(is|=|:)\s*[\"'`]?(?=\S*\d)[^\s\"'`]{8,})"
)


def odd(text: str) -> bool:
    """True if a text holds what a reader cannot see, or a letter that passes for another: it is like no other."""
    return _UNSEEN.search(text) is not None or (not text.isascii() and _PASSING.search(text) is not None)


_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_LOOKS_LATIN = "\u0400-\u04ffΑΒΕΖΗΙΚΜΝΟΡΤΥΧορντικυ"
_PASSING = re.compile(f"[A-Za-z][{_LOOKS_LATIN}]|[{_LOOKS_LATIN}][A-Za-z]")
