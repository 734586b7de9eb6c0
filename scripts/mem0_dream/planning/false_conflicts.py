"""Contradictions that are none: what was written at once, other things of one kind, entries of a diary."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import cache

from ..matching import lexicon
from ..memory import Memory
from .exchange import Exchange, exchanges, form, head, masked, only_value, other_heads
from .wording import at_once

AT_ONCE = "written at the same time"
OTHER_DAYS = "entries of two days"
OTHER_THINGS = "other things of one kind"
FILLERS = 5  # words in one place of a form from which on they name things and are no versions
EARLY = 1 / 3  # of the text: what stands there is what a sentence is about
MANY = 12  # texts that differ by numbers alone from which on they are a list and no versions


def true_together(older: Memory, newer: Memory) -> bool:
    """Whether two memories of one write are no contradiction: something else differs than a number or a "not"."""
    return at_once(older, newer) and not denied(older.text, newer.text) and not only_value(older.text, newer.text)


def other_things(pairs: Sequence[tuple[str, str]], changes: Collection[int] = ()) -> list[str]:
    """For each contradiction (older, newer) why its two texts are both true; empty where they may not be.

    `changes`: the numbers of those that are a rename or tell of a change, which may change in many places.
    """
    found = [[] if other_days(a, b) else exchanges(a, b) for a, b in pairs]
    forms = [form(a, b) for a, b in pairs]
    fillers: dict[str, set[str]] = defaultdict(set)
    for one, said in zip(forms, found, strict=True):
        if len(said) == 1:
            fillers[one].update(said[0].words)
    counts = Counter(mask for mask, _ in {(masked(text), text) for pair in pairs for text in pair})
    why = []
    for i, ((a, b), said) in enumerate(zip(pairs, found, strict=True)):
        if other_days(a, b):
            why.append(OTHER_DAYS)
        elif counts[masked(a)] >= MANY and masked(a) == masked(b):
            why.append(f"{counts[masked(a)]} notes of one form")
        elif i not in changes and (
            parallel(a, b, said) or (len(said) == 1 and _named(said[0]) and len(fillers[forms[i]]) >= FILLERS)
        ):
            why.append(OTHER_THINGS)
        else:
            why.append("")
    return why


def parallel(a: str, b: str, said: Sequence[Exchange]) -> bool:
    """Whether two texts are about two things: by their heads, or as two places changed together, one of them early.

    One name in place of another that ends alike, and nothing else, is the same thing elsewhere; one word in place of
    another wherever it stands is the same thing renamed.
    """
    if other_heads(a, b):
        return not (len(said) == 1 and said[0].is_move)
    if head(a) and head(a) == head(b):
        return False
    return len({exchange.words for exchange in said}) > 1 and _named(said[0]) and said[0].place <= EARLY


def denied(a: str, b: str) -> bool:
    """Whether one text is the other with a "not" in it."""
    here, there = (set(re.findall(r"\w+(?:['’]\w+)?", text.casefold())) for text in (a, b))
    negating = lexicon.words("negations")
    more, less = sorted((here - there, there - here), key=lambda side: not side & negating)
    return bool(more & negating) and max(len(more - negating), len(less)) <= 1


def other_days(a: str, b: str) -> bool:
    """True for two entries of a diary ("Session of 3 May: …", "Standup (2026-05-03) - …") of different days."""
    first, second = _entry().match(a), _entry().match(b)
    return first is not None and second is not None and first["day"].casefold() != second["day"].casefold()


def _named(exchange: Exchange) -> bool:
    return not any(char.isdigit() for char in exchange.old + exchange.new)


@cache
def _entry() -> re.Pattern[str]:
    months, names = (
        lexicon.alternation(lexicon.words("days/months")),
        lexicon.alternation(lexicon.words("days/diaries")),
    )
    day = r"\d{1,2}(?:st|nd|rd|th)?\.?"
    named = rf"{day}\s+(?:of\s+|de\s+)?(?:{months})\b\.?|(?:{months})\b\.?\s+{day}"
    date = rf"\d{{4}}[-/.]\d\d?[-/.]\d\d?|\d\d?[./]\d\d?[./]\d{{4}}|(?:{named})(?:,?\s+\d{{4}}\b)?(?!,?\s*\d)"
    of = r"(?:\s+(?:of|from|for|vom|del|du|da|от))?"
    return re.compile(rf"(?i)\W*(?:{names}){of}[\s(\[*]+(?P<day>{date})[)\]*]*\s*[:,;|–—-](?!\s*\d)")
