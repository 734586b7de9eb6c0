"""A memory's fields in every spelling that mem0's tools write: Python's, the TypeScript SDK's and OpenMemory's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..memory import CAMEL

_SNAKE = {camel: snake for snake, camel in CAMEL.items()}
_TEXTS = ("memory", "content", "text", "data")


def text_key(row: Mapping[str, Any]) -> str:
    """The field that holds the text; "memory" if there is none."""
    return next((name for name in _TEXTS if isinstance(row.get(name), str)), "memory")


def key_in(row: Mapping[str, Any], name: str) -> str:
    """How this row spells a field of mem0's: as it has it, else as it has the others."""
    if name in row or name not in CAMEL:
        return name
    return CAMEL[name] if any(key in row for key in _SNAKE) else name


def to_record(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with mem0's own keys, its id as text. A row that has both spellings of a field keeps what mem0 wrote."""
    record = dict(row)
    for camel, snake in _SNAKE.items():
        if camel in record:
            value = record.pop(camel)
            if record.get(snake) is None:
                record[snake] = value
    id = record.get("id")
    record["id"] = id if isinstance(id, str) else "" if id is None or isinstance(id, bool) else str(id)
    name = text_key(record)
    if name != "memory":
        record["memory"] = record.pop(name)
    return record
