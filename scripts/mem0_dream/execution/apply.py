"""Applying the accepted part of a plan: merges and updates, then contradictions, then prunes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timezone

from ..config.policies import Policies
from ..errors import AttentionNeeded, DreamError
from ..memory import Memory, StoreRef
from ..planning.decisions import Decisions
from ..planning.plan import HeldBack
from ..runs import journal
from ..runs.journal import Head, Operation
from ..runs.lock import Lock
from ..runs.run_folder import Run
from ..stores.protocol import Store
from . import operations
from .desk import Desk
from .executor import in_waves


@dataclass
class Summary:
    """What became of a run; `before` and `after` count the scope's memories.

    `left_alone` are operations that were not done, with the reason; `unfinished` ones could not be ended and wait for
    `--resume`. Of an undo, `undone` operations are taken back.
    """

    merged: int = 0
    pruned: int = 0
    resolved: int = 0
    updated: int = 0
    skipped: int = 0
    before: int = 0
    after: int = 0
    undone: int = 0
    left_alone: list[HeldBack] = field(default_factory=list)
    unfinished: list[HeldBack] = field(default_factory=list)

    def count(self, done: Iterable[Operation]) -> None:
        """Add what became of these operations."""
        for op in done:
            if op.state == "done":
                name = _COUNTED[op.kind]
                setattr(self, name, getattr(self, name) + 1)
            if op.state == "open":
                self.unfinished.append(HeldBack(op.handle, op.why or "it was interrupted"))
            elif op.why:
                self.left_alone.append(HeldBack(op.handle, op.why))

    @contextmanager
    def of(self, desk: Desk) -> Iterator[None]:
        """Count what is carried out at a desk; a failure takes the summary along, so that it can be reported."""
        self.before = len(desk.view.by_id)
        try:
            yield
        except DreamError as error:
            error.summary = self
            raise
        finally:
            self.count(desk.begun)
            self.after = len(desk.view.by_id)


_COUNTED = {"merge": "merged", "prune": "pruned", "conflict": "resolved", "update": "updated", "undo": "undone"}


def apply(
    run: Run,
    store: Store,
    decisions: Decisions,
    policies: Policies,
    lock: Lock,
    sleep: Callable[[float], None] = time.sleep,
    today: date | None = None,
) -> Summary:
    """Carry out what is accepted. A memory that changed since it was fetched is left alone, with all that names it.

    Raises AttentionNeeded where the run was applied already, DreamError where it is of another store.
    """
    plan = decisions.plan
    refuse_other_store(plan.store, store)
    _refuse_twice(run)
    desk = Desk(run, store, plan.scope, lock, sleep)
    day = today or datetime.now(timezone.utc).date()
    lock.check()
    at = datetime.now(timezone.utc).isoformat()
    desk.journal.begin(Head(at, plan.store, plan.scope, plan.mode, len(desk.view.by_id)))
    summary = Summary(skipped=decisions.unresolved())
    with summary.of(desk):
        _carry_out(decisions, policies, day, desk)
    desk.journal.note(ended="apply", after=summary.after)
    return summary


def _carry_out(decisions: Decisions, policies: Policies, day: date, desk: Desk) -> None:
    merges = _merges(decisions, desk.store.kind == "platform")
    in_waves([*merges, *_updates(decisions)], desk)
    in_waves(_conflicts(decisions, merges, policies), desk)
    in_waves(_prunes(decisions, policies, day), desk)


def _refuse_twice(run: Run) -> None:
    """AttentionNeeded for a run that was applied; one that was stopped before its first operation begins anew."""
    if not run.journal.exists():
        return
    found = journal.read(run.journal)
    if any(op.state == "open" for op in found):
        raise AttentionNeeded("This run was interrupted while it was applied; run --resume first.")
    if found or journal.notes(run.journal):
        raise AttentionNeeded("This run is applied already; nothing was changed.")
    run.journal.unlink()


def refuse_other_store(wanted: StoreRef, store: Store) -> None:
    if wanted.identity not in (store.identity, *store.former):
        raise DreamError(
            f"This run belongs to another store ({wanted.kind} {wanted.identity}); name that store and try again."
        )


def _merges(decisions: Decisions, keeps_one_text: bool) -> list[Operation]:
    plan = decisions.plan
    return [
        operations.merge(merge.handle, [plan.memory(id) for id in merge.ids], merge.text, plan.branch, keeps_one_text)
        for merge in decisions.merges
        if merge.state == "accepted"
    ]


def _conflicts(decisions: Decisions, merges: Sequence[Operation], policies: Policies) -> list[Operation]:
    """Each loser once. A member of a merge that was carried out stands for the merged memory."""
    plan = decisions.plan
    stands_for = {member.id: Memory(op.left[0]) for op in merges if op.state == "done" for member in op.members}
    unfinished = {member.id for op in merges if op.state == "open" for member in op.members}
    lost = [(c, *ids) for c in decisions.conflicts for ids in c.losses() if not unfinished & {*ids}]
    standing = {id: stands_for.get(id) or plan.memory(id) for _, *ids in lost for id in ids}
    sides = [(c, standing[winner], standing[loser]) for c, winner, loser in lost]
    losers = {loser.id for _, _, loser in sides}
    found: dict[str, Operation] = {}
    for c, winner, loser in sides:
        if loser.id in found or loser.id == winner.id:
            continue
        witnesses = [] if winner.id in losers else [winner]
        if policies.settings.conflict_loser == "supersede":
            op = operations.supersede(c.handle, loser, winner.id, *witnesses)
        else:
            op = operations.remove(c.handle, "conflict", loser, *witnesses)
        op.asked = [plan.memory(id).text for id in c.ids()]
        found[loser.id] = op
    return list(found.values())


def _updates(decisions: Decisions) -> list[Operation]:
    found = [decided.update for decided in decisions.updates if decided.state == "accepted"]
    return [operations.update(update.handle, decisions.plan.memory(update.id), update.text) for update in found]


def _prunes(decisions: Decisions, policies: Policies, day: date) -> list[Operation]:
    accepted = [(p.handle, decisions.plan.memory(p.prune.id)) for p in decisions.prunes if p.state == "accepted"]
    if policies.settings.prune == "expire":
        return [operations.expire(handle, memory, day) for handle, memory in accepted]
    return [operations.remove(handle, "prune", memory) for handle, memory in accepted]
