"""An export of mem0 as a store: a rehearsal on a copy, written back in the layout and the spelling it came in."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import DreamError
from ..memory import CAMEL, Memory, Scope, StoreKind
from . import file_copies
from .layouts import Layout, read_layout
from .protocol import UNCHANGED, Change, Draft, Listing, Result
from .scoping import closest, counted, in_scope, loosened, owners
from .spelling import key_in, text_key, to_record

_TRIES = 5  # how often a change is made anew because another program wrote the file meanwhile
_UNUSED_STATES = ("archived", "deleted", "paused")  # OpenMemory keeps such memories beside the active ones


class FileStore:
    """The memories of one file. Every call reads it; a call that changes something replaces it once."""

    kind: StoreKind = "file"
    former: tuple[str, ...] = ()
    lag_seconds = 0.0
    wave = 100_000  # every call reads the whole file, and one that changes something writes it
    page = 0

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.identity = f"file:{self.path}"
        self.label = f"file {path.name}"
        self._export: _Export | None = None
        self._scope: Scope | None = None  # of the last listing: no other memory of an id is changed
        self._backed_up = False

    def fetch(self, scope: Scope) -> Listing:
        export = self._read()
        memories = export.memories
        notes = export.unread()
        if memories and not any(memory.scope.user or memory.scope.agent for memory in memories):
            scope = scope._replace(user="")
            notes.append("No memory of this export names a user, so it is taken as one user's.")
        scope, loose = loosened(memories, scope)
        self._scope = scope
        mine = [m for m in memories if m.scope.user == scope.user and scope.project in (None, m.scope.project)]
        listing = in_scope(mine, scope)
        listing.notes = [*notes, *listing.notes, *loose]
        listing.complete = not export.layout.further
        return listing

    def get(self, ids: Sequence[str], scope: Scope) -> list[Memory]:
        """The memories of these ids that exist; of several with one id, the one of this scope."""
        wanted = set(ids)
        found = [memory for memory in self._read().memories if memory.id in wanted]
        mine = {memory.id: memory for memory in found if self._scope and _is_of(memory.scope, self._scope)}
        return [*mine.values(), *(memory for memory in found if memory.id not in mine)]

    def add(self, drafts: Sequence[Draft]) -> list[Result]:
        ids = [str(uuid.uuid4()) for _ in drafts]

        def append(rows: list[_Row]) -> list[Result]:
            like = {row.memory.scope: row for row in rows if row.memory}
            some = next(iter(like.values()), None)
            part = max((row.part for row in rows), default=0)
            for id, draft in zip(ids, drafts, strict=True):
                rows.append(_Row(_added(id, draft, like.get(draft.scope), some), part))
            return [Result(id) for id in ids]

        return self._write(append)

    def update(self, changes: Sequence[Change]) -> list[Result]:
        def change_all(rows: list[_Row]) -> list[Result]:
            found = self._places(rows, {change.id for change in changes})
            for change in changes:
                for place in found[change.id]:
                    row = rows[place]
                    rows[place] = _Row(_changed(row.value, change), row.part, row.owner)
            return [
                Result(change.id, None if found[change.id] else f"Memory {change.id} is not there any more.")
                for change in changes
            ]

        return self._write(change_all)

    def delete(self, ids: Sequence[str]) -> list[Result]:
        def remove(rows: list[_Row]) -> list[Result]:
            found = self._places(rows, set(ids))
            gone = {place for id in ids for place in found[id]}
            rows[:] = [row for place, row in enumerate(rows) if place not in gone]
            return [Result(id) for id in ids]

        return self._write(remove)

    def search(self, query: str, scope: Scope, limit: int) -> list[Memory]:
        return closest(self.fetch(scope).memories, query, limit)

    def nearest(self, memory: Memory, scope: Scope, limit: int) -> list[Memory]:
        return self.search(memory.text, scope, limit)

    def owners(self) -> list[tuple[Scope, int]]:
        return owners(self._read().memories)

    def close(self) -> None:
        """Nothing is held open."""

    def _places(self, rows: Sequence[_Row], ids: set[str]) -> defaultdict[str, list[int]]:
        """Where these ids stand among the memories of the scope; another user's memory of an id is not meant."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            if row.memory and row.memory.id in ids and (self._scope is None or _is_of(row.memory.scope, self._scope)):
                found[row.memory.id].append(place)
        return found

    def _read(self) -> _Export:
        raw = file_copies.read_bytes(self.path)
        if self._export is None or self._export.raw != raw:
            self._export = _Export.parse(self.path, raw)
        return self._export

    def _write(self, act: Callable[[list[_Row]], list[Result]]) -> list[Result]:
        """What `act` makes of the rows, in one replacement of the file as it was read."""
        for _ in range(_TRIES):
            export = self._read()
            rows = list(export.rows)
            results = act(rows)
            if rows == export.rows:
                return results
            if not self._backed_up:
                file_copies.remove_temporaries(self.path)
                file_copies.back_up(self.path, export.raw)
                self._backed_up = True
            after = _Export(export.text(rows).encode(), export.layout, rows)
            if file_copies.replace(self.path, export.raw, after.raw):
                self._export = after
                return results
        raise DreamError(f"Another program keeps writing {self.path}; stop it and run again.")


