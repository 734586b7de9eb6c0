"""The memories of one scope and type compared: which say the same, which contradict, which only look alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import combinations
from typing import NamedTuple, Protocol

from ..matching.classifier import Judgement, judge, loses
from ..matching.text import Reading, read, words
from ..memory import Memory
from .blocking import candidates
from .clusters import clusters, spokesmen

_UNDATED = datetime.min.replace(tzinfo=timezone.utc)
_SAME = ("duplicate", "covers")
_DISPUTED = "a third memory is like one of them and not like the other"
_DRAFTS = 10  # texts of a cluster that are weighed against each other


class Forbids(Protocol):
    """What a person decided to leave alone; `kind` is "merge", "conflict" or "prune"."""

    def forbids(self, kind: str, texts: Sequence[str]) -> bool: ...


def age_key(memory: Memory) -> tuple[datetime, str, str]:
    """Orders memories from the oldest; those without a date come first."""
    return memory.created or _UNDATED, memory.text, memory.id


@dataclass(eq=False, slots=True)
class Statement:
    """The memories that are word for word the same statement; `text` is the one that is compared."""

    text: str
    memories: list[Memory]

    @property
    def newest(self) -> Memory:
        return max(self.memories, key=age_key) if len(self.memories) > 1 else self.memories[0]


class Likeness(NamedTuple):
    """Two statements, in the order of their texts, and what the judge says of them."""

    a: Statement
    b: Statement
    judgement: Judgement

    @property
    def texts(self) -> tuple[str, str]:
        return self.a.text, self.b.text


class Cluster(NamedTuple):
    """Statements that say the same, and the text that stands for them.

    `weakest` are the two least alike, None where all are one statement; `loses` is what the text drops of the others.
    """

    statements: list[Statement]
    text: str
    weakest: Likeness | None
    loses: list[str]

    @property
    def score(self) -> float:
        """How close the least alike of them are; above 1 where they are word for word the same."""
        return 2.0 if self.weakest is None else self.weakest.judgement.score


@dataclass
class Findings:
    """What was found; `near` is what looked alike and is left alone."""

    clusters: list[Cluster] = field(default_factory=list)
    conflicts: list[Likeness] = field(default_factory=list)
    near: list[Likeness] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Take in what was found elsewhere."""
        self.clusters += other.clusters
        self.conflicts += other.conflicts
        self.near += other.near


def compare(
    memories: Iterable[Memory], kept: Forbids | None, neighbours: Iterable[tuple[str, str]] = (), total: int = 0
) -> Findings:
    """Compare memories of one scope and type, of a store of `total`.

    `neighbours`: ids of pairs to judge whatever words they share.
    """
    statements, bags = _statements(memories)
    pairs = candidates(bags, total)
    beside = _places(statements, neighbours)
    group, found = _Group(statements, kept), Findings()
    for a, b in {*pairs, *beside} if beside else pairs:
        group.sort(a, b, found)
    group.join(found)
    return found


