"""Whether search still finds what it found: the same questions put to a store before and after a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .. import progress
from ..memory import Memory, Scope
from ..planning.decisions import Decisions
from ..runs.journal import Operation
from ..safe_text import short_ids, shown

FIRST = 5  # a fact counts as found when it is among so many results
_CLAUSE = re.compile(r"[.;:!?\n。；：！？、，](?:\s|$)|[。；：！？、，\n]|,\s|\s[—–-]\s|\s\(")
_WORD = re.compile(r"[\w][\w./:@+#-]*[\w+#]|\w")
_KEYS = 5  # key words in a question
_LONGEST = 120  # characters of a first clause

Found = Mapping["Probe", list[str]]  # the ids that each question found, best first


class Searchable(Protocol):
    """The one thing a store must do here."""

    def search(self, query: str, scope: Scope, limit: int) -> list[Memory]: ...


@dataclass(frozen=True)
class Probe:
    """A question that ought to find the fact of memory `id`."""

    id: str
    query: str


@dataclass
class Recall:
    """How many questions found their fact before and after; `lost` are those that did and no longer do."""

    asked: int
    before: int
    after: int
    lost: list[Probe] = field(default_factory=list)


def queries(text: str) -> list[str]:
    """What somebody might search for to find this text: its first clause, and its longest words in their order."""
    whole = " ".join(text.split())
    # Counted in bytes: five Chinese characters ask as much as twelve letters, and a bare "Auth:" asks nothing.
    clauses = (" ".join(piece.split()) for piece in _CLAUSE.split(text))
    clause = next((piece for piece in clauses if len(piece.encode(errors="replace")) >= 12), whole)[:_LONGEST].strip()
    words = list(dict.fromkeys(_WORD.findall(whole)))
    longest = sorted(words, key=lambda word: (-len(word), word))[:_KEYS]
    keys = " ".join(word for word in words if word in longest)[:_LONGEST].strip()
    return [query for query in dict.fromkeys([clause, keys]) if query]


def probes(originals: Iterable[Memory]) -> list[Probe]:
    """The questions for these memories, each memory's in turn."""
    return [Probe(memory.id, query) for memory in originals for query in queries(memory.text)]


def search(store: Searchable, scope: Scope, asked: Sequence[Probe]) -> dict[Probe, list[str]]:
    """Put every question to the store: one search each."""
    found = {}
    with progress.stage("Searching", "questions", total=len(asked)):
        for probe in asked:
            found[probe] = [memory.id for memory in store.search(probe.query, scope, FIRST)][:FIRST]
            progress.step("Searching")
    return found


def compare(before: Found, after: Found, carried: Mapping[str, str]) -> Recall:
    """Both rounds side by side. `carried` names, for an original that is gone, the memory that carries its fact now.

    Before, any of the originals that became one memory counts as the fact.
    """
    result = Recall(len(before), 0, 0)
    for probe, ids in before.items():
        home = _home(probe.id, carried)
        found = home in {_home(id, carried) for id in ids}
        still = home in {_home(id, carried) for id in after.get(probe, [])}
        result.before += found
        result.after += still
        if found and not still:
            result.lost.append(probe)
    return result


def touched(decisions: Decisions) -> list[Memory]:
    """The memories whose facts must still be found: members of merges, and both sides of contradictions decided.

    What is pruned is meant to go, so nothing is asked about it.
    """
    ids = [id for merge in decisions.merges if merge.state == "accepted" for id in merge.ids]
    ids += [id for found in decisions.conflicts if found.state == "accepted" for id in found.ids()]
    return [decisions.plan.memory(id) for id in dict.fromkeys(ids)]


def carried(decisions: Decisions, operations: Iterable[Operation]) -> dict[str, str]:
    """Which memory carries the fact of an original now: the merged one, and the winner of a contradiction."""
    found = {}
    for op in operations:
        if op.kind == "merge" and op.state == "done" and op.left:
            found.update({member.id: str(op.left[0]["id"]) for member in op.members})
    for conflict in decisions.conflicts:
        for winner, loser in conflict.losses():
            found[found.get(loser, loser)] = winner
    return found


def described(recall: Recall) -> str:
    """The result for a person, with every question that no longer finds its fact."""
    names = short_ids(probe.id for probe in recall.lost)
    counts = f"{recall.before} of {recall.asked} questions found their fact before, {recall.after} do now"
    lines = [f"Search: {counts} (in the first {FIRST})."]
    lines += [f'  no longer: [mem0:{names[probe.id]}] by "{shown(probe.query, 100)}"' for probe in recall.lost]
    return "\n".join(lines)


def _home(id: str, carried: Mapping[str, str]) -> str:
    seen = {id}
    while (next_id := carried.get(id)) is not None and next_id not in seen:
        id = next_id
        seen.add(id)
    return id
