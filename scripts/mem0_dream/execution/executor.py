"""Carrying operations out: look, decide what is still to do, act, and look again until nothing is.

No answer of a store is believed. What to do next follows from the operation and from what stands in the store, so a run
that was stopped anywhere, and its undo, are carried on by the same code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import progress
from ..errors import DreamError
from ..memory import Scope
from ..runs.journal import Journal, Operation
from ..runs.lock import Lock
from ..runs.run_folder import Run
from ..stores.protocol import Result, Store
from .redo import advance
from .revert import revert
from .state import Step, Task, View

WAVE = 500  # operations whose intents are written, and which are acted on, together
_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)  # seconds before looking again for something that does not show yet


@dataclass
class Desk:
    """Where operations are carried out; every act first makes sure of the lock and the run folder."""

    run: Run
    store: Store
    scope: Scope
    lock: Lock
    sleep: Callable[[float], None] = time.sleep
    journal: Journal = field(init=False)
    brought_back: set[str] = field(
        default_factory=set
    )  # by undos that have ended: no other undo takes them for its own

    def __post_init__(self) -> None:
        self.journal = Journal(self.run.journal)

    def look(self) -> View:
        """Everything of the scope, as it is now."""
        return View(self.store.fetch(self.scope).memories, self.brought_back)

    def guard(self) -> None:
        """Busy where another run took the lock, DreamError where the run folder is gone."""
        self.lock.check()
        if not self.run.journal.exists():
            raise DreamError(f"The run folder {self.run.folder} was removed meanwhile; nothing more was changed.")


def in_waves(operations: Sequence[Operation], desk: Desk) -> None:
    """Write the intents of each wave, then carry it out."""
    for start in range(0, len(operations), WAVE):
        wave = operations[start : start + WAVE]
        desk.guard()
        desk.journal.intents(wave)
        carry_out(wave, desk)
        progress.step("Applying", len(wave))


def carry_out(operations: Sequence[Operation], desk: Desk, resumed: bool = False) -> None:
    """Bring every operation to its end, and write what became of it.

    One that cannot be ended now (a store that fails, or does not show yet what it took) stays open.
    """
    tasks = [Task(operation, resumed) for operation in operations if operation.state == "open"]
    idle = 0
    while True:
        view = desk.look()
        steps = [(task, step) for task in tasks if task.is_open and (step := _next(task, view))]
        desk.brought_back.update(id for task in tasks for id in task.operation.restored.values())
        if not steps:
            break
        _act(steps, desk)
        if any(step.wait for _, step in steps):
            desk.sleep(_PAUSES[min(idle, len(_PAUSES) - 1)])
            idle += 1
    desk.guard()
    desk.journal.outcomes(operations)


def _next(task: Task, view: View) -> Step | None:
    return (revert if task.operation.kind == "undo" else advance)(task, view)


def _act(steps: list[tuple[Task, Step]], desk: Desk) -> None:
    """One call of each kind for all operations together."""
    if strays := [stray for _, step in steps for stray in step.strays]:
        desk.guard()
        desk.journal.note(removing=strays)
    for name, call in (("adds", desk.store.add), ("changes", desk.store.update), ("removes", desk.store.delete)):
        items = [(task, item) for task, step in steps for item in getattr(step, name)]
        if items:
            desk.guard()
            results = _answers(call, [item for _, item in items])
            for task, _ in items:
                task.error, task.unsure = "", False
            for (task, _), result in zip(items, results, strict=False):
                if result.error:
                    task.error, task.unsure = result.error, result.unsure


def _answers(call: Callable[[Any], list[Result]], items: list[Any]) -> list[Result]:
    """What the store answered; a call that failed whole may have done any part of it."""
    try:
        return call(items)
    except DreamError as error:
        return [Result(error=str(error), unsure=True)] * len(items)
