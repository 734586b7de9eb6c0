"""Synthetic stores: the lines of lines.txt spliced, their slots filled from a vocabulary that grows with the store.

So many of their own words are replaced by words of that vocabulary that as many memories are alike as among 3,500 real
lines of projects: 0.05 pairs a memory at 0.6, 0.25 at 0.4. Then one memory in ten repeats an earlier one: as it was,
in other dress, with a detail more, or with another value.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

TYPES = 12
REPEATED = 0.1
REPLACED = 0.45
_SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeiou"]
_KINDS = ("api", "sync", "worker", "store", "proxy", "feed", "index", "mailer")
_TOOLS = ("Docker", "Redis", "Kafka", "Terraform", "pytest", "Make", "Vite", "Celery", "Nomad", "Bazel", "ruff", "Helm")
_ENVIRONMENTS = ("staging", "production", "the test cluster", "the demo system", "preview")
_UNITS = ("seconds", "minutes", "hours", "ms")


def write(path: Path, count: int, types: int = TYPES) -> None:
    """A snapshot document of `count` memories; the same one every time."""
    write_texts(path, memories(count, types))


def write_texts(path: Path, texts: Iterator[tuple[str, str]]) -> None:
    """A snapshot document of memories given as type and text."""
    head = {
        "schema": "mem0-dream/snapshot",
        "version": 1,
        "store": {"kind": "file", "identity": "benchmark"},
        "user_id": "somebody",
        "project_id": "benchmark",
        "branch": None,
        "fetched_at": "2026-06-01T00:00:00+00:00",
        "mode": "asked",
        "complete": True,
    }
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head)[:-1] + ', "memories": [\n')
        for i, (kind, text) in enumerate(texts):
            record = {
                "id": f"{i:08x}-0000-4000-8000-{i * 7919 % 2**48:012x}",
                "memory": text,
                "metadata": {"type": kind, "confidence": 0.5 + i % 5 / 10, "branch": "main"},
                "user_id": "somebody",
                "app_id": "benchmark",
                "created_at": f"2026-{1 + i % 5:02d}-{1 + i % 28:02d}T{i % 24:02d}:00:00+00:00",
            }
            file.write((",\n" if i else "") + json.dumps(record))
        file.write("\n]}\n")


def memories(count: int, types: int = TYPES, repeated: float = REPEATED) -> Iterator[tuple[str, str]]:
    """Type and text of each memory; `repeated` is the share that says again what an earlier one says."""
    rng = random.Random(count)
    lines = (Path(__file__).parent / "lines.txt").read_text("utf-8").splitlines()
    halves = [line.split(" | ") for line in lines if not line.startswith("#")]
    filler = _Filler(rng, round(20 * count**0.6))
    earlier: list[tuple[str, str]] = []
    for _ in range(count):
        if earlier and rng.random() < repeated:
            kind, text = rng.choice(earlier)
            yield kind, _again(text, rng, filler)
            continue
        text = filler.vary(f"{rng.choice(halves)[0]} {rng.choice(halves)[1]}")
        memory = f"type_{rng.randrange(types)}", text
        if len(earlier) < 50_000:
            earlier.append(memory)
        yield memory


class _Filler:
    """Fills slots: rare words as in any language, a few often and most seldom."""

    def __init__(self, rng: random.Random, vocabulary: int) -> None:
        self._rng = rng
        self._words = ["".join(rng.choices(_SYLLABLES, k=rng.randint(2, 4))) for _ in range(vocabulary)]

    def fill(self, line: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda match: getattr(self, f"_{match[1]}")(), line)

    def vary(self, line: str) -> str:
        words = (
            "{word}" if len(word) > 3 and word[0] != "{" and self._rng.random() < REPLACED else word
            for word in line.split()
        )
        return self.fill(" ".join(words))

    def _word(self) -> str:
        return self._words[int(len(self._words) * self._rng.random() ** 3)]

    def _name(self) -> str:
        return f"{self._word()}-{self._rng.choice(_KINDS)}"

    def _file(self) -> str:
        return f"src/{self._word()}/{self._word()}.py"

    def _n(self) -> str:
        return str(int(self._rng.paretovariate(0.6)) + 1)

    def _time(self) -> str:
        return f"{self._rng.choice((2, 3, 5, 10, 15, 20, 30, 45, 60, 90))} {self._rng.choice(_UNITS)}"

    def _env(self) -> str:
        return self._rng.choice(_ENVIRONMENTS)

    def _tool(self) -> str:
        return self._rng.choice(_TOOLS)


def _again(text: str, rng: random.Random, filler: _Filler) -> str:
    """The same memory as somebody would write it a second time."""
    way = rng.randrange(5)
    if way == 0:
        return text
    if way == 1:
        return f"{text[0].lower()}{text[1:]}."
    if way == 2:
        return f"{text}, see the {filler.fill('{word}')} note"
    if way == 3:
        return re.sub(r"\d+", lambda match: str(int(match[0]) + 1), text, count=1)
    words = text.split()
    del words[rng.randrange(1, len(words))]
    return " ".join(words)
