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
_BY_ITSELF = 55  # characters of each text that is quoted by itself
_LARGEST = 1_000_000  # pairs of words compared; beyond it a middle that differs is marked whole


class Part(NamedTuple):
    """A piece of a text. `differs`: the other text does not have it."""

    text: str
    differs: bool


def differences(a: str, b: str) -> tuple[list[Part], list[Part]]:
    """Both texts cut into parts; joined again they are the texts unchanged."""
    spans, others = _spans(a), _spans(b)
    words, theirs = [a[i:j] for i, j in spans], [b[i:j] for i, j in others]
    mine, yours = [True] * len(words), [True] * len(theirs)
    for i, j, size in _matches(words, theirs):
        mine[i : i + size] = yours[j : j + size] = [False] * size
    return _parts(a, spans, mine), _parts(b, others, yours)


def brought(text: str, others: Sequence[str]) -> list[Part]:
    """`text` cut into parts; those differ whose words stand in none of the others."""
    known = {other[i:j].casefold() for other in others for i, j in _spans(other)}
    spans = _spans(text)
    return _parts(text, spans, [text[i:j].casefold() not in known for i, j in spans])


def quotation(texts: Sequence[str], most: int = 90) -> str:
    """What the texts say differently, quoted as it is written: "…times out after 30s / 60s".

    Around it stands as much of what they share as fits into `most` characters. Each text by itself, cut around what it
    alone says, if they share too little to be one sentence.
    """
    rows = [_spans(text) for text in texts]
    words = [[text[i:j] for i, j in spans] for text, spans in zip(texts, rows, strict=True)]
    shortest = min(map(len, words))
    head = next((n for n in range(shortest) if len({row[n] for row in words}) > 1), shortest)
    tail = next((n for n in range(shortest - head) if len({row[-1 - n] for row in words}) > 1), shortest - head)
    if any(len(row) == head + tail for row in words):  # one only adds: a word that all have makes it readable
        head, tail = (head, tail - 1) if tail else (max(0, head - 1), tail)
    last = texts[-1]
    lead, trail = last[: _start(last, rows[-1], head)], last[_end(rows[-1], len(rows[-1]) - tail) :]
    middles = [
        text[_start(text, spans, head) : _end(spans, len(spans) - tail)]
        for text, spans in zip(texts, rows, strict=True)
    ]
    middle = " / ".join(dict.fromkeys(middles))
    if not all(middles) or len(middle) > most or 3 * (head + tail) < shortest:
        starts = [_start(text, spans, head) for text, spans in zip(texts, rows, strict=True)]
        return " / ".join(_around(text, start, _BY_ITSELF) for text, start in zip(texts, starts, strict=True))
    room = most - len(middle)
    before = _last(lead, max(room * 2 // 3, room - len(trail)))
    return before + middle + _first(trail, room - len(before))


def _start(text: str, spans: Sequence[tuple[int, int]], n: int) -> int:
    return spans[n][0] if n < len(spans) else len(text)


def _end(spans: Sequence[tuple[int, int]], n: int) -> int:
    return spans[n - 1][1] if n else 0


def _around(text: str, at: int, most: int) -> str:
    """The text cut to `most` characters, of which a third may stand before what is at `at`."""
    before = _last(text[:at], most // 3 if len(text) > most else most)
    return before + _first(text[at:], max(most - len(before), 1))


def _first(text: str, most: int) -> str:
    """Its beginning, as far as whole words fit."""
    if len(text) <= most:
        return text
    ends = [j for _, j in _spans(text[: most + 40]) if j < most]
    return text[: ends[-1] if ends and ends[-1] > most // 2 else most - 1] + "…"


def _last(text: str, most: int) -> str:
    """Its end, as far as whole words fit."""
    if len(text) <= most:
        return text
    cut = len(text) - most
    starts = [i for i, _ in _spans(text) if i > cut]
    return "…" + text[starts[0] if starts else len(text) :]


def stretches(a: str, b: str) -> list[tuple[str, str]]:
    """Both texts side by side, in stretches that are the same in both or differ; one side of these may be empty."""
    left, right = ([text[i:j] for i, j in _spans(text)] for text in (a, b))
    codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [(" ".join(left[i:j]), " ".join(right[k:n])) for _, i, j, k, n in codes]


def only(parts: Sequence[Part]) -> list[str]:
    """The parts that differ, each named once."""
    return list(dict.fromkeys(part.text.strip() for part in parts if part.differs))


def _spans(text: str) -> list[tuple[int, int]]:
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
