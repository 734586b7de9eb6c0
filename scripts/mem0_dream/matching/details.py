"""The details a text must not lose: numbers, versions, paths, names, options, places, negations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from . import lexicon
from .stems import stem
from .text import read
from .tokenizer import CODE, COMMAND, NUMBER, RUN, WORD, Token

_DETAILS = CODE | {NUMBER, COMMAND}
# Lists whose words begin many sentences: a capital there makes no name of them.
_COMMON = (
    "function_words", "synonyms", "aliases", "modals", "quantifiers", "comparators", "opposites", "statuses", "openers",
)  # fmt: skip


def of(text: str) -> list[str]:
    """The specifics of a text as a person would read them, in its order, each once."""
    tokens = read(text).tokens
    found = ([token.raw] if _is_detail(token, tokens) else _negations(token) for token in tokens)
    return list(dict.fromkeys(word for words in found for word in words))


def loses(members: Iterable[str], text: str) -> list[str]:
    """The specifics of the members that `text` drops, as a person would read them."""
    return list(dict.fromkeys(detail for member in members for detail in _missing(member, [text])))


def brings(members: Iterable[str], text: str) -> list[str]:
    """The specifics of `text` that no member has."""
    return _missing(text, list(members))


def dropped(members: Iterable[str], text: str) -> list[str]:
    """The other significant words of the members that `text` drops, as they are written."""
    readings = [read(member) for member in members]
    kept, known = read(text).words, set(loses([reading.text for reading in readings], text))
    gone = [token.raw for reading in readings for token in reading.tokens if _goes(token, kept)]
    return [word for word in dict.fromkeys(gone) if word not in known]


def _goes(token: Token, kept: frozenset[str]) -> bool:
    if token.kind == RUN:
        return any(token.norm[i : i + 2] not in kept for i in range(len(token.norm) - 1) or [0])
    return token.counts and token.norm not in kept


def _missing(have: str, want: Sequence[str]) -> list[str]:
    """The specifics of `have` that none of `want` holds; of negations, those beyond as many as they have together."""
    tokens = _tokens(have)
    others = [token for text in want for token in _tokens(text)]
    held = {token.norm for token in others}
    found = [token.raw for token in tokens if _is_detail(token, tokens) and token.norm not in held]
    negations = [word for token in tokens for word in _negations(token)]
    known = [word for token in others for word in _negations(token)]
    if len(negations) > len(known):
        found += [word for word in negations if word not in known] or negations[len(known) :]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=1 << 10)  # the members of a merge are held against each other again and again
def _tokens(text: str) -> tuple[Token, ...]:
    return read(text).tokens


def _is_detail(token: Token, tokens: Sequence[Token]) -> bool:
    if token.kind != WORD:
        return token.kind in _DETAILS
    if token.exact.lower() in lexicon.words("environments") or token.exact.lower() in _tools():
        return True
    first = token is tokens[0]
    return token.raw[0].isupper() and token.counts and not (first and token.norm in _common())


def _negations(token: Token) -> list[str]:
    """The words in a token that turn a statement round, as they are written."""
    if token.kind == RUN:
        return lexicon.pattern("negations_cjk").findall(token.norm)
    return [token.raw] if token.kind == WORD and token.exact in lexicon.words("negations") else []


@cache
def _common() -> frozenset[str]:
    return frozenset(stem(word) for name in _COMMON for word in lexicon.words(name))


@cache
def _tools() -> frozenset[str]:
    """Names of tools written in small letters that are not words of every day."""
    return lexicon.words("tools") - _common() - lexicon.words("case")
