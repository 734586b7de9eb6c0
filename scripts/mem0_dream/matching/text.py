"""What a text says, made comparable: its words, its specifics, and the marks of an order or a secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from . import lexicon, normal_form, punctuation, tokenizer
from .tokenizer import COMMAND, MARK, NUMBER, RUN, SIGN, WORD, Token

_LONGEST = 200  # of a stretch without white space; longer ones are cut, so that no pattern meets 50 kB


class Reading:
    """A text as the judge sees it. Cheap to make; what only a judgement needs is worked out at the first one."""

    __slots__ = ("_all", "_exact", "_statement", "_tokens", "_words", "facts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._all: tuple[Token, ...] | None = None
        self._tokens: tuple[Token, ...] | None = None
        self._statement: tuple[Token, ...] | None = None
        self._words: frozenset[str] | None = None
        self._exact: str | None = None
        self.facts: Any = None  # kept here by the judge, which works it out once

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The text, token by token, without the marks between."""
        if self._tokens is None:
            self._tokens = tuple(token for token in self._marked() if token.kind != MARK)
        return self._tokens

    @property
    def statement(self) -> tuple[Token, ...]:
        """The tokens and marks as they must be equal in two texts that say the same; empty: only as it stands."""
        if self._statement is None:
            marked = self._marked()
            bare = all(token.kind in (SIGN, MARK) for token in marked)
            as_it_stands = bare or odd(self.text) or normal_form.speaks_of_writing(marked)
            self._statement = () if as_it_stands else normal_form.statement(marked)
        return self._statement

    def _marked(self) -> tuple[Token, ...]:
        if self._all is None:
            self._all = _tokens(self.text)
        return self._all

    @property
    def words(self) -> frozenset[str]:
        """The significant words: what two texts must share to be worth comparing."""
        if self._words is None:
            self._words = frozenset(_words(self.tokens))
        return self._words

    @property
    def exact(self) -> str:
        """Equal for two texts only where they are word for word the same statement."""
        if self._exact is None:
            said = self.statement
            self._exact = _plainly(said) if said else _as_it_stands(self.text)
        return self._exact


def read(text: str) -> Reading:
    """The reading of a text."""
    return Reading(text)


def words(text: str) -> list[str]:
    """The significant words in their order, with repeats; pairs of characters where a script has no spaces."""
    return list(_words(_tokens(text)))


def _words(found: Iterable[Token]) -> Iterator[str]:
    for kind, norm, _, _, counts in found:
        if kind == MARK:
            continue
        if kind == RUN:
            yield from (norm[i : i + 2] for i in range(len(norm) - 1) or [0])
        elif counts:
            yield norm


def _tokens(text: str) -> tuple[Token, ...]:
    text = text.strip("\n").rstrip().replace("\r\n", "\n")
    found: list[Token] = []
    behind = False  # a part between backticks
    for part, code in _parts(normal_form.lined(text, normal_form.tidy(text))):
        chunks = part.split() if len(part) <= _LONGEST else _short(part.split())
        if code and part and not chunks:
            found.append(Token(MARK, "", f"`{part}", part, False))
        if behind and chunks and not part[0].isspace():
            found += tokenizer.glued(chunks.pop(0))
        for chunk in chunks:
            found += tokenizer.of_chunk(chunk, code)
        behind = code
    return _with_units(found)


def _parts(text: str) -> Iterable[tuple[str, bool]]:
    """The text cut at its backticks, and whether a part stands between two."""
    if "`" not in text:
        return ((text, False),)
    parts = text.split("`")
    last = len(parts) - 1
    return [(part.removeprefix("- "), True) if i % 2 and i < last else (part, False) for i, part in enumerate(parts)]


def _short(chunks: list[str]) -> list[str]:
    """The chunks, the longest of them cut up."""
    return [chunk[start : start + _LONGEST] for chunk in chunks for start in range(0, len(chunk), _LONGEST)]


def _with_units(found: list[Token]) -> tuple[Token, ...]:
    """ "30 seconds" as the one token "30s"; what follows a unit in a script without spaces stays."""
    if NUMBER not in {token[0] for token in found}:
        return tuple(found)
    joined: list[Token] = []
    for token in found:
        last = joined[-1] if joined else None
        if last and last.kind == NUMBER and token.kind in (WORD, RUN) and last.norm[-1].isdigit():
            size = tokenizer.unit_size(token)
            if size:
                unit = tokenizer.unit(token.raw[:size])
                joined[-1] = Token(NUMBER, last.norm + unit, last.norm + unit, f"{last.raw} {token.raw[:size]}")
                rest = token.raw[size:]
                if rest:
                    joined.append(Token(RUN, rest, rest, rest))
                continue
        joined.append(token)
    return tuple(joined)


@cache
def _phrasing() -> tuple[re.Pattern[str], dict[str, str]]:
    other = lexicon.heads("phrases")
    return re.compile(rf"(?<!\S)(?:{lexicon.alternation(other)})(?!\S)"), other


def _plainly(said: Sequence[Token]) -> str:
    """The statement with one wording for what can be said in several, except in code and where something is quoted."""
    if any(token.exact in punctuation.QUOTES for token in said):
        return " ".join(token.exact for token in said)
    pattern, other = _phrasing()
    shielded = " ".join(f"\0{token.exact}" if token.kind == COMMAND else token.exact for token in said)
    return pattern.sub(lambda match: other[match.group()], shielded).replace("\0", "")


def _as_it_stands(text: str) -> str:
    """The text with nothing evened out but white space, emphasis and the full stop."""
    return text if odd(text) else " ".join(normal_form.tidy(text).split()).rstrip(".") or text


def odd(text: str) -> bool:
    """True where a text holds what a reader cannot see, or a letter that passes for another: it is like no other."""
    return _UNSEEN.search(text) is not None or (not text.isascii() and _PASSING.search(text) is not None)


_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_LOOKS_LATIN = "\u0400-\u04ffΑΒΕΖΗΙΚΜΝΟΡΤΥΧορντικυ"
_PASSING = re.compile(f"[A-Za-z][{_LOOKS_LATIN}]|[{_LOOKS_LATIN}][A-Za-z]")


def moves(text: str) -> bool:
    """Whether it tells of a day by how far it is from now ("yesterday"): noted on another day it is another event."""
    return _relative().search(text) is not None


@cache
def _relative() -> re.Pattern[str]:
    phrases = lexicon.words("relative_times")
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
