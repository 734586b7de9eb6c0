"""What an unattended run left to a person, and why the last unattended ones failed."""

from __future__ import annotations

from collections import defaultdict
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
_NAMED = 3  # items of one reason, and texts of one item


def queue(run: Run, decisions: Decisions, verbose: bool = False) -> list[str]:
    """Leave in the run folder what was held back or not answered; a line for each reason.

    It names up to three of those that the unattended run before has not told of; with `verbose` all.
    """
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
    earlier = [other for other in all_runs(run.scope_folder) if other.has(_DOCUMENT) and other.name != run.name]
    told = {_key(item) for item in (earlier[-1].read(_DOCUMENT)["items"] if earlier else ())}
    if items:
        run.write(_DOCUMENT, {"items": items})
    reasons_of: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for item in items:
        reasons_of[item["kind"], item["why"].partition(": ")[0]].append(item)
    return [_told(kind, why, found, told, verbose) for (kind, why), found in reasons_of.items()]


def _told(kind: str, why: str, items: list[dict[str, Any]], told: set[str], verbose: bool) -> str:
    new = items if verbose else [item for item in items if _key(item) not in told]
    names = [" / ".join(f'"{shown(text, 60)}"' for text in [*item["texts"].values()][:_NAMED]) for item in new]
    named = names if verbose else names[:_NAMED]
    more = f"; … {len(names) - len(named)} more" if len(named) < len(names) else ""
    before = "" if verbose or len(new) == len(items) else f", {len(items) - len(new)} of them told before"
    count = f"{len(items)} {kind}{'' if len(items) == 1 else 's'} left to you{before}"
    return f"{count} — {shown(why)}{': ' if named else ''}{'; '.join(named)}{more}"


def _key(item: dict[str, Any]) -> str:
    return repr((item["kind"], sorted(item["texts"].values())))


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
    """The last unattended run went well: what failed before it is over."""
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
    parts = ((f"drops {', '.join(merge.loses)}", merge.loses), (f"adds {', '.join(merge.brings)}", merge.brings))
    said = " and ".join(words for words, details in parts if details)
    return f"its text drops or adds something: {said}" if said else _UNANSWERED


def _line(item: dict[str, Any]) -> str:
    texts = " / ".join(f'"{shown(text, 60)}"' for text in [*item["texts"].values()][:_NAMED])
    return f"{item['kind']} {texts} — {shown(item['why'])}"
