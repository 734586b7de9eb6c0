"""Everything a person reads of a run. Formats are fixed; tests compare them whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .. import __version__
from ..planning.decisions import ConflictDecision, Decision, Decisions, MergeDecision, PruneDecision, UpdateDecision
from ..planning.plan import Plan, Prune
from ..safe_text import shown
from . import wording

NOTHING_FOUND = "Dream complete. No duplicate, contradictory, or stale memories found."
CANCELLED = "Cancelled. No changes made."
AUTO_BUSY = "[mem0-dream --auto] Another run in progress — skipping."
APPLY = "Apply? [Y/n]"


def first_line(store: str, user: str, project: str | None, count: int | str) -> str:
    """The first line on stderr of every command: what is being cleaned, and whose."""
    scope = f"user {shown(user or 'none')} · project {shown(project or 'none')}"
    return f"mem0-dream {__version__} · {shown(store)} · {scope} · {count} memories"


def no_memories(project: str | None) -> str:
    return f"No memories found for project {shown(project or 'none')}. Nothing to consolidate."


def short(decisions: Decisions) -> str:
    """The report, in its short form, with the question it ends on."""
    return f"{body(decisions)}\n\n{closing(decisions)}" if decisions.plan.proposes() else NOTHING_FOUND


class _Sections(NamedTuple):
    """What the report lists, by section; `waiting` has no answer yet, or needs a person's yes."""

    merges: list[MergeDecision]
    updates: list[UpdateDecision]
    conflicts: list[ConflictDecision]
    prunes: list[PruneDecision]
    waiting: list[MergeDecision | UpdateDecision | PruneDecision]


def _sections(decisions: Decisions) -> _Sections:
    asked: list[MergeDecision | UpdateDecision | PruneDecision] = [
        *decisions.merges,
        *decisions.updates,
        *decisions.prunes,
    ]
    return _Sections(
        [merge for merge in decisions.merges if merge.state == "accepted"],
        [update for update in decisions.updates if update.state == "accepted"],
        [conflict for conflict in decisions.conflicts if conflict.state in ("accepted", "open", "held")],
        [prune for prune in decisions.prunes if prune.state == "accepted"],
        [item for item in asked if item.state in ("open", "held")],
    )


def body(decisions: Decisions) -> str:
    """The short report without its last line."""
    plan, names, found = decisions.plan, wording.names_of(decisions.plan), _sections(decisions)
    waiting = [f"  {item.handle} {_waiting(plan, names, item)}" for item in found.waiting]
    parts = [
        "## dream — consolidation report",
        _section("Merges", (f"  {wording.merge(names, m)}  {m.handle}" for m in found.merges)),
        _section("Updates", (f"  {wording.update(names, u)}  {u.handle}" for u in found.updates)),
        _section("Conflicts", (f"  {wording.conflict(decisions, names, c)}  {c.handle}" for c in found.conflicts)),
        _section("Prune", (f"  {wording.prune(plan, names, p.prune)}  {p.handle}" for p in found.prunes)),
        _section("Needs your answer", waiting),
        as_they_are(decisions),
    ]
    return "\n\n".join(filter(None, parts))


def _section(title: str, rows: Iterable[str]) -> str:
    found = list(rows)
    return "\n".join([f"{title} ({len(found)}):", *found]) if found else ""


def closing(decisions: Decisions) -> str:
    """The report's last line: what is proposed, and the question."""
    return f"{_proposed(decisions)}. {APPLY}"


def as_they_are(decisions: Decisions) -> str:
    """How many questions were answered so that nothing changes; empty if none was."""
    said = Counter((type(item) is ConflictDecision, item.state) for item in decisions.items)
    skipped = said[True, "skipped"] + said[False, "skipped"]
    apart, both = said[False, "dismissed"], said[True, "dismissed"]
    counts = [(apart, "kept"), (both, "both stay"), (skipped, "skipped")]
    named = ", ".join(f"{count} {answer}" for count, answer in counts if count)
    return f"Left as they are: {named} (--verbose names them)." if named else ""


def long(decisions: Decisions) -> str:
    """The report in its long form: originals, dates, confidences, reasons, and what was held back."""
    if not decisions.plan.proposes():
        return NOTHING_FOUND
    plan, names, found = decisions.plan, wording.names_of(decisions.plan), _sections(decisions)
    alone = [item for item in decisions.items if item.state in ("dismissed", "skipped")]
    waiting = [f"{item.handle} {_waiting(plan, names, item)}" for item in found.waiting]
    held = [f"{names.get(held.handle, shown(held.handle))} — {shown(held.why)}" for held in decisions.held_back]
    parts = [
        "## Dream — Memory Consolidation Report",
        _long("Merge proposals", "pairs", [_long_merge(decisions, names, merge) for merge in found.merges]),
        _long("Updates", "memories", [_long_update(plan, names, update) for update in found.updates]),
        _long("Contradictions", "pairs", [_long_conflict(decisions, names, item) for item in found.conflicts]),
        _long("Prune candidates", "memories", [_long_prune(plan, names, item.prune) for item in found.prunes]),
        _long("Needs your answer", "", waiting),
        _long("Left as they are", "", [f"{item.handle} {_alone(plan, names, item)}" for item in alone]),
        _long("Held back", "", held),
    ]
    return "\n\n".join(filter(None, parts)) + f"\n\n---\n{_proposed(decisions)}\n{APPLY}"


def _long(title: str, unit: str, items: Sequence[str]) -> str:
    return "\n".join([f"### {title} ({len(items)}{f' {unit}' if unit else ''})", *items]) if items else ""


