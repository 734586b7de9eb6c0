"""The journal of a run: every operation is on disk, with its originals whole, before the store is touched."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..errors import DreamError
from ..memory import Memory, Scope, StoreRef
from .run_folder import Run
from .snapshot import Mode, read_snapshot

VERSION = 1
Kind = Literal["merge", "update", "conflict", "prune", "undo"]
State = Literal["open", "done", "dropped", "damaged"]  # dropped: nothing of it stands; damaged: its line in the journal


@dataclass
class Operation:
    """One change of the store, and what became of it.

    What it makes carries its `id` as metadata.dream_op. `originals` are the records it starts from, `asked` the texts
    of the question it answers; `adds` are memories to add, `change` one to change in place, `removes` ids to delete
    once the rest stands. An undo names the operation it `undoes`; `seen` are ids that had a text of its adds before.
    `made` maps each memory that is brought back ("" for a new one) to the id that the store gave it.
    `why` says why it was dropped, or what was left.
    `left` are the records it made, as read back, `removed` the ids it deleted, `twins` those that had a text of these
    when it ended; an undo's `restored` maps the id of each memory that it brought back to its new one.
    """

    id: str
    handle: str
    kind: Kind
    originals: list[dict[str, Any]]
    adds: list[dict[str, Any]] = field(default_factory=list)
    change: dict[str, Any] | None = None
    removes: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    undoes: str | None = None
    seen: list[str] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)
    state: State = "open"
    why: str = ""
    left: list[dict[str, Any]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    twins: list[str] = field(default_factory=list)
    restored: dict[str, str] = field(default_factory=dict)

    @property
    def members(self) -> list[Memory]:
        return [Memory(record) for record in self.originals]


_OUTCOME = ("state", "why", "left", "removed", "twins", "restored")


@dataclass(frozen=True)
class Head:
    """The facts that a run began with. `before` counts the memories of its scope then."""

    at: str
    store: StoreRef
    scope: Scope
    mode: Mode
    before: int | None = None


class Journal:
    """Appends to one journal file; what was appended is on disk when the call returns."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, head: Head) -> None:
        """Start the journal; DreamError if there is one already."""
        facts = {**vars(head), "store": head.store.to_document()}
        self._append([{"begin": {"version": VERSION, **facts}}], os.O_CREAT | os.O_EXCL)
        _sync_folder(self.path.parent)

    def intents(self, operations: Iterable[Operation]) -> None:
        """What is about to be done."""
        self._append([{"intent": _without(asdict(operation), (*_OUTCOME, "made"))} for operation in operations])

    def outcomes(self, operations: Iterable[Operation]) -> None:
        """What became of each operation that is no longer open."""
        closed = [operation for operation in operations if operation.state != "open"]
        self._append([{"outcome": {"id": o.id, **{name: getattr(o, name) for name in _OUTCOME}}} for o in closed])

    def note(self, **facts: Any) -> None:
        """A record of what is about to be removed besides, or how the run ended."""
        self._append([{"note": facts}])

    def _append(self, lines: list[dict[str, Any]], flags: int = 0) -> None:
        if not lines:
            return
        data = "".join(map(encode, lines)).encode()
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0) | flags, 0o600)
            try:
                if _is_torn(descriptor):
                    data = b"\n" + data
                write(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except FileExistsError:
            raise DreamError(f"{self.path} exists already: this run was applied before.") from None
        except OSError as error:
            raise DreamError(
                f"The journal {self.path} cannot be written ({error.strerror}); nothing more was changed."
                " Make room or check permissions, then run --resume."
            ) from None
        if not self.path.exists():
            raise DreamError(f"The run folder {self.path.parent} was removed meanwhile; nothing more was changed.")


def write(descriptor: int, data: bytes) -> None:
    """All of the data, however many writes it takes."""
    while data:
        data = data[os.write(descriptor, data) :]


def encode(line: dict[str, Any]) -> str:
    """One line of a journal, with the checksum that `read` holds it against."""
    body = json.dumps(line, ensure_ascii=True)
    return f'{body[:-1]}, "sum": "{_checksum(body.encode())}"}}\n'


@dataclass
class Contents:
    """What a journal holds, as far as it can be read."""

    head: Head | None = None  # None if the run never began
    version: int = VERSION
    operations: dict[str, Operation] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)  # sentences
    late: set[str] = field(default_factory=set)  # operations that ended after the last note of an end


