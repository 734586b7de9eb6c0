"""Word lists: what a word is, in the files of data/. One group a line; text behind "#" is for the reader."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "data"


@cache
def groups(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of data/<name>.txt, each split at commas; entries may hold spaces."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    bare = (line.split("#", 1)[0] for line in lines)
    return tuple(tuple(part.strip() for part in line.split(",") if part.strip()) for line in bare if line.strip())


@cache
def words(name: str) -> frozenset[str]:
    """Every entry of the list, whatever its line."""
    return frozenset(word for group in groups(name) for word in group)


@cache
def heads(name: str) -> dict[str, str]:
    """Each further entry of a line to the line's first: the way one word is written for another."""
    return {word: group[0] for group in groups(name) for word in group[1:]}


@cache
def families(name: str) -> dict[str, frozenset[int]]:
    """Each entry to the numbers of the lines it stands on."""
    found: dict[str, set[int]] = {}
    for number, group in enumerate(groups(name)):
        for word in group:
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def alternation(words: Iterable[str]) -> str:
    """Any of the words, as a part of a pattern: where one begins another, the longer is tried first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


@cache
def solid(name: str) -> re.Pattern[str]:
    """Finds the entries in scripts without spaces, wherever they stand."""
    return re.compile(
        alternation(word for word in words(name) if "\u0e00" <= word[0] <= "\u0eff" or word[0] >= "\u1100")
    )
