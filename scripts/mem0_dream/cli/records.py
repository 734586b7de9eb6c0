"""What lies on disk about a scope's earlier runs: listed, looked up, forgotten. No store is touched."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from ..errors import DreamError, UsageError
from ..runs import history, journal
from ..runs.dismissals import Dismissals
from ..runs.run_folder import Run, all_runs
from ..safe_text import shown

_NAMED = 3  # decisions in one sentence


def history_text(folder: Path, as_json: bool) -> str:
    """The runs of a scope, newest first."""
    entries = history.history(folder)
    if as_json:
        return json.dumps([asdict(entry) for entry in entries], indent=1)
    return "\n".join(entry.line() for entry in entries) or "No run of this project is on record."


def dismissed_text(folder: Path) -> str:
    """What was decided to be left alone, numbered for --forget."""
    entries = Dismissals.load(folder).entries
    rows = (
        f"{number}  {entry['at'][:10]}  {entry['said']} ({entry['kind']}): "
        + " / ".join(f'"{shown(text)}"' for text in entry["about"])
        for number, entry in enumerate(entries, 1)
    )
    return "\n".join(rows) or "Nothing was decided to be left alone."


def forget(folder: Path, which: str) -> str:
    """Forget one decision, by its number in `dismissed_text`, or all."""
    dismissals = Dismissals.load(folder)
    number = which.removeprefix("#")
    if which == "all":
        count = dismissals.clear()
    elif number.isdigit() and 1 <= int(number) <= len(dismissals.entries):
        dismissals.remove(int(number) - 1)
        count = 1
    else:
        raise UsageError(f"There is no entry {which}; --kept numbers them.")
    dismissals.save()
    return f"Forgotten: {count}; the next run asks again."


def applied_run(folder: Path, name: str) -> Run:
    """The run that a person names by its name or the beginning of it, or by ""; then it is the newest to undo."""
    runs = [run for run in all_runs(folder) if run.journal.exists()]
    named = [run for run in runs if run.name.startswith(name)]
    if not named:
        raise DreamError(f"No applied run{f' is named {name}' if name else ' is on record'}; --history lists the runs.")
    if name and len(named) > 1:
        raise DreamError(f"{name} names {len(named)} runs; --history lists them.")
    return (undoable(folder) if not name else None) or named[-1]


def undoable(folder: Path, before: str = "") -> Run | None:
    """The newest run (older than `before`, if named) of which something stands or is open."""
    for run in reversed(all_runs(folder)):
        if not before or run.name < before:
            found = journal.read(run.journal)
            if journal.standing(found) or any(op.state == "open" for op in found):
                return run
    return None


def skipped(dismissals: Dismissals) -> str:
    """What a pass does not propose, as a person decided or undid it before; empty if there is no such thing."""
    count = len(dismissals.entries)
    undone = [entry for entry in dismissals.entries if entry["said"] == "undone"]
    if not count:
        return ""
    named = "; ".join(" / ".join(f'"{shown(text, 60)}"' for text in entry["about"]) for entry in undone[-_NAMED:])
    why = f" ({len(undone)} undone: {named}{'; …' if len(undone) > _NAMED else ''})" if undone else ""
    return (
        f"Skipped, because you decided or undid them before: {count}{why}."
        " dream.py --kept lists them, and --forget N has one asked again."
    )
