"""The snapshot: what a store held when it was fetched. Read a line at a time, so that a million memories stay light."""

from __future__ import annotations

import gc
import io
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from ..errors import DreamError
from ..memory import Memory, Scope, StoreRef, parse
from . import documents

Mode = Literal["asked", "auto"]  # whether a person can answer


@dataclass
class Snapshot:
    """The memories of one scope, with where and when they were fetched."""

    store: StoreRef
    scope: Scope
    branch: str | None
    fetched_at: str
    mode: Mode
    complete: bool  # False if the store may have cut the list off
    memories: list[Memory]

    def to_document(self) -> dict[str, Any]:
        """The body of snapshot.json."""
        return {
            "store": self.store.to_document(),
            "user_id": self.scope.user,
            "project_id": self.scope.project,
            "agent_id": self.scope.agent,
            "branch": self.branch,
            "fetched_at": self.fetched_at,
            "mode": self.mode,
            "complete": self.complete,
            "memories": [memory.record for memory in self.memories],
        }


def write_snapshot(target: Path | str, snapshot: Snapshot) -> None:
    """Write the snapshot to a file, or to standard output for "-", one memory a line."""
    body = snapshot.to_document()
    if str(target) == "-":
        text = documents.dump("snapshot", body, lines="memories")
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    else:
        documents.write(Path(target), "snapshot", body, lines="memories")


def read_snapshot(source: Path | str) -> Snapshot:
    """The snapshot in a file, or on standard input for "-"; DreamError names the field that is wrong."""
    label = "standard input" if str(source) == "-" else str(source)
    with closing(_open(source, label)) as file:
        found = _streamed(file, label)
        if found is None:  # another layout of the same document
            file.seek(0)
            body = documents.parse(file.read(), "snapshot", label)
            found = body, [Memory(record) for record in body["memories"]]
    body, memories = found
    return Snapshot(
        store=StoreRef.from_document(body["store"]),
        scope=Scope(body["user_id"], body["project_id"], body.get("agent_id")),
        branch=body["branch"],
        fetched_at=body["fetched_at"],
        mode=body["mode"],
        complete=body["complete"],
        memories=memories,
    )


def _open(source: Path | str, label: str) -> BinaryIO:
    try:
        return io.BytesIO(sys.stdin.buffer.read()) if str(source) == "-" else Path(source).open("rb")
    except FileNotFoundError:
        raise DreamError(f"There is no file {label}; name an existing snapshot document.") from None
    except OSError as error:
        raise DreamError(f"{label} cannot be read ({error.strerror}); check its path and permissions.") from None


def _streamed(file: BinaryIO, label: str) -> tuple[dict[str, Any], list[Memory]] | None:
    """The head and the memories of a document as `documents.dump` lays it out; None for any other layout."""
    head = file.readline().rstrip()
    if not head.endswith(b'"memories": ['):
        return None
    gc.disable()  # a million new objects, and none of them garbage
    try:
        body = json.loads(head + b"]}")
        memories = list(_lines(file))
    except ValueError:
        return None
    finally:
        gc.enable()
    gc.freeze()  # nor later
    return documents.check(body, "snapshot", label), memories


def _lines(file: BinaryIO) -> Iterator[Memory]:
    """One memory a line, up to the line that closes the list; ValueError if the layout is another."""
    for line in file:
        line = line.strip()
        if line == b"]}":
            if file.read().strip():
                break
            return
        line = line.rstrip(b",")
        if not line:
            continue
        yield Memory(parse(line), line)
    raise ValueError("not one memory a line")
