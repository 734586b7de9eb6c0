"""What an accepted answer does to the store, as operations: what is added, changed and removed."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence, Set
from datetime import date, datetime, timedelta, timezone
from typing import Any

from ..memory import Memory, Scope, read_date
from ..planning import named
from ..planning.named import BY_RULE
from ..runs.journal import Kind, Operation
from ..stores.protocol import UNCHANGED, Change, Draft

SOURCE = "mem0-dream"
MOST_METADATA = 2000  # characters as JSON; the Platform's limit
_EARLIEST = datetime.min.replace(tzinfo=timezone.utc)


def merge(
    handle: str, members: Sequence[Memory], text: str, branch: str | None, keeps_one_text: bool = False
) -> Operation:
    """Make one memory of the members. The newest one stays where it has the text already; else a new one is added.

    A store that `keeps_one_text` would drop the new one where an older member has that text: that member stays then.
    """
    op = _operation(handle, "merge", members)
    newest = max(members, key=lambda m: (m.created or _EARLIEST, m.text == text, m.id))
    run_ids = {_run_id(member.record) for member in members}
    merged = {
        "text": text,
        "metadata": merged_metadata(members, branch, op.id),
        "created": newest.created.isoformat() if newest.created else None,
        "expiration_date": _last_day(members),
        "scope": list(newest.scope),
        "run_id": run_ids.pop() if len(run_ids) == 1 else None,
    }
    older = next((member for member in members if member.text == text), None) if keeps_one_text else None
    if stays := newest if newest.text == text else older:
        op.change = _in_place(stays, merged)
    else:
        op.adds = [merged]
    op.removes = [member.id for member in members if member is not stays]
    return op


def remove(handle: str, kind: Kind, memory: Memory, *witnesses: Memory) -> Operation:
    """Delete one memory, as long as the witnesses stand as they do now."""
    op = _operation(handle, kind, [memory, *witnesses])
    op.removes = [memory.id]
    return op


def supersede(handle: str, loser: Memory, winner: str, *witnesses: Memory) -> Operation:
    """Keep the loser of a contradiction, marked as superseded by the memory with the id `winner`."""
    op = _operation(handle, "conflict", [loser, *witnesses])
    metadata = {**loser.metadata, "confidence": 0.1, "superseded_by": winner, "dream_op": op.id}
    op.change = {"id": loser.id, "metadata": metadata}
    return op


def expire(handle: str, memory: Memory, today: date) -> Operation:
    """Hide a memory from now on; its text stays in the store."""
    op = _operation(handle, "prune", [memory])
    op.change = {"id": memory.id, "expiration_date": (today - timedelta(days=1)).isoformat()}
    return op


def update(handle: str, memory: Memory, text: str) -> Operation:
    """Give a memory another text; its id, date and metadata stay, so it carries no mark of the operation."""
    op = _operation(handle, "update", [memory])
    op.change = {"id": memory.id, "text": text}
    return op


def only_hides(op: Operation) -> bool:
    """Whether it does no more than set an expiration date; some stores show such a memory, some do not."""
    return op.change is not None and not {"text", "metadata"} & set(op.change)


def in_its_place(op: Operation, member: Memory) -> dict[str, Any]:
    """The change that makes a member the merged memory, where the store keeps only one memory of a text."""
    return _in_place(member, op.adds[0])


def taken_back(op: Operation, memory: Memory) -> Change:
    """The change that makes a member again what it was."""
    was = next(member for member in op.members if member.id == memory.id)
    return to_change(_restoring(was, memory))


def restore(op: Operation, made: Memory | None, standing: Set[str]) -> Operation:
    """The undo of an operation: what it removed is added again, what it made goes, what it changed is changed back.

    `made` is the memory that the operation left, as it stands now. What it was to remove, and every member of a merge
    whose result is gone, is added again also if its removal is not on record and it is not among the ids `standing`.
    """
    undo = _operation(op.handle, "undo", [made] if made else [])
    undo.undoes, undo.asked = op.id, op.asked
    touched = {*op.removes} if op.left or op.kind != "merge" else {member.id for member in op.members}
    left = {record["id"] for record in op.left}
    gone = {*op.removed, *(id for id in touched if id not in standing and id not in left)}
    undo.adds = [as_it_was(member) for member in op.members if member.id in gone]
    if made:
        was = next((member for member in op.members if member.id == op.left[0]["id"]), None)
        if was:
            undo.change = _restoring(was, made)
        else:
            undo.removes = [made.id]
    return undo


def as_it_was(memory: Memory) -> dict[str, Any]:
    """A memory as something to add."""
    return {
        "text": memory.text,
        "metadata": without_nulls(memory.metadata),
        "created": memory.created.isoformat() if memory.created else None,
        "expiration_date": expiry(memory),
        "scope": list(memory.scope),
        "run_id": _run_id(memory.record),
        "was": memory.id,
    }


def to_draft(add: dict[str, Any]) -> Draft:
    scope = Scope(*add["scope"])
    created = read_date(add["created"])
    return Draft(
        add["text"], scope, add["metadata"], created, add["expiration_date"], add.get("run_id"), add.get("was")
    )


def to_change(change: dict[str, Any]) -> Change:
    return Change(
        change["id"],
        text=change.get("text", UNCHANGED),
        metadata=change.get("metadata", UNCHANGED),
        expiration_date=change.get("expiration_date", UNCHANGED),
        created=read_date(change.get("created")),
    )


def difference(was: Memory, now: Memory | None) -> str:
    """What makes it no longer the memory that it was, in words; empty if nothing does.

    A store protects a memory in ways that no listing shows (lifecycle_state); a read by its id does.
    """
    if now is None:
        return "is gone"
    if was.text != now.text:
        return "has another text"
    if without_nulls(was.metadata) != without_nulls(now.metadata):
        return "has other metadata"
    if expiry(was) != expiry(now):
        return "has another expiration date"
    if was.scope != now.scope:
        return "belongs to another user or project"
    today = datetime.now(timezone.utc).date()
    protection = now.protection(today)
    return f"is {protection} now" if protection not in ("", was.protection(today)) else ""


def without_nulls(metadata: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if value is not None}


def expiry(memory: Memory) -> str | None:
    """The day it expires, as YYYY-MM-DD."""
    found = read_date(memory.record.get("expiration_date"))
    return found.date().isoformat() if found else None


def merged_metadata(members: Sequence[Memory], branch: str | None, op: str) -> dict[str, Any]:
    """The metadata of a merged memory by rule, within what the Platform takes (or a member already has)."""
    each = [without_nulls(member.metadata) for member in members]
    confidences = [c for member in members if (c := member.confidence) is not None]
    metadata: dict[str, Any] = {
        "type": _common(m.get("type") for m in each),
        "branch": _common(m.get("branch") for m in each) or branch,
        "confidence": max(confidences, default=None),
        "source": SOURCE,
        "dream_op": op,
        "merged_from": [_origin(member) for member in sorted(members, key=lambda member: member.id)],
        "files": _joined(m.get("files") for m in each) or None,
    }
    for name in dict.fromkeys(name for m in each for name in m if name not in BY_RULE):
        metadata[name] = named.united([m.get(name) for m in each])
    return _trimmed(without_nulls(metadata), max([MOST_METADATA, *(_size(m) for m in each)]))


def _origin(member: Memory) -> Any:
    """The id of a member, with who wrote it where that is known and was not a merge."""
    source = member.metadata.get("source")
    return member.id if source in (None, SOURCE) else {"id": member.id, "source": source}


def _trimmed(metadata: dict[str, Any], most: int) -> dict[str, Any]:
    """Drop what is least missed until it fits: where it came from, then files, then other keys, the longest first."""
    for name in ("merged_from", "files"):
        while _size(metadata) > most and metadata.get(name):
            metadata[name] = metadata[name][: len(metadata[name]) * 3 // 4]
        if not metadata.get(name):
            metadata.pop(name, None)
    others = sorted(set(metadata) - BY_RULE, key=lambda name: (-_size(metadata[name]), name))
    for name in [*others, "branch", "type"]:
        if _size(metadata) > most:
            metadata.pop(name, None)
    return metadata


def _operation(handle: str, kind: Kind, members: Sequence[Memory]) -> Operation:
    records = [member.record for member in members]
    return Operation(secrets.token_hex(8), handle, kind, records, asked=[member.text for member in members])


def _in_place(member: Memory, merged: dict[str, Any]) -> dict[str, Any]:
    """The text is the member's already and is never sent; an expiry only where it must differ."""
    change: dict[str, Any] = {"id": member.id, "metadata": merged["metadata"]}
    if read_date(merged["created"]) != member.created:
        change["created"] = merged["created"]
    if merged["expiration_date"] != expiry(member):
        change["expiration_date"] = merged["expiration_date"]
    return change


