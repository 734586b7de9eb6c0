"""A JSON export of mem0 as a store: a rehearsal on a copy, written back in the layout it came in."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..errors import DreamError
from ..memory import Memory, Scope
from ..runs import documents
from .protocol import UNCHANGED, Change, Draft, Listing, Result
from .scoping import closest, in_scope, loosened, owners


class FileStore:
    """The memories of one file. Every writing call reads it anew and replaces it once; the first leaves a backup."""

    kind = "file"
    lag_seconds = 0.0
    wave = 100_000  # every call reads and writes the whole file

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.identity = f"file:{self.path}"
        self.label = f"file {path.name}"
        self._backed_up = False

    def fetch(self, scope: Scope) -> Listing:
        mine, scope, notes = _mine([Memory(row) for row in _read(self.path).records], scope)
        listing = in_scope(mine, scope)
        listing.notes += notes
        return listing

    def get(self, ids: Sequence[str], scope: Scope) -> list[Memory]:
        """The memories of these ids; an export may hold an id for several users, so that only this scope's count."""
        wanted = set(ids)
        mine, _, _ = _mine([Memory(row) for row in _read(self.path).records], scope)
        return [memory for memory in mine if memory.id in wanted]

    def add(self, drafts: Sequence[Draft]) -> list[Result]:
        records = [_record(draft) for draft in drafts]

        def append(rows: list[Any]) -> list[Result]:
            rows += records
            return [Result(record["id"]) for record in records]

        return self._write(append)

    def update(self, changes: Sequence[Change]) -> list[Result]:
        def change_all(rows: list[Any]) -> list[Result]:
            return [_change([row for row in rows if _id(row) == change.id], change) for change in changes]

        return self._write(change_all)

    def delete(self, ids: Sequence[str]) -> list[Result]:
        gone = set(ids)

        def remove(rows: list[Any]) -> list[Result]:
            rows[:] = [row for row in rows if _id(row) not in gone]
            return [Result(id) for id in ids]

        return self._write(remove)

    def search(self, query: str, scope: Scope, limit: int) -> list[Memory]:
        return closest(self.fetch(scope).memories, query, limit)

    def owners(self) -> list[tuple[str, str | None, int]]:
        return owners(map(Memory, _read(self.path).records))

    def close(self) -> None:
        """Nothing is held open."""

    def _write(self, act: Callable[[list[Any]], list[Result]]) -> list[Result]:
        export = _read(self.path)
        before = len(export.rows)
        results = act(export.rows)
        if not self._backed_up:
            _back_up(self.path, export.raw)
            self._backed_up = True
        mode = self.path.stat().st_mode
        documents.write_text(self.path, export.text(before))
        self.path.chmod(mode)
        return results


def _mine(memories: list[Memory], scope: Scope) -> tuple[list[Memory], Scope, list[str]]:
    """The memories of the scope, the scope as this export can tell it, and sentences that say how far it cannot."""
    notes = []
    if memories and not any(memory.scope.user for memory in memories):
        scope = scope._replace(user="")
        notes.append("No memory of this export names a user, so it is taken as one user's.")
    scope, loose = loosened(memories, scope)
    mine = [m for m in memories if m.scope.user == scope.user and scope.project in (None, m.scope.project)]
    return mine, scope, notes + loose


@dataclass
class _Export:
    """A parsed export: `rows` is the list inside `document`, which is None for JSON lines."""

    raw: bytes
    document: Any
    rows: list[Any]
    indent: int | None

    @property
    def records(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if isinstance(row, dict)]

    def text(self, before: int) -> str:
        """The export in its own layout; a count of the rows that was right before is right again."""
        if isinstance(self.document, dict) and self.document.get("count") == before:
            self.document["count"] = len(self.rows)
        if self.document is None:
            return "".join(_dump(row) + "\n" for row in self.rows)
        return _dump(self.document, self.indent) + "\n"


