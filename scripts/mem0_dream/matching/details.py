"""The details that a text must not lose: numbers, paths, names, options, places, negations, limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache

from . import lexicon
from .guards import STATES, limiting, meanings
from .stemmer import stem
from .tokenizer import CODE, COMMAND, NUMBER, RUN, SIGN, WORD, Token, read

_DETAILS = CODE | {NUMBER, COMMAND}
_CLAUSES = frozenset(
    ["that", "which", "who", "whose", "where", "if", "when", "unless", "until", "before", "after", "except", "without"]
)
_LIMITS = {"strength", "amount", "comparison", "time"}
_CLAUSE = 3  # words of a clause that are looked for
_LONGEST = 400  # words of a text that are set beside another's


def of(text: str) -> list[str]:
    """The specifics of a text as a person would read them, in its order, each once."""
    tokens = _tokens(text)
    found = ([token.raw] if _is_detail(token, tokens) else _negations(token) for token in tokens)
    return list(dict.fromkeys(word for words in found for word in words))


def loses(members: Iterable[str], text: str) -> list[str]:
    """The details of the members that `text` drops, as a person would read them."""
    return list(dict.fromkeys(detail for member in members for detail in _lost(member, text)))


@lru_cache(maxsize=1 << 12)  # a draft is chosen by what it loses, which is told then
def _lost(member: str, text: str) -> tuple[str, ...]:
    return () if member == text else (*_missing(member, [text]), *_limits(member, text))


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
    inside = {stem(part.lower()) for token in others if token.kind in CODE for part in re.split(r"[\W_]+", token.raw)}
    found = [t.raw for t in tokens if _is_detail(t, tokens) and t.norm not in held and t.norm not in inside]
    negations = [word for token in tokens for word in _negations(token)]
    known = [word for token in others for word in _negations(token)]
    if len(negations) > len(known):
        found += [word for word in negations if word not in known] or negations[len(known) :]
    return list(dict.fromkeys(found))


def _limits(member: str, text: str) -> Iterator[str]:
    """What narrows a statement and is dropped: marks of a state, words that limit, clauses, an end that is cut off."""
    mine, yours = _tokens(member)[:_LONGEST], _tokens(text)[:_LONGEST]
    held = {token.norm for token in yours}
    lines = {line for token in yours for line in meanings(token)}
    for place, token in enumerate(mine):
        if token.kind == SIGN and token.raw in STATES and token.norm not in held:
            yield token.raw
        elif token.kind == WORD and token.norm not in held:
            said = [line for line in meanings(token) if line[0] in _LIMITS]
            if said and lines.isdisjoint(said):
                yield token.raw
            elif token.low in _CLAUSES:
                clause = [t for t in mine[place + 1 :] if t.counts][:_CLAUSE]
                if clause and not any(t.norm in held for t in clause):
                    yield " ".join(t.raw for t in (token, *clause))
    yield from _left_out(mine, yours)
    bare = text.rstrip(" .…")
    if bare and len(bare) < len(member.rstrip(" .…")) and member.startswith(bare) and member[len(bare)].isalnum():
        yield f"{bare[-1]}{member[len(bare) :]}"[:40]


def _left_out(mine: Sequence[Token], yours: Sequence[Token]) -> Iterator[str]:
    """A word or two left out before a word that stays: "all failing tests" is not "all tests"."""
    if len(mine) - len(yours) > 2 * len(yours):
        return
    matcher = SequenceMatcher(None, [t.norm for t in mine], [t.norm for t in yours], autojunk=False)
    for tag, i, j, _, _ in matcher.get_opcodes():
        if tag == "delete" and i > 0 and j < len(mine) and j - i <= 2:
            yield from (t.raw for t in mine[i:j] if t.kind == WORD and t.counts and mine[j].kind == WORD)


@lru_cache(maxsize=1 << 10)  # the members of a merge are held against each other again and again
def _tokens(text: str) -> tuple[Token, ...]:
    return read(text).tokens


def _is_detail(token: Token, tokens: Sequence[Token]) -> bool:
    if token.kind != WORD:
        return token.kind in _DETAILS
    if any(kind == "environment" for kind, _ in meanings(token)) or token.low in _tools():
        return True
    return token.raw[0].isupper() and token.counts and not (token is tokens[0] and token.low in _openers())


def _negations(token: Token) -> list[str]:
    """The words in a token that turn a statement round, as they are written."""
    if token.kind == RUN:
        return lexicon.solid("negations").findall(token.norm)
    return [token.raw] if token.kind == WORD and token.low in lexicon.words("negations") else []


@cache
def _openers() -> frozenset[str]:
    return lexicon.words("openers/words") | lexicon.words("function_words") | limiting()


@cache
def _tools() -> frozenset[str]:
    """Names of tools written in small letters that are not words of every day."""
    return lexicon.words("tools") - lexicon.words("openers/words") - lexicon.words("function_words")
