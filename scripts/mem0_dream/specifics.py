"""The details a text must not lose: numbers, versions, paths, names, flags, negations."""

from __future__ import annotations

from collections.abc import Iterable

from . import lists
from .text import read
from .tokens import FLAG, LINK, NAME, NUMBER, PATH, WORD, Token

_CODE = {FLAG, LINK, NAME, NUMBER, PATH}


def of(text: str) -> list[str]:
    """The specifics of a text as a person would read them, in its order, each once."""
    return list(dict.fromkeys(token.raw for token in read(text).tokens if _is_specific(token)))


def missing(have: Iterable[str], want: Iterable[str]) -> list[str]:
    """The specifics of the texts `have` that none of the texts `want` holds."""
    held = {token.norm for text in want for token in read(text).tokens}
    return list(
        dict.fromkeys(t.raw for text in have for t in read(text).tokens if _is_specific(t) and t.norm not in held)
    )


def _is_specific(token: Token) -> bool:
    return token.kind in _CODE or (
        token.kind == WORD and (token.exact in lists.words("negations") or token.raw[:1].isupper())
    )


def loses(members: Iterable[str], text: str) -> list[str]:
    """The specifics of the members that `text` drops, as a person would read them."""
    return missing(members, [text])


def brings(members: Iterable[str], text: str) -> list[str]:
    """The specifics of `text` that no member has."""
    return missing([text], members)
