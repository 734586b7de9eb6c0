"""A text cut into tokens: plain words made comparable, code-like ones left raw, scripts without spaces kept as runs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import repeat
from typing import Any, NamedTuple

from . import lexicon
from .normal_form import normal_form
from .stemmer import stem

WORD, NUMBER, PATH, LINK, FLAG, NAME, SIGN, RUN, COMMAND = "w", "n", "p", "l", "f", "i", "s", "c", "k"
CODE = {PATH, LINK, FLAG, NAME}  # kinds that are code wherever they stand
_LONGEST = 200  # characters without white space; longer stretches are cut, so that no pattern meets 50 kB


class Token(NamedTuple):
    """`norm` is what two texts are compared by, `raw` what was written, `low` that in small letters.

    `counts`: it says what the text is about, as an article or a sign does not.
    """

    kind: str
    norm: str
    raw: str
    low: str
    counts: bool = True


class Reading:
    """A text as the judge sees it. Cheap to make; what only a judgement needs is worked out at the first one."""

    __slots__ = ("_normal", "_tokens", "_words", "facts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._normal: str | None = None
        self._tokens: tuple[Token, ...] | None = None
        self._words: frozenset[str] | None = None
        self.facts: Any = None  # kept here by the features, which work it out once

    @property
    def normal(self) -> str:
        """The text after the rewrites of the closed table."""
        if self._normal is None:
            self._normal = normal_form(self.text)
        return self._normal

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The text, token by token."""
        if self._tokens is None:
            self._tokens = _tokens(self.normal)
        return self._tokens

    @property
    def words(self) -> frozenset[str]:
        """The significant words: what two texts must share to be worth comparing."""
        if self._words is None:
            self._words = frozenset(_words(self.tokens))
        return self._words


def read(text: str) -> Reading:
    """The reading of a text."""
    return Reading(text)


def words(text: str) -> list[str]:
    """The significant words in their order, with repeats; pairs of characters where a script has no spaces."""
    return _words(_tokens(normal_form(text)))


def _words(found: Iterable[Token]) -> list[str]:
    words: list[str] = []
    for kind, norm, _, _, counts in found:
        if kind == RUN:
            words += (norm[i : i + 2] for i in range(len(norm) - 1) or [0])
        elif counts:
            words.append(norm)
    return words


