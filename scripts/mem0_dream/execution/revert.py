"""The next step of an undo, from what stands in the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from ..memory import Memory, read_date
from ..stores.protocol import Change
from .operations import expiry, to_change, to_draft, without_nulls
from .state import Step, Task, View, first_fault, named

Adds = list[dict[str, Any]]


def revert(task: Task, view: View) -> Step | None:
    """What to do next; None if the undo has ended or can get no further now.

    What the operation made goes only once every memory that it removed stands again.
    """
    op, fates = task.operation, task.fates(view)
    if op.change and set(op.change) == {"id", "expiration_date"} and op.change["id"] not in view.by_id:
        fates = {}  # the store may hide what has expired
    _recognise(task, view)
    changing = op.change is not None and not _is_back(op.change, view)
    if not (task.resumed or task.tries) and (fault := first_fault(fates)):
        task.drop(fault)
        return None
    if halfway := [add for add in op.adds if _text_of(task, view, add) not in (None, add["text"])]:
        changes = [Change(op.made[add["was"]], text=add["text"]) for add in halfway]
        return Step(changes=changes) if task.may("texts") else None
    if missing := [add for add in op.adds if add["was"] not in op.made]:
        return _add(task, view, missing)
    changed = {id: fate for id, fate in fates.items() if fate}
    if op.change and changing and op.change["id"] not in changed:
        again = task.tries["changes"] > 0
        return Step(changes=[to_change(op.change)], wait=again) if task.may("changes") else None
    standing = [id for id in op.removes if not fates[id]]
    if standing:
        again = task.tries["removes"] > 0
        return Step(removes=standing, wait=again) if task.may("removes") else None
    op.restored = dict(op.made)
    edited = [id for id in fates if id in changed and id in view.by_id and (id in op.removes or changing)]
    task.close(f"{named(edited[0])} {changed[edited[0]]} meanwhile and was left alone" if edited else "")
    return None


def _recognise(task: Task, view: View) -> None:
    """Keep in `made` what stands, and find in the list what was added without an id being named."""
    op = task.operation
    for add in op.adds:
        text, was = _text_of(task, view, add), add["was"]
        # A text of its own that this process did not cause is an edit: another memory by now, and not to be changed.
        if text is None or (text not in (add["text"], _placeholder(op.id, add)) and was not in task.added):
            op.made.pop(was, None)
    if not task.searches:
        return
    before = {member.id for member in task.members}
    by_text: dict[str, Adds] = defaultdict(list)
    for add in op.adds:
        if add["was"] not in op.made:
            by_text[add["text"]].append(add)
            by_text[_placeholder(op.id, add)].append(add)
    for text, adds in by_text.items():
        twins = view.by_text.get(text, {})
        free = [memory for id, memory in twins.items() if id not in before and id not in view.claimed]
        for was, id in _matched([add for add in adds if add["was"] not in op.made], free).items():
            op.made[was] = id
            view.claimed.add(id)


def _matched(adds: Adds, free: list[Memory]) -> dict[str, str]:
    """Which memory is which: of one text the one with the metadata and the date, then that with the metadata."""
    found: dict[str, str] = {}
    for content in (_content, _metadata, _nothing):
        places: dict[Hashable, list[str]] = defaultdict(list)
        for memory in sorted(free, key=lambda memory: memory.id, reverse=True):
            places[content(without_nulls(memory.metadata), memory.created)].append(memory.id)
        for add in adds:
            if add["was"] not in found and (ids := places[content(add["metadata"], read_date(add["created"]))]):
                found[add["was"]] = ids.pop()
        taken = set(found.values())
        free = [memory for memory in free if memory.id not in taken]
    return found


def _content(metadata: dict[str, Any], created: Any) -> Hashable:
    return repr(sorted(metadata.items())), int(created.timestamp()) if created else None


def _metadata(metadata: dict[str, Any], created: Any) -> Hashable:
    return repr(sorted(metadata.items()))


def _nothing(metadata: dict[str, Any], created: Any) -> Hashable:
    return None


def _add(task: Task, view: View, missing: Adds) -> Step | None:
    op = task.operation
    if task.refused:
        if len(missing) == len(op.adds):
            task.drop(task.refused)
        else:
            task.leave_open(task.refused)
        return None
    if not task.repeats.issuperset(add["was"] for add in missing):
        if task.may_still_show(view):
            return Step(wait=True)
        if task.searches and not view.complete:
            task.leave_open("the store's list is cut off and cannot show whether it took the memory back")
            return None
    if not task.tries["adds"]:
        task.tries["adds"] += 1
        return Step(adds={add["was"]: to_draft(add) for add in missing})
    # A store that keeps one memory of a text, shown or hidden, takes another of it in under a text of its own, and is
    # then asked to rename it.
    if task.may("placeholders", 1):
        return Step(adds={add["was"]: replace(to_draft(add), text=_placeholder(op.id, add)) for add in missing})
    return None


def _placeholder(operation: str, add: dict[str, Any]) -> str:
    return f"{add['text']} [{operation} {add['was']}]"


def _text_of(task: Task, view: View, add: dict[str, Any]) -> str | None:
    memory = view.get(task.operation.made.get(add["was"], ""))
    return memory.text if memory else None


def _is_back(change: dict[str, Any], view: View) -> bool:
    """Whether a changed memory is what it was before; its date counts only on stores that could change it."""
    memory = view.get(change["id"])
    if memory is None:
        return False
    if "text" in change and memory.text != change["text"]:
        return False
    if "metadata" in change and without_nulls(memory.metadata) != change["metadata"]:
        return False
    return "expiration_date" not in change or expiry(memory) == change["expiration_date"]
