"""What texts say differently, quoted as it is written."""

from __future__ import annotations

from collections.abc import Sequence

from ..matching.differences import word_spans

_BY_ITSELF = 55  # characters of each text that is quoted by itself


def quotation(texts: Sequence[str], most: int = 90) -> str:
    """What the texts say differently, quoted as it is written: "…times out after 30s / 60s".

    Around it stands as much of what they share as fits into `most` characters. Each text by itself, cut around what it
    alone says, if they share too little to be one sentence.
    """
    rows = [word_spans(text) for text in texts]
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
    ends = [j for _, j in word_spans(text[: most + 40]) if j < most]
    return text[: ends[-1] if ends and ends[-1] > most // 2 else most - 1] + "…"


def _last(text: str, most: int) -> str:
    """Its end, as far as whole words fit."""
    if len(text) <= most:
        return text
    cut = len(text) - most
    starts = [i for i, _ in word_spans(text) if i > cut]
    return "…" + text[starts[0] if starts else len(text) :]
