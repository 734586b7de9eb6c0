"""The layouts of an export: JSON in several wrappings, JSON lines, and the Markdown of mem0's /mem0:export."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from ..errors import DreamError

_WRAPPERS = ("results", "memories", "records", "data")
_COUNTS = ("count", "record_count")
_EXPECTED = (
    'expected a list, {"results": []}, {"memories": []}, {"records": []}, JSON lines, the mem0 command\'s output or the'
    " Markdown of /mem0:export"
)


class Layout(Protocol):
    """How the rows of an export stand in its file: in one list, or in several pages (`parts`)."""

    parts: list[list[Any]]  # the rows as they were read
    owner: dict[str, Any]  # what the file says once of all its rows
    further: bool  # whether the last page names a next one

    def row(self, value: Any) -> str:
        """The text of one row."""
        ...

    def whole(self, parts: Sequence[Sequence[str]]) -> str:
        """The text of the file around the texts of its rows."""
        ...


def read_layout(path: Path, text: str) -> Layout:
    """The layout of a text, with its rows. Raises DreamError if it holds no memories or cannot be parsed."""
    if _BLOCK.search(text):
        return _Markdown(text)
    try:
        document = json.loads(text) if text.strip() else []
    except RecursionError:
        raise DreamError(f"{path} is nested too deeply for an export; name another file with --config.") from None
    except json.JSONDecodeError as error:
        if error.pos == 0:
            raise DreamError(f"{path} is neither JSON nor the Markdown of /mem0:export: {_EXPECTED}.") from None
        return _JsonLines(_lines(path, text, error))
    if isinstance(document, dict) and "id" in document and "user" not in document:
        return _JsonLines([document])  # a single line
    found = _Json(document, text)
    if not found.parts:
        raise DreamError(f"{path} holds no memories: {_EXPECTED}.")
    return found


class _Json:
    """What stands around the lists of memories stays as it is; a count of them that was right is right again."""

    def __init__(self, document: Any, text: str) -> None:
        indent = re.match(r"\s*[\[{]\r?\n( +)\S", text)
        self._indent = len(indent.group(1)) if indent else None
        self._document = document
        self._wrappers: list[dict[str, Any]] = []
        lists = self._find(document)
        self.parts = [list(found) for found in lists]
        total = sum(map(len, lists))
        self._counted = [(wrapper, key) for wrapper in self._wrappers for key in _COUNTS if wrapper.get(key) == total]
        for number, found in enumerate(lists):
            found[:] = [f"\0{number}"]
        user = document.get("user") if isinstance(document, dict) else None  # OpenMemory: its apps are no projects
        name = user.get("user_id") if isinstance(user, dict) else None
        self.owner: dict[str, Any] = {"user_id": name, "app_id": None} if name else {}
        self.further = bool(self._wrappers and self._wrappers[-1].get("next"))

    def _find(self, document: Any) -> list[list[Any]]:
        if isinstance(document, list):
            known = len(self._wrappers)
            pages = [self._find(page) if isinstance(page, dict) and "id" not in page else [] for page in document]
            if pages and all(pages):
                return [part for page in pages for part in page]
            del self._wrappers[known:]
            return [document]
        inner = [document[key] for key in _WRAPPERS if key in document] if isinstance(document, dict) else []
        found = [part for each in inner for part in self._find(each)]  # the mem0 command wraps its list twice
        self._wrappers += [document] if found else []
        return found

    def row(self, value: Any) -> str:
        return _dump(value, self._indent)

    def whole(self, parts: Sequence[Sequence[str]]) -> str:
        for wrapper, key in self._counted:
            wrapper[key] = sum(map(len, parts))
        skeleton = _dump(self._document, self._indent)
        return _HOLE.sub(lambda hole: _filled(hole, parts[int(hole[2])]), skeleton) + "\n"


_HOLE = re.compile(r'\[(\s*)"\\u0000(\d+)"(\s*)\]')


def _filled(hole: re.Match[str], rows: Sequence[str]) -> str:
    before, after = hole[1], hole[3]
    if not rows:
        return "[]"
    if not before:
        return "[" + ", ".join(rows) + "]"
    return "[" + before + f",{before}".join(row.replace("\n", before) for row in rows) + after + "]"


class _JsonLines:
    """One memory a line."""

    def __init__(self, rows: list[Any]) -> None:
        self.parts = [rows]
        self.owner: dict[str, Any] = {}
        self.further = False

    def row(self, value: Any) -> str:
        return _dump(value)

    def whole(self, parts: Sequence[Sequence[str]]) -> str:
        return "".join(f"{row}\n" for part in parts for row in part)


def _lines(path: Path, text: str, whole: json.JSONDecodeError) -> list[Any]:
    rows: list[Any] = []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            rows += [json.loads(line)] if line.strip() else []
        except json.JSONDecodeError as error:
            at, column, why = (number, error.colno, error.msg) if rows else (whole.lineno, whole.colno, whole.msg)
            raise DreamError(f"{path}, line {at}, column {column}: not JSON ({why}); correct that line.") from None
    return rows


def _dump(value: Any, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode()
    except UnicodeEncodeError:  # half an emoji: only its escape can be written
        return json.dumps(value, indent=indent)
    return text


# Markdown: a block a memory, its fields between two lines of dashes. mem0 writes no user and no project.

_BLOCK = re.compile(r"^---[ \t]*\r?\n(?=id:)", re.MULTILINE)
_END = re.compile(r"^---[ \t]*(\r?\n|\Z)", re.MULTILINE)
_BESIDE = ("id", "created_at", "updated_at", "user_id", "app_id", "agent_id", "run_id", "expiration_date", "categories")


class _Markdown:
    """A block that nobody changed stays as it is, and so does what stands before the first."""

    def __init__(self, text: str) -> None:
        starts = [match.start() for match in _BLOCK.finditer(text)]
        blocks = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
        rows = [_from_block(block) for block in blocks]
        self.parts: list[list[Any]] = [rows]
        self.owner: dict[str, Any] = {}
        self.further = False
        self._before = text[: starts[0]]
        self._blocks = {id(row): (row, block) for row, block in zip(rows, blocks, strict=True)}

    def row(self, value: Any) -> str:
        _, block = self._blocks.get(id(value), (None, ""))
        return block if block.endswith("\n") else f"{block}\n" if block else _to_block(value)

    def whole(self, parts: Sequence[Sequence[str]]) -> str:
        return self._before + "".join(row for part in parts for row in part)


def _from_block(block: str) -> dict[str, Any]:
    start = block.index("\n") + 1
    end = _END.search(block, start)
    head, body = (block[start : end.start()], block[end.end() :]) if end else (block[start:], "")
    row: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    for line in head.splitlines():
        name, _, written = (part.strip() for part in line.partition(":"))
        if written:
            (row if name in _BESIDE else metadata)[name] = _value(name, written)
    return {**row, "memory": body.strip("\r\n"), "metadata": metadata}


def _to_block(row: dict[str, Any]) -> str:
    fields = {**{name: row.get(name) for name in _BESIDE}, **(row.get("metadata") or {})}
    lines = [f"{name}: {_written(name, value)}" for name, value in fields.items() if value is not None]
    return "---\n" + "\n".join(lines) + f"\n---\n{row['memory']}\n\n"


def _value(name: str, written: str) -> Any:
    """A field as mem0 means it: lists by commas, numbers, and what else was written as JSON."""
    if name in ("files", "categories") and not written.startswith("["):
        return [item.strip() for item in written.split(",") if item.strip()]
    try:
        return written if name in _BESIDE and not written.startswith("[") else json.loads(written)
    except ValueError:
        return written


def _written(name: str, value: Any) -> str:
    text = ", ".join(value) if name in ("files", "categories") and all(isinstance(v, str) for v in value) else value
    plain = isinstance(text, str) and text and text == text.strip() and text.isprintable()
    return text if plain and _value(name, text) == value else json.dumps(value, ensure_ascii=False)
