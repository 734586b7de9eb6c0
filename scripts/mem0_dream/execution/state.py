"""What carrying out is made of: what stands in the store, an operation under way, and the next step of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..memory import Memory
from ..runs.journal import Operation
from ..stores.protocol import Change, Draft
from .operations import difference

LOOKS = 4  # how often something that should stand is looked for before it counts as missing
TRIES = 3  # how often a change or a removal is asked for
GONE = "is gone"


class View:
    """What stands in the scope, looked up by id, by text and by the operation that made it."""

    def __init__(self, memories: Iterable[Memory], brought_back: Iterable[str] = ()) -> None:
        self.by_id = {memory.id: memory for memory in memories}
        self.by_text: dict[str, list[Memory]] = defaultdict(list)
        self.by_operation: dict[str, list[Memory]] = defaultdict(list)
        for memory in self.by_id.values():
            self.by_text[memory.text].append(memory)
            if isinstance(made_by := memory.metadata.get("dream_op"), str):
                self.by_operation[made_by].append(memory)
        self.claimed = set(brought_back)  # what an undo took for its own, so that no other does

    def get(self, id: str) -> Memory | None:
        return self.by_id.get(id)


@dataclass
class Step:
    """What to ask of the store next for one operation; `strays` are records to note before they are removed."""

    adds: list[Draft] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    removes: list[str] = field(default_factory=list)
    strays: list[dict[str, Any]] = field(default_factory=list)
    wait: bool = False  # before the next look


class Task:
    """An operation under way in this process: what was tried already, and what the store said last."""

    def __init__(self, operation: Operation, resumed: bool) -> None:
        self.operation = operation
        self.resumed = resumed  # another process may have done any part of it
        self.members = operation.members
        self.tries: Counter[str] = Counter()
        self.looks = 0
        self.result: Memory | None = None  # what it made, as last seen
        self.error = ""
        self.unsure = False
        self.stuck = False

    @property
    def is_open(self) -> bool:
        return self.operation.state == "open" and not self.stuck

    @property
    def refused(self) -> str:
        """Why the store surely did nothing; empty where it may have."""
        return "" if self.unsure else self.error

    def fates(self, view: View) -> dict[str, str]:
        """What became of each original, in words; empty for one that stands as it did."""
        return {member.id: difference(member, view.get(member.id)) for member in self.members}

    def may(self, act: str, most: int = TRIES) -> bool:
        """Count one more try of this kind; False, and the operation stays open, where there were enough."""
        self.tries[act] += 1
        if self.tries[act] > most:
            self.leave_open(self.error or "the store does not show the change")
            return False
        return True

    def keeps_looking(self) -> bool:
        """Count one more look for something that should stand; False after enough of them."""
        self.looks += 1
        return self.looks <= LOOKS

    def close(self, why: str = "", made: Memory | None = None) -> None:
        """It is done."""
        self.operation.state, self.operation.why = "done", why
        self.operation.left = [made.record] if made else []

    def drop(self, why: str) -> None:
        """Nothing of it stands, and nothing more is done."""
        self.operation.state, self.operation.why = "dropped", why

    def leave_open(self, why: str) -> None:
        """It cannot be ended now."""
        self.stuck, self.operation.why = True, why


def named(id: str) -> str:
    return f"[mem0:{id[:8]}]"


def first_fault(fates: dict[str, str]) -> str:
    """The first original that is no longer what it was, as a sentence; empty where all are."""
    return next((f"{named(id)} {fate} since it was read" for id, fate in fates.items() if fate), "")