def _read(path: Path) -> _Export:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise DreamError(f"There is no file {path}; name an existing export with --config.") from None
    except OSError as error:
        raise DreamError(f"{path} cannot be read ({error.strerror}); check its path and permissions.") from None
    try:
        text = raw.decode(json.detect_encoding(raw))
    except UnicodeDecodeError:
        raise DreamError(f"{path} is not text in UTF-8; save the export as UTF-8.") from None
    try:
        document = json.loads(text) if text.strip() else []
    except json.JSONDecodeError as error:
        return _Export(raw, None, _lines(path, text, error), None)
    if isinstance(document, dict) and "id" in document and "memory" in document:  # JSON lines with a single line
        return _Export(raw, None, [document], None)
    rows = _rows(document)
    if rows is None:
        raise DreamError(
            f'{path} holds no memories: expected a list, {{"results": []}}, {{"memories": []}}, JSON lines'
            " or the mem0 command's output."
        )
    indent = re.match(r"\s*[\[{]\n( +)\S", text)
    return _Export(raw, document, rows, len(indent.group(1)) if indent else None)


def _rows(document: Any) -> list[Any] | None:
    """The list of memories inside an export; the mem0 command wraps it once more, in "data"."""
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        for key in ("results", "memories", "data"):
            if (found := _rows(document.get(key))) is not None:
                return found
    return None


def _lines(path: Path, text: str, whole: json.JSONDecodeError) -> list[Any]:
    rows: list[Any] = []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            rows += [json.loads(line)] if line.strip() else []
        except json.JSONDecodeError as error:
            place, column, why = (number, error.colno, error.msg) if rows else (whole.lineno, whole.colno, whole.msg)
            raise DreamError(f"{path}, line {place}, column {column}: not JSON ({why}); correct that line.") from None
    return rows


def _record(draft: Draft) -> dict[str, Any]:
    now = datetime.now(timezone.utc)
    record: dict[str, Any] = {
        "id": str(uuid.uuid4()),
        "memory": draft.text,
        "metadata": draft.metadata,
        "created_at": (draft.created or now).isoformat(),
        "updated_at": now.isoformat(),
    }
    scope = draft.scope
    extra = {"user_id": scope.user, "app_id": scope.project, "agent_id": scope.agent, "run_id": draft.run_id}
    extra["expiration_date"] = draft.expiration_date
    return record | {key: value for key, value in extra.items() if value}


def _change(rows: list[dict[str, Any]], change: Change) -> Result:
    if not rows:
        return Result(change.id, f"Memory {change.id} is not there any more.")
    for row in rows:
        if change.text is not UNCHANGED:
            row["memory"] = change.text
            if "hash" in row:
                row["hash"] = hashlib.md5(change.text.encode(), usedforsecurity=False).hexdigest()
        if change.metadata is not UNCHANGED:
            row["metadata"] = change.metadata
        if change.expiration_date is not UNCHANGED and (change.expiration_date or "expiration_date" in row):
            row["expiration_date"] = change.expiration_date
        if change.created:
            row["created_at"] = change.created.isoformat()
        row["updated_at"] = datetime.now(timezone.utc).isoformat()
    return Result(change.id)


def _id(row: Any) -> str:
    return str(row.get("id") or "") if isinstance(row, dict) else ""


def _dump(value: Any, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:  # half an emoji: only its escape can be written
        return json.dumps(value, indent=indent)
    return text


def _back_up(path: Path, raw: bytes) -> None:
    """A copy beside the file, under the first free name: export.json.bak, export.json.bak2, …"""
    number = 1
    while True:
        copy = path.with_name(f"{path.name}.bak{number if number > 1 else ''}")
        try:
            with copy.open("xb") as file:
                file.write(raw)
                return
        except FileExistsError:
            number += 1
        except OSError as error:
            raise DreamError(
                f"{copy} cannot be written ({error.strerror}); the export is changed only with a backup beside it."
            ) from None
