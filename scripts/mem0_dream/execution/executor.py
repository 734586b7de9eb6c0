"""Carrying operations out: look, decide what is still to do, act, and look again until nothing is.

No answer of a store is believed. What to do next follows from the operation and from what stands in the store, so a run
that was stopped anywhere, and its undo, are carried on by the same code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from .. import progress
from ..errors import DreamError
from ..runs.journal import Operation
from ..stores.protocol import Result
from .desk import Desk
from .redo import advance
from .revert import revert
from .state import Step, Task

Steps = Sequence[tuple[Task, Step]]


def in_waves(operations: Sequence[Operation], desk: Desk) -> None:
    """Write the intents of each wave, then carry it out."""
    for start in range(0, len(operations), desk.store.wave):
        wave = operations[start : start + desk.store.wave]
        desk.guard()
        desk.journal.intents(wave)
        desk.begun += wave
        carry_out(wave, desk)
        progress.step("Applying", len(wave))


def carry_out(operations: Sequence[Operation], desk: Desk, resumed: bool = False) -> None:
    """Bring every operation to its end, and write what became of it.

    One that cannot be ended now (a store that fails, or does not show yet what it took) stays open. If nothing more can
    be done at all, DreamError is raised, with what ended before on record.
    """
    tasks = [Task(operation, resumed, desk.view.now) for operation in operations if operation.state == "open"]
    for operation in operations:
        desk.view.claimed.update(operation.seen, operation.made.values())
        for id in operation.made.values():  # by a process that was stopped, perhaps a moment ago
            desk.expect(id, True)
    try:
        while _round([task for task in tasks if task.is_open], desk):
            pass
    except DreamError:
        with contextlib.suppress(DreamError):
            _write_outcomes(operations, desk)
        raise
    _write_outcomes(operations, desk)


def _write_outcomes(operations: Sequence[Operation], desk: Desk) -> None:
    desk.guard()
    desk.journal.outcomes(operations)


def _round(tasks: Sequence[Task], desk: Desk) -> bool:
    """One look and one step of every task; whether there was any."""
    listable = {task: task.listable(desk.view) for task in tasks}
    confirmed = desk.confirmed(set().union(*listable.values()))
    read = [task.ids(desk.view) - (ids if ids <= confirmed else set()) for task, ids in listable.items()]
    view = desk.look(set().union(*read), lists=any(task.searches for task in tasks))
    following = [(task, (revert if task.operation.kind == "undo" else advance)(task, view)) for task in tasks]
    for task in tasks:
        desk.expect_recognised(task.operation.made.values())
    steps = [(task, step) for task, step in following if step]
    if not steps:
        return False
    _act(steps, desk)
    if any(step.wait for _, step in steps):
        desk.pause()
    return True


def _act(steps: Steps, desk: Desk) -> None:
    """One call of each kind for all operations together; removals first, as their memories were read just now."""
    if strays := [stray for _, step in steps for stray in step.strays]:
        desk.guard()
        desk.journal.note(removing=strays)
    if any(step.removes for _, step in steps):
        _note_made(steps, desk)
        removes = [(task, id) for task, step in steps for id in step.removes]
        for id, result in _call(desk, desk.store.delete, removes):
            _expect(desk, id, False, result)
    adds = [(task, step, was) for task, step in steps for was in step.adds]
    drafts = [(task, step.adds[was]) for task, step, was in adds]
    for (task, _, was), (_, result) in zip(adds, _call(desk, desk.store.add, drafts), strict=True):
        task.sent = desk.view.now
        (task.repeats.add if result.repeats else task.repeats.discard)(was)
        if result.id and not result.error:
            task.operation.made[was] = result.id
            task.added.add(was)
            desk.view.claimed.add(result.id)
            desk.expect(result.id, True)
    if adds:
        _note_made(steps, desk)
    changes = [(task, change) for task, step in steps for change in step.changes]
    for change, result in _call(desk, desk.store.update, changes):
        _expect(desk, change.id, change, result)
    for task, step in steps:
        task.removed = bool(step.removes) and not task.error


def _note_made(steps: Steps, desk: Desk) -> None:
    """Put the ids of what was added on record, before anything is removed for it."""
    new = {task.operation.id: dict(task.operation.made) for task, _ in steps if task.operation.made != task.noted}
    if new:
        desk.guard()
        desk.journal.note(made=new)
        for task, _ in steps:
            task.noted = dict(task.operation.made)


def _expect(desk: Desk, id: str, wanted: Any, result: Result) -> None:
    if not result.error or result.unsure:
        desk.expect(id, wanted)


def _call(desk: Desk, call: Callable[[Any], list[Result]], items: list[tuple[Task, Any]]) -> list[tuple[Any, Result]]:
    """Each item with what the store answered; a call that failed whole may have done any part of it."""
    if not items:
        return []
    desk.guard()
    wanted = [item for _, item in items]
    try:
        results = call(wanted)
    except DreamError as error:
        results = [Result(error=str(error), unsure=True)] * len(items)
    results += [Result(error="The store did not answer.", unsure=True)] * (len(items) - len(results))
    for task, _ in items:
        task.error, task.unsure = "", False
    for (task, _), result in zip(items, results, strict=True):
        if result.error:
            task.error, task.unsure = result.error, result.unsure
    return list(zip(wanted, results, strict=True))
