"""Whether two texts are one statement beyond doubt: what may be merged with nobody looking."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from . import lexicon
from .text import Reading
from .tokenizer import COMMAND, MARK, NUMBER, SIGN, WORD, Token


def same_statement(a: Reading, b: Reading) -> bool:
    """True only where nothing but case, punctuation, emphasis, spelling, or a word that carries nothing differs."""
    if a.exact == b.exact:
        return True
    if len(a.words ^ b.words) > 2:  # what may be absent hardly counts
        return False
    here, there = a.statement, b.statement
    return bool(here and there) and abs(len(here) - len(there)) <= 6 and _match(here, there)


def _match(here: Sequence[Token], there: Sequence[Token]) -> bool:
    """True where the two are equal but for words that may be absent; a word on both sides must be the same word."""
    i = j = 0
    while i < len(here) or j < len(there):
        if i < len(here) and j < len(there) and _equal(here[i], there[j]):
            i, j = i + 1, j + 1
        elif step := _idle(here, i, there, j):
            i += step
        elif step := _idle(there, j, here, i):
            j += step
        else:
            return False
    return True


def _equal(x: Token, y: Token) -> bool:
    """Equal as they must be, or as they stand where only one of the two is between backticks."""
    return x.exact == y.exact or (x.raw == y.raw and {x.kind, y.kind} == {WORD, COMMAND})


def _idle(tokens: Sequence[Token], i: int, other: Sequence[Token], j: int) -> int:
    """How many words from `i` on carry nothing and are followed by what stands at `j` of the other text."""
    expected = other[j].exact if j < len(other) else None
    if tokens[i : i + 1] and tokens[i].exact in "<>" and tokens[i].kind == SIGN:
        return int(_placeholder(tokens, i))
    if not i and tokens and tokens[0].kind == SIGN:
        return int(_decoration(tokens[0].exact) and len(tokens) > 1 and tokens[1].exact == expected)
    for phrase in _phrases():
        end = i + len(phrase)
        if end < len(tokens) and tokens[end].exact == expected and _says(tokens[i:end], phrase):
            return len(phrase) if _allowed(phrase, tokens, i, end) else 0
    return 0


def _says(tokens: Sequence[Token], phrase: tuple[str, ...]) -> bool:
    """`phrase` word for word; a word in capitals is said with emphasis, so it carries something."""
    return all(
        token.kind == WORD and token.exact == word and not (token.raw.isupper() and len(token.raw) > 1)
        for token, word in zip(tokens, phrase, strict=True)
    )


def _allowed(phrase: tuple[str, ...], tokens: Sequence[Token], i: int, end: int) -> bool:
    """ "The" at the beginning of the text, "has" before a participle and its object, "and he is" behind a comma."""
    after = tokens[end]
    if phrase[0] == "the":
        some = after.kind == NUMBER or after.exact.endswith("s") or after.exact.lower() in lexicon.words("counting")
        return not i and not some
    if phrase[0] in ("has", "have"):
        follows = tokens[end + 1].exact if end + 1 < len(tokens) else ""
        done = after.exact in lexicon.words("participles")
        return done and follows in ("a", "an", "the", "his", "her", "their", "its", "our", "my")
    return i > 0 and tokens[i - 1].kind == MARK


def _decoration(sign: str) -> bool:
    return sign in lexicon.words("decoration")


def _placeholder(tokens: Sequence[Token], i: int) -> bool:
    """True at either bracket of "<name>" behind the word of a command."""
    start = i if tokens[i].exact == "<" else i - 2
    inside = tokens[start : start + 3]
    brackets = [token.exact for token in inside[::2]] == ["<", ">"]
    return start > 0 and brackets and tokens[start - 1].kind == inside[1].kind == COMMAND


@cache
def _phrases() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for group in lexicon.groups("idle") for phrase in group)
