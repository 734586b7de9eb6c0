"""The memories of one scope and type compared: which say the same, which contradict, which only look alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ..matching.classifier import Judgement, judge
from ..matching.details import loses
from ..matching.text import Reading, read
from ..memory import Memory
from . import draft, false_conflicts, versions
from .blocking import candidates
from .clustering import clusters, undisputed
from .wording import Wording, apart, at_once, wordings

_SAME = ("duplicate", "covers")
DISPUTED = "one of them is also like a memory that stays"
BY_MEANING = "alike by meaning, as the store's vectors have it"
_MIDDLE = 0.5  # where a pair that only the vectors hold to be alike stands among the near misses
SURE = 0.7  # how alike two memories of one write must be to be asked about: whoever wrote both meant two things


class Forbids(Protocol):
    """What a person decided to leave alone; `kind` is "merge", "conflict" or "prune"."""

    def forbids(self, kind: str, texts: Sequence[str]) -> bool: ...


class Likeness(NamedTuple):
    """Two wordings, the older first, and what the judge says of them."""

    a: Wording
    b: Wording
    judgement: Judgement

    @property
    def memories(self) -> tuple[Memory, Memory]:
        """The newest memory of each."""
        return self.a.newest, self.b.newest

    @property
    def texts(self) -> tuple[str, str]:
        return self.a.text, self.b.text


class Cluster(NamedTuple):
    """Wordings that say the same, and the text that stands for them.

    `weakest` are the two least alike; `loses` is what the text drops of the others.
    """

    wordings: list[Wording]
    text: str
    weakest: Likeness
    loses: list[str]


class Dispute(NamedTuple):
    """A contradiction that one answer settles: a pair, the versions of one fact (newest first), or a rename's pairs."""

    pair: Likeness
    versions: Sequence[Memory] = ()
    also: Sequence[Likeness] = ()


