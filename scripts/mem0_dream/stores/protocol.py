"""What every store can do. Writing is by the batch, and no answer is believed: after a write the ids are read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, get_args

from ..memory import Memory, Scope, StoreKind

UNCHANGED: Any = object()
KINDS: tuple[StoreKind, ...] = get_args(StoreKind)


@dataclass
class Listing:
    """All memories of a scope; `complete` is False where the store may have cut the list off."""

    memories: list[Memory]
    complete: bool = True
    dropped: int = 0  # rows of another user or project that the store sent all the same
    notes: list[str] = field(default_factory=list)  # sentences for the person, e.g. a count that differed


@dataclass(frozen=True)
class Draft:
    """A memory to add. `created` keeps the date of an original (to the second)."""

    text: str
    scope: Scope
    metadata: dict[str, Any]
    created: datetime | None = None
    expiration_date: str | None = None
    run_id: str | None = None
    was: str | None = None  # the id of the memory that it brings back


@dataclass(frozen=True)
class Change:
    """A memory to change in place; `metadata` is the whole of it as it shall be (a dropped key may stay as null)."""

    id: str
    text: Any = UNCHANGED
    metadata: Any = UNCHANGED
    expiration_date: Any = UNCHANGED
    created: datetime | None = None  # stores that cannot change a date ignore it


@dataclass(frozen=True)
class Result:
    """What the store answered for one item. `error` is a sentence; with `unsure` it may have acted all the same.

    `repeats`: it surely stored nothing, because it keeps one memory of a text and has this text already.
    """

    id: str | None = None
    error: str | None = None
    unsure: bool = False
    repeats: bool = False


class Store(Protocol):
    """One place that keeps memories. A call that fails whole raises DreamError; an item that fails has its Result."""

    kind: StoreKind
    label: str  # for a person: "platform api.mem0.ai", "local qdrant", "file export.json"
    lag_seconds: float  # how long a read may still show what was there before a write; 0 if it never does
    wave: int  # operations that are read, checked and carried out together
    page: int  # memories that one call of a listing brings; 0 if a read by id costs no call of its own

    @property
    def identity(self) -> str: ...  # what undo must find again: host and account hash, or config and collection
    @property
    def former(self) -> tuple[str, ...]: ...  # what earlier releases called the same store
    def fetch(self, scope: Scope) -> Listing: ...

    def get(self, ids: Sequence[str], scope: Scope) -> list[Memory]:
        """Those of the memories that exist, each read by its id, with the fields that a listing leaves out.

        If a store may hold one id several times, the memory of this scope is meant. Raises DreamError if any of them
        cannot be read.
        """
        ...

    def add(self, drafts: Sequence[Draft]) -> list[Result]: ...
    def update(self, changes: Sequence[Change]) -> list[Result]: ...
    def delete(self, ids: Sequence[str]) -> list[Result]: ...
    def search(self, query: str, scope: Scope, limit: int) -> list[Memory]: ...
    def nearest(self, memory: Memory, scope: Scope, limit: int) -> list[Memory]: ...  # by its vector
    def owners(self) -> list[tuple[Scope, int]]: ...  # who has how many, as far as the store can tell
    def close(self) -> None: ...
