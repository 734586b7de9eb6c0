"""Text made safe to print: control characters escaped, ids shortened, secrets left out."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from os.path import commonprefix

# What a secret looks like, for everything that redacts or warns: names of settings, and shapes of values.
SECRET_NAME = re.compile(r"key|token|secret|passw|credential|connection_string|dsn", re.IGNORECASE)
_LABEL = r"(?i:\b(?:password|passwd|secret|token|api[_ -]?key)\b[\"']?\s*(?:is\b|[=:])\s*[\"'`]?)"
_KEY = r"\b(?:m0|sk|pk|rk|gh[opsu]|github_pat|glpat|xox[abprs]|AKIA|ASIA|AIza|eyJ)[-_]?[\w*-]{%d,}"
_URL = r"\b[a-z][\w+.-]{1,20}://[^\s/:@]*:%s@"
_SHAPES = re.compile(
    rf"{_KEY % 14}|-----BEGIN [A-Z ]*PRIVATE KEY|{_URL % '[^@/ ]{3,}'}|{_LABEL}(?=\S*\d)[^\s\"'`]{{8,}}"
)
_SECRETS = (
    (re.compile(r"(?i)\b(authorization\W{1,4}\w+\s+|token\s+|bearer\s+)[\w.~+/=-]{8,}"), r"\1***"),
    (re.compile(r"(?i)((?:api[_-]?key|token|secret|password|passwd)[\"']?\s*[:=]\s*[\"']?)[^\s\"',}&]+"), r"\1***"),
    (re.compile(_KEY.replace("[-_]?", "[-_]") % 8), "***"),
    (re.compile(r"(\w+://[^\s:/@]*):[^\s/@]+@"), r"\1:***@"),
    (re.compile(r"[\w-]*\*{2,}[\w-]+|[\w-]+\*{3,}"), "***"),  # a key of which somebody else has shown the ends
)
_CUT = r"[\w-]*(?:\.{2,}|…)[\w-]*"  # how a key goes on that is shown in part
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_SPACES = " \u00a0\u202f\u3000"
_BLANK = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINERS = "\u200c\u200d"  # make emoji and several scripts readable, and cannot move or hide a line
SHORT = 8  # characters of an id at least
_STACKED = 4  # marks on one letter; no script needs more


def redact(text: str, env: Mapping[str, str] = os.environ) -> str:
    """The text without keys, tokens and passwords, also in part: those of the environment and what looks like one."""
    for name, value in env.items():
        if SECRET_NAME.search(name) and len(value) >= 8:
            text = re.sub(re.escape(value[:4]) + _CUT, "***", text.replace(value, "***"))
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def has_secret(text: str) -> bool:
    """Whether a memory holds what looks like a key, a password with its label, or an address with a password."""
    return _SHAPES.search(text) is not None


def shown(text: str, limit: int | None = None) -> str:
    """Text on one line, cut to `limit` characters.

    Control characters, line breaks, direction marks, blank letters and marks without a letter are shown escaped.
    """
    if limit is not None and len(text) > limit:
        text = text[: limit + 1]
    if not (text.isascii() and text.isprintable()):
        text = "".join(_visible(text))
    if limit is None or len(text) <= limit:
        return text
    end = limit - 1
    while end > 0 and (_joins(text[end]) or text[end - 1] == "\u200d"):
        end -= 1
    return text[:end] + "…"


def _visible(text: str) -> Iterator[str]:
    base, marks = "", 0  # the letter that marks stand on, and how many do
    for char in text:
        kind = unicodedata.category(char)
        if char in _JOINERS:
            yield char
        elif kind in ("Mn", "Me"):
            marks += 1
            plain = base and marks <= _STACKED and char not in _BLANK and not "\U000e0100" <= char <= "\U000e01ef"
            yield char if plain else _escape(char)
        else:
            hidden = kind in _HIDDEN or char in _BLANK or (kind == "Zs" and char not in _SPACES)
            base, marks = "" if hidden or kind == "Zs" else char, 0
            yield _NAMED.get(char) or (_escape(char) if hidden else char)


def _joins(char: str) -> bool:
    return char in _JOINERS or unicodedata.category(char) in ("Mn", "Me", "Mc")


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Each id cut to the fewest characters, at least `SHORT`, that stay unique among all of them."""
    whole = sorted(set(ids))
    length = SHORT
    for one, other in pairwise(whole):
        length = max(length, len(commonprefix([one, other])) + 1)  # noqa: RUF071
    return {id: shown(id[:length]) for id in whole}
