"""Whether a text is an entry of a diary: a note that begins with its day. What was so on that day stays true."""

from __future__ import annotations

import re
from functools import cache

from . import lists


def is_entry(text: str) -> bool:
    """True for "Session of 3 May: …", "Standup (2026-05-03) - …" and "2026-05-03: …"; not for "Meeting on 3 May"."""
    return _entry().match(text) is not None


@cache
def _entry() -> re.Pattern[str]:
    months, names = (
        "|".join(sorted(map(re.escape, lists.words(name)), key=len, reverse=True)) for name in ("months", "diaries")
    )
    day = r"\d{1,2}(?:st|nd|rd|th)?"
    named = rf"{day}\.?\s+(?:of\s+|de\s+)?(?:{months})\b|(?:{months})\b\.?\s+{day}\b"
    date = rf"(?:\d{{4}}[-/.]\d\d?[-/.]\d\d?|\d\d?[./]\d\d?[./](?:\d{{4}}|\d\d)|(?:{named})(?:,?\s+\d{{4}})?)"
    return re.compile(
        rf"(?i)\W*(?:(?:{names})\b(?:\s+(?:of|from|vom|del|du|de|da|от|{names})\b)?\W+)?{date}\W*?[])*:,;|–—-]"
    )