@dataclass(eq=False)
class _Row:
    """One row of an export, as it stands in part number `part` of the file. It is replaced, never changed."""

    value: Any
    part: int
    owner: dict[str, Any] | None = None  # what the file says of all its rows
    text: str | None = None

    @cached_property
    def memory(self) -> Memory | None:
        """The memory that it is; None if it cannot be read as one."""
        return None if self.fault else Memory(to_record(self.value) | (self.owner or {}))

    @cached_property
    def fault(self) -> str:
        """Why it is no memory to work on; empty if it is one."""
        if not isinstance(self.value, dict):
            return "no objects"
        if not isinstance(self.value.get(text_key(self.value)), str):
            return "without a text"
        state = self.value.get("state")
        return state if state in _UNUSED_STATES else ""


@dataclass(eq=False)
class _Export:
    """A file as it was read: its bytes, its layout and its rows."""

    raw: bytes
    layout: Layout
    rows: list[_Row]

    @classmethod
    def parse(cls, path: Path, raw: bytes) -> _Export:
        if raw.startswith((b"PK\x03\x04", b"\x1f\x8b")):
            raise DreamError(f"{path} is packed; unpack it and name the JSON file in it with --config.")
        try:
            text = raw.decode(json.detect_encoding(raw))
        except UnicodeDecodeError:
            raise DreamError(f"{path} is not text in UTF-8; save the export as UTF-8.") from None
        layout = read_layout(path, text)
        rows = [_Row(value, part, layout.owner) for part, found in enumerate(layout.parts) for value in found]
        return cls(raw, layout, rows)

    @cached_property
    def memories(self) -> list[Memory]:
        return [row.memory for row in self.rows if row.memory]

    def unread(self) -> list[str]:
        """What is not read, counted and with the reason; nothing if all is."""
        faults = Counter(row.fault for row in self.rows if row.fault)
        named = ", ".join(f"{count} {fault}" for fault, count in faults.items())
        notes = [f"Not read: {faults.total()} of {counted(len(self.rows), 'row')} ({named})."] if faults else []
        if self.layout.further:
            notes.append("This export is one page of a longer list; put all pages into one list.")
        return notes

    def text(self, rows: Iterable[_Row]) -> str:
        parts: list[list[str]] = [[] for _ in self.layout.parts]
        for row in rows:
            row.text = row.text or self.layout.row(row.value)
            parts[row.part].append(row.text)
        return self.layout.whole(parts)


def _is_of(scope: Scope, wanted: Scope) -> bool:
    return scope.user == wanted.user and wanted.project in (None, scope.project) and scope.agent == wanted.agent


def _added(id: str, draft: Draft, like: _Row | None, some: _Row | None) -> dict[str, Any]:
    """A new row, spelled as the others are; one of the same scope says how its owner is written."""
    model: dict[str, Any] = like.value if like else some.value if some else {}
    now = datetime.now(timezone.utc).isoformat()
    row = {"id": id, text_key(model): draft.text, "metadata": draft.metadata}
    if like:
        row |= {key: model[key] for key in _OWNER_KEYS if key in model}
        owner: dict[str, Any] = {}
    else:
        owner = {"user_id": draft.scope.user, "app_id": draft.scope.project, "agent_id": draft.scope.agent}
    beside = {"run_id": draft.run_id, "expiration_date": draft.expiration_date, **owner}
    created = draft.created.isoformat() if draft.created else None if draft.was else now
    dates = {"created_at": created, "updated_at": now}
    return row | {key_in(model, name): value for name, value in {**dates, **beside}.items() if value}


_OWNER_KEYS = [*(key for name in ("user_id", "app_id", "agent_id") for key in (name, CAMEL[name])), "app", "state"]


def _changed(row: dict[str, Any], change: Change) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if change.text is not UNCHANGED:
        fields[text_key(row)] = change.text
        if "hash" in row:
            fields["hash"] = hashlib.md5(change.text.encode(), usedforsecurity=False).hexdigest()
    if change.metadata is not UNCHANGED:
        fields["metadata"] = change.metadata
    expires = key_in(row, "expiration_date")
    if change.expiration_date is not UNCHANGED and (change.expiration_date or expires in row):
        fields[expires] = change.expiration_date
    if change.created:
        fields[key_in(row, "created_at")] = change.created.isoformat()
    return {**row, **fields, key_in(row, "updated_at"): datetime.now(timezone.utc).isoformat()}
