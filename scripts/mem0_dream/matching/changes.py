"""Notes of a change: "switched from X to Y" against a memory that still says X."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from . import lexicon
from .stemmer import stem
from .tokenizer import Reading, words

LEAST_SHARED = 0.5  # of the words of the memory that still says what was so
REACH = 3  # words between a marker and what it says of
MOST_OTHER = 3  # words of that memory that the change does not have


def newer_state(a: Reading, b: Reading) -> str | None:
    """ "a" or "b", whichever of the two tells that what the other says has changed; None if neither does."""
    here, there = _markers(a.text), _markers(b.text)
    if bool(here) == bool(there):
        return None
    change, state, side = (a, b, "a") if here else (b, a, "b")
    return side if _answers(here or there, change, state) else None


def _answers(markers: frozenset[tuple[str, str]], change: Reading, state: Reading) -> bool:
    """Whether the change is one of what `state` says."""
    kinds = {kind for kind, _ in markers}
    known = {stem(word) for _, marker in markers for word in marker.split()}
    said = state.words - known
    shared, other = len(said & change.words), len(said - change.words)
    low = state.text.casefold()
    if any(before in low for kind, marker in markers for before in _states().get(marker, ())):
        return bool(shared) or low.startswith(("user ", "i ", "we "))
    if not shared or other > MOST_OTHER or shared < LEAST_SHARED * len(said):
        return False
    if "from" in kinds and not said.isdisjoint(_around(change.text)):
        return True
    return "to" in kinds and 0 < len(change.words - state.words - known) <= MOST_OTHER and other > 0


def _around(text: str) -> set[str]:
    """The words next to the markers, before ("X was removed") and behind ("removed X")."""
    found: set[str] = set()
    for marker in _pattern().finditer(text[:2000]):
        found |= {*words(text[: marker.start()])[-REACH:], *words(text[marker.end() :])[:REACH]}
    return found


@cache
def _entries() -> dict[str, str]:
    """Each marker with its kind."""
    found = {}
    for first, *rest in lexicon.groups("changes"):
        kind, _, marker = first.partition(": ")
        if kind != "state":
            found.update(dict.fromkeys((marker.strip(), *rest), kind))
    return found


@cache
def _states() -> dict[str, list[str]]:
    """What a memory says that a marker puts an end to."""
    found: dict[str, list[str]] = {}
    for group in lexicon.groups("changes"):
        for entry in group if group[0].startswith("state: ") else ():
            marker, _, state = entry.removeprefix("state: ").partition(" / ")
            found.setdefault(marker, []).append(state)
    return found


@cache
def _pattern() -> re.Pattern[str]:
    solid = {marker for marker in _entries() if marker[0] >= "\u0e00"}
    spaced = lexicon.alternation({*_entries(), *_states()} - solid)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|{lexicon.alternation(solid)}", re.IGNORECASE)


@lru_cache(maxsize=1 << 12)  # a text is held against many others
def _markers(text: str) -> frozenset[tuple[str, str]]:
    found = (marker.casefold() for marker in _pattern().findall(text[:2000]))
    return frozenset((_entries().get(marker, "from"), marker) for marker in found)
