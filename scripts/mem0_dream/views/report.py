"""Everything a person reads of a run. Formats are fixed; tests compare them whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import __version__
from ..memory import Memory
from ..planning.plan import Plan, Prune
from ..safe_text import short_ids, shown

if TYPE_CHECKING:
    from ..planning.decisions import ConflictDecision, Decisions, MergeDecision

NOTHING_FOUND = "Dream complete. No duplicate, contradictory, or stale memories found."
CANCELLED = "Cancelled. No changes made."
AUTO_BUSY = "[mem0-dream --auto] Another run in progress — skipping."
APPLY = "Apply? [Y/n]"
_NAMED = 8  # memories of one merge that a line names
WHICH = "Which is current? [A/B/skip]"


def first_line(store: str, user: str, project: str | None, count: int | str) -> str:
    """The first line on stderr of every command: what is being cleaned, and whose."""
    scope = f"user {shown(user)} · project {shown(project or 'none')}"
    return f"mem0-dream {__version__} · {shown(store)} · {scope} · {count} memories"


def no_memories(project: str | None) -> str:
    return f"No memories found for project {shown(project or 'none')}. Nothing to consolidate."


def short(decisions: Decisions) -> str:
    """The report, in its short form, with the question it ends on."""
    return f"{body(decisions)}\n\n{closing(decisions)}" if anything(decisions) else NOTHING_FOUND


def anything(decisions: Decisions) -> bool:
    """Whether there is anything to apply or to ask about."""
    return bool(_merges(decisions) or _conflicts(decisions) or _prunes(decisions))


def body(decisions: Decisions) -> str:
    """The short report without its last line."""
    names = _names(decisions.plan)
    merges, prunes = _merges(decisions), _prunes(decisions)
    sections = ["## dream — consolidation report"]
    if merges:
        rows = [f'  {_joined(names, merge.ids)} → "{shown(merge.text, 100)}"' for merge in merges]
        sections.append("\n".join([f"Merges ({len(rows)}):", *rows]))
    conflicts = _conflicts(decisions)
    if conflicts:
        rows = [
            f'  {names[c.conflict.a]} vs {names[c.conflict.b]} — "{shown(c.conflict.topic)}" [A/B/skip]'
            for c in conflicts
        ]
        sections.append("\n".join([f"Conflicts ({len(rows)}):", *rows]))
    if prunes:
        rows = [f"  {names[prune.id]} — {shown(prune.type)}, {_age(prune)}" for prune in prunes]
        sections.append("\n".join([f"Prune ({len(rows)}):", *rows]))
    return "\n\n".join(sections)


def closing(decisions: Decisions) -> str:
    """The report's last line: what is proposed, and the question."""
    return f"{_proposed(decisions)}. {APPLY}"


def long(decisions: Decisions) -> str:
    """The report in its long form: originals, dates, confidences, reasons, and what was held back."""
    if not anything(decisions):
        return NOTHING_FOUND
    names = _names(decisions.plan)
    merges, prunes = _merges(decisions), _prunes(decisions)
    sections = ["## Dream — Memory Consolidation Report"]
    if merges:
        items = [_long_merge(decisions, names, merge) for merge in merges]
        sections.append("\n".join([f"### Merge proposals ({len(items)} pairs)", *items]))
    conflicts = _conflicts(decisions)
    if conflicts:
        items = [_long_conflict(decisions, names, conflict) for conflict in conflicts]
        sections.append("\n".join([f"### Contradictions ({len(items)} pairs)", *items]))
    if prunes:
        items = [_long_prune(decisions.plan, names, prune) for prune in prunes]
        sections.append("\n".join([f"### Prune candidates ({len(items)} memories)", *items]))
    if decisions.held_back:
        items = [f"{_held_name(names, held.handle)} — {shown(held.why)}" for held in decisions.held_back]
        sections.append("\n".join([f"### Held back ({len(items)})", *items]))
    return "\n\n".join(sections) + f"\n\n---\n{_proposed(decisions)}\n{APPLY}"


def drops(merge: MergeDecision) -> str:
    """The question about a merge that loses a detail, or that nobody should confirm unread."""
    if not merge.loses:
        return f"{merge.handle} — {shown(merge.why)}. Merge anyway? [y/N]"
    return f"{merge.handle} drops {quoted(merge.loses)}. Merge anyway? [y/N]"


