"""What an unattended run may not do by itself: it is held back, queued in the run folder, and asked about next time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ..config.policies import DEFAULTS, Policies
from ..matching.classifier import judge
from ..matching.text import read
from ..memory import Memory, read_date
from ..planning.decisions import Decisions, MergeDecision, PruneDecision
from ..planning.plan import HeldBack
from ..runs import documents, journal
from ..runs.journal import Operation
from ..runs.run_folder import all_runs

WINDOW = timedelta(days=7)
PERCENT = 25  # of the memories there were a week ago
ALWAYS = 10  # memories that may go whatever the percentage, in a scope of 40 and more


def unattended(
    decisions: Decisions,
    policies: Policies,
    scope_folder: Path,
    percent: int | None = None,
    now: datetime | None = None,
) -> Decisions:
    """The same, with everything held back that needs a person; `percent` is --max-removed."""
    held: dict[str, str] = {}
    removals: list[MergeDecision | PruneDecision] = [*decisions.merges, *decisions.prunes]
    shorter = shortened(scope_folder, policies.retention)
    for item in removals:
        if item.state == "accepted" and (why := _reason(item, decisions, policies, shorter)):
            held[item.handle] = why
    counted = {item.handle: taken(item, decisions) for item in removals if item.state == "accepted"}
    counted = {handle: count for handle, count in counted.items() if count and handle not in held}
    gone = removed_lately(scope_folder, now)
    most = allowed(decisions.plan.total + gone, percent, policies.settings.max_removed)
    if sum(counted.values()) + gone > most:
        would = f"this would remove {sum(counted.values())} memories ({gone} were removed within seven days)"
        why = f"{would}; the limit is {most}, and --max-removed raises it"
        held.update(dict.fromkeys(counted, why))
    return replace(
        decisions,
        merges=[replace(merge, state="held") if merge.handle in held else merge for merge in decisions.merges],
        prunes=[replace(prune, state="held") if prune.handle in held else prune for prune in decisions.prunes],
        held_back=[*decisions.held_back, *(HeldBack(handle, why) for handle, why in held.items())],
    )


def allowed(memories: int, percent: int | None, configured: int) -> int:
    """How many memories may go within seven days; what mem0.md says can only lower it."""
    most = PERCENT if percent is None else percent
    most = min(most, configured) if configured < PERCENT else most
    floor = min(ALWAYS, memories * PERCENT // 100)  # in a small scope ten would be most of it
    return max(floor, memories * most // 100) if most else 0


def taken(item: MergeDecision | PruneDecision, decisions: Decisions) -> int:
    """How many memories it takes away; a merge of what says the same takes none."""
    if isinstance(item, PruneDecision):
        return 1
    texts = [decisions.plan.memory(id).text for id in item.ids]
    return _lost(texts, item.text, item.text in texts)


def removed_lately(scope_folder: Path, now: datetime | None = None) -> int:
    """How many memories all runs of the scope took away within seven days and did not bring back."""
    since = (now or datetime.now(timezone.utc)) - WINDOW
    records = (journal.load(run.journal) for run in all_runs(scope_folder))
    return sum(
        _removed(op)
        for record in records
        if record.head and (at := read_date(record.head.at)) and at >= since
        for op in journal.standing(record.operations.values())
    )


def shortened(scope_folder: Path, retention: dict[str, int | None]) -> set[str]:
    """The types whose retention is shorter than in a report that a person saw, and than earlier runs used.

    If there is no earlier run, the published defaults count as seen.
    """
    before = _seen(scope_folder)
    return {
        type
        for type, days in retention.items()
        if days is not None and ((known := before.get(type)) is None or days < known)
    }


def seen(scope_folder: Path, retention: dict[str, int | None]) -> None:
    """A person saw a report with this retention: from now on unattended runs may use it."""
    documents.write(scope_folder / "retention.json", "retention", {"retention": retention})


def used(scope_folder: Path, retention: dict[str, int | None]) -> None:
    """An unattended run went by this retention; if it is shorter than before, what was before still counts."""
    before, shorter = _seen(scope_folder), shortened(scope_folder, retention)
    seen(scope_folder, {type: before.get(type) if type in shorter else days for type, days in retention.items()})


def _reason(item: MergeDecision | PruneDecision, decisions: Decisions, policies: Policies, shorter: set[str]) -> str:
    if not decisions.plan.complete:
        return "the list of memories may be cut off"
    if isinstance(item, MergeDecision):
        drafted = item.tier != "safe" and policies.settings.auto == "safe"
        return "mem0.md lets only safe merges be applied unattended" if drafted else ""
    if not policies.settings.prune_in_auto:
        return "mem0.md lets nothing be pruned unattended"
    if item.prune.reason == "retention" and item.prune.type in shorter:
        return f"the retention of {item.prune.type} became shorter and no person has seen a report with it"
    return ""


def _removed(op: Operation) -> int:
    if op.change and "expiration_date" in op.change and "metadata" not in op.change:
        return 1
    texts = {member.id: member.text for member in op.members}
    made = Memory(op.left[0]) if op.left else None
    gone = [texts[id] for id in op.removed]
    return _lost(gone, made.text, made.id in texts) if made else len(gone)


def _lost(gone: Sequence[str], text: str, stays: bool) -> int:
    """How many of these texts say something that `text` does not surely say; a new memory makes up for one."""
    return max(0, sum(one != text and not judge(read(one), read(text)).safe for one in gone) - (not stays))


def _seen(scope_folder: Path) -> dict[str, int | None]:
    path = scope_folder / "retention.json"
    return documents.read(path, "retention")["retention"] if path.exists() else DEFAULTS