def _tokens(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    parts = text.split("`")
    for place, part in enumerate(parts):
        code = place % 2 == 1 and place < len(parts) - 1
        chunks = part.split()
        for tokens in map(_of_chunk, chunks if len(part) <= _LONGEST else _short(chunks), repeat(code)):
            found += tokens
    return _joined(found)


def _short(chunks: list[str]) -> list[str]:
    """The chunks, the longest of them cut up."""
    return [chunk[start : start + _LONGEST] for chunk in chunks for start in range(0, len(chunk), _LONGEST)]


# Scripts written without spaces (Chinese, Japanese, Thai, Lao, Myanmar, Khmer) and Korean, whose words carry particles.
_RUN = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Vowel signs and accents of their own belong to the letter before them.
_ACCENTS = "".join(chr(code) for code in range(0x300, 0xE00) if unicodedata.category(chr(code))[0] == "M")
_LETTER = rf"(?:(?![{_RUN}])(?:[^\W\d_]|[{_ACCENTS}]))"
_CHAR = rf"(?:(?![{_RUN}])[\w{_ACCENTS}])"
_PART = r"(?:[\w.@$*+-]|[{<]\w+[}>])*"
_DULL = f"‐-‧‹-›«»、。，．：；！「」『』（）【】《》〈〉・¿¡।{_ACCENTS}\u060c\u061b\ufe00-\ufe0f"
_NUMBERED = rf"\d+(?:[-_]\d+)*[-_]{_LETTER}[\w-]*\.[A-Za-z]"  # a file's name that begins with a number
_PIECE = re.compile(
    rf"""
    (?P<l>[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"'`|)\]}}]+ | [\w.+-]+@\w[\w-]*(?:\.\w+)+)
  | (?P<c>[{_RUN}]+)
  | (?P<f>(?<![\w/.])--?[A-Za-z](?:[\w-]*\w)?)
  | (?P<p>(?:~|\.{{1,2}}|@)?/?{_PART}(?:[\w@*}}>]|\.\w)(?:/{_PART.replace("*+-]", "*+:-]")})+
      | (?:~|\.\.?|@)?/[\w.-]*\w | \*+\.\w[\w.*]* | \.{{1,2}}/\.{{3}})
  | (?P<n>(?!{_NUMBERED})
      (?:[<>]=?|[≤≥≈~±^≠])?[-+−]?[$€£¥]?\d+(?:[.,:/_-]\d+)*(?:[%‰+★]|°[CFK]?|[$€£¥]|\.x|{_LETTER}+\d*(?![\w]))?)
  | (?P<i>[@#$]?{_CHAR}+(?:(?:::?|[.@#$+&'’*-]+|\b=\b(?!=))(?={_CHAR}){_CHAR}+)*(?:\+\+|\#|(?<=_)\*)?)
  | (?P<s>[<>=!≠≤≥≈±]=?=?|->|=>|→|←|↔|&&|\|\|?|\*+|[?&+^~%$@\#×÷√∞§©®™°•/\\-] | [^\w\s\x00-\x7f{_DULL}])
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)?")
_HYPHENED = re.compile(rf"{_LETTER}{{2,}}(?:-{_LETTER}+)+")
_NUMERAL = re.compile(rf"([<>]=?|[≤≥≈~±^≠]?)([-+−]?)([$€£¥]?)(\d+(?:[.,:/_-]\d+)*)({_LETTER}*|[%‰+★$€£¥]|°[CFK]?|\.x)$")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}|[A-Z][a-z]+[A-Z]")
_INITIALS = re.compile(r"(?:[A-Z]\.)+[A-Z]")
_VERSIONED = re.compile(r"(v|[A-Za-z]{3,})(\d+(?:\.\d+)+)")
_SHORT = {"re": "are", "ve": "have", "m": "am", "ll": "will", "s": "'s"}
_CONTRACTIONS = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "let's": "let us"}
_AROUND = ".,;:\"'()[]{}“”‘’…—–`|"


@lru_cache(maxsize=1 << 17)
def _of_chunk(chunk: str, code: bool) -> tuple[Token, ...]:
    """The tokens of one stretch of text without white space; `code` if it stands between backticks."""
    bare = chunk if code else chunk.lstrip(_AROUND).rstrip(_AROUND + "!")
    if _PLAIN.fullmatch(bare):
        found = _word(bare)
    elif chunk in ("&", "-", "--", "–", "—"):
        found = _word("and") if chunk == "&" else ()
    else:
        found = tuple(t for match in _PIECE.finditer(chunk) for t in _MAKERS[str(match.lastgroup)](match.group()))
    return tuple(t._replace(kind=COMMAND, counts=True) if t.kind == WORD else t for t in found) if code else found


def _word(raw: str) -> tuple[Token, ...]:
    plain = raw.replace("’", "'")
    head, _, tail = plain.partition("'")
    if _CAMEL.search(head):
        return (Token(NAME, head, head, head.lower()), *([_plain(tail)] if tail else []))
    low = plain.lower()
    if low in _CONTRACTIONS or tail:
        spelt = low[:-3] + " not" if low.endswith("n't") else f"{head} {_SHORT.get(tail.lower(), tail)}"
        return tuple(_plain(part) for part in _CONTRACTIONS.get(low, spelt).split())
    value = _table("numbers/words").get(low)
    return (Token(NUMBER, value, raw, low),) if value else (_plain(raw),)


def _plain(raw: str) -> Token:
    low = raw.lower()
    return Token(WORD, stem(low), raw, low, low not in _function_words())


@cache
def _function_words() -> frozenset[str]:
    return lexicon.words("function_words") - lexicon.words("negations")


def _name(raw: str) -> tuple[Token, ...]:
    if _PLAIN.fullmatch(raw):
        return _word(raw)
    low = raw.lower()
    if low in _function_words():
        return (_plain(raw),)
    if _HYPHENED.fullmatch(raw) and not _CAMEL.search(raw):
        return tuple(_plain(part) for part in raw.split("-"))
    if _INITIALS.fullmatch(raw):
        return (Token(WORD, stem(low.replace(".", "")), raw, low),)
    if versioned := _VERSIONED.fullmatch(raw):
        name, number = versioned.groups()
        return (*(_word(name) if name != "v" else ()), Token(NUMBER, number, number if name != "v" else raw, number))
    return (Token(NAME, raw, raw, low),)


def _path(raw: str) -> tuple[Token, ...]:
    parts = raw.split("/")
    if (len(parts) == 2 or raw.istitle() or raw.isupper()) and all(map(_PLAIN.fullmatch, parts)):
        return tuple(_plain(part) for part in parts)
    norm = raw.strip("@/").removeprefix("./").rstrip(".:")
    return (Token(PATH, norm or raw, raw.rstrip(".:"), raw.lower()),)


def _number(raw: str) -> tuple[Token, ...]:
    match = _NUMERAL.match(raw)
    if match is None:
        return _name(raw) if raw[0].isalnum() else (Token(NAME, raw, raw, raw.lower()),)
    limit, sign, money, digits, mark = match.groups()
    if re.fullmatch(r"\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "").replace("_", "")
    mark = mark or money
    unit = mark if mark in ("", "+", "★", "°", "°C", "°F", "°K", ".x") else _unit(mark)
    if mark and not unit:
        return (Token(NAME, raw, raw, raw.lower()),)
    limit = _SAME_SIGN.get(limit, limit)
    return (Token(NUMBER, limit + sign.replace("−", "-") + _measured(digits, unit), raw, raw.lower()),)


def _measured(digits: str, unit: str) -> str:
    """A number with its unit; of a duration as so many seconds, of an hour before or after noon by 24 hours."""
    if unit in _SECONDS and re.fullmatch(r"\d+(?:\.\d+)?", digits):
        return f"{float(digits) * _SECONDS[unit]:.12g}s"
    if unit in ("am", "pm") and (clock := re.fullmatch(r"(\d\d?)(?:[:.](\d\d))?", digits)):
        return f"{int(clock[1]) % 12 + 12 * (unit == 'pm')}:{clock[2] or '00'}"
    return digits + unit


_SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_SAME_SIGN = {"≥": ">=", "≤": "<=", "≠": "!=", "→": "->", "⇒": "=>", "←": "<-"}
_LIMITS = {"<", ">", "<=", ">=", "!=", "≈", "~", "±", "^"}
_MAKERS = {
    "l": lambda raw: (Token(LINK, bare := raw.rstrip(".,;:!*/"), bare, bare.lower()),),
    "c": lambda raw: (Token(RUN, raw, raw, raw),),
    "f": lambda raw: (Token(FLAG, raw, raw, raw.lower()),),
    "s": lambda raw: (Token(SIGN, str(_SAME_SIGN.get(raw, raw)), raw, raw, False),),
    "p": _path,
    "n": _number,
    "i": _name,
}


def _joined(found: list[Token]) -> tuple[Token, ...]:
    """ "30 seconds" and "> 5" as one token each; what follows a unit in a script without spaces stays."""
    if NUMBER not in {token[0] for token in found}:
        return tuple(found)
    joined: list[Token] = []
    for token in found:
        last = joined[-1] if joined else None
        if last is None or last[0] not in (NUMBER, SIGN):
            joined.append(token)
            continue
        if last.kind == NUMBER and token.kind in (WORD, RUN, SIGN) and last.norm[-1].isdigit():
            size = len(token.raw) if token.kind != RUN else 2 if _unit(token.raw[:2]) else 1
            if unit := _unit(token.raw[:size]):
                limit, digits = re.fullmatch(r"(\D*)(.*)", last.norm).groups()  # type: ignore[union-attr]
                raw = f"{last.raw} {token.raw[:size]}"
                joined[-1] = Token(NUMBER, limit + _measured(digits, unit), raw, raw.lower())
                if rest := token.raw[size:]:
                    joined.append(Token(RUN, rest, rest, rest))
                continue
        if last.kind == SIGN and token.kind == NUMBER and last.norm in _LIMITS and token.norm[0].isdigit():
            raw = f"{last.raw} {token.raw}"
            joined[-1] = Token(NUMBER, last.norm + token.norm, raw, raw)
            continue
        joined.append(token)
    return tuple(joined)


@cache
def _table(name: str) -> dict[str, str]:
    return {word: group[0] for group in lexicon.groups(name) for word in group}


def _unit(word: str) -> str:
    """The unit that a word names ("seconds" is "s"); empty if it names none."""
    if word in ("Mb", "Gb", "Kb", "Tb", "kb", "Mi", "Gi", "Ki", "M", "G"):
        return word  # bits are not bytes
    found = _table("numbers/units").get(word.lower(), "")
    return "" if len(word) == 1 and word.isascii() and word.isupper() else found
