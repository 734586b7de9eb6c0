"""One memory that tells the next session of open contradictions: found again by its source, gone when none is left."""

from __future__ import annotations

from collections.abc import Sequence

from ..memory import REMINDER_SOURCE, Memory, Scope
from ..stores.protocol import Draft, Store

TEXT = "mem0 dream found contradictions that only a person can settle; run /mem0:dream to see them."


def remind(store: Store, scope: Scope, memories: Sequence[Memory], branch: str | None) -> bool:
    """Store the reminder where there is none yet; whether it was."""
    if reminders(memories):
        return False
    metadata = {"type": "task_learning", "source": REMINDER_SOURCE}
    if branch:
        metadata["branch"] = branch
    # Where no memory names a project, one that does would hide all others from the project's next run.
    named = any(memory.scope.project for memory in memories)
    store.add([Draft(TEXT, scope if named else scope._replace(project=None), metadata)])
    return True


def settle(store: Store, memories: Sequence[Memory]) -> int:
    """Remove the reminder, as no contradiction is left; how many there were."""
    found = reminders(memories)
    if found:
        store.delete([memory.id for memory in found])
    return len(found)


def reminders(memories: Sequence[Memory]) -> list[Memory]:
    return [memory for memory in memories if memory.metadata.get("source") == REMINDER_SOURCE]
