"""A plan with what was decided about each question of it.

A handle names the question, a decision's class what the answer made of it: M3 answered "conflict" is a ConflictDecision
with the handle M3, and C2 answered "same" a MergeDecision with the handle C2.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from ..errors import UsageError
from .plan import Conflict, HeldBack, NearMiss, Plan, Prune, Tier, Update

# What becomes of it now: done, nothing (no answer yet), nothing (asked again), nothing (never asked again), nothing
# (a person must say yes first).
State = Literal["accepted", "open", "skipped", "dismissed", "held"]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # answers that name a version; a longer chain has no letter for its oldest


@dataclass
class MergeDecision:
    """A merge with its answer. `loses` and `brings` are specifics, `words` the other words that no longer stand."""

    handle: str
    ids: list[str]
    tier: Tier
    text: str
    state: State
    why: str
    loses: list[str] = field(default_factory=list)
    brings: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


@dataclass
class ConflictDecision:
    """A contradiction with its answer; `winner` is the letter of the version that stays."""

    conflict: Conflict
    state: State
    winner: str | None = None

    @property
    def handle(self) -> str:
        return self.conflict.handle

    def versions(self) -> dict[str, str]:
        """The ids by their letters: A the older and B the newer of two; C and so on what is older still in a chain."""
        pair = [self.conflict.a, self.conflict.b]
        return dict(zip(LETTERS, [*pair, *(id for id in self.conflict.ids if id not in pair)], strict=False))

    def ids(self) -> list[str]:
        """Every memory that it is about."""
        also = [id for pair in self.conflict.also for id in pair]
        return list(dict.fromkeys([self.conflict.a, self.conflict.b, *self.conflict.ids, *also]))

    def losses(self) -> list[tuple[str, str]]:
        """The id that stays and the id that goes, for each memory that goes; none unless it is accepted."""
        if self.state != "accepted" or self.winner is None:
            return []
        winner = self.versions()[self.winner]
        others = [id for id in [self.conflict.a, self.conflict.b, *self.conflict.ids] if id != winner]
        also = [(a, b) if self.winner == "A" else (b, a) for a, b in self.conflict.also]
        return list(dict.fromkeys([*((winner, id) for id in others), *also]))


@dataclass
class PruneDecision:
    """A prune with its answer."""

    prune: Prune
    state: State

    @property
    def handle(self) -> str:
        return self.prune.handle


@dataclass
class UpdateDecision:
    """An update with its answer."""

    update: Update
    state: State

    @property
    def handle(self) -> str:
        return self.update.handle


@dataclass
class NearMissDecision:
    """A near miss that is neither merged nor asked about as a contradiction."""

    miss: NearMiss
    state: State

    @property
    def handle(self) -> str:
        return self.miss.handle


Decision = MergeDecision | ConflictDecision | PruneDecision | UpdateDecision | NearMissDecision
_Any = TypeVar("_Any", MergeDecision, ConflictDecision, PruneDecision, UpdateDecision, NearMissDecision)


@dataclass
class Decisions:
    """A plan (with what the answers added to it) and what is decided about each question of it."""

    plan: Plan
    merges: list[MergeDecision] = field(default_factory=list)
    conflicts: list[ConflictDecision] = field(default_factory=list)
    prunes: list[PruneDecision] = field(default_factory=list)
    updates: list[UpdateDecision] = field(default_factory=list)
    near_misses: list[NearMissDecision] = field(default_factory=list)
    held_back: list[HeldBack] = field(default_factory=list)

    @property
    def items(self) -> list[Decision]:
        """Every decision, in the order of the report."""
        return [*self.merges, *self.updates, *self.conflicts, *self.prunes, *self.near_misses]

    def accepted(self) -> Iterator[Decision]:
        """Those that change something."""
        return (item for item in self.items if item.state == "accepted")

    def changes(self) -> int:
        """How many items would change something."""
        return sum(1 for _ in self.accepted())

    def unresolved(self) -> int:
        """How many contradictions stay as they are and are asked again."""
        return sum(c.state in ("open", "skipped") for c in self.conflicts)

    def digest(self) -> str:
        """Names exactly this plan and what would be done: an answer that changes nothing does not change it."""
        done = [[type(item).__name__, *_said(item)] for item in self.accepted()]
        whole = json.dumps([self.plan.to_document(), done], sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()

    def only(self, handles: Collection[str]) -> Decisions:
        """The same with nothing else accepted; UsageError for a handle that is not."""
        unknown = sorted(set(handles) - {item.handle for item in self.accepted()})
        if unknown:
            raise UsageError(f"{', '.join(unknown)} is not among what would be applied; --report shows what is.")

        def chosen(items: list[_Any]) -> list[_Any]:
            return [i if i.state != "accepted" or i.handle in handles else replace(i, state="skipped") for i in items]

        return replace(
            self,
            merges=chosen(self.merges),
            conflicts=chosen(self.conflicts),
            prunes=chosen(self.prunes),
            updates=chosen(self.updates),
        )


def _said(item: Decision) -> list[object]:
    """What an accepted decision does, for the digest."""
    if isinstance(item, MergeDecision):
        return [item.handle, item.text, *item.ids]
    if isinstance(item, ConflictDecision):
        return [item.handle, item.winner, *item.ids()]
    return [item.handle]
