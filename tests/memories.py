"""Memories and snapshots, made for the tests of finding."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from mem0_dream.memory import Memory, Scope, StoreRef
from mem0_dream.runs.snapshot import Snapshot

TODAY = date(2026, 6, 1)
SCOPE = Scope("somebody", "project")
STORE = StoreRef("file", "test")


def record(
    id: str, text: str, type: str | None = "decision", created: str = "2026-05-01", **other: Any
) -> dict[str, Any]:
    """A record as a store gives it; `confidence` and `pinned` go into the metadata, all else stands beside it."""
    metadata = {key: other.pop(key) for key in ("confidence", "pinned") if key in other}
    return {
        "id": id,
        "memory": text,
        "metadata": {"type": type, **metadata} if type else metadata,
        "user_id": "somebody",
        "app_id": "project",
        "created_at": f"{created}T00:00:00+00:00",
        **other,
    }


def snapshot(records: Iterable[dict[str, Any]]) -> Snapshot:
    memories = [Memory(record) for record in records]
    return Snapshot(STORE, SCOPE, "main", "2026-06-01T00:00:00+00:00", "asked", True, memories)


def texts(*said: str) -> Snapshot:
    """A snapshot of one type with these texts, the first the oldest, with ids m0, m1, …"""
    return snapshot(record(f"m{i}", text, created=f"2026-04-{i + 1:02d}") for i, text in enumerate(said))
