"""Erasing what the records keep: a whole run, or one memory from every run of a scope."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import AttentionNeeded, UsageError
from . import documents, journal
from .dismissals import Dismissals
from .history import interrupted, open_operations
from .run_folder import Run, all_runs

_SHORTEST = 8  # characters of an id, as reports print them


def erase(scope_folder: Path, what: str) -> str:
    """Erase the run of this name, or the memory of this id; a sentence that says what was erased."""
    what = what.strip().strip("[]").removeprefix("mem0:")
    if any(run.name == what for run in all_runs(scope_folder)):
        erase_run(scope_folder, what)
        return f"The record of run {what} is deleted; it can no longer be undone."
    count = erase_memory(scope_folder, what)
    return f"Erased from the records of {count} run{'s' if count != 1 else ''}; the store itself is as it was."


def erase_run(scope_folder: Path, name: str) -> None:
    """Delete a run's folder; it can no longer be undone. AttentionNeeded if it was interrupted."""
    run = next((run for run in all_runs(scope_folder) if run.name == name), None)
    if run is None:
        raise UsageError(f"There is no run {name}; --history lists them.")
    if open_operations(run):
        raise AttentionNeeded(f"Run {name} was interrupted; run --resume before erasing it.")
    shutil.rmtree(run.folder)


def erase_memory(scope_folder: Path, id: str) -> int:
    """Take one memory (its id, or the beginning of it) out of all records; how many runs had it.

    Operations that touched it can no longer be undone. The store itself is not touched.
    """
    if interrupted(scope_folder):
        raise AttentionNeeded("A run was interrupted; run --resume before erasing anything.")
    if len(id) < _SHORTEST:
        raise UsageError(f'"{id}" is shorter than {_SHORTEST} characters; give more of the id.')
    runs = all_runs(scope_folder)
    names = {name for run in runs for name in _ids(run) if name.startswith(id)}
    names = {id} if id in names else names
    if len(names) != 1:
        problem = "names more than one memory" if names else "is in no record"
        raise UsageError(f"{id} {problem}; give the whole id.")
    wanted = _all_ids(runs, names.pop())
    texts: set[str] = set()
    touched = [run for run in runs if _erase(run, wanted, texts)]
    kept = Dismissals.load(scope_folder)
    if kept.entries:
        kept.forget(texts)
        kept.save()
    return len(touched)


def _erase(run: Run, ids: set[str], texts: set[str]) -> bool:
    """Rewrite this run's documents without these memories; whether they were in any. Adds their texts to `texts`."""
    if not ids & set(_ids(run)):
        return False
    if run.has("snapshot"):
        body = run.read("snapshot")
        texts.update(str(m.get("memory")) for m in body["memories"] if m.get("id") in ids)
        body["memories"] = [m for m in body["memories"] if m.get("id") not in ids]
        run.write("snapshot", body, lines="memories")
    lines = _lines(run)
    operations = {line["intent"]["id"] for line in lines if "intent" in line and _names(line, ids)}
    for line in lines:
        texts.update(r["memory"] for r in line.get("intent", {}).get("originals", ()) if r.get("id") in ids)
    left = [line for line in lines if not _names(line, ids) and _about(line) not in operations]
    if len(left) < len(lines):
        documents.write_text(run.journal, "".join(map(journal.encode, left)))
    # Numbers of --list, answers and drafts may quote it: what was asked is over, only what was done is kept.
    for name in ("plan", "verdicts", "reported", "queued"):
        (run.folder / f"{name}.json").unlink(missing_ok=True)
    return True


def _all_ids(runs: Iterable[Run], id: str) -> set[str]:
    """The id with every other one that the memory had after undos."""
    pairs = [
        pair for run in runs for line in _lines(run) for pair in line.get("outcome", {}).get("restored", {}).items()
    ]
    ids = {id}
    while more := {other for pair in pairs if ids & set(pair) for other in pair} - ids:
        ids |= more
    return ids


def _ids(run: Run) -> list[str]:
    found = [str(m.get("id")) for m in run.read("snapshot")["memories"]] if run.has("snapshot") else []
    for line in _lines(run):
        found += [str(record.get("id")) for record in _records(line)]
    return found


def _records(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        *line.get("intent", {}).get("originals", ()),
        *line.get("outcome", {}).get("left", ()),
        *line.get("note", {}).get("removing", ()),
    ]


def _names(line: dict[str, Any], ids: set[str]) -> bool:
    written = json.dumps(line)
    return any(id in written for id in ids)


def _about(line: dict[str, Any]) -> str | None:
    """The operation a line is about, or that it undoes."""
    intent, outcome = line.get("intent", {}), line.get("outcome", {})
    found: str | None = intent.get("undoes") or intent.get("id") or outcome.get("id")
    return found


def _lines(run: Run) -> list[dict[str, Any]]:
    if not run.journal.exists():
        return []
    lines = [journal.decode(raw) for raw in run.journal.read_bytes().split(b"\n")]
    return [line for line in lines if line]
