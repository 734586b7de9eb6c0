"""Memories that are one: exact copies, whatever else is like them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any

from ..matching import lexicon
from ..matching.classifier import judge
from ..matching.text import Reading, read, words
from ..memory import Memory
from .named import names, things

AT_ONCE = timedelta(minutes=1)
OTHER_DAY = "the same words of another day"
_UNDATED = datetime.min.replace(tzinfo=timezone.utc)


def age_key(memory: Memory) -> tuple[datetime, str, str]:
    """Orders memories from the oldest; those without a date come first."""
    return memory.created or _UNDATED, memory.text, memory.id


@dataclass(eq=False, slots=True)
class Wording:
    """Memories that say one thing in the same words; `text` is the one that is compared."""

    text: str
    memories: list[Memory]
    _age: tuple[datetime, str, str] | None = None

    @property
    def newest(self) -> Memory:
        return max(self.memories, key=age_key) if len(self.memories) > 1 else self.memories[0]

    @property
    def age(self) -> tuple[datetime, str, str]:
        """The age of its newest memory, read once: a date is slow to read and is asked for with every pair."""
        if self._age is None:
            self._age = age_key(self.newest)
        return self._age


def wordings(memories: Iterable[Memory]) -> tuple[list[Wording], list[frozenset[str]]]:
    """The wordings in the order of their texts, and the significant words of each."""
    texts: dict[str, list[Memory]] = {}
    for memory in memories:
        texts.setdefault(memory.text.strip(), []).append(memory)
    by_words: dict[frozenset[str], list[str]] = {}
    for text in texts:
        by_words.setdefault(frozenset(words(text)), []).append(text)
    found = []
    for shared, alike in by_words.items():
        said = [Wording(alike[0], texts[alike[0]])] if len(alike) == 1 else _distinct(alike, texts)
        found += [(part, shared) for wording in said for part in _apart(wording)]
    found.sort(key=lambda item: (item[0].text, item[0].newest.id))
    return [wording for wording, _ in found], [shared for _, shared in found]


def at_once(a: Memory, b: Memory) -> bool:
    """Whether both were written in one session or within a minute: then both were true together."""
    session = _session(a)
    if session is not None and session == _session(b):
        return True
    return a.created is not None and b.created is not None and abs(a.created - b.created) < AT_ONCE


def apart(a: Wording, b: Wording) -> list[str]:
    """What keeps two wordings of the same words from being one memory: another thing, or another day."""
    found = names([a.newest, b.newest])
    days = [_day(wording.newest) for wording in (a, b)]
    return [*found, OTHER_DAY] if days[0] != days[1] and moves(a.text) else found


def _session(memory: Memory) -> Any:
    record, metadata = memory.record, memory.metadata
    return next((found for part in (record, metadata) for name in _SESSIONS if (found := part.get(name))), None)


_SESSIONS = ("session_id", "run_id")


def _distinct(alike: list[str], texts: dict[str, list[Memory]]) -> list[Wording]:
    """Texts of the same words, as wordings: those that are the same but for how they are written are one."""
    first: dict[str, tuple[Wording, Reading]] = {}
    found = []
    for text in sorted(alike):
        reading = read(text)
        wording, known = first.setdefault(reading.normal, (Wording(text, []), reading))
        if known is not reading and not judge(known, reading).safe:
            wording = Wording(text, [])
        if not wording.memories:
            found.append(wording)
        wording.memories.extend(texts[text])
    return found


def _apart(wording: Wording) -> list[Wording]:
    """The wording, or one for each thing that its memories name in their metadata, and for each day where it counts."""
    if len(wording.memories) == 1:
        return [wording]
    parts: list[tuple[Wording, dict[str, Any]]] = []
    dated = moves(wording.text)
    for memory in sorted(wording.memories, key=age_key):
        own = things(memory)
        for part, known in parts:
            same_day = not dated or _day(part.memories[0]) == _day(memory)
            if same_day and all(known.get(key, value) == value for key, value in own.items()):
                part.memories.append(memory)
                known.update(own)
                break
        else:
            parts.append((Wording(wording.text, [memory]), own))
    return [part for part, _ in parts]


def _day(memory: Memory) -> Any:
    return memory.created.date() if memory.created else None


def moves(text: str) -> bool:
    """Whether it tells of a day by how far it is from now ("yesterday"): noted on another day it is another event."""
    return _relative().search(text) is not None


@cache
def _relative() -> re.Pattern[str]:
    phrases = lexicon.words("days/vague").union(lexicon.heads("days/relative"))
    solid = {phrase for phrase in phrases if phrase[0] >= "\u2e80"}  # scripts without spaces
    return re.compile(rf"(?i)\b(?:{lexicon.alternation(phrases - solid)})\b|{lexicon.alternation(solid)}")
