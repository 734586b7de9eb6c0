"""Undoing a run or one operation of it, from the journal alone."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import AttentionNeeded, UsageError
from ..memory import Memory
from ..planning.plan import HeldBack
from ..runs import history, journal
from ..runs.dismissals import Dismissals, kind_of
from ..runs.journal import Operation
from ..runs.lock import Lock
from ..runs.run_folder import Run, all_runs
from ..stores.protocol import Store
from . import operations
from .apply import Summary, refuse_other_store
from .desk import Desk
from .executor import in_waves
from .state import View, named


def undo(
    run: Run, store: Store, only: Sequence[str], lock: Lock, sleep: Callable[[float], None] = time.sleep
) -> Summary:
    """Put back what the run took away, and take away what it made; `only` names handles, or is empty for all.

    What was changed since, or a later run merged on, is left alone with the reason. Raises UsageError for a
    handle that the run did not carry out, AttentionNeeded where it was interrupted, DreamError for another store.
    """
    done = journal.read(run.journal)
    if any(op.state == "open" for op in done):
        raise AttentionNeeded("This run was interrupted; run --resume before undoing it.")
    chosen = _chosen(done, only)
    if not chosen:
        return Summary()
    head = history.head(run)
    refuse_other_store(head.store, store)
    desk = Desk(run, store, head.scope, lock, sleep)
    summary = Summary()
    with summary.of(desk):
        # A resolved contradiction may have removed a merged memory, so merges are undone last.
        for wave in ([op for op in chosen if op.kind != "merge"], [op for op in chosen if op.kind == "merge"]):
            if wave:
                summary.left_alone += _take_back(wave, desk)
    remember(run)
    desk.journal.note(ended="undo", after=summary.after)
    return summary


def _take_back(wave: Sequence[Operation], desk: Desk) -> list[HeldBack]:
    """Undo these operations, in the order given; those that cannot be undone, with the reason."""
    past = Past(desk.run.scope_folder)
    view = desk.look({id for op in wave for id in past.deciding(op)})
    refused = [HeldBack(op.handle, why) for op in wave if (why := _refusal(op, past, view))]
    handles = {held.handle for held in refused}
    in_waves(_undos([op for op in wave if op.handle not in handles], past, view), desk)
    return refused


def remember(run: Run) -> None:
    """What was taken back is not proposed again."""
    kept = Dismissals.load(run.scope_folder)
    for op in journal.unfinished(run.journal):
        if op.undoes and op.state == "done":
            kept.add(kind_of(op.handle), op.asked, "undone")
    if kept.entries:
        kept.save()


class Past:
    """What the journals of a scope tell: new ids of memories that were brought back, and which run took what."""

    def __init__(self, scope_folder: Path) -> None:
        self.new_ids: dict[str, str] = {}
        self.known: set[str] = set()
        self.said: dict[str, set[str]] = defaultdict(set)  # which ids had a text
        self._strangers: dict[str, list[Memory]] = {}
        self.taken: dict[str, tuple[str, Operation]] = {}
        loaded = [(run, journal.load(run.journal)) for run in all_runs(scope_folder)]
        for run, contents in sorted(loaded, key=lambda pair: pair[1].head.at if pair[1].head else ""):
            found = list(contents.operations.values())
            for op in found:
                self.new_ids.update(op.restored)
                for record in op.originals:
                    self.said[record["memory"]].add(record["id"])
                self.known.update(op.restored.values(), (record["id"] for record in [*op.originals, *op.left]))
            for op in journal.standing(found):
                ids = [*op.removed, *([op.change["id"]] if op.change else [])]
                self.taken.update(dict.fromkeys(ids, (run.name, op)))

    def deciding(self, op: Operation) -> set[str]:
        """The ids that decide whether and how an operation can be undone, beside those that it surely removed."""
        return {self.now(record["id"]) for record in op.left or op.originals} | {*op.removes} - {*op.removed}

    def strangers(self, text: str, view: View) -> list[Memory]:
        """The memories with this text that no run of this scope knows."""
        if text not in self._strangers:
            twins = view.by_text.get(text, {})
            self._strangers[text] = [memory for id, memory in twins.items() if id not in self.known]
        return self._strangers[text]

    def now(self, id: str) -> str:
        """The id that a memory has now, after it was brought back."""
        while id in self.new_ids:
            id = self.new_ids[id]
        return id


def _chosen(done: Sequence[Operation], only: Sequence[str]) -> list[Operation]:
    """The operations that stand and are asked for, the last first."""
    carried = {op.handle for op in done if op.kind != "undo" and op.state == "done"}
    if unknown := sorted(set(only) - carried):
        raise UsageError(f"This run did not carry out {', '.join(unknown)}; --history shows what it did.")
    return [op for op in reversed(journal.standing(done)) if not only or op.handle in only]


def _refusal(op: Operation, past: Past, view: View) -> str:
    """Why this operation cannot be undone; empty where it can."""
    if op.left:
        was = Memory(op.left[0])
        id = past.now(was.id)
        fate = operations.difference(was, view.get(id))
        if fate and not (operations.only_hides(op) and id not in view.by_id):
            run, later = past.taken.get(id, ("", op))
            if later.id != op.id:
                return f"{named(id)} was taken on by run {run} ({later.handle}); undo that first"
            return f"{named(id)} {fate} since"
    twins = {*op.twins}
    for member in op.members:
        if member.id in op.removed:
            again = [view.by_id[member.id]] if member.id in view.by_id else past.strangers(member.text, view)
            if again := [memory for memory in again if memory.type == member.type and memory.id not in twins]:
                return f"{named(member.id)} stands again as {named(again[0].id)}"
    return ""


def _undos(wave: Sequence[Operation], past: Past, view: View) -> list[Operation]:
    undos = [operations.restore(op, _made(op, past, view), view.by_id.keys()) for op in wave]
    covered: set[str] = set()
    for undo in undos:
        # What is hidden now may show again while this undo goes on, and is no memory that it added.
        texts = {add["text"] for add in undo.adds} - covered
        undo.seen = sorted(id for text in texts for id in {*view.by_text.get(text, {})} | past.said[text])
        covered |= texts
    return undos


def _made(op: Operation, past: Past, view: View) -> Memory | None:
    """The memory that an operation left, as it stands now."""
    if not op.left:
        return None
    was = Memory(op.left[0])
    return view.get(past.now(was.id)) or was
