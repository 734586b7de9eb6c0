"""A store, a plan over it and faults to inject: what the tests of applying share."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, ClassVar

from mem0_dream.errors import DreamError
from mem0_dream.execution.operations import expiry, without_nulls
from mem0_dream.memory import Memory, Scope, StoreRef
from mem0_dream.planning.decisions import Decisions
from mem0_dream.planning.plan import Conflict, Merge, Plan, Prune
from mem0_dream.review.answers import decide
from mem0_dream.runs import journal, run_folder
from mem0_dream.runs.lock import Lock
from mem0_dream.runs.run_folder import Run
from mem0_dream.stores.protocol import UNCHANGED, Change, Draft, Listing, Result

from tests.memories import STORE

SCOPE = Scope("user", "project")
CALLS = ("fetch", "get", "add", "update", "delete")


class Killed(BaseException):
    """The process ended here."""


@dataclass
class MemoryStore:
    """A store in memory. `keeps_one_text`: an exact repeat is dropped, as the Platform does; `merges_metadata`: a
    key can only become null and a date never changes, as on mem0's own engine; `hides`: what expired is not listed."""

    rows: dict[str, dict[str, Any]]
    keeps_one_text: bool = False
    merges_metadata: bool = False
    hides: bool = False
    kind: str = "memory"
    identity: str = "memory:test"
    former: tuple[str, ...] = ()
    label: str = "memory"
    lag_seconds: float = 4.0
    wave: ClassVar[int] = 500
    page: ClassVar[int] = 0
    made: int = 0

    def fetch(self, scope: Scope) -> Listing:
        found = [Memory(copy.deepcopy(row)) for row in self.rows.values()]
        if self.hides:
            found = [memory for memory in found if memory.protection(datetime.now(timezone.utc).date()) != "expired"]
        return Listing(found)

    def get(self, ids: Sequence[str], scope: Scope) -> list[Memory]:
        return [Memory(copy.deepcopy(self.rows[id])) for id in ids if id in self.rows]

    def add(self, drafts: Sequence[Draft]) -> list[Result]:
        return [self.add_one(draft) for draft in drafts]

    def add_one(self, draft: Draft) -> Result:
        if self.keeps_one_text and any(row["memory"] == draft.text for row in self.rows.values()):
            return Result(error="It may have this text already.", unsure=True, repeats=True)
        self.made += 1
        id = f"new-{self.made:08d}"
        self.rows[id] = {
            "id": id,
            "memory": draft.text,
            "metadata": copy.deepcopy(draft.metadata),
            "created_at": (draft.created or datetime.now(timezone.utc)).replace(microsecond=0).isoformat(),
            "updated_at": datetime.now(timezone.utc).isoformat(),
            "user_id": draft.scope.user,
            "app_id": draft.scope.project,
            "expiration_date": draft.expiration_date,
        }
        return Result(id)

    def update(self, changes: Sequence[Change]) -> list[Result]:
        return [self._update(change) for change in changes]

    def _update(self, change: Change) -> Result:
        row = self.rows.get(change.id)
        if row is None:
            return Result(change.id, "It is not there any more.")
        if change.text is not UNCHANGED:
            row["memory"] = change.text
        if change.metadata is not UNCHANGED:
            kept = dict.fromkeys(row["metadata"] or {}) if self.merges_metadata else {}
            row["metadata"] = kept | copy.deepcopy(change.metadata)
        if change.expiration_date is not UNCHANGED:
            row["expiration_date"] = change.expiration_date
        if change.created and not self.merges_metadata:
            row["created_at"] = change.created.isoformat()
        return Result(change.id)

    def delete(self, ids: Sequence[str]) -> list[Result]:
        return [Result(id, None if self.rows.pop(id, None) else "It is not there (404).") for id in ids]

    def search(self, query: str, scope: Scope, limit: int) -> list[Memory]:
        return []

    def owners(self) -> list[tuple[str, str | None, int]]:
        return []

    def close(self) -> None:
        pass


