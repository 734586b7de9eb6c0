"""What is known of the store, an operation under way, and the next step of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..memory import Memory
from ..runs.journal import Operation
from ..stores.protocol import Change, Draft, Listing
from .operations import difference

TRIES = 3  # how often a change or a removal is asked for
GONE = "is gone"


class View:
    """What stands in the scope: a listing, corrected by every memory that was read by its id.

    A listing may lag behind a write by `lag` seconds, and a read by id is asked again while it does; so what was read
    by id counts. `now` is the time of this process's work in seconds; `claimed` are the ids that no undo may take for
    a memory that it brought back itself.
    """

    def __init__(self, lag: float) -> None:
        self.lag, self.now, self.complete = lag, 0.0, False
        self.by_id: dict[str, Memory] = {}
        self.by_text: dict[str, dict[str, Memory]] = defaultdict(dict)
        self.by_operation: dict[str, dict[str, Memory]] = defaultdict(dict)
        self.claimed: set[str] = set()
        self._read: dict[str, Memory | None] = {}

    def get(self, id: str) -> Memory | None:
        return self.by_id.get(id)

    def listed(self, listing: Listing) -> None:
        """Take a listing over, except for what was read by id."""
        self.complete = listing.complete
        for id in [id for id in self.by_id if id not in self._read]:
            self._set(id, None)
        for memory in listing.memories:
            if memory.id not in self._read:
                self._set(memory.id, memory)

    def read(self, ids: Iterable[str], found: Iterable[Memory]) -> None:
        """Take over what was read by id; what was not found is gone."""
        results: dict[str, Memory | None] = dict.fromkeys(ids)
        results.update((memory.id, memory) for memory in found)
        self._read.update(results)
        for id, memory in results.items():
            self._set(id, memory)

    def _set(self, id: str, memory: Memory | None) -> None:
        if was := self.by_id.pop(id, None):
            self.by_text[was.text].pop(id, None)
            self.by_operation[_made_by(was)].pop(id, None)
        if memory:
            self.by_id[id] = memory
            self.by_text[memory.text][id] = memory
            self.by_operation[_made_by(memory)][id] = memory


def _made_by(memory: Memory) -> str:
    found = memory.metadata.get("dream_op")
    return found if isinstance(found, str) else ""


@dataclass
class Step:
    """What to ask of the store next for one operation.

    `adds` maps the id of the memory that is brought back to the memory to add ("" if it is a new one); `strays` are
    records to note before they are removed.
    """

    adds: dict[str, Draft] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    removes: list[str] = field(default_factory=list)
    strays: list[dict[str, Any]] = field(default_factory=list)
    wait: bool = False  # before the next look


class Task:
    """An operation under way in this process: what was tried already, and what the store answered last."""

    def __init__(self, operation: Operation, resumed: bool, now: float) -> None:
        self.operation = operation
        self.resumed = resumed  # another process may have done any part of it
        self.members = operation.members
        self.tries: Counter[str] = Counter()
        self.sent = now  # when it last asked for an add, or another process may have
        self.noted = dict(operation.made)  # what the journal knows of operation.made
        self.added: set[str] = set()  # adds that this process made, by their key in operation.made
        self.repeats: set[str] = set()  # adds that the store dropped, as it has a memory of that text
        self.result: Memory | None = None  # what it made, as last seen
        self.error = ""
        self.unsure = False
        self.removed = False  # its last step was to remove memories, and the store says that it did
        self.stuck = False

    @property
    def is_open(self) -> bool:
        return self.operation.state == "open" and not self.stuck

    @property
    def refused(self) -> str:
        """Why the store surely did nothing; empty if it may have acted."""
        return "" if self.unsure else self.error

    def ids(self, view: View) -> set[str]:
        """The ids that decide what is next; each is read by itself before every step."""
        op = self.operation
        return {*(member.id for member in self.members), *op.made.values(), *view.by_operation.get(op.id, ())}

    def listable(self, view: View) -> set[str]:
        """Those of the ids that need not be read by themselves if a listing shows them: nothing is removed on account
        of them in the next step, or (what an undo brought back) they must only stand."""
        if self.removed:
            return self.ids(view)
        return {*self.operation.made.values()} if self.operation.kind == "undo" and self.tries["adds"] else set()

    @property
    def searches(self) -> bool:
        """Whether something was added, or may have been, whose id is not known: only a listing can show it."""
        op = self.operation
        return (self.resumed or self.tries["adds"] > 0) and any(add.get("was", "") not in op.made for add in op.adds)

    def fates(self, view: View) -> dict[str, str]:
        """What became of each original, in words; empty for one that stands as it did."""
        return {member.id: difference(member, view.get(member.id)) for member in self.members}

    def may(self, act: str, most: int = TRIES) -> bool:
        """Count one more try of this kind; False, and the operation stays open, if there were enough."""
        self.tries[act] += 1
        if self.tries[act] > most:
            self.leave_open(self.error or "the store does not show the change")
            return False
        return True

    def may_still_show(self, view: View) -> bool:
        """Whether something that is not there may only not show yet."""
        return (self.resumed or self.tries["adds"] > 0) and view.now - self.sent < view.lag

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
    """The first original that is no longer what it was, as a sentence; empty if all are."""
    return next((f"{named(id)} {fate} since it was read" for id, fate in fates.items() if fate), "")
