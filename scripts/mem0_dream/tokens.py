"""A text cut into tokens: plain words made comparable, code-like ones left raw, scripts without spaces kept as runs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from . import lists

WORD, NUMBER, PATH, LINK, FLAG, NAME, SIGN, RUN, COMMAND = "w", "n", "p", "l", "f", "i", "s", "c", "k"


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
_LETTER = rf"(?:(?![{_RUN}])[^\W\d_])"
_CHAR = rf"(?:(?![{_RUN}])\w)"
_PART = r"(?:[\w.@$*+-]|[{<]\w+[}>])*"
_DULL = "‐-‧‹-›«»、。，．：；！「」『』（）【】《》〈〉・¿¡\u064b-\u065f\u060c\u061b\ufe00-\ufe0f"
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


_BETWEEN = re.compile(r"""[^()\[\]{}"',;:]+""")
_DASHES = {"-", "--", "–", "—"}
_QUOTED = "'\"“‘`"
_AROUND = ".,;:\"'()[]{}“”‘’…—–`|"


@lru_cache(maxsize=1 << 16)
def of_chunk(chunk: str, code: bool = False) -> tuple[Token, ...]:
    """The tokens of one stretch of text without white space; `code` where it stands between backticks."""
    if chunk in _DASHES and not code:
        return ()
    if code and chunk in (".", ".."):
        return _sign(chunk)
    if chunk == "&" and not code:
        return _word("and")
    bare = chunk if code else chunk.lstrip(_AROUND).rstrip(_AROUND + "!")
    if _PLAIN.fullmatch(bare) and len(bare) + 8 > len(chunk) and "]" not in chunk[:-2]:
        word = _word(bare)
        if len(bare) == 1 and chunk[0] in _QUOTED:
            return (word[0]._replace(kind=NAME, exact=f'"{bare}"', counts=True),)
        if chunk[-1] in ".,;:!)" and word[-1].exact in lists.words("turning"):
            word = (*word, *_sign(","))  # "no, tests run" is not "no tests run"
        return _in_code(word) if code else word
    found: list[Token] = []
    for match in _PIECE.finditer(chunk):
        kind, raw = str(match.lastgroup), match.group()
        found.extend(_path(raw, code) if kind == "p" else _MAKERS[kind](raw))
    if not code:
        return tuple(found)
    brackets = _BETWEEN.sub("", chunk)
    whole = brackets.count("(") == brackets.count(")") and not brackets.count('"') % 2  # else prose in backticks
    return (*_in_code(found), *_sign(brackets if whole else ""))


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
    spelt = lists.heads("spellings").get(low, low)
    return (_plain(spelt, plain if plain != low and _case_matters(plain, low) else spelt, raw),)


def _plain(low: str, exact: str, raw: str) -> Token:
    return Token(WORD, stem(low), exact, raw, low not in _function_words())


@cache
def _function_words() -> frozenset[str]:
    return lists.words("function_words") - lists.words("negations")


def _case_matters(word: str, low: str) -> bool:
    """True for a word that is another one in small letters: "Go", "US", "PATH", a single letter."""
    if low in lists.words("case") or (len(word) == 1 and word.isascii()):
        return True
    return word.isupper() and len(word) < 7 and low not in lists.words("shouted") and low not in lists.words("acronyms")


def _name(raw: str) -> tuple[Token, ...]:
    if _PLAIN.fullmatch(raw):
        return _word(raw)
    low = raw.lower()
    if low in lists.heads("spellings"):
        return _word(lists.heads("spellings")[low])
    if low in _function_words():
        return (_plain(low, low, raw),)
    if _HYPHENED.fullmatch(raw) and not _CAMEL.search(raw):
        first, *rest = low.split("-")
        return (_plain(first, low, raw), *(_plain(part, "", part) for part in rest))
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
    if exact.startswith("/") and exact[1:] in lists.words("folders"):
        exact = exact[1:] + "/"
    return (Token(PATH, norm or raw, exact[1:] if _MENTION.fullmatch(exact) else exact, raw.rstrip(".:")),)


_MENTION = re.compile(r"@[\w.-]+(?:/[\w.-]+)*/[\w-]+\.(?:md|mdc|txt|rst)")  # "@docs/style.md" mentions that file


def _number(raw: str) -> tuple[Token, ...]:
    match = _NUMERAL.match(raw)
    if match is None:
        return (Token(NAME, raw, raw, raw),)
    sign, money, digits, mark = match.groups()
    if re.fullmatch(r"\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "").replace("_", "")
    mark = mark or money
    known = mark if mark in ("+", "°", ".x") else _units().get(mark, "") if len(mark) == 1 else unit(mark)
    if mark and not known:
        return (Token(NAME, raw, raw, raw),)
    norm = ("-" if sign == "−" else sign) + digits + known
    return (Token(NUMBER, norm, norm, raw),)


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
    return {word: group[0] for group in lists.groups(name) for word in group}


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


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without its endings, so that forms of one word compare as one. Rough, and good enough to find pairs."""
    word = lists.heads("spellings").get(word, word)
    word = lists.heads("aliases").get(word, word)
    if len(word) < 4:
        return word
    if "\u0400" <= word[0] <= "\u04ff":
        return _CYRILLIC.sub("", word) if len(word) > 4 else word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) > 2 and _VOWEL.search(base):
            word = base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    else:
        if word.endswith("ally") and len(word) > 7:
            word = word[:-4]
        elif word.endswith("ly") and len(word) > 5:
            word = word[:-2]
    word = lists.heads("aliases").get(word, word)
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_VOWEL = re.compile(r"[aeiouyäöüáéíóú]")
_CYRILLIC = re.compile(
    r"(?<=...)(?:иями|ями|ами|ией|иям|ием|иях|ыми|ими|его|ого|ему|ому|ешь|ишь|ете|ите|ает|яет|ают|яют|ующий|ющий|ся|сь"
    r"|ее|ие|ые|ое|ей|ий|ый|ой|ем|им|ым|ом|ах|ях|ую|юю|ая|яя|ует|уют|ют|ят|ит|ет|ал|ял|ил|ла|ло|ли|ть|[аяоеиыуюьй])$"
)


def tidy(text: str) -> str:
    """The text in one Unicode form, without emphasis marks and what cannot be seen."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
        if _WIDE.search(text):
            text = _WIDE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    if "[" in text:
        text = _BOX.sub(lambda match: "☐ " if match.group(2) == " " else "☑ ", text)
    text = _BULLET.sub("", text)
    if "**" in text:
        text = _STARS.sub(r"\2", text)
    if "_" in text:
        text = _UNDER.sub(r"\1", text)
    return text


_WIDE = re.compile("[\uff01-\uff5e\u3000]+")
_BOX = re.compile(r"(?m)^([ \t]*(?:[-*+] |\d+[.)] )?[ \t]*)\[([ xX])\](?=\s)")
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*+•]|\#{1,6})[ \t]+")
# Only what can be nothing but emphasis: "*test*" and "_id_" may be patterns and names.
_STARS = re.compile(r"(?<![\w*/`.])(\*{2,3})(?=[^\s*])((?:[^*`\n]|`[^`\n]*`)*?[^\s*/])\1(?![\w*/]|\.\w)")
_UNDER = re.compile(r"(?<![\w/.`])_(?=[^\s_])([^_\n`]* [^_\n`]*[^\s_`])_(?![\w/.])")
