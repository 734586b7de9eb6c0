"""How two texts of one form differ: what they are about, their form, and what one has in place of the other's words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..matching.differences import stretches
from ..matching.text import words

_LONGEST = 500  # characters compared
_NUMBER = re.compile(r"\d+(?:[.,:/_-]?\d+)*")
_DIGIT = re.compile(r"\d")
_HEAD = re.compile(r"\W*(?P<head>\S.{1,89}?)\s*(?:[:：][*_`]*(?=\s|$)|：|\s[—–-]\s|\s→\s)")
_WORD = re.compile(r"\d+|[^\W\d_]+")
_DATE = re.compile(r"\b\d{1,4}([-./])\d{1,2}\1\d{1,4}\b")
_ASIDE = re.compile(r"\([^()]*\d[^()]*\)")
_PART = re.compile(r"[^\W_]+")
_NAME = re.compile(r"[^\W_]+(?:\.\w+)?")
_LETTER = re.compile(r"[^\W\d_]")


class Exchange(NamedTuple):
    """What one text has where the other has something else; `place`: where in the text, 0 to 1."""

    old: str
    new: str
    place: float

    @property
    def is_value(self) -> bool:
        """Whether both sides are a number, version or date and differ in nothing else."""
        return bool(_DIGIT.search(self.old)) and masked(self.old) == masked(self.new)

    @property
    def words(self) -> tuple[str, str]:
        """What stands for what, without the parts that two names share at their ends: `@old/cli`, `@new/cli`."""
        old, new = (_PART.findall(side.casefold()) for side in (self.old, self.new))
        while min(len(old), len(new)) > 1 and old[-1] == new[-1]:
            old, new = old[:-1], new[:-1]
        while min(len(old), len(new)) > 1 and old[0] == new[0]:
            old, new = old[1:], new[1:]
        return " ".join(old), " ".join(new)

    @property
    def is_move(self) -> bool:
        """Whether it is one name of several parts, the last of them the same: the thing moved, or its owner did."""
        old, new = (_NAME.findall(side.casefold()) for side in (self.old, self.new))
        return min(len(old), len(new)) > 1 and old[-1] == new[-1] and " " not in self.old + self.new


def exchanges(older: str, newer: str) -> list[Exchange]:
    """Every exchange between two texts, in their order; what only one has is none."""
    parts = _beside(older, newer)
    sizes = [max(len(a.split()), len(b.split())) for a, b in parts]
    whole, found, before = sum(sizes), [], 0
    for (a, b), size in zip(parts, sizes, strict=True):
        if a and b and a != b:
            found.append(Exchange(a, b, before / whole))
        before += size
    return found


def form(older: str, newer: str) -> str:
    """What both share, with a gap where they differ."""
    return " ".join(a if a == b else "…" for a, b in _beside(older, newer))


@lru_cache(maxsize=1 << 12)
def _beside(older: str, newer: str) -> list[tuple[str, str]]:
    return stretches(older[:_LONGEST], newer[:_LONGEST])


def masked(text: str) -> str:
    """The text without its numbers: equal for two texts that differ in nothing else."""
    return _NUMBER.sub("#", text)


def head(text: str) -> str:
    """What stands before the first colon or dash, without dates and counts: what a note is about; else empty."""
    found = _HEAD.match(text[:_LONGEST])
    named = _ASIDE.sub("", _DATE.sub("", found["head"])).strip(" *_`#[]()").casefold() if found else ""
    return named if _LETTER.search(named) else ""


def one_subject(a: str, b: str) -> bool:
    """Whether both are about the same thing: by their heads, or by all of their words but the numbers."""
    first, second = head(a), head(b)
    return first == second if first and second else not (first or second) and masked(a) == masked(b)


def other_heads(a: str, b: str) -> bool:
    """Whether both say what they are about, and each names something that the other does not."""
    first, second = (set(words(" ".join(_WORD.findall(head(text))))) for text in (a, b))
    return bool(first - second and second - first)


def only_value(a: str, b: str) -> bool:
    """Whether a number, version or date alone differs, and not one that names what the text is about."""
    if masked(a) != masked(b) or head(a) != head(b):
        return False
    return all(exchange.is_value and exchange.place > 0 for exchange in exchanges(a, b))
