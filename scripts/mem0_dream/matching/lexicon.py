"""Word lists: what a word is, in the files of data/. One group a line; text behind "#" is for the reader.

A list is a file ("guards") or a section of one ("days/months", headed by "[months]").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "data"


@cache
def groups(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of a list, each split at commas; entries may hold spaces."""
    file, _, wanted = name.partition("/")
    found, section = [], ""
    for line in (FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        bare = line.split("#", 1)[0].strip()
        if bare.startswith("["):
            section = bare.strip("[]")
        elif bare and section == wanted:
            found.append(tuple(part.strip() for part in bare.split(",") if part.strip()))
    return tuple(found)


@cache
def words(name: str) -> frozenset[str]:
    """Every entry of the list, whatever its line."""
    return frozenset(word for group in groups(name) for word in group)


@cache
def heads(name: str) -> dict[str, str]:
    """Each further entry of a line to the line's first: the way one word is written for another."""
    return {word: group[0] for group in groups(name) for word in group[1:]}


def alternation(words: Iterable[str]) -> str:
    """Any of the words, as a part of a pattern: where one begins another, the longer is tried first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


@cache
def solid(name: str) -> re.Pattern[str]:
    """Finds the entries in scripts without spaces, wherever they stand."""
    return re.compile(
        alternation(word for word in words(name) if "\u0e00" <= word[0] <= "\u0eff" or word[0] >= "\u1100")
    )
