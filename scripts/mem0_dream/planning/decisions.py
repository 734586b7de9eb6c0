"""A plan with what was decided about each item of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import UsageError
from .plan import Conflict, HeldBack, Plan, Prune


@dataclass
class MergeDecision:
    """A merge with its answer. `state`: "accepted", "open" (nobody said yes), "dismissed" (left alone), "held"."""

    handle: str
    ids: list[str]
    tier: str
    text: str
    state: str
    why: str
    loses: list[str]
    brings: list[str]


@dataclass
class ConflictDecision:
    """A contradiction with its answer; `winner` is "A", "B" or None."""

    conflict: Conflict
    state: str
    winner: str | None = None

    @property
    def handle(self) -> str:
        return self.conflict.handle

    def sides(self) -> tuple[str, str]:
        """The ids of the winner and of the loser of an accepted one."""
        a, b = self.conflict.a, self.conflict.b
        return (a, b) if self.winner == "A" else (b, a)


@dataclass
class PruneDecision:
    """A prune with its answer."""

    prune: Prune
    state: str

    @property
    def handle(self) -> str:
        return self.prune.handle


@dataclass
class Decisions:
    """A plan (with what the answers added to it) and what is decided about each item of it."""

    plan: Plan
    merges: list[MergeDecision] = field(default_factory=list)
    conflicts: list[ConflictDecision] = field(default_factory=list)
    prunes: list[PruneDecision] = field(default_factory=list)
    held_back: list[HeldBack] = field(default_factory=list)

    @property
    def items(self) -> list[MergeDecision | ConflictDecision | PruneDecision]:
        """All that has a handle."""
        return [*self.merges, *self.conflicts, *self.prunes]

    def changes(self) -> int:
        """How many items would change something."""
        return sum(item.state == "accepted" for item in self.items)

    def digest(self) -> str:
        """Names exactly this plan and these answers."""
        said = [
            *([m.handle, m.state, m.text, *m.ids] for m in self.merges),
            *([c.handle, c.state, c.winner] for c in self.conflicts),
            *([p.handle, p.state] for p in self.prunes),
        ]
        whole = json.dumps([self.plan.to_document(), said], sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()

    def only(self, handles: Collection[str]) -> Decisions:
        """The same with nothing else accepted; UsageError for a handle that is not."""
        unknown = sorted(set(handles) - {item.handle for item in self.items if item.state == "accepted"})
        if unknown:
            raise UsageError(f"{', '.join(unknown)} is not among what would be applied; --report shows what is.")

        def left(items: Sequence[Any]) -> list[Any]:
            return [i if i.state != "accepted" or i.handle in handles else replace(i, state="dismissed") for i in items]

        return replace(self, merges=left(self.merges), conflicts=left(self.conflicts), prunes=left(self.prunes))
