"""What is no longer true, as the repository and the calendar know: asked about, and never done unattended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from ..config.policies import Settings
from ..memory import Memory
from . import dates, repository
from .comparing import Forbids
from .plan import Plan, Prune, Update
from .retention import age


def add(
    plan: Plan,
    memories: Iterable[Memory],
    settings: Settings,
    folder: Path | None,
    dismissals: Forbids | None,
    today: date,
) -> None:
    """Add the questions to a plan; to one made for an unattended run only the number of them, as a note.

    `folder` is the one whose repository is asked, if any. A memory that the plan merges, prunes or asks about already
    is left to a later run: one memory, one fate.
    """
    used = {id for items in (plan.merges, plan.conflicts, plan.prunes) for item in items for id in _ids(item)}
    times = Counter(memory.id for memory in memories)
    free = {memory.id: memory for memory in memories if memory.id not in used and times[memory.id] == 1}
    checked = repository.check(free.values(), folder) if folder and settings.repository else repository.Checked()
    plan.notes += checked.notes
    updates = [Update("", one.id, one.text, one.why) for one in checked.findings if one.text is not None]
    gone = [_prune(free[one.id], one.why, today) for one in checked.findings if one.text is None]
    named = {one.id for one in checked.findings}
    updates += _dated(memory for memory in free.values() if settings.dates and memory.id not in named)

    def may_be_asked(kind: str, id: str) -> bool:
        return not free[id].protection(today) and not (dismissals and dismissals.forbids(kind, [free[id].text]))

    updates = [update for update in updates if may_be_asked("update", update.id)]
    gone = [prune for prune in gone if may_be_asked("prune", prune.id)]
    if plan.mode == "auto":
        plan.notes += _counted(len(gone), len(updates))
    else:
        _ask(plan, updates, gone, free)


def _ask(plan: Plan, updates: list[Update], gone: list[Prune], memories: dict[str, Memory]) -> None:
    for n, update in enumerate(updates, 1):
        update.handle = f"U{n}"
    for n, prune in enumerate(gone, len(plan.prunes) + 1):
        prune.handle = f"P{n}"
    plan.updates, plan.prunes = updates, [*plan.prunes, *gone]
    plan.order += [update.handle for update in updates] + [prune.handle for prune in gone]
    for id in [update.id for update in updates] + [prune.id for prune in gone]:
        plan.memories[id] = memories[id].record


def _ids(item: object) -> list[str]:
    found = [getattr(item, name) for name in ("id", "a", "b") if hasattr(item, name)]
    pairs = [id for pair in getattr(item, "also", ()) for id in pair]
    return [*found, *getattr(item, "ids", ()), *pairs]


def _prune(memory: Memory, why: str, today: date) -> Prune:
    return Prune("", memory.id, memory.type, "gone", age(memory, today), None, why)


def _dated(memories: Iterable[Memory]) -> Iterator[Update]:
    found = ((memory.id, new) for memory in memories if (new := dates.absolute(memory)))
    return (Update("", id, *new) for id, new in sorted(found))


def _counted(gone: int, updates: int) -> list[str]:
    """What an unattended run tells instead of asking."""
    counts = [
        f"{count:,} {'memory' if count == 1 else 'memories'} {one if count == 1 else many}"
        for count, one, many in (
            (gone, "names what is gone", "name what is gone"),
            (updates, "needs a new path or a day", "need a new path or a day"),
        )
        if count
    ]
    return [f"{' and '.join(counts)}: run /mem0:dream."] if counts else []