@dataclass
class Findings:
    """What was found; `copies` are wordings of several memories, `near` is what looked alike and is left alone."""

    copies: list[Wording] = field(default_factory=list)
    clusters: list[Cluster] = field(default_factory=list)
    disputes: list[Dispute] = field(default_factory=list)
    near: list[Likeness] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Take in what was found elsewhere."""
        for name in vars(self):
            getattr(self, name).extend(getattr(other, name))


def compare(
    memories: Iterable[Memory], dismissed: Forbids | None, neighbours: Iterable[tuple[str, str]] = (), total: int = 0
) -> Findings:
    """Compare memories of one scope and type, of a store of `total`.

    `neighbours`: ids of pairs that the store holds to be alike, whatever words they share.
    """
    found, bags = wordings(memories)
    pairs = candidates(bags, total)
    beside = _numbered(found, neighbours)
    group = _Group(found, dismissed, beside)
    for a, b in {*pairs, *beside} if beside else pairs:
        group.sort(a, b)
    return group.findings()


class _Group:
    """Wordings judged pair by pair. `same` are the pairs that may be merged; a person's refusal holds."""

    def __init__(self, wordings: Sequence[Wording], dismissed: Forbids | None, beside: set[tuple[int, int]]) -> None:
        self.same: dict[tuple[int, int], Judgement] = {}
        self.conflicts: list[Likeness] = []
        self.found = Findings(copies=[wording for wording in wordings if len(wording.memories) > 1])
        self._wordings = wordings
        self._dismissed = dismissed
        self._beside = beside
        self._readings: dict[int, Reading] = {}
        self._voices: dict[tuple[int, ...], int] = {}
        self._chain: dict[str, int] = {}  # the memories of a chain by their id

    def sort(self, a: int, b: int) -> None:
        """Judge the pair a < b and put it where it belongs."""
        judgement = self._judge(a, b)
        if judgement.kind in _SAME:
            self._take(a, b, judgement)
        elif judgement.kind == "conflict":
            pair = self._likeness(a, b, judgement)
            if self._refused("conflict", a, b):
                return
            if false_conflicts.true_together(*pair.memories):
                self._leave(pair, false_conflicts.AT_ONCE)
            else:
                self.conflicts.append(pair)
        elif judgement.near:
            self.found.near.append(self._likeness(a, b, judgement))
        elif (a, b) in self._beside and not self._refused("merge", a, b):
            self._leave(self._likeness(a, b, judgement._replace(score=_MIDDLE, why="")), BY_MEANING)

    def findings(self) -> Findings:
        """What all the pairs together come to."""
        self._settle_conflicts()
        self._join()
        return self.found

    def _judge(self, a: int, b: int) -> Judgement:
        judgement = judge(self._reading(a), self._reading(b))
        if judgement.kind not in _SAME:
            return judgement
        differs = apart(self._wordings[a], self._wordings[b])
        if not differs:
            return judgement
        why = "; ".join([*differs, judgement.why])
        return judgement._replace(safe=False, differs=[*differs, *judgement.differs], why=why)

    def _take(self, a: int, b: int, judgement: Judgement) -> None:
        pair = self._likeness(a, b, judgement)
        if self._refused("merge", a, b):
            return
        if self._of_one_write(a, b, judgement):
            self._leave(pair, false_conflicts.AT_ONCE)
        else:
            self.same[a, b] = judgement

    def _of_one_write(self, a: int, b: int, judgement: Judgement) -> bool:
        """Whether both were written at once and are not so alike that one must be a repeat."""
        doubtful = not judgement.safe and judgement.score < SURE
        return doubtful and at_once(self._wordings[a].newest, self._wordings[b].newest)

    def _settle_conflicts(self) -> None:
        """What contradicts by several pairs as one dispute; what is about other things as near misses."""
        pairs = sorted(self.conflicts, key=lambda pair: (-pair.judgement.score, *(m.id for m in pair.memories)))
        memories = [pair.memories for pair in pairs]
        renamed = versions.renames(memories)
        changes = {i for group in renamed for i in group} | {i for i, pair in enumerate(pairs) if pair.judgement.winner}
        why = false_conflicts.other_things([pair.texts for pair in pairs], changes)
        for i, reason in enumerate(why):
            if reason:
                self._leave(pairs[i], reason)
        true = [i for i, reason in enumerate(why) if not reason]
        alike = [self._likeness(a, b, judgement).memories for (a, b), judgement in self.same.items()]
        for chain in versions.chains([memories[i] for i in true], alike):
            inside = {memory.id for memory in chain}
            self._chain.update(dict.fromkeys(inside, len(self._chain)))
            own = [i for i in true if {memory.id for memory in memories[i]} <= inside]
            self.found.disputes.append(Dispute(pairs[own[0]], versions=chain))
            true = [i for i in true if i not in own]
        for group in renamed:
            rest = [i for i in group if i in true]
            if rest:
                self.found.disputes.append(Dispute(pairs[rest[0]], also=[pairs[i] for i in rest[1:]]))
                true = [i for i in true if i not in rest]
        self.found.disputes += [Dispute(pairs[i]) for i in true]

    def _join(self) -> None:
        """Put those that say the same together."""
        edges = {pair: judgement for pair, judgement in self.same.items() if not self._versions(*pair)}
        closest = sorted(edges, key=lambda pair: (not edges[pair].safe, -edges[pair].score, pair))
        groups = clusters(closest, self._agree)
        for members, voice in undisputed(groups, self.same, self._voice, self._compatible):
            best = voice if voice is not None else self._voice(members)
            pairs = [(min(i, best), max(i, best)) for i in members if i != best]
            pair = min(pairs, key=lambda pair: (self.same[pair].safe, self.same[pair].score, pair))
            weakest = self._likeness(*pair, self.same[pair])
            if voice is None:
                self._leave(weakest, DISPUTED)
                continue
            text = self._wordings[voice].newest.text
            texts = [self._wordings[i].newest.text for i in members]
            said = [self._wordings[i] for i in members]
            self.found.clusters.append(Cluster(said, text, weakest, loses(texts, text)))

    def _agree(self, a: int, b: int) -> bool:
        """Whether two may be merged, also where they were no candidates."""
        if a > b:
            a, b = b, a
        if self._versions(a, b):
            return False
        if (a, b) not in self.same:
            judgement = self._judge(a, b)
            if judgement.kind not in _SAME or self._refused("merge", a, b) or self._of_one_write(a, b, judgement):
                return False
            self.same[a, b] = judgement
        return True

    def _versions(self, a: int, b: int) -> bool:
        """Whether both are versions of one fact: then one question about all of them is asked instead."""
        one, other = (self._chain.get(self._wordings[i].newest.id) for i in (a, b))
        return one is not None and one == other

    def _voice(self, members: Sequence[int]) -> int:
        """The member whose text stands for all."""
        key = tuple(members)
        if key not in self._voices:
            newest = [self._wordings[i].newest for i in members]
            self._voices[key] = members[draft.best(newest, [self._reading(i) for i in members])]
        return self._voices[key]

    def _compatible(self, a: int, b: int) -> bool:
        """Whether two may be covered by one text: they may be unlike, and do not contradict each other."""
        a, b = sorted((a, b))
        contradict = self._judge(a, b).kind == "conflict"
        return not (contradict or self._versions(a, b) or self._refused("merge", a, b))

    def _likeness(self, a: int, b: int, judgement: Judgement) -> Likeness:
        one, other = sorted((self._wordings[a], self._wordings[b]), key=lambda wording: wording.age)
        if judgement.winner and one is not self._wordings[a]:
            judgement = judgement._replace(winner="b" if judgement.winner == "a" else "a")
        return Likeness(one, other, judgement)

    def _leave(self, pair: Likeness, why: str) -> None:
        """Leave a pair alone, with the reason."""
        told = f"{why}: {pair.judgement.why}" if pair.judgement.why else why
        self.found.near.append(pair._replace(judgement=pair.judgement._replace(kind="distinct", why=told)))

    def _refused(self, kind: str, a: int, b: int) -> bool:
        if self._dismissed is None:
            return False
        return self._dismissed.forbids(kind, [self._wordings[a].newest.text, self._wordings[b].newest.text])

    def _reading(self, i: int) -> Reading:
        found = self._readings.get(i)
        if found is None:
            found = self._readings[i] = read(self._wordings[i].text)
        return found


def _numbered(wordings: Sequence[Wording], pairs: Iterable[tuple[str, str]]) -> set[tuple[int, int]]:
    """Pairs of ids as pairs of wordings."""
    wanted = set(pairs)
    if not wanted:
        return set()
    number = {memory.id: i for i, wording in enumerate(wordings) for memory in wording.memories}
    found = {(min(number[a], number[b]), max(number[a], number[b])) for a, b in wanted}
    return {(a, b) for a, b in found if a != b}
