"""The plan: what could be merged, asked and pruned, as data. Nothing here decides or acts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ..memory import Memory, Scope, StoreRef
from ..runs.snapshot import Mode

Tier = Literal["safe", "review", "added"]  # merged without a question, asked first, added by an answer
Side = Literal["A", "B"]
Reason = Literal["retention", "low_confidence", "gone"]  # gone: the repository has no more what it names


@dataclass
class Merge:
    """Memories that say the same, the oldest first. Of exact copies a merge that is asked names the newest alone."""

    handle: str
    ids: list[str]
    tier: Tier
    text: str
    why: str
    shared: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    loses: list[str] = field(default_factory=list)  # specifics of a member that `text` drops


@dataclass
class Conflict:
    """Two memories that give the same thing another value; `a` is the older, `winner` the likely one of the two.

    `ids` names a whole chain of versions of one fact, the newest first: `b` is its first and `a` its second, and what
    stands of an answer "B" is the newest alone. `also` holds further pairs (older, newer) in which the same exchange
    was made; the answer holds for them, too.
    """

    handle: str
    a: str
    b: str
    topic: str
    winner: Side | None
    why: str
    ids: list[str] = field(default_factory=list)
    also: list[list[str]] = field(default_factory=list)


@dataclass
class Prune:
    """A memory to remove; ages in whole days."""

    handle: str
    id: str
    type: str
    reason: Reason
    age_days: int | None
    policy_days: int | None
    why: str = ""  # for "gone": what it names, and when and by which commit that went


@dataclass
class Update:
    """A memory whose text is no longer right: `text` is the right one, and all else of it stays."""

    handle: str
    id: str
    text: str
    why: str


@dataclass
class NearMiss:
    """Memories that looked alike and are left alone, with the reason."""

    ids: list[str]
    why: str
    handle: str = ""


@dataclass
class HeldBack:
    """Something not proposed, or not done unattended, with the reason; `handle` is a plan handle or a memory id."""

    handle: str
    why: str


@dataclass
class Plan:
    """One run's proposals, with the records of every memory they name."""

    store: StoreRef
    scope: Scope
    merges: list[Merge] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    prunes: list[Prune] = field(default_factory=list)
    near_misses: list[NearMiss] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)
    held_back: list[HeldBack] = field(default_factory=list)
    memories: dict[str, dict[str, Any]] = field(default_factory=dict)
    branch: str | None = None
    mode: Mode = "asked"
    complete: bool = True
    total: int = 0  # memories in the snapshot
    order: list[str] = field(default_factory=list)  # handles of what is asked, the most useful question first
    notes: list[str] = field(default_factory=list)  # sentences for the person who is there now; no part of the document

    def memory(self, id: str) -> Memory:
        """The named memory, as it was when fetched."""
        return Memory(self.memories[id])

    @property
    def items(self) -> list[Merge | Update | Conflict | Prune | NearMiss]:
        """All that has a handle."""
        return [*self.merges, *self.updates, *self.conflicts, *self.prunes, *self.near_misses]

    def proposes(self) -> bool:
        """Whether there is anything to apply or to ask: near misses alone are nothing found."""
        return bool(self.merges or self.updates or self.conflicts or self.prunes)

    def ids(self) -> Iterator[str]:
        """The ids of every memory that an item names, repeats included."""
        for merge in self.merges:
            yield from merge.ids
        for conflict in self.conflicts:
            yield from (conflict.a, conflict.b, *conflict.ids)
            for pair in conflict.also:
                yield from pair
        yield from (prune.id for prune in self.prunes)
        yield from (update.id for update in self.updates)
        for miss in self.near_misses:
            yield from miss.ids

    def to_document(self) -> dict[str, Any]:
        """The body of plan.json."""
        body = {
            "store": self.store.to_document(),
            "user_id": self.scope.user,
            "project_id": self.scope.project,
            "agent_id": self.scope.agent,
            "branch": self.branch,
            "mode": self.mode,
            "complete": self.complete,
            "total": self.total,
            "order": self.order,
        }
        lists = {name: [dict(vars(item)) for item in getattr(self, name)] for name in _ITEMS}
        return {**body, **lists, "memories": self.memories}

    @classmethod
    def from_document(cls, body: dict[str, Any]) -> Plan:
        """The plan that a checked plan.json holds."""
        lists: dict[str, Any] = {name: [item(**row) for row in body.get(name, [])] for name, item in _ITEMS.items()}
        return cls(
            store=StoreRef.from_document(body["store"]),
            scope=Scope(body["user_id"], body["project_id"], body.get("agent_id")),
            memories=body["memories"],
            branch=body.get("branch"),
            mode=body.get("mode", "asked"),
            complete=body.get("complete", True),
            total=body.get("total", 0),
            order=body.get("order", []),
            **lists,
        )


_ITEMS: dict[str, Any] = {
    "merges": Merge,
    "conflicts": Conflict,
    "prunes": Prune,
    "near_misses": NearMiss,
    "updates": Update,
    "held_back": HeldBack,
}