def load(path: Path) -> Contents:
    """A journal in whole. A torn line counts as never written; a damaged one costs the operation it is about.

    DreamError if the file cannot be read.
    """
    found = Contents()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return found
    except OSError as error:
        raise DreamError(f"The journal {path} cannot be read ({error.strerror}); check its permissions.") from None
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            _take(_decoded(raw), found)
        except (TypeError, KeyError, ValueError, AttributeError, RecursionError):
            if raw.endswith(b"}"):  # else a crash tore it, and what it was to record was never begun
                found.damage.append(f"Line {number} of {path} is damaged{_cost(raw, found)}.")
    if found.version != VERSION:
        problem = f"{path} is of version {found.version!r}; the release that wrote it can read it."
        return Contents(found.head, damage=[problem])
    if not found.head and (found.operations or found.damage):
        found.head = _from_snapshot(path.parent)
    return found


def read(path: Path) -> list[Operation]:
    """The operations of a journal in the order they began, with their outcomes."""
    return list(load(path).operations.values())


def standing(found: Iterable[Operation]) -> list[Operation]:
    """Those that were carried out and not undone."""
    every = list(found)
    undone = {op.undoes for op in every if op.state == "done"}
    return [op for op in every if op.kind != "undo" and op.state == "done" and op.id not in undone]


def unfinished(path: Path) -> list[Operation]:
    """What a stopped process leaves to a resume: open operations, and undos that ended without the note of it."""
    found = load(path)
    return [op for op in found.operations.values() if op.state == "open" or (op.kind == "undo" and op.id in found.late)]


def notes(path: Path) -> list[dict[str, Any]]:
    return load(path).notes


def _take(line: dict[str, Any], found: Contents) -> None:
    """Add what one line records; KeyError, TypeError or AttributeError if it is no line of a journal."""
    if "intent" in line:
        operation = Operation(**line["intent"])
        found.operations[operation.id] = operation
    elif "outcome" in line:
        outcome = {name: line["outcome"][name] for name in _OUTCOME}
        ended = found.operations.get(line["outcome"]["id"])
        if ended:  # else its intent is damaged
            vars(ended).update(outcome)
            found.late.add(ended.id)
    elif "note" in line:
        note = dict(line["note"])
        found.notes.append(note)
        for id in note.get("made", {}).keys() & found.operations.keys():
            found.operations[id].made.update(note["made"][id])
        if "ended" in note:
            found.late.clear()
    elif "begin" in line and not found.head:
        begun = line["begin"]
        found.version = begun.get("version", VERSION)
        store, scope = StoreRef.from_document(begun["store"]), Scope(*begun["scope"])
        found.head = Head(begun["at"], store, scope, begun["mode"], begun.get("before"))


def decode(raw: bytes) -> dict[str, Any] | None:
    """One line as it was written; None if it is torn or damaged."""
    try:
        return _decoded(raw)
    except (ValueError, RecursionError):
        return None


def _decoded(raw: bytes) -> dict[str, Any]:
    """One line as it was written; ValueError if it is not. 0.1.0 wrote no checksums."""
    if not raw:
        return {}
    if signed := _SUM.search(raw):
        raw = raw[: signed.start()] + b"}"
        if _checksum(raw) != signed[1].decode():
            raise ValueError("the checksum is another")
    line = json.loads(raw)
    if not isinstance(line, dict):
        raise ValueError("not an object")
    return line


def _cost(raw: bytes, found: Contents) -> str:
    """What a damaged line costs; its operation is neither open nor done from now on."""
    about = _ABOUT.match(raw)
    if about is None:
        return ""
    operation = found.operations.get(about[2].decode())
    if operation is None:
        return ", so one change of this run can be neither finished nor undone"
    operation.state, operation.why = "damaged", "its journal line is damaged"
    return f", so {operation.handle} can be neither finished nor undone"


def _from_snapshot(folder: Path) -> Head | None:
    try:
        found = read_snapshot(folder / "snapshot.json")
    except DreamError:
        return None
    return Head(Run(folder).started.isoformat(), found.store, found.scope, found.mode)


def _checksum(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:12]


_SUM = re.compile(rb', "sum": "([0-9a-f]{12})"}$')
_ABOUT = re.compile(rb'\{"(intent|outcome)": \{"id": "([^"]+)"')


def _is_torn(descriptor: int) -> bool:
    """Whether the last line was not finished; O_APPEND writes at the end wherever this read leaves the position."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if not size:
        return False
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) != b"\n"


def _sync_folder(folder: Path) -> None:
    """A new file's name is on disk only once its folder is; Windows has no such call."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _without(record: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}