class _Group:
    """Statements judged pair by pair. `same` are the pairs that may be merged; a person's refusal holds."""

    def __init__(self, statements: Sequence[Statement], kept: Forbids | None) -> None:
        self.same: dict[tuple[int, int], Judgement] = {}
        self._statements = statements
        self._kept = kept
        self._readings: dict[int, Reading] = {}

    def sort(self, a: int, b: int, found: Findings) -> None:
        """Judge the pair a < b and put it where it belongs."""
        judgement = judge(self._reading(a), self._reading(b))
        if judgement.kind in _SAME:
            if not self._refused("merge", a, b):
                self.same[a, b] = judgement
        elif judgement.kind == "conflict":
            if not self._refused("conflict", a, b):
                found.conflicts.append(self.likeness(a, b, judgement))
        elif judgement.near:
            found.near.append(self.likeness(a, b, judgement))

    def agree(self, a: int, b: int) -> bool:
        """Whether two may be merged, also where they were no candidates."""
        if a > b:
            a, b = b, a
        if (a, b) not in self.same:
            judgement = judge(self._reading(a), self._reading(b))
            if judgement.kind not in _SAME or self._refused("merge", a, b):
                return False
            self.same[a, b] = judgement
        return True

    def join(self, found: Findings) -> None:
        """Put those that say the same together."""
        closest = sorted(self.same, key=lambda pair: (not self.same[pair].safe, -self.same[pair].score, pair))
        groups = clusters(closest, self.agree)
        chosen = spokesmen(groups, self.same, self._fullest)
        alone = set(range(len(self._statements)))
        for members in groups:
            pair = min(combinations(members, 2), key=lambda pair: (self.same[pair].safe, self.same[pair].score, pair))
            weakest = self.likeness(*pair, self.same[pair])
            voice = next((i for i in members if i in chosen), None)
            if voice is None:
                found.near.append(
                    weakest._replace(judgement=weakest.judgement._replace(kind="distinct", why=_DISPUTED))
                )
            else:
                alone.difference_update(members)
                found.clusters.append(
                    _cluster([self._statements[i] for i in members], self._statements[voice], weakest)
                )
        for i in sorted(alone):
            if len(self._statements[i].memories) > 1:
                found.clusters.append(_cluster([self._statements[i]], self._statements[i], None))

    def _fullest(self, members: Sequence[int]) -> list[int]:
        """Those whose text drops the fewest specifics and has the most words, the newest first."""
        newest = {i: self._statements[i].newest for i in members}
        texts = [memory.text for memory in newest.values()]
        words = {i: len(self._reading(i).words) for i in members}
        longest = sorted(members, key=lambda i: (words[i], age_key(newest[i])), reverse=True)[:_DRAFTS]
        rank = {i: (len(loses(texts, newest[i].text)), -words[i]) for i in longest}
        best = min(rank.values())
        return [i for i in longest if rank[i] == best]

    def likeness(self, a: int, b: int, judgement: Judgement) -> Likeness:
        return Likeness(self._statements[a], self._statements[b], judgement)

    def _refused(self, kind: str, a: int, b: int) -> bool:
        if self._kept is None:
            return False
        return self._kept.forbids(kind, [self._statements[a].newest.text, self._statements[b].newest.text])

    def _reading(self, i: int) -> Reading:
        found = self._readings.get(i)
        if found is None:
            found = self._readings[i] = read(self._statements[i].text)
        return found


def _cluster(statements: list[Statement], voice: Statement, weakest: Likeness | None) -> Cluster:
    text = voice.newest.text
    if weakest is None or weakest.judgement.safe:
        return Cluster(statements, text, weakest, [])
    said = sorted((memory for statement in statements for memory in statement.memories), key=age_key)
    return Cluster(statements, text, weakest, loses([memory.text for memory in said], text))


def _statements(memories: Iterable[Memory]) -> tuple[list[Statement], list[frozenset[str]]]:
    """The distinct statements in the order of their texts, and the words of each."""
    texts: dict[str, list[Memory]] = {}
    for memory in memories:
        texts.setdefault(memory.text.strip(), []).append(memory)
    by_words: dict[frozenset[str], list[str]] = {}
    for text in texts:
        by_words.setdefault(frozenset(words(text)), []).append(text)
    found = []
    for shared, alike in by_words.items():
        said = [Statement(alike[0], texts[alike[0]])] if len(alike) == 1 else _distinct(alike, texts)
        found += [(statement, shared) for statement in said]
    found.sort(key=lambda item: item[0].text)
    return [statement for statement, _ in found], [shared for _, shared in found]


def _distinct(alike: list[str], texts: dict[str, list[Memory]]) -> list[Statement]:
    """Texts of the same words, as statements: those that are word for word the same are one."""
    first: dict[str, tuple[Statement, Reading]] = {}
    found = []
    for text in sorted(alike):
        reading = read(text)
        statement, known = first.setdefault(reading.normal, (Statement(text, []), reading))
        if known is not reading and not judge(known, reading).safe:
            statement = Statement(text, [])
        if not statement.memories:
            found.append(statement)
        statement.memories.extend(texts[text])
    return found


def _places(statements: Sequence[Statement], pairs: Iterable[tuple[str, str]]) -> set[tuple[int, int]]:
    """Pairs of ids as pairs of statements."""
    wanted = set(pairs)
    if not wanted:
        return set()
    place = {memory.id: i for i, statement in enumerate(statements) for memory in statement.memories}
    found = {(min(place[a], place[b]), max(place[a], place[b])) for a, b in wanted}
    return {(a, b) for a, b in found if a != b}
