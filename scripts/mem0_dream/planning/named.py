"""What the metadata of memories that are merged says of each: what differs, what becomes of it, what is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from ..memory import Memory, read_date

# What a store, mem0 or this plugin keeps about a memory; none of it names what the memory is about.
BY_RULE = {"type", "branch", "confidence", "source", "merged_from", "dream_op", "files", "superseded_by"}
_NO_TIME = datetime.min.replace(tzinfo=timezone.utc)
_OF_THE_STORE = {
    "user_id", "agent_id", "app_id", "run_id", "session_id", "actor_id", "role", "hash", "data", "text_lemmatized",
    "created_at", "updated_at", "createdAt", "updatedAt", "userId", "agentId", "appId", "runId", "expiration_date",
}  # fmt: skip


def things(memory: Memory) -> dict[str, Any]:
    """The keys of its metadata that name a thing, with their values."""
    return {
        key: value
        for key, value in memory.metadata.items()
        if key not in BY_RULE and key not in _OF_THE_STORE and _is_name(value)
    }


def names(members: Sequence[Memory]) -> list[str]:
    """The keys that name a thing and differ among the members, with their values: "service: api / web"."""
    return [f"{key}: {' / '.join(map(str, values))}" for key, values in _differing(members).items()]


def dropped(members: Sequence[Memory]) -> list[str]:
    """What a merge of the members drops of their metadata, each as "service: api"."""
    return [f"{key}: {value}" for key, values in _differing(members).items() for value in values]


def united(values: Sequence[Any]) -> Any:
    """What a merged memory keeps of one key: the common value, all of a list, the highest number, the latest moment."""
    found = [value for value in values if value is not None]
    if not found or all(value == found[0] for value in found):
        return found[0] if found else None
    if any(isinstance(value, list) for value in found):
        items = [item for value in found for item in (value if isinstance(value, list) else [value])]
        return [item for n, item in enumerate(items) if item not in items[:n]]
    if all(map(_is_number, found)):
        return max(found)
    return max(found, key=lambda value: read_date(value) or _NO_TIME) if all(map(read_date, found)) else None


def _differing(members: Sequence[Memory]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for member in members:
        for key, value in things(member).items():
            values = found.setdefault(key, [])
            if value not in values:
                values.append(value)
    return {key: values for key, values in found.items() if len(values) > 1}


def _is_name(value: Any) -> bool:
    """No list, no number and no moment: these are united, or the highest is kept."""
    if value is None or isinstance(value, list):
        return False
    if _is_number(value):
        return False
    return not (isinstance(value, str) and read_date(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
