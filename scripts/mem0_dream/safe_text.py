"""Text made safe to print: control characters escaped, ids shortened, secrets left out."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import pairwise
from os.path import commonprefix

_SECRET_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SECRETS = (
    (re.compile(r"(?i)\b(authorization\W{1,4}\w+\s+|token\s+|bearer\s+)[\w.~+/=-]{8,}"), r"\1***"),
    (re.compile(r"(?i)((?:api[_-]?key|token|secret|password|passwd)[\"']?\s*[:=]\s*[\"']?)[^\s\"',}&]+"), r"\1***"),
    (re.compile(r"\b(?:m0|sk|pk|ghp|gho|github_pat|glpat|xox[abp])[-_][\w-]{8,}"), "***"),
    (re.compile(r"(\w+://[^\s:/@]*):[^\s/@]+@"), r"\1:***@"),
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def redact(text: str, env: Mapping[str, str] = os.environ) -> str:
    """The text without keys, tokens and passwords: those of the environment and those that look like one."""
    for name, value in env.items():
        if _SECRET_NAMES.search(name) and len(value) >= 8:
            text = text.replace(value, "***")
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def shown(text: str, limit: int | None = None) -> str:
    """Text on one line: control characters, line breaks and direction marks escaped, cut to `limit` characters."""
    if not text.isprintable():
        text = "".join(_NAMED.get(c) or (_escape(c) if unicodedata.category(c) in _HIDDEN else c) for c in text)
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"


_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def _escape(char: str) -> str:
    # Joiners make emoji and several scripts readable, and cannot move or hide a line.
    if char in "\u200c\u200d":
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Each id cut to the fewest characters, at least 8, that stay unique among all of them."""
    whole = sorted(set(ids))
    length = 8
    for one, other in pairwise(whole):
        length = max(length, len(commonprefix([one, other])) + 1)  # noqa: RUF071
    return {id: shown(id[:length]) for id in whole}
