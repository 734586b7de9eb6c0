"""The next step of an undo, from what stands in the store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..memory import Memory, read_date
from ..stores.protocol import Change
from .operations import expiry, to_change, to_draft, without_nulls
from .state import Step, Task, View, first_fault, named


def revert(task: Task, view: View) -> Step | None:
    """What to do next; None where the undo has ended or can get no further now."""
    op, fates = task.operation, task.fates(view)
    if op.change and set(op.change) == {"id", "expiration_date"} and op.change["id"] not in view.by_id:
        fates = {}  # the store may hide what has expired
    restored = _restored(task, view)
    missing = [add for add in op.adds if add["was"] not in restored]
    changing = op.change is not None and not _is_back(op.change, view)
    if not (task.resumed or task.tries or restored) and (fault := first_fault(fates)):
        task.drop(fault)
        return None
    if missing:
        return _add(task, view, missing)
    left = {id: fate for id, fate in fates.items() if fate}
    if op.change and changing and op.change["id"] not in left:
        again = task.tries["changes"] > 0
        return Step(changes=[to_change(op.change)], wait=again) if task.may("changes") else None
    standing = [id for id in op.removes if not fates[id]]
    if standing:
        again = task.tries["removes"] > 0
        return Step(removes=standing, wait=again) if task.may("removes") else None
    op.restored = restored
    edited = [id for id in fates if id in left and id in view.by_id and (id in op.removes or changing)]
    task.close(f"{named(edited[0])} {left[edited[0]]} meanwhile and was left alone" if edited else "")
    return None


def _restored(task: Task, view: View) -> dict[str, str]:
    """The new id of each memory that stands again already."""
    op = task.operation
    before = {*op.seen, *(member.id for member in task.members)}
    restored: dict[str, str] = {}
    for add in op.adds:
        free = [m for m in view.by_text.get(add["text"], ()) if m.id not in before and m.id not in view.claimed]
        if free:
            found = max(free, key=lambda memory: (_likeness(add, memory), memory.id))
            restored[add["was"]] = found.id
            view.claimed.add(found.id)
    return restored


def _likeness(add: dict[str, Any], memory: Memory) -> int:
    """How much of it is as it should be, to tell apart memories of one text."""
    created = read_date(add["created"])
    same_second = bool(created and memory.created and abs((created - memory.created).total_seconds()) < 1)
    return 2 * (without_nulls(memory.metadata) == add["metadata"]) + same_second


def _add(task: Task, view: View, missing: list[dict[str, Any]]) -> Step | None:
    op = task.operation
    halfway = {add["was"]: found for add in missing if (found := view.by_text.get(_temporary(op.id, add)))}
    if halfway:
        changes = [Change(halfway[add["was"]][0].id, text=add["text"]) for add in missing if add["was"] in halfway]
        return Step(changes=changes) if task.may("texts") else None
    if task.refused:
        if len(missing) == len(op.adds):
            task.drop(task.refused)
        else:
            task.leave_open(task.refused)
        return None
    if (task.resumed or task.tries["adds"]) and task.keeps_looking():
        return Step(wait=True)
    if not task.tries["adds"]:
        task.tries["adds"] += 1
        task.looks = 0
        return Step(adds=[to_draft(add) for add in missing])
    # A store that keeps one memory of a text, shown or hidden, takes another of it in under a text of its own, and is
    # then asked to rename it.
    if task.may("renamed", 1):
        task.looks = 0
        return Step(adds=[replace(to_draft(add), text=_temporary(op.id, add)) for add in missing])
    return None


def _temporary(operation: str, add: dict[str, Any]) -> str:
    return f"{add['text']} [{operation} {add['was']}]"


def _is_back(change: dict[str, Any], view: View) -> bool:
    """Whether a changed memory is what it was before; its date counts only on stores that could change it."""
    memory = view.get(change["id"])
    if memory is None:
        return False
    if "metadata" in change and without_nulls(memory.metadata) != change["metadata"]:
        return False
    return "expiration_date" not in change or expiry(memory) == change["expiration_date"]