def _restoring(was: Memory, now: Memory) -> dict[str, Any]:
    """The change that gives a memory back its text, metadata, expiry and date."""
    change: dict[str, Any] = {"id": now.id}
    if was.text != now.text:
        change["text"] = was.text
    if without_nulls(was.metadata) != without_nulls(now.metadata):
        change["metadata"] = without_nulls(was.metadata)
    if expiry(was) != expiry(now):
        change["expiration_date"] = expiry(was)
    if was.created and was.created != now.created:
        change["created"] = was.created.isoformat()
    return change


def _last_day(members: Sequence[Memory]) -> str | None:
    """No merged memory expires before one of its members would have: the latest day, and none where one has none."""
    days = [expiry(member) for member in members]
    return max((day for day in days if day), default=None) if all(days) else None


def _run_id(record: dict[str, Any]) -> Any:
    return record.get("run_id") or record.get("session_id")


def _common(values: Iterable[Any]) -> Any:
    """The one value of all that have any; None where they differ."""
    found = [value for value in values if value is not None]
    return found[0] if found and all(value == found[0] for value in found) else None


def _joined(lists: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in lists:
        for item in value if isinstance(value, list) else [] if value is None else [value]:
            if item not in found:
                found.append(item)
    return found


def _size(value: Any) -> int:
    return len(json.dumps(value))
