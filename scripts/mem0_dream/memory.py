"""A memory as any store gives it, with its odd fields made regular. The record itself is never changed."""

from __future__ import annotations

import json
import math
import re
import sys
from datetime import date, datetime, timezone
from functools import lru_cache
from typing import Any, NamedTuple

REMINDER_SOURCE = "mem0-dream-auto"
_TRUE = {"true", "yes", "y", "on", "1"}


class Scope(NamedTuple):
    """Whose memories: one user, one project (None: all of the user's) and one agent (None: those without one)."""

    user: str
    project: str | None
    agent: str | None = None


@lru_cache(maxsize=4)  # protection, confidence and age are asked of one memory after the other
def _parsed(line: bytes) -> dict[str, Any]:
    return parse(line)


_scope = lru_cache(maxsize=None)(Scope)  # a million memories share a handful


class Memory:
    """One memory. `record` is what the store gave, key for key; everything else is read from it."""

    __slots__ = ("_source", "id", "scope", "text", "type")

    def __init__(self, record: dict[str, Any], line: bytes | None = None) -> None:
        """`line`: the record's own JSON, kept in its place and read again on demand; it takes a third of the room."""
        self._source = record if line is None else line
        self.id = str(record.get("id") or "")
        text = record.get("memory")
        self.text = text if isinstance(text, str) else ""
        metadata = _metadata(record)
        kind = metadata.get("type")
        self.type = sys.intern(kind) if isinstance(kind, str) and kind.strip() else "unknown"
        self.scope = _scope(
            _name(record.get("user_id") or metadata.get("user_id")) or "",
            _name(record.get("app_id") or metadata.get("app_id")),
            _name(record.get("agent_id") or metadata.get("agent_id")),
        )

    def __repr__(self) -> str:
        return f"Memory({self.id!r}, {self.text[:40]!r})"

    @property
    def record(self) -> dict[str, Any]:
        return _parsed(self._source) if isinstance(self._source, bytes) else self._source

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata as a mapping; JSON text is read, anything else counts as none."""
        return _metadata(self.record)

    @property
    def created(self) -> datetime | None:
        """When it was stored (UTC), or None where no date can be read."""
        return read_date(self.record.get("created_at"))

    @property
    def confidence(self) -> float | None:
        """Between 0 and 1; None where absent or not such a number."""
        found = self.metadata.get("confidence")
        if isinstance(found, bool) or not isinstance(found, (int, float, str)):
            return None
        try:
            number = float(found)
        except ValueError:
            return None
        return number if math.isfinite(number) and 0 <= number <= 1 else None

    def protection(self, today: date) -> str:
        """Why this memory must not be touched in any way, in one word; empty where it may be."""
        record = self.record
        metadata = _metadata(record)
        if (
            is_true(metadata.get("pinned"))
            or is_true(record.get("pinned"))
            or self.text.lstrip().upper().startswith("[PINNED]")
        ):
            return "pinned"
        if is_true(record.get("immutable")) or is_true(metadata.get("immutable")):
            return "immutable"
        state = str(record.get("lifecycle_state") or "").lower()
        if record.get("replaced_by") or metadata.get("superseded_by") or state == "superseded":
            return "superseded"
        if state == "merged":
            return "merged"
        if is_true(record.get("synthesized")) or state == "synthesized":
            return "synthesized"
        expires = read_date(record.get("expiration_date"))
        if expires is not None and expires.date() < today:
            return "expired"
        return "reminder" if metadata.get("source") == REMINDER_SOURCE else ""


def parse(line: bytes) -> dict[str, Any]:
    """The record that a line of JSON holds; ValueError where it holds none."""
    text = line.decode("utf-8", "surrogatepass")
    record, end = _decode(text)  # json.loads takes twice the time over a million lines
    if end != len(text) or not isinstance(record, dict):
        raise ValueError("not an object")
    return record


_decode = json.JSONDecoder().raw_decode


def is_true(value: object) -> bool:
    """True in any usual spelling: true, "True", "yes", "on", 1, "1"."""
    return value is True or value == 1 or (isinstance(value, str) and value.strip().lower() in _TRUE)


def read_date(value: object) -> datetime | None:
    """A moment in UTC from ISO text (any offset, or none: UTC), or from Unix seconds or milliseconds; else None."""
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, timezone.utc)
        if not isinstance(value, str) or not value.strip():
            return None
        text = value.strip()
        text = text[:-1] + "+00:00" if text[-1] in "zZ" else text
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            moment = datetime.fromisoformat(_as_python_writes_it(text))
    except (ValueError, OverflowError, OSError):
        return None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except OverflowError:
        return None


def _as_python_writes_it(text: str) -> str:
    """Six digits of a second and a colon in the offset: Python 3.10 reads no other."""
    text = re.sub(r"(?<=:\d\d)[.,](\d+)", lambda match: "." + match[1][:6].ljust(6, "0"), text)
    return re.sub(r"(?<=[\d:]\d)([+-]\d\d)(\d\d)?$", lambda match: f"{match[1]}:{match[2] or '00'}", text)


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("metadata")
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except ValueError:
            return {}
    return found if isinstance(found, dict) else {}


def _name(value: object) -> str | None:
    return sys.intern(str(value)) if value not in (None, "") else None
