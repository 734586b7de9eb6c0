"""The marks between words. Most only set words apart; some say something, and none is left out where it does."""

from __future__ import annotations

import re

# What a mark counts as; of these three only a break is heard: where a text is cut matters, not by which mark.
COMMA, STOP, COLON = ",", ".", ":"
QUOTE, DASH, DOTS = '"', "–", "…"
QUOTES = {QUOTE, "'"}

_MARK = re.compile(r"""\(\)|\[\]|\{\}|"{2,}|'{2,}|:{2,}|\.{2,}|[^\s`|*_]""")
_KINDS = {
    **dict.fromkeys(",;()，、；（）・،؛‧•", COMMA),
    **dict.fromkeys(".!。．！؟।", STOP),
    **dict.fromkeys(":：", COLON),
    **dict.fromkeys('"“”„«»「」『』《》〈〉【】', QUOTE),
    **dict.fromkeys("'‘’‹›", "'"),
    **dict.fromkeys("–—―", DASH),
    **dict.fromkeys(("¿", "¡"), ""),
    DOTS: DOTS,
}


def marks(gap: str) -> list[str]:
    """What the marks between two words, or behind the last, count as."""
    found = (_KINDS.get(mark, DOTS if mark.startswith("..") else mark) for mark in _MARK.findall(gap))
    return [mark for mark in found if mark]


def leading(gap: str) -> list[str]:
    """The same before the first word; a dot, comma or colon that touches the word belongs to it (".env", ":name")."""
    touching = _TOUCHING.search(gap)
    if touching is None:
        return marks(gap)
    return [*marks(gap[: touching.start()]), f" {touching.group()}"]


_TOUCHING = re.compile(r"(?:(?<!\.)\.|,|;|:+)$")