def summary(merged: int, pruned: int, resolved: int, skipped: int) -> str:
    return f"Dream complete — merged: {merged}, pruned: {pruned}, conflicts resolved: {resolved}, skipped: {skipped}"


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
    merges, prunes, conflicts = _merges(decisions), _prunes(decisions), _conflicts(decisions)
    counts = counted(len(merges), "merge"), counted(len(prunes), "prune"), counted(len(conflicts), "conflict")
    return f"Proposed: {', '.join(counts)}"


def counted(number: int, noun: str) -> str:
    """ "1 merge", "2 merges"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _conflicts(decisions: Decisions) -> list[ConflictDecision]:
    """Those that both stand is no question any more."""
    return [conflict for conflict in decisions.conflicts if conflict.state != "dismissed"]


def _merges(decisions: Decisions) -> list[MergeDecision]:
    return [merge for merge in decisions.merges if merge.state == "accepted"]


def _prunes(decisions: Decisions) -> list[Prune]:
    return [decided.prune for decided in decisions.prunes if decided.state == "accepted"]


def _long_merge(decisions: Decisions, names: dict[str, str], merge: MergeDecision) -> str:
    lines = [f"MERGE {_joined(names, merge.ids)} → NEW", texts(decisions, merge, 120), f"  handle: {merge.handle}"]
    if merge.loses:
        lines.append(f"  loses: {quoted(merge.loses)}")
    return "\n".join([*lines, f"  why: {shown(merge.why)}"])


def texts(decisions: Decisions, merge: MergeDecision, limit: int | None = None) -> str:
    """The originals of a merge, each cut to `limit` characters, and the whole merged text, a line each."""
    named = enumerate(merge.ids[:_NAMED], 1)
    lines = [f'  - Original {n}: "{shown(decisions.plan.memory(id).text, limit)}"' for n, id in named]
    if len(merge.ids) > _NAMED:
        lines.append(f"  - … and {len(merge.ids) - _NAMED:,} more")
    return "\n".join([*lines, f'  - Merged:     "{shown(merge.text)}"'])


def _long_conflict(decisions: Decisions, names: dict[str, str], item: ConflictDecision) -> str:
    conflict = item.conflict
    lines = [f"CONFLICT {names[conflict.a]} vs {names[conflict.b]}"]
    lines += [f"  - {side}: {text}" for side, text in zip("AB", sides(decisions, item), strict=True)]
    return "\n".join([*lines, f"  {WHICH}", f"  handle: {conflict.handle}", f"  why: {shown(conflict.why)}"])


def _long_prune(plan: Plan, names: dict[str, str], prune: Prune) -> str:
    memory = plan.memory(prune.id)
    ground = f"policy: {prune.policy_days}d" if prune.reason == "retention" else f"confidence: {_confidence(memory)}"
    return "\n".join(
        [
            f"PRUNE {names[prune.id]} — {shown(prune.type)}, {_age(prune)} ({ground})",
            f'  - Text: "{shown(memory.text, 120)}"',
            f"  handle: {prune.handle}",
            f"  why: {'older than its policy' if prune.reason == 'retention' else 'low confidence and no specifics'}",
        ]
    )


def sides(decisions: Decisions, item: ConflictDecision) -> list[str]:
    """Text, date and confidence of A and B; a member of an accepted merge is shown with the merged text."""
    merged = {id: merge.text for merge in _merges(decisions) for id in merge.ids}
    both = []
    for id in (item.conflict.a, item.conflict.b):
        memory = decisions.plan.memory(id)
        both.append(f'"{shown(merged.get(id, memory.text))}" ({dated(memory)})')
    return both


def dated(memory: Memory) -> str:
    """When it was stored and how sure it is, as a question shows it."""
    date = memory.created.date().isoformat() if memory.created else "no date"
    return f"{date}, confidence: {_confidence(memory)}"


def _confidence(memory: Memory) -> str:
    return "none" if memory.confidence is None else f"{memory.confidence:g}"


def _age(prune: Prune) -> str:
    return "age unknown" if prune.age_days is None else f"{prune.age_days}d old"


def _names(plan: Plan) -> dict[str, str]:
    return {id: f"[mem0:{short}]" for id, short in short_ids([*plan.memories, *plan.ids()]).items()}


def _held_name(names: dict[str, str], handle: str) -> str:
    return names.get(handle, shown(handle))


def _joined(names: dict[str, str], ids: Sequence[str]) -> str:
    more = f" + … ({len(ids) - _NAMED:,} more)" if len(ids) > _NAMED else ""
    return " + ".join(names[id] for id in ids[:_NAMED]) + more


def quoted(details: Sequence[str]) -> str:
    return ", ".join(f'"{shown(detail)}"' for detail in details)
