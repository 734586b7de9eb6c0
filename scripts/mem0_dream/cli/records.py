"""What lies on disk about a scope's earlier runs: listed, looked up, forgotten. No store is touched."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from ..errors import DreamError, UsageError
from ..runs import history
from ..runs.dismissals import Kept
from ..runs.run_folder import Run, all_runs
from ..safe_text import shown


def history_text(folder: Path, as_json: bool) -> str:
    """The runs of a scope, newest first."""
    entries = history.history(folder)
    if as_json:
        return json.dumps([asdict(entry) for entry in entries], indent=1)
    return "\n".join(entry.line() for entry in entries) or "No run of this project is on record."


def dismissed_text(folder: Path) -> str:
    """What was decided to be left alone, numbered for --forget."""
    entries = Kept.load(folder).entries
    rows = (
        f"{number}  {entry['at'][:10]}  {entry['said']} ({entry['kind']}): "
        + " / ".join(f'"{shown(text)}"' for text in entry["about"])
        for number, entry in enumerate(entries, 1)
    )
    return "\n".join(rows) or "Nothing was decided to be left alone."


def forget(folder: Path, which: str) -> str:
    """Forget one decision, by its number in `dismissed_text`, or all."""
    dismissals = Kept.load(folder)
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
    """The run that a person names by its name or the beginning of it, or by ""; then it is the newest applied one."""
    runs = [run for run in all_runs(folder) if run.journal.exists()]
    named = [run for run in runs if run.name.startswith(name)]
    if not named:
        raise DreamError(f"No applied run{f' is named {name}' if name else ' is on record'}; --history lists the runs.")
    if name and len(named) > 1:
        raise DreamError(f"{name} names {len(named)} runs; --history lists them.")
    return named[-1]
