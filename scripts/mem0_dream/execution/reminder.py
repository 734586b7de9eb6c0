"""One memory that tells the next session of open contradictions: found again by its source, gone when none is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ..errors import DreamError
from ..memory import REMINDER_SOURCE, Memory, Scope
from ..stores.protocol import Change, Draft, Result, Store

_SHORTEST = 1.0  # seconds that every store has to show what was written


def text(count: int) -> str:
    return (
        f"mem0-dream detected {count} contradiction(s) requiring manual review."
        " Run /mem0:dream to resolve them interactively."
    )


def remind(
    store: Store,
    scope: Scope,
    memories: Sequence[Memory],
    branch: str | None,
    count: int,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """See that one reminder stands and says this number; whether it is a new one. DreamError if it cannot be read."""
    found = reminders(memories)
    if found and found[0].text == text(count):
        return False
    # Where no memory names a project, one that does would hide all others from the project's next run.
    named = any(memory.scope.project for memory in memories)
    where = scope if named else scope._replace(project=None)
    if found:
        results = store.update([Change(found[0].id, text=text(count))])
    else:
        metadata = {"type": "task_learning", "source": REMINDER_SOURCE, **({"branch": branch} if branch else {})}
        results = store.add([Draft(text(count), where, metadata)])
    _read_back(store, results, lambda: any(m.text == text(count) for m in _standing(store, scope)), sleep)
    return not found


def settle(store: Store, scope: Scope, memories: Sequence[Memory], sleep: Callable[[float], None] = time.sleep) -> int:
    """Remove the reminder, as no contradiction is left; how many there were. DreamError if one still stands."""
    found = reminders(memories)
    if found:
        results = store.delete([memory.id for memory in found])
        _read_back(store, results, lambda: not _standing(store, scope), sleep)
    return len(found)


def reminders(memories: Sequence[Memory]) -> list[Memory]:
    return [memory for memory in memories if memory.metadata.get("source") == REMINDER_SOURCE]


def _standing(store: Store, scope: Scope) -> list[Memory]:
    return reminders(store.fetch(scope).memories)


def _read_back(
    store: Store, results: Sequence[Result], stands: Callable[[], bool], sleep: Callable[[float], None]
) -> None:
    """DreamError unless the store shows what was written, for as long as a read of it may lag behind."""
    waited = 0.0
    while not stands():
        if waited >= max(_SHORTEST, store.lag_seconds):
            why = next((result.error for result in results if result.error), "it does not show in the store")
            raise DreamError(f"The reminder of open contradictions is not up to date ({why.rstrip('.')}).")
        pause = min(4.0, 0.2 + waited)
        sleep(pause)
        waited += pause
