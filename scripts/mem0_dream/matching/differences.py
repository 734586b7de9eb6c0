"""What two texts share and where they differ, word by word, in any script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

# Scripts written without spaces: there every character is a word of its own.
_SOLID = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Japanese and Chinese
)
_LETTER = rf"(?:(?![{_SOLID}])\w)"
# A word keeps what belongs to it: --flag, v1.2.3, src/app.py, don't, C++, 40%.
_TOKEN = re.compile(rf"[-+@#$~./]{{0,9}}{_LETTER}+(?:[-./:@'’+&=~]+{_LETTER}+)*[+#%°]*|\S")
_LARGEST = 1_000_000  # pairs of words compared; beyond it a middle that differs is marked whole


class Part(NamedTuple):
    """A piece of a text. `differs`: the other text does not have it."""

    text: str
    differs: bool


def differences(a: str, b: str) -> tuple[list[Part], list[Part]]:
    """Both texts cut into parts; joined again they are the texts unchanged."""
    spans, others = word_spans(a), word_spans(b)
    words, theirs = [a[i:j] for i, j in spans], [b[i:j] for i, j in others]
    mine, yours = [True] * len(words), [True] * len(theirs)
    for i, j, size in _matches(words, theirs):
        mine[i : i + size] = yours[j : j + size] = [False] * size
    return _parts(a, spans, mine), _parts(b, others, yours)


def brought(text: str, others: Sequence[str]) -> list[Part]:
    """`text` cut into parts; those differ whose words stand in none of the others."""
    known = {other[i:j].casefold() for other in others for i, j in word_spans(other)}
    spans = word_spans(text)
    return _parts(text, spans, [text[i:j].casefold() not in known for i, j in spans])


def stretches(a: str, b: str) -> list[tuple[str, str]]:
    """Both texts side by side, in stretches that are the same in both or differ; one side of these may be empty."""
    left, right = ([text[i:j] for i, j in word_spans(text)] for text in (a, b))
    codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [(" ".join(left[i:j]), " ".join(right[k:n])) for _, i, j, k, n in codes]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words and punctuation marks of a text stand; a mark or a joined emoji belongs to what it follows."""
    spans: list[tuple[int, int]] = []
    for found in _TOKEN.finditer(text):
        start, end = found.span()
        if spans and spans[-1][1] == start and (_joins(text[start]) or text[start - 1] == "\u200d"):
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def _joins(char: str) -> bool:
    return char == "\u200d" or "\U0001f3fb" <= char <= "\U0001f3ff" or unicodedata.category(char)[0] == "M"


def _matches(a: list[str], b: list[str]) -> list[tuple[int, int, int]]:
    """Runs of equal words: (start in a, start in b, length)."""
    shortest = min(len(a), len(b))
    head = next((i for i in range(shortest) if a[i] != b[i]), shortest)
    tail = next((i for i in range(shortest - head) if a[-1 - i] != b[-1 - i]), shortest - head)
    runs = [(0, 0, head), (len(a) - tail, len(b) - tail, tail)]
    left, right = a[head : len(a) - tail], b[head : len(b) - tail]
    if len(left) * len(right) <= _LARGEST:
        found = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        runs += [(head + i, head + j, size) for i, j, size in found]
    return runs


def _parts(text: str, spans: list[tuple[int, int]], differs: list[bool]) -> list[Part]:
    """The text by words; the space between two words is marked only where both are."""
    pieces: list[Part] = []
    at, before = 0, False
    for (start, end), now in zip(spans, differs, strict=True):
        pieces += [Part(text[at:start], before and now), Part(text[start:end], now)]
        at, before = end, now
    pieces.append(Part(text[at:], False))
    filled = [piece for piece in pieces if piece.text]
    return [Part("".join(p.text for p in run), key) for key, run in groupby(filled, key=lambda part: part.differs)]
