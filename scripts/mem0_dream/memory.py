"""A memory as any store gives it, with its odd fields made regular. The record itself is never changed."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple

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


StoreKind = Literal["platform", "local", "server", "file"]


@dataclass(frozen=True)
class StoreRef:
    """Which store memories came from, and how it was opened. Runs keep it, so that an undo finds the same store."""

    kind: StoreKind
    identity: str
    label: str = ""  # its name for a person
    config: str | None = None  # as given
    cwd: str | None = None  # the folder that the config belongs to

    def to_document(self) -> dict[str, str]:
        return {name: value for name, value in vars(self).items() if value}

    @classmethod
    def from_document(cls, body: dict[str, Any]) -> StoreRef:
        return cls(**{name: body[name] for name in cls.__dataclass_fields__ if name in body})


class Memory:
    """One memory. `record` is what the store gave, key for key; everything else is read from it."""

    __slots__ = ("_created", "_source", "id", "scope", "text", "type")

    def __init__(self, record: dict[str, Any], line: bytes | None = None) -> None:
        """`line`: the record's own JSON, kept in its place and read again on demand; it takes a third of the room."""
        self._source = record if line is None else line
        self._created: datetime | Literal[False] | None = False  # not read yet
        self.id = str(record.get("id") or "")
        text = record.get("memory")
        self.text = text if isinstance(text, str) else ""
        metadata = _metadata(record)
        kind = metadata.get("type")
        self.type = sys.intern(kind) if isinstance(kind, str) and kind.strip() else "unknown"
        user, project, agent = (_name(_spelled(name, record, metadata)) for name in ("user_id", "app_id", "agent_id"))
        self.scope = _scope(user or "", project, agent)

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
        """When it was stored (UTC); None if no date can be read.

        What programs write for "no date" (year 1, 1900, 1970, 2000: any clock's zero) is none, and neither is a day
        that is still to come.
        """
        if self._created is False:
            moment = read_date(self.written_date)
            self._created = moment if moment and _EPOCH < moment < datetime.now(timezone.utc) + _DAY else None
        return self._created

    @property
    def written_date(self) -> object:
        """Its date of creation as the store writes it, in either spelling; None if there is none."""
        return _spelled("created_at", self.record, self.metadata)

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


def undated(memories: Iterable[Memory]) -> str:
    """A sentence that counts the memories without a date that can be read; empty if there are none."""
    found = [memory for memory in memories if memory.created is None]
    if not found:
        return ""
    written = next((str(memory.written_date)[:40] for memory in found if memory.written_date is not None), "")
    example = f' (such as "{written}")' if written else ""
    return f"Memories without a date that can be read{example}: {len(found)}; by age none of them is pruned."


def parse(line: bytes) -> dict[str, Any]:
    """The record that a line of JSON holds; ValueError where it holds none."""
    text = line.decode("utf-8", "surrogatepass")
    try:
        record, end = _decode(text)  # json.loads takes twice the time over a million lines
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if end != len(text) or not isinstance(record, dict):
        raise ValueError("not an object")
    return record


_decode = json.JSONDecoder().raw_decode


def is_true(value: object) -> bool:
    """True in any usual spelling: true, "True", "yes", "on", 1, "1"."""
    return value is True or value == 1 or (isinstance(value, str) and value.strip().lower() in _TRUE)


def read_date(value: object) -> datetime | None:
    """A moment in UTC, or None.

    Read are ISO text (any offset, or none: UTC), RFC 2822, what JavaScript and Go print, Unix seconds, milli-, micro-
    or nanoseconds as a number or as text, and any of these in MongoDB's {"$date": …}.
    """
    if isinstance(value, dict) and len(value) == 1:
        value = value.get("$date", value.get("$numberLong"))
        return None if isinstance(value, dict) and "$date" in value else read_date(value)
    if isinstance(value, str) and _SECONDS.fullmatch(value.strip()):
        value = float(value)
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            smaller = (value / 1000**n for n in range(4) if abs(value) / 1000**n <= _MOST_SECONDS)
            return datetime.fromtimestamp(next(smaller, value), timezone.utc)
        moment = _from_text(value.strip()) if isinstance(value, str) else None
        return moment and (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None


def _from_text(text: str) -> datetime | None:
    """ISO text, or RFC 2822; ValueError if it is neither."""
    text = _UTC.sub("+00:00", text)
    for spelled in (str, _as_python_writes_it):
        try:
            return datetime.fromisoformat(spelled(text))
        except ValueError:
            continue
    text = _OF_JAVASCRIPT.sub(r"\2 \1 \3\4", text)
    return parsedate_to_datetime(text) if _NAMES_A_MONTH.search(text) else None


_EPOCH = datetime(2001, 1, 2, tzinfo=timezone.utc)  # the last zero is Apple's; no store of memories is that old
_DAY = timedelta(days=1)  # clocks differ
_UTC = re.compile(r"\s*(?:[zZ]|UTC|GMT)$")
_MOST_SECONDS = 1e11  # the year 5138; larger numbers count a thousandth of a second, or less
_SECONDS = re.compile(r"-?(?:\d{9,10}(?:\.\d+)?|\d{12,13}|\d{16}|\d{19})|-1|0")  # other digits may be a year or a day
_OF_GO = re.compile(r"( [+-]\d{4})(?: [A-Z]{3,4}|\+00:00)(?: m=\S+)?$")  # it says the offset twice
_OF_JAVASCRIPT = re.compile(r"^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d) (\d{4} [\d:]{8} )GMT([+-]\d{4})(?: \(.*\))?$")
_NAMES_A_MONTH = re.compile(r"\b\d{1,2} [A-Z][a-z]{2} \d{4} \d")


def _as_python_writes_it(text: str) -> str:
    """Dashes, colons, six digits of a second, and no space before an offset: Python 3.10 reads nothing else."""
    text = _OF_GO.sub(r"\1", text)
    text = re.sub(r"^(\d{4})/?(\d\d)/?(\d\d)(?!\d)", r"\1-\2-\3", text)
    text = re.sub(r"(?<=T)(\d\d)(\d\d)(\d\d)(?!\d)", r"\1:\2:\3", text)
    text = re.sub(r"(?<=\d) (?=[+-]\d\d:?\d\d$)", "", text)
    text = re.sub(r"(?<=:\d\d)[.,](\d+)", lambda match: "." + match[1][:6].ljust(6, "0"), text)
    return re.sub(r"(?<=[\d:]\d)([+-]\d\d)(\d\d)?$", lambda match: f"{match[1]}:{match[2] or '00'}", text)


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("metadata")
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError):
            return {}
    return found if isinstance(found, dict) else {}


def _spelled(name: str, *places: dict[str, Any]) -> Any:
    """The first value of this name in either spelling, user_id or userId; mem0's TypeScript SDK writes the second."""
    for place in places:
        for spelling in (name, CAMEL[name]):
            value = place.get(spelling)
            if value is not None and value != "":
                return value
    return None


CAMEL = {  # how mem0's TypeScript SDK writes a field
    "created_at": "createdAt",
    "updated_at": "updatedAt",
    "user_id": "userId",
    "app_id": "appId",
    "agent_id": "agentId",
    "run_id": "runId",
    "expiration_date": "expirationDate",
}


def _name(value: object) -> str | None:
    return sys.intern(str(value)) if value not in (None, "") else None
