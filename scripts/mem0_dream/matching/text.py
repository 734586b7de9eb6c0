"""Texts read, and what their words alone tell."""

from __future__ import annotations

import re

from .tokenizer import Reading, read, words

__all__ = ["Reading", "odd", "read", "words"]


def odd(text: str) -> bool:
    """True if a text holds what a reader cannot see, or a letter that passes for another: it is like no other."""
    return _UNSEEN.search(text) is not None or (not text.isascii() and _PASSING.search(text) is not None)


_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_LOOKS_LATIN = "\u0400-\u04ffΑΒΕΖΗΙΚΜΝΟΡΤΥΧορντικυ"
_PASSING = re.compile(f"[A-Za-z][{_LOOKS_LATIN}]|[{_LOOKS_LATIN}][A-Za-z]")
