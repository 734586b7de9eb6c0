"""Entries of a diary: notes that name themselves and their day. What was so on one day stays true on another."""

from __future__ import annotations

import re
from functools import cache

from ..matching import lexicon


def other_days(a: str, b: str) -> bool:
    """True for two entries ("Session of 3 May: …", "Standup (2026-05-03) - …") of different days."""
    first, second = _entry().match(a), _entry().match(b)
    return first is not None and second is not None and first["day"].casefold() != second["day"].casefold()


@cache
def _entry() -> re.Pattern[str]:
    months, names = lexicon.alternation(lexicon.words("months")), lexicon.alternation(lexicon.words("diaries"))
    day = r"\d{1,2}(?:st|nd|rd|th)?\.?"
    named = rf"{day}\s+(?:of\s+|de\s+)?(?:{months})\b\.?|(?:{months})\b\.?\s+{day}"
    date = rf"\d{{4}}[-/.]\d\d?[-/.]\d\d?|\d\d?[./]\d\d?[./]\d{{4}}|(?:{named})(?:,?\s+\d{{4}}\b)?(?!,?\s*\d)"
    of = r"(?:\s+(?:of|from|for|vom|del|du|da|от))?"
    return re.compile(rf"(?i)\W*(?:{names}){of}[\s(\[*]+(?P<day>{date})[)\]*]*\s*[:,;|–—-](?!\s*\d)")
