"""The memories of one scope and type compared: which say the same, which contradict, which only look alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import NamedTuple, Protocol

from .clusters import clusters
from .judge import Judgement, judge
from .memory import Memory
from .pairs import candidates
from .text import Reading, read

_UNDATED = datetime.min.replace(tzinfo=timezone.utc)


class Forbids(Protocol):
    """What a person decided to leave alone; `kind` is "merge", "conflict" or "prune"."""

    def forbids(self, kind: str, texts: Sequence[str]) -> bool: ...


def age_key(memory: Memory) -> tuple[datetime, str, str]:
    """Orders memories from the oldest; those without a date come first."""
    return memory.created or _UNDATED, memory.text, memory.id


class Statement:
    """The memories that are word for word the same statement, and its reading."""

    __slots__ = ("memories", "reading")

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.memories: list[Memory] = []

    @property
    def newest(self) -> Memory:
        return max(self.memories, key=age_key)


class Likeness(NamedTuple):
    """Two statements and what the judge says of them."""

    a: Statement
    b: Statement
    judgement: Judgement

    @property
    def texts(self) -> list[str]:
        return sorted((self.a.newest.text, self.b.newest.text))


@dataclass
class Findings:
    """What was found. `merges`: the statements that say the same, with the pair among them that is least alike."""

    merges: list[tuple[list[Statement], Likeness | None]] = field(default_factory=list)
    conflicts: list[Likeness] = field(default_factory=list)
    near: list[Likeness] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Take in what was found elsewhere."""
        self.merges += other.merges
        self.conflicts += other.conflicts
        self.near += other.near


def compare(memories: Iterable[Memory], kept: Forbids, neighbours: Iterable[tuple[str, str]] = ()) -> Findings:
    """Compare memories of one scope and type. `neighbours`: ids of pairs to judge whatever words they share."""
    statements = _statements(memories)
    pairs = set(candidates([statement.reading.words for statement in statements]))
    pairs.update(_places(statements, neighbours))
    judged = _Judged(statements, kept)
    found = Findings()
    same = []
    for a, b in pairs:
        pair = judged(a, b)
        if pair.judgement.kind in _SAME:
            same.append((not pair.judgement.safe, -pair.judgement.score, a, b))
        elif pair.judgement.kind == "conflict":
            if not kept.forbids("conflict", pair.texts):
                found.conflicts.append(pair)
        elif pair.judgement.near:
            found.near.append(pair)
    groups = clusters(((a, b) for *_, a, b in sorted(same)), lambda a, b: judged(a, b).judgement.kind in _SAME)
    for group in groups:
        every = (judged(a, b) for i, a in enumerate(group) for b in group[i + 1 :])
        weakest = min(every, key=lambda pair: (pair.judgement.safe, pair.judgement.score, pair.texts))
        found.merges.append(([statements[i] for i in group], weakest))
    alone = set(range(len(statements))).difference(*groups)
    found.merges += [([statements[i]], None) for i in sorted(alone) if len(statements[i].memories) > 1]
    return found


_SAME = ("duplicate", "covers")
_REFUSED = Judgement("distinct", False, 0.0, False, [], [], "kept apart by a person", "")


class _Judged:
    """Every pair judged once. Two that a person refused to merge count as distinct."""

    def __init__(self, statements: Sequence[Statement], kept: Forbids) -> None:
        self._statements = statements
        self._kept = kept
        self._known: dict[tuple[int, int], Likeness] = {}

    def __call__(self, a: int, b: int) -> Likeness:
        pair = self._known.get((a, b))
        if pair is None:
            one, other = self._statements[min(a, b)], self._statements[max(a, b)]
            pair = Likeness(one, other, judge(one.reading, other.reading))
            if pair.judgement.kind in _SAME and self._kept.forbids("merge", pair.texts):
                pair = pair._replace(judgement=_REFUSED)
            self._known[a, b] = self._known[b, a] = pair
        return pair


def _statements(memories: Iterable[Memory]) -> list[Statement]:
    """The distinct statements, in the order of their texts."""
    texts: dict[str, list[Memory]] = {}
    for memory in memories:
        texts.setdefault(memory.text.strip(), []).append(memory)
    same: dict[str, Statement] = {}
    apart = []
    for text in sorted(texts):
        reading = read(text)
        statement = same.setdefault(reading.exact, Statement(reading))
        if statement.memories and not judge(statement.reading, reading).safe:
            statement = Statement(reading)
            apart.append(statement)
        statement.memories += texts[text]
    return sorted([*same.values(), *apart], key=lambda statement: statement.reading.text)


def _places(statements: Sequence[Statement], pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[int, int]]:
    """Pairs of ids as pairs of statements."""
    place = {memory.id: i for i, statement in enumerate(statements) for memory in statement.memories}
    for one, other in pairs:
        a, b = sorted((place[one], place[other]))
        if a != b:
            yield a, b