# What can happen at a store call: each takes the real call and its items.
def _nothing(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    raise DreamError("The store failed and did nothing.")


def _lost_answer(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    call(items)
    raise DreamError("The answer was lost.")


def _killed_before(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    raise Killed


def _killed_after(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    call(items)
    raise Killed


def _killed_halfway(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    if isinstance(items, list):
        call(items[: len(items) // 2])
    raise Killed


def _half_failed(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    """Time-out in the middle of a batch: half of it is done, and nobody knows."""
    if not isinstance(items, list):
        raise DreamError("Time-out.")
    half = len(items) // 2
    return call(items[:half]) + [Result(error="Time-out.", unsure=True)] * (len(items) - half)


def _refused(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    """429 or 500, after all the patience of the store: surely nothing was done."""
    if not isinstance(items, list):
        raise DreamError("429: asked too often.")
    return [Result(error="429: asked too often.")] * len(items)


def _not_found(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    """It acts and says 404."""
    answered = call(items)
    return [Result(error="404: not found.") for _ in items] if isinstance(items, list) else answered


def _nothing_stored(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    """Success, and nothing is there."""
    return [Result(f"said-{n}") for n in range(len(items))] if isinstance(items, list) else call(items)


def _other_text(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    if isinstance(items, list) and items and isinstance(items[0], Draft):
        items = [Draft(f"{d.text} (as I see it)", d.scope, d.metadata, d.created, d.expiration_date) for d in items]
    return call(items)


def _pending(call: Callable[[Any], Any], items: Any, store: FaultyStore) -> Any:
    """The add lands two looks later."""
    if isinstance(items, list) and items and isinstance(items[0], Draft):
        store.later.append((2, items))
        return [Result() for _ in items]
    return call(items)


FAULTS: dict[str, Callable[..., Any]] = {
    "failed": _nothing,
    "answer lost": _lost_answer,
    "killed before": _killed_before,
    "killed after": _killed_after,
    "killed halfway": _killed_halfway,
    "half timed out": _half_failed,
    "refused": _refused,
    "404": _not_found,
    "nothing stored": _nothing_stored,
    "other text": _other_text,
    "pending": _pending,
}


@dataclass
class FaultyStore:
    """A store whose n-th call goes wrong as `faults` says, or where `events` do something first."""

    inner: Any
    faults: dict[int, str] = field(default_factory=dict)
    events: dict[int, Callable[[], None]] = field(default_factory=dict)
    calls: int = 0
    later: list[tuple[int, list[Draft]]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def fetch(self, scope: Scope) -> Listing:
        self.later, due = [(n - 1, d) for n, d in self.later if n > 1], [d for n, d in self.later if n <= 1]
        for drafts in due:
            self.inner.add(drafts)
        return self._call(self.inner.fetch, scope)

    def get(self, ids: Sequence[str], scope: Scope) -> list[Memory]:
        return self._call(lambda items: self.inner.get(items, scope), tuple(ids))

    def add(self, drafts: Sequence[Draft]) -> list[Result]:
        return self._call(self.inner.add, list(drafts))

    def update(self, changes: Sequence[Change]) -> list[Result]:
        return self._call(self.inner.update, list(changes))

    def delete(self, ids: Sequence[str]) -> list[Result]:
        return self._call(self.inner.delete, list(ids))

    def _call(self, call: Callable[[Any], Any], items: Any) -> Any:
        self.calls += 1
        if event := self.events.get(self.calls):
            event()
        fault = self.faults.get(self.calls)
        return FAULTS[fault](call, items, self) if fault else call(items)


WRITE_FAULTS = ("killed before", "half a line", "killed after", "disk full")


@contextmanager
def faulty_journal(faults: dict[int, str]) -> Iterator[list[int]]:
    """The n-th write to a journal goes wrong as `faults` says; gives a list whose length is the writes so far."""
    real, writes = journal.write, []

    def write(descriptor: int, data: bytes) -> None:
        writes.append(len(data))
        fault = faults.get(len(writes))
        if fault == "killed before":
            raise Killed
        if fault == "half a line":
            os.write(descriptor, data[: len(data) // 2])
            raise Killed
        if fault == "disk full":
            os.write(descriptor, data[: len(data) // 3])
            raise OSError(28, "No space left on device")
        real(descriptor, data)
        if fault == "killed after":
            raise Killed

    journal.write = write
    try:
        yield writes
    finally:
        journal.write = real


@dataclass
class World:
    """A store with a plan over it, answered, and a run folder to apply it from."""

    store: Any
    run: Run
    decisions: Decisions
    before: list[Memory]

    def lock(self) -> Lock:
        return Lock(self.run.scope_folder, published=self.run.scope_folder / "published.lock")

    def now(self) -> dict[str, Memory]:
        return {memory.id: memory for memory in _all(self.store)}


def world(folder: Path, store: Any, plan: Plan, answers: dict[str, Any]) -> World:
    """The plan decisions with these answers, and its run folder."""
    scope_folder = run_folder.scope_folder(folder, store.identity, SCOPE)
    before = _all(store)
    plan.memories = {memory.id: memory.record for memory in before}
    plan.store = StoreRef(store.kind, store.identity)
    plan.total = len(before)
    return World(store, run_folder.new_run(scope_folder), decide(plan, answers, before), before)


def record(id: str, text: str, day: int = 1, type: str = "decision", **metadata: Any) -> dict[str, Any]:
    return {
        "id": id,
        "memory": text,
        "metadata": {"type": type, **metadata},
        "created_at": f"2026-01-{day:02d}T10:20:30+00:00",
        "updated_at": f"2026-01-{day:02d}T10:20:30+00:00",
        "user_id": SCOPE.user,
        "app_id": SCOPE.project,
    }


def example() -> tuple[list[dict[str, Any]], Plan, dict[str, Any]]:
    """Every kind of operation: a merge in place, two with a new text, a contradiction about a merged memory, prunes."""
    rows = [
        record("id-00000001", "Use pnpm", 1, confidence=0.5, files=["a.ts"]),
        record("id-00000002", "use pnpm.", 2, confidence=0.9, files=["b.ts"]),
        record("id-00000003", "Deploy to ECS", 3),
        record("id-00000004", "Deploys go to ECS", 4),
        record("id-00000005", "Deploy to Vercel", 5, branch="main"),
        record("id-00000006", "Old state", 6, type="session_state"),
        record("id-00000007", "Older state", 7, type="session_state"),
        record("id-00000008", "The API listens on port 8080", 8),
        record("id-00000009", "Port of the API: 8080", 9),
        record("id-00000010", "Bystander", 10),
        record("id-00000011", "Bystander", 11, type="convention"),
    ]
    plan = Plan(
        STORE,
        SCOPE,
        merges=[
            Merge("M1", ["id-00000001", "id-00000002"], "safe", "use pnpm.", ""),
            Merge("M2", ["id-00000003", "id-00000004"], "review", "Deploys go to ECS", ""),
            Merge("M3", ["id-00000008", "id-00000009"], "review", "Port of the API: 8080", ""),
        ],
        conflicts=[Conflict("C1", "id-00000004", "id-00000005", "deploy", None, "")],
        prunes=[
            Prune("P1", "id-00000006", "session_state", "retention", 100, 90),
            Prune("P2", "id-00000007", "session_state", "retention", 100, 90),
        ],
        branch="main",
    )
    answers = {"M2": "Deploys go to ECS always", "M3": "The API listens on port 8080", "C1": "B"}
    return rows, plan, answers


def content(memory: Memory) -> tuple[str, str, str | None, str]:
    """What undo must bring back: text, metadata without nulls, expiry and the date to the second."""
    created = memory.created.replace(microsecond=0).isoformat() if memory.created else ""
    return memory.text, repr(sorted(without_nulls(memory.metadata).items(), key=str)), expiry(memory), created


def contents(memories: Any) -> list[tuple[str, str, str | None, str]]:
    return sorted(map(content, memories), key=str)


def _all(store: Any) -> list[Memory]:
    """Everything in the store, hidden or not, and without a fault."""
    inner = getattr(store, "inner", store)
    if isinstance(inner, MemoryStore):
        return [Memory(copy.deepcopy(row)) for row in inner.rows.values()]
    return inner.fetch(SCOPE).memories
