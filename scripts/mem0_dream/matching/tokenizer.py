"""A text cut into tokens: plain words made comparable, code-like ones left raw, scripts without spaces kept as runs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from . import lexicon, punctuation
from .stems import stem

WORD, NUMBER, PATH, LINK, FLAG, NAME, SIGN, RUN, COMMAND, MARK = "w", "n", "p", "l", "f", "i", "s", "c", "k", "m"
CODE = {PATH, LINK, FLAG, NAME}  # kinds that are code wherever they stand
LINE = "\ue000"  # before the depth of a line, where lines mean something


class Token(NamedTuple):
    """`norm` is what two texts are compared by; `exact` what must be equal for them to be the same statement.

    `counts`: it says what the text is about, as an article or a bracket does not.
    """

    kind: str
    norm: str
    exact: str
    raw: str
    counts: bool = True


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
_PIECE = re.compile(
    rf"""
    (?P<l>[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"'`|)\]}}]+ | [\w.+-]+@\w[\w-]*(?:\.\w+)+)
  | (?P<c>[{_RUN}]+)
  | (?P<f>(?<![\w/.])--?[A-Za-z](?:[\w-]*\w)?)
  | (?P<p>(?:~|\.{{1,2}}|@)?/?{_PART}(?:[\w@*}}>]|\.\w)(?:/{_PART.replace("*+-]", "*+:-]")})+
      | (?:~|\.\.?|@)?/[\w.-]*\w | \*+\.\w[\w.*]* | \.{{1,2}}/\.{{3}})
  | (?P<n>[-+−]?[$€£¥]?\d+(?:[.,:/_-]\d+)*(?:[%°+]|\.x|{_LETTER}+\d*(?![\w]))?)
  | (?P<i>[@#$]?{_CHAR}+(?:(?:::?|[.@#$+&'’*-]+|\b=\b(?!=))(?={_CHAR}){_CHAR}+)*(?:\+\+|\#|(?<=_)\*)?)
  | (?P<s>[<>=!≠≤≥≈±]=?=?|->|=>|→|←|↔|&&|\|\|?|\*+|[?&+^~%$@\#×÷√∞§©®™°•/\\-] | [^\w\s\x00-\x7f{_DULL}])
    """,
    re.VERBOSE,
)
_PLAIN = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)?")
_HYPHENED = re.compile(rf"{_LETTER}{{2,}}(?:-{_LETTER}+)+")
_NUMERAL = re.compile(rf"([-+−]?)([$€£¥]?)(\d+(?:[.,:/_-]\d+)*)({_LETTER}*|[%°+]|\.x)$")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}|[A-Z][a-z]+[A-Z]")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "−": "-", "‑": "-", "‐": "-"})
_SHORT = {"re": "are", "ve": "have", "m": "am", "ll": "will", "s": "'s"}
_CONTRACTIONS = {"can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "let's": "let us"}
_DASHES = {"-", "--", "–", "—"}
_QUOTED = "'\"“‘`"
_AROUND = ".,;:\"'()[]{}“”‘’…—–`|"


@lru_cache(maxsize=1 << 17)
def of_chunk(chunk: str, code: bool = False) -> tuple[Token, ...]:
    """The tokens of one stretch of text without white space; `code` where it stands between backticks."""
    if chunk[0] == LINE:
        return _marks([chunk])
    if code:
        return _of_code(chunk)
    if chunk.isascii() and chunk.isalpha():
        return _word(chunk)
    if chunk in _DASHES:
        return _marks([punctuation.DASH])
    if chunk == "&":
        return (_word("and")[0]._replace(raw=chunk),)
    bare = chunk.lstrip(_AROUND).rstrip(_AROUND + "!")
    if _PLAIN.fullmatch(bare) and len(bare) + 8 > len(chunk) and "]" not in chunk[:-2] and "()" not in chunk:
        word = _word(bare)
        before, _, behind = chunk.partition(bare)
        if len(bare) == 1 and chunk[0] in _QUOTED:
            word = (word[0]._replace(kind=NAME, exact=f'"{bare}"', counts=True),)
        return (*_marks(punctuation.leading(before)), *word, *_marks(punctuation.marks(behind)))
    return _pieces(chunk, False)


def _of_code(chunk: str) -> tuple[Token, ...]:
    if chunk in (".", ".."):
        return _sign(chunk)
    return _in_code(_word(chunk)) if _PLAIN.fullmatch(chunk) else _pieces(chunk, True)


def _pieces(chunk: str, code: bool) -> tuple[Token, ...]:
    """The tokens of a stretch that is more than a plain word, and the marks between them."""
    found: list[Token] = []
    made: Iterable[Token] = ()
    end = 0
    for match in _PIECE.finditer(chunk):
        gap = chunk[end : match.start()]
        found.extend(_in_code(made) if code or _called(gap) else made)
        found.extend(_marks(_between(gap, code, found) if code or end else punctuation.leading(gap)) if gap else ())
        kind, raw = str(match.lastgroup), match.group()
        made, end = _path(raw, code) if kind == "p" else _MAKERS[kind](raw), match.end()
    gap = chunk[end:]
    found.extend(_in_code(made) if code or _called(gap) else made)
    if gap:  # by itself a mark is spoken of: "separate with ;"
        found.extend(_marks(_between(gap, code or not end, found)))
    return tuple(found)


def _called(gap: str) -> bool:
    """Whether what stands before is a name of a program: it is called or indexed."""
    return gap.startswith(("()", "["))


def _between(gap: str, code: bool, before: Sequence[Token]) -> list[str]:
    """What the marks behind a word count as; between backticks as they stand, and so the brackets of a call."""
    indexed = gap[0] == "[" or (gap[0] == "]" and any(token.exact == "`[" for token in before))
    size = len(gap) if code else 2 if gap.startswith("()") else int(indexed)
    behind = punctuation.marks(gap[size:])
    return [f"`{gap[:size]}", *behind] if size else behind


def _marks(said: Iterable[str]) -> tuple[Token, ...]:
    return tuple(Token(MARK, "", mark, mark, False) for mark in said)


def glued(chunk: str) -> tuple[Token, ...]:
    """The tokens of a stretch that follows a closing backtick at once: marks there are no words of their own."""
    return of_chunk(chunk) if any(map(str.isalnum, chunk)) else _marks(punctuation.marks(chunk))


def _in_code(found: Iterable[Token]) -> tuple[Token, ...]:
    """Words between backticks are words of a command or a program: each counts, as it is written."""
    return tuple(Token(COMMAND, t.norm, t.exact and t.raw, t.raw) if t.kind == WORD else t for t in found)


def _word(raw: str) -> tuple[Token, ...]:
    plain = raw.translate(_QUOTES)
    head, _, tail = plain.partition("'")
    if _CAMEL.search(head):
        return (Token(NAME, head, head, raw), *([_plain(tail, f"'{tail}", raw)] if tail else []))
    low = plain.lower()
    if low in _CONTRACTIONS or tail:
        spelt = low[:-3] + " not" if low.endswith("n't") else f"{head.lower()} {_SHORT.get(tail.lower(), tail.lower())}"
        return tuple(_plain(part, part, raw) for part in _CONTRACTIONS.get(low, spelt).split())
    if low in _number_words():
        return (Token(NUMBER, _number_words()[low], _number_words()[low], raw),)
    spelt = lexicon.heads("spellings").get(low, low)
    return (_plain(spelt, plain if plain != low and _case_matters(plain, low) else spelt, raw),)


def _plain(low: str, exact: str, raw: str) -> Token:
    return Token(WORD, stem(low), exact, raw, low not in _function_words())


@cache
def _function_words() -> frozenset[str]:
    return lexicon.words("function_words") - lexicon.words("negations")


def _case_matters(word: str, low: str) -> bool:
    """True for a word that is another one in small letters: "Go", "US", "PATH", a single letter."""
    if low in lexicon.words("case") or (len(word) == 1 and word.isascii()):
        return True
    return (
        word.isupper()
        and len(word) < 7
        and low not in lexicon.words("shouted")
        and low not in lexicon.words("acronyms")
    )


def _name(raw: str) -> tuple[Token, ...]:
    if _PLAIN.fullmatch(raw):
        return _word(raw)
    low = raw.lower()
    if low in lexicon.heads("spellings"):
        return tuple(token._replace(raw=low) for token in _word(lexicon.heads("spellings")[low]))
    if low in _function_words():
        return (_plain(low, low, raw),)
    if _HYPHENED.fullmatch(raw) and not _CAMEL.search(raw):
        first, *rest = low.split("-")
        exact = raw if any(len(part) == 1 for part in rest) else low  # "Ctrl-V" is not "Ctrl-v"
        return (_plain(first, exact, raw), *(_plain(part, "", part) for part in rest))
    return (Token(NAME, raw, raw, raw),)


def _path(raw: str, code: bool) -> tuple[Token, ...]:
    parts = raw.split("/")
    if (
        not code
        and all(_PLAIN.fullmatch(part) for part in parts)
        and (len(parts) == 2 or raw.istitle() or raw.isupper())
    ):
        low = raw.lower()
        return tuple(_plain(part, "" if i else low, parts[i]) for i, part in enumerate(low.split("/")))
    norm = raw.strip("@/").removeprefix("./").rstrip(".:")
    exact = raw if raw.endswith("...") else raw.rstrip(".:")
    if exact.startswith("/") and exact[1:] in lexicon.words("folders"):
        exact = exact[1:] + "/"
    return (Token(PATH, norm or raw, exact[1:] if _MENTION.fullmatch(exact) else exact, raw.rstrip(".:")),)


_MENTION = re.compile(r"@[\w.-]+(?:/[\w.-]+)*/[\w-]+\.(?:md|mdc|txt|rst)")  # "@docs/style.md" mentions that file


def _number(raw: str) -> tuple[Token, ...]:
    match = _NUMERAL.match(raw)
    if match is None:
        return (Token(NAME, raw, raw, raw),)
    sign, money, digits, mark = match.groups()
    listed = re.fullmatch(r"\d{2,3}(?:,\d{3})+", digits)  # "443,853" may be two ports
    plain = digits
    if re.fullmatch(r"\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?", digits):
        plain = digits.replace(",", "").replace("_", "")
    mark = mark or money
    known = mark if mark in ("+", "°", ".x") else _units().get(mark, "") if len(mark) == 1 else unit(mark)
    if mark and not known:
        return (Token(NAME, raw, raw, raw),)
    sign = "-" if sign == "−" else sign
    exact = digits if listed and not mark else plain
    return (Token(NUMBER, sign + plain + known, sign + exact + known, raw),)


def _flag(raw: str) -> tuple[Token, ...]:
    return (Token(FLAG, raw, raw, raw),)


def _link(raw: str) -> tuple[Token, ...]:
    bare = raw.rstrip(".,;:!*")
    return (Token(LINK, bare, bare, bare),)


def _sign(raw: str) -> tuple[Token, ...]:
    sign = _SAME_SIGN.get(raw, raw)
    return (Token(SIGN, sign, sign, raw, False),) if sign else ()


def _run(raw: str) -> tuple[Token, ...]:
    return (Token(RUN, raw, raw, raw),)


_MAKERS = {"l": _link, "c": _run, "f": _flag, "n": _number, "i": _name, "s": _sign}
_SAME_SIGN = {"≥": ">=", "≤": "<=", "≠": "!=", "→": "->", "⇒": "=>"}
_SIZES = {"b", "kb", "mb", "gb", "tb"}


def _units() -> dict[str, str]:
    return _table("units")


def _number_words() -> dict[str, str]:
    return _table("number_words")


@cache
def _table(name: str) -> dict[str, str]:
    return {word: group[0] for group in lexicon.groups(name) for word in group}


def unit(word: str) -> str:
    """The unit that a word of its own names ("seconds" is "s"); empty where it names none."""
    if len(word) == 1 and word.isascii():
        return ""
    found = _units().get(word.lower(), "")
    return word if found in _SIZES and word[-1] == "b" and word[0].isupper() else found  # Mb is not MB


def unit_size(token: Token) -> int:
    """How many characters at the beginning of a token name a unit: all or none of a word, some of a run."""
    if token.kind == WORD:
        return len(token.raw) if unit(token.raw) else 0
    return next((size for size in (2, 1) if unit(token.raw[:size])), 0)
