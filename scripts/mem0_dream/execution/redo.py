"""The next step of a merge, a resolved conflict or a prune, from what stands in the store."""

from __future__ import annotations

from ..memory import Memory
from .operations import difference, expiry, in_its_place, only_hides, taken_back, to_change, to_draft
from .state import GONE, Step, Task, View, first_fault, named

Fates = dict[str, str]


def advance(task: Task, view: View) -> Step | None:
    """What to do next; None if the operation has ended or can get no further now."""
    op, fates = task.operation, task.fates(view)
    made: list[Memory] = []
    if op.adds or op.change:
        made, strays = _made(task, view)
        if not made and _began_removing(task, strays, fates):
            _overtaken(task, view, strays, fates)
            return None
        if strays:
            return _astray(task, strays, fates)
        if not made:
            return _make(task, view, fates)
        task.result = made[0]
        op.made[""] = made[0].id
        fates.pop(made[0].id, None)
    return _finish(task, view, task.result, [extra.id for extra in made[1:] if extra.id not in fates], fates)


def _made(task: Task, view: View) -> tuple[list[Memory], list[Memory]]:
    """The memories that this operation made, and those of them that have another text than they should."""
    op, first = task.operation, task.members[0]
    if op.change and only_hides(op):
        now, day = view.get(first.id), op.change["expiration_date"]
        if now is None and (task.resumed or task.tries["changes"]):
            return [Memory({**first.record, "expiration_date": day})], []
        return [now] if now and now.text == first.text and expiry(now) == day else [], []
    if op.kind == "update":
        now = view.get(first.id)
        return [now] if now and now.text == _text(task) else [], []
    text = _text(task)
    members = {member.id for member in task.members}
    by_id = [memory for id in op.made.values() if id not in members and (memory := view.get(id))]
    every = {memory.id: memory for memory in [*view.by_operation.get(op.id, {}).values(), *by_id]}
    found = sorted(every.values(), key=lambda memory: (memory.id not in members, memory.id))
    return [m for m in found if m.text == text], [m for m in found if m.text != text]


def _text(task: Task) -> str:
    """What the result must say: a text that is added or given, or the text that a changed memory has and keeps."""
    op = task.operation
    if op.adds:
        return str(op.adds[0]["text"])
    change = op.change or {}
    return str(change["text"]) if "text" in change else next(m.text for m in task.members if m.id == change["id"])


def _began_removing(task: Task, strays: list[Memory], fates: Fates) -> bool:
    """Whether originals were removed already, by this process or by the one that was stopped."""
    gone = GONE in (fates[id] for id in task.operation.removes)
    return task.tries["removes"] > 0 or (gone and bool(strays or (task.resumed and task.operation.made)))


def _make(task: Task, view: View, fates: Fates) -> Step | None:
    op = task.operation
    spoilt = "the store kept another text than it was given" if task.tries["strays"] else ""
    if fault := first_fault(fates) or spoilt or task.refused:
        task.drop(fault)
        return None
    if op.change:
        again = task.tries["changes"] > 0
        return Step(changes=[to_change(op.change)], wait=again) if task.may("changes") else None
    twins = view.by_text.get(op.adds[0]["text"], {})
    own = next((id for id in twins if id in fates), None)
    if twins and own is None:
        task.drop(f"{named(next(iter(twins)))} has the merged text already")
        return None
    if task.repeats and own:  # the store keeps one memory of a text, and dropped the new one
        return Step(changes=[to_change(in_its_place(op, view.by_id[own]))]) if task.may("changes") else None
    op.made.clear()  # what the store named does not stand
    if task.may_still_show(view):
        return Step(wait=True)
    if task.resumed and not view.complete:
        task.drop("the store's list is cut off and cannot show whether it took the merged text")
        return None
    if not task.tries["adds"]:
        task.tries["adds"] += 1
        return Step(adds={"": to_draft(op.adds[0])})
    if own:
        return Step(changes=[to_change(in_its_place(op, view.by_id[own]))]) if task.may("changes") else None
    if task.resumed:
        task.drop("the store took the merged text and does not show it")
    else:
        task.leave_open(task.error or "the store does not show the merged memory yet")
    return None


def _astray(task: Task, strays: list[Memory], fates: Fates) -> Step | None:
    """What it made has another text: the store's doing only if this process has just added it."""
    is_ours = task.tries["adds"] and not any(fates.values()) and all(stray.id not in fates for stray in strays)
    if not is_ours:
        task.drop(f"{named(strays[0].id)} has another text than it was merged to")
        return None
    if not task.may("strays"):
        return None
    return Step(removes=[stray.id for stray in strays], strays=[stray.record for stray in strays])


def _overtaken(task: Task, view: View, strays: list[Memory], fates: Fates) -> None:
    """The result was changed, or does not show, while originals were being removed: what is left stays as it is.

    A result that does not show is looked for again by a resume. If it is gone then, the operation ends without one, so
    that an undo brings the originals back.
    """
    op = task.operation
    id = task.result.id if task.result else strays[0].id if strays else op.made[""]
    now = view.get(id)
    if now is None and not task.resumed:
        task.leave_open(f"{named(id)} does not show any more, although it was read back before")
        return
    _note_removed(task, view, [each for each in op.removes if each != id and fates[each] == GONE])
    if now is None:
        task.close(f"{named(id)} is gone; --undo brings back what was merged into it")
    else:
        result = task.result or Memory({**now.record, "memory": _text(task)})
        task.close(f"{named(id)} {difference(result, now) or 'has other metadata'} meanwhile", result)


def _finish(task: Task, view: View, result: Memory | None, extras: list[str], fates: Fates) -> Step | None:
    """Remove what the result stands for; take the result back if an original changed before any was removed."""
    op = task.operation
    rest = [id for id in op.removes if id in fates]
    gone = [id for id in rest if fates[id] == GONE]
    removing = task.tries["removes"] > 0 or (task.resumed and bool(gone))
    if op.removes and not removing and (fault := first_fault(fates)):
        return _take_back(task, result, fault)
    standing = [id for id in rest if not fates[id]]
    if standing or extras:
        again = task.tries["removes"] > 0
        return Step(removes=standing + extras, wait=again) if task.may("removes") else None
    changed = [id for id in rest if fates[id] and fates[id] != GONE]
    _note_removed(task, view, gone)
    why = f"{named(changed[0])} {fates[changed[0]]} meanwhile and was left alone" if changed else ""
    task.close(why or _redated(task, result), result)
    return None


def _redated(task: Task, result: Memory | None) -> str:
    """What to say of a store that gave an updated memory another date."""
    before = task.members[0].created
    if task.operation.kind != "update" or not (result and before) or result.created == before:
        return ""
    return f"{named(result.id)} has its new text, and the store changed its date; it was {before:%Y-%m-%d}"


def _note_removed(task: Task, view: View, gone: list[str]) -> None:
    texts = {member.text for member in task.members if member.id in gone}
    task.operation.removed = gone
    task.operation.twins = [id for text in texts for id in view.by_text.get(text, {})]


def _take_back(task: Task, result: Memory | None, why: str) -> Step | None:
    if result is None:
        task.drop(why)
        return None
    if not task.may("back"):
        return None
    if any(member.id == result.id for member in task.members):
        return Step(changes=[taken_back(task.operation, result)])
    return Step(removes=[result.id])
