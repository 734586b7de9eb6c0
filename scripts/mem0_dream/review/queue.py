"""What an unattended run left to a person, and why the last unattended ones failed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ..memory import Memory
from ..planning.decisions import Decisions
from ..runs import documents
from ..runs.run_folder import Run, all_runs
from ..safe_text import shown

_DOCUMENT = "queued"
_UNASKED = "a contradiction is never decided unattended"
_UNANSWERED = "nobody has confirmed it"
_MOST_FAILURES = 5


def queue(run: Run, decisions: Decisions) -> list[str]:
    """Leave in the run folder what was held back or not answered; a line for each."""
    reasons = {held.handle: held.why for held in decisions.held_back}
    items = []
    for merge in decisions.merges:
        if merge.state in ("held", "open"):
            items.append(_item(decisions, merge.handle, "merge", merge.ids, reasons.get(merge.handle) or _why(merge)))
    for c in decisions.conflicts:
        if c.state != "dismissed":
            items.append(_item(decisions, c.handle, "conflict", c.ids(), _UNASKED))
    for u in decisions.updates:
        if u.state in ("held", "open"):
            items.append(_item(decisions, u.handle, "update", [u.update.id], u.update.why))
    for p in decisions.prunes:
        if p.state in ("held", "open"):
            why = reasons.get(p.handle) or p.prune.why or "low confidence is no reason to remove something unasked"
            items.append(_item(decisions, p.handle, "prune", [p.prune.id], why))
    if items:
        run.write(_DOCUMENT, {"items": items})
    return [f"{item['handle']} {_line(item)}" for item in items]


def left(scope_folder: Path, memories: Iterable[Memory]) -> list[str]:
    """What the newest unattended run left, as far as its memories still stand word for word; a line each."""
    runs = [run for run in all_runs(scope_folder) if run.has(_DOCUMENT) or run.has("reported")]
    if not runs or not runs[-1].has(_DOCUMENT):  # a person has seen a report since
        return []
    standing = {memory.id: memory.text for memory in memories}
    items = runs[-1].read(_DOCUMENT)["items"]
    return [_line(item) for item in items if all(standing.get(id) == text for id, text in item["texts"].items())]


def failed(scope_folder: Path, why: str) -> None:
    """Remember that an unattended run failed, and why."""
    if scope_folder.is_dir():
        entries = [
            *_failures(scope_folder),
            {"at": datetime.now(timezone.utc).isoformat(timespec="minutes"), "why": why},
        ]
        documents.write(scope_folder / "failed.json", "failed", {"entries": entries[-_MOST_FAILURES:]})


def succeeded(scope_folder: Path) -> None:
    """The last unattended run went well: what failed before it is decisions."""
    (scope_folder / "failed.json").unlink(missing_ok=True)


def failures(scope_folder: Path) -> list[str]:
    """When the unattended runs since the last good one failed and why, a sentence each."""
    return [f"The unattended run of {entry['at']} failed: {entry['why']}" for entry in _failures(scope_folder)]


def _failures(scope_folder: Path) -> list[dict[str, str]]:
    path = scope_folder / "failed.json"
    return documents.read(path, "failed")["entries"] if path.exists() else []


def _item(decisions: Decisions, handle: str, kind: str, ids: list[str], why: str) -> dict[str, Any]:
    return {"handle": handle, "kind": kind, "texts": {id: decisions.plan.memory(id).text for id in ids}, "why": why}


def _why(merge: Any) -> str:
    if merge.state == "open":
        return _UNANSWERED
    parts = [
        f"drops {', '.join(merge.loses)}" if merge.loses else "",
        f"adds {', '.join(merge.brings)}" if merge.brings else "",
    ]
    return f"its text {' and '.join(part for part in parts if part)}" if merge.loses or merge.brings else _UNANSWERED


def _line(item: dict[str, Any]) -> str:
    texts = " / ".join(f'"{shown(text, 60)}"' for text in item["texts"].values())
    return f"{item['kind']} {texts} — {shown(item['why'])}"