def drops(merge: MergeDecision) -> str:
    """The question about a merge that loses something, or that nobody should confirm unread."""
    return f"{merge.handle} — {wording.doubt(merge)}. Merge anyway? [y/N]"


def summary(merged: int, pruned: int, resolved: int, skipped: int, updated: int = 0) -> str:
    """What a run did; updates are named only if there are any."""
    counts = f"merged: {merged}, pruned: {pruned}, conflicts resolved: {resolved}, skipped: {skipped}"
    return f"Dream complete — {counts}" + (f", updated: {updated}" if updated else "")


def worth(before: int, after: int, characters: int = 0) -> str:
    """What a run came to: memories before and after, and how many characters less the store holds."""
    less = f", {counted(characters, 'character')} less in the store" if characters > 0 else ""
    return f"{before:,} → {after:,} memories{less}"


def undo_line(command: str) -> str:
    """A line to paste: nothing stands after the command."""
    return f"Undo: {command}"


def auto_line(project: str | None, merged: int, pruned: int, skipped: int) -> str:
    """The last line of an unattended run."""
    counts = f"merged={merged}  pruned={pruned}  conflicts_skipped={skipped}"
    return f"[mem0-dream --auto] project={shown(project or 'none')}  {counts}"


def _proposed(decisions: Decisions) -> str:
    found = _sections(decisions)
    counts = [counted(len(found.merges), "merge"), counted(len(found.prunes), "prune")]
    counts += [counted(len(found.conflicts), "conflict")]
    counts += [counted(len(found.updates), "update")] if found.updates else []
    return f"Proposed: {', '.join(counts)}"


def counted(number: int, noun: str) -> str:
    """ "1 merge", "2 merges"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _waiting(plan: Plan, names: dict[str, str], item: Decision) -> str:
    """One question that waits for an answer of its own, with what it is about."""
    if isinstance(item, MergeDecision):
        return f"{wording.merge(names, item)} — {wording.doubt(item)}"
    if isinstance(item, UpdateDecision):
        return f"{wording.update(names, item)} — {shown(item.update.why)}"
    return wording.prune(plan, names, item.prune) if isinstance(item, PruneDecision) else ""


def _alone(plan: Plan, names: dict[str, str], item: Decision) -> str:
    if isinstance(item, ConflictDecision):
        return f"{wording.joined(names, item.ids(), ' vs ')} — {wording.answer(item)}"
    said = "kept" if item.state == "dismissed" else "skipped"
    if isinstance(item, (PruneDecision, UpdateDecision)):
        return f"{names[item.prune.id if isinstance(item, PruneDecision) else item.update.id]} — {said}"
    return f"{wording.joined(names, item.ids if isinstance(item, MergeDecision) else item.miss.ids)} — {said}"


def _long_merge(decisions: Decisions, names: dict[str, str], merge: MergeDecision) -> str:
    rows = [
        f"MERGE {wording.joined(names, merge.ids)} → NEW",
        texts(decisions, merge, 120),
        f"  handle: {merge.handle}",
    ]
    if merge.loses or merge.words:
        rows.append(f"  loses: {wording.quoted([*merge.loses, *merge.words])}")
    return "\n".join([*rows, f"  why: {shown(merge.why)}"])


def texts(decisions: Decisions, merge: MergeDecision, limit: int | None = None) -> str:
    """The originals of a merge, each cut to `limit` characters, and the whole merged text, a line each."""
    originals = [decisions.plan.memory(id).text for id in merge.ids[: wording.NAMED]]
    rows = [f'  - Original {n}: "{shown(text, limit)}"' for n, text in enumerate(originals, 1)]
    if len(merge.ids) > wording.NAMED:
        rows.append(f"  - … and {len(merge.ids) - wording.NAMED:,} more")
    return "\n".join([*rows, f'  - Merged:     "{shown(merge.text)}"'])


def _long_update(plan: Plan, names: dict[str, str], decided: UpdateDecision) -> str:
    update = decided.update
    rows = [f"UPDATE {names[update.id]}", f'  - Text: "{shown(plan.memory(update.id).text, 120)}"']
    rows += [f'  - New:  "{shown(update.text)}"', f"  handle: {update.handle}", f"  why: {shown(update.why)}"]
    return "\n".join(rows)


def _long_conflict(decisions: Decisions, names: dict[str, str], item: ConflictDecision) -> str:
    rows = [f"CONFLICT {wording.joined(names, [*item.versions().values()], ' vs ')}"]
    sides = zip(item.versions(), wording.sides(decisions, item), strict=True)
    rows += [f"  - {side}: {text}" for side, text in sides]
    rows += [f"  - also: {wording.joined(names, pair, ' vs ')}" for pair in item.conflict.also]
    rows += [
        f"  {wording.which(item)}{f' {wording.answer(item)}' if wording.answer(item) else ''}",
        f"  handle: {item.handle}",
    ]
    return "\n".join([*rows, f"  why: {shown(item.conflict.why)}"])


def _long_prune(plan: Plan, names: dict[str, str], prune: Prune) -> str:
    memory = plan.memory(prune.id)
    ground = (
        f"policy: {prune.policy_days}d" if prune.reason == "retention" else f"confidence: {wording.confidence(memory)}"
    )
    why = {"retention": "older than its policy", "low_confidence": "low confidence and no specifics"}
    return "\n".join(
        [
            f"PRUNE {names[prune.id]} — {shown(prune.type)}, {wording.age(prune)} ({ground})",
            f'  - Text: "{shown(memory.text, 120)}"',
            f"  handle: {prune.handle}",
            f"  why: {shown(prune.why) or why.get(prune.reason, '')}",
        ]
    )
