"""What the metadata of memories that are merged says of each: what differs, what becomes of it, what is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..memory import Memory, read_date

# What a store, mem0 or this plugin keeps about a memory; none of it names what the memory is about.
KEPT_BY_RULE = {"type", "branch", "confidence", "source", "merged_from", "dream_op", "files", "superseded_by"}
_OF_THE_STORE = {
    "user_id", "agent_id", "app_id", "run_id", "session_id", "actor_id", "role", "hash", "data", "text_lemmatized",
    "created_at", "updated_at", "createdAt", "updatedAt", "userId", "agentId", "appId", "runId", "expiration_date",
}  # fmt: skip


def names(members: Sequence[Memory]) -> list[str]:
    """The keys that name a thing and differ among the members, with their values: "service: api / web"."""
    return [f"{key}: {' / '.join(map(str, values))}" for key, values in _differing(members).items()]


def dropped(members: Sequence[Memory]) -> list[str]:
    """What a merge of the members drops of their metadata, each as "service: api"."""
    return [f"{key}: {value}" for key, values in _differing(members).items() for value in values]


def _differing(members: Sequence[Memory]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for member in members:
        for key, value in member.metadata.items():
            if key not in KEPT_BY_RULE and key not in _OF_THE_STORE and _is_name(value):
                values = found.setdefault(key, [])
                if value not in values:
                    values.append(value)
    return {key: values for key, values in found.items() if len(values) > 1}


def _is_name(value: Any) -> bool:
    """No list, no number and no moment: these are united, or the highest is kept."""
    if value is None or isinstance(value, list):
        return False
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return False
    return not (isinstance(value, str) and read_date(value))
