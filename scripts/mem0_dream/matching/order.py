"""Whether two texts say the same words with two of them changed over: "tabs, not spaces" and "spaces, not tabs"."""

from __future__ import annotations

from collections.abc import Sequence

from . import lexicon
from .text import Reading
from .tokenizer import MARK, Token

_LONGEST = 4  # words that change places with others


def turned(a: Reading, b: Reading) -> tuple[str, str] | None:
    """The words that changed places around what stands between; None where it is not so.

    Nothing is turned where that is a list's comma or "and" or "is", or where one half of a sentence moved behind the
    other.
    """
    here, there = _changed(a.statement, b.statement)
    for i in range(1, min(_LONGEST, len(here) - 2) + 1):
        for j in range(1, min(_LONGEST, len(here) - 1 - i) + 1):
            first, between, last = here[:i], here[i : len(here) - j], here[len(here) - j :]
            if _keys(there) == _keys((*last, *between, *first)) and not _even(between):
                return _raw(first), _raw(last)
    return None


def _changed(a: Sequence[Token], b: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
    """The stretch between the common beginning and the common end of two texts of one length; else nothing."""
    if len(a) != len(b):
        return (), ()
    differs = [i for i, (x, y) in enumerate(zip(_keys(a), _keys(b), strict=True)) if x != y]
    if not differs:
        return (), ()
    return a[differs[0] : differs[-1] + 1], b[differs[0] : differs[-1] + 1]


def _keys(tokens: Sequence[Token]) -> list[str]:
    return [token.norm or token.exact for token in tokens]


def _even(between: Sequence[Token]) -> bool:
    """True where what stands between makes both its sides alike."""
    alike = lexicon.words("symmetric")
    return (_joins(between[0]) and _joins(between[-1])) or all(_joins(t) or t.exact in alike for t in between)


def _joins(token: Token) -> bool:
    return token.kind == MARK or token.exact in lexicon.words("joining")


def _raw(tokens: Sequence[Token]) -> str:
    return " ".join(token.raw for token in tokens if token.kind != MARK)
