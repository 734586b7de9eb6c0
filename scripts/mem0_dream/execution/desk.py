"""Where operations are carried out: the store, looked at with care, and the journal, lock and run folder around it.

No read that may be older than our own last write decides anything: an id that this run, or another of the scope a
moment ago, has written is read again until it shows that write, or until the store can lag no longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Set
from dataclasses import dataclass, field

from .. import progress
from ..errors import DreamError
from ..memory import Memory, Scope
from ..runs import journal
from ..runs.journal import Journal, Operation
from ..runs.lock import Lock
from ..runs.run_folder import Run, all_runs
from ..stores.protocol import UNCHANGED, Change, Store
from .operations import difference, expiry, without_nulls
from .state import View

_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)  # seconds before looking again for something that does not show yet


@dataclass(frozen=True)
class Written:
    """What was asked for one id: a change of it, that it stands (True) or that it is gone (False).

    After `until`, in seconds of this process's work, a read that shows something else is no longer too old.
    """

    until: float
    wanted: Change | bool
    fresh: bool = False  # it was made so short a time ago that a listing may be older than it

    def shows(self, memory: Memory | None) -> bool:
        change = self.wanted
        if isinstance(change, bool):
            return change == (memory is not None)
        return (
            memory is not None
            and change.text in (UNCHANGED, memory.text)
            and (change.metadata is UNCHANGED or without_nulls(change.metadata) == without_nulls(memory.metadata))
            and change.expiration_date in (UNCHANGED, expiry(memory))
        )


@dataclass
class Desk:
    """Every act first makes sure of the lock and the run folder."""

    run: Run
    store: Store
    scope: Scope
    lock: Lock
    sleep: Callable[[float], None] = time.sleep
    journal: Journal = field(init=False)
    view: View = field(init=False)
    begun: list[Operation] = field(default_factory=list)  # what this process has carried out, or tried to
    _written: dict[str, Written] = field(default_factory=dict)
    _idle: int = 0

    def __post_init__(self) -> None:
        """Lists the scope; waits, if the store lags, until the list shows what the scope's last run wrote."""
        self.journal = Journal(self.run.journal)
        self.view = View(self.store.lag_seconds)
        if self.store.lag_seconds:
            self._expect_recent()
        while True:
            self.list()
            if not (self.view.complete and any(map(self._lags, self._written))):
                return
            self.pause()

    def list(self) -> None:
        """Take a new listing of the scope."""
        self.view.listed(self.store.fetch(self.scope))

    def look(self, ids: Collection[str], lists: bool = False) -> View:
        """Read these ids, again if one of them had to be waited for, so that all were read a moment ago."""
        if lists:
            self.list()
        while True:
            self._read(ids)
            late = [id for id in ids if self._lags(id)]
            if not late:
                return self.view
            while late:
                self.pause()
                self._read(late)
                late = [id for id in late if self._lags(id)]

    def confirmed(self, ids: Set[str]) -> set[str]:
        """Those of the ids that one listing shows as they must be: removed, brought back, or as they were read.

        Only a complete listing counts. It may be older than what was made a moment ago, so it never shows that such a
        memory is gone.
        """
        if not self.store.page or len(ids) <= 1 + len(self.view.by_id) // self.store.page:
            return set()
        listing = self.store.fetch(self.scope)
        if not listing.complete:
            return set()
        listed = {memory.id: memory for memory in listing.memories}
        found = {id for id in ids if self._is_confirmed(id, listed.get(id))}
        self.view.read(found, [self.view.get(id) or listed[id] for id in found & listed.keys()])
        return found

    def _is_confirmed(self, id: str, listed: Memory | None) -> bool:
        written, was = self._written.get(id), self.view.get(id)
        if written and written.wanted is False:
            return listed is None and not written.fresh
        if listed is None or (written and not written.shows(listed)):
            return False
        return not difference(was, listed) if was else written is not None

    def expect(self, id: str, wanted: Change | bool) -> None:
        """From now on a read of this id must show this write, as long as the store may lag."""
        before = self._written.get(id)
        fresh = before is not None and self.view.now < before.until and (before.fresh or before.wanted is True)
        self._written[id] = Written(self.view.now + self.store.lag_seconds, wanted, fresh)
        self._idle = 0

    def expect_recognised(self, ids: Iterable[str]) -> None:
        """What a listing has shown stands, even if a read by its id comes from a replica that lags behind."""
        for id in ids:
            if id not in self._written:
                self.expect(id, True)

    def pause(self) -> None:
        """Wait a little longer than the last time."""
        seconds = _PAUSES[min(self._idle, len(_PAUSES) - 1)]
        self._idle += 1
        if self._idle == len(_PAUSES):
            progress.tell(f"Waiting until the store shows what was written (at most {self.store.lag_seconds:.0f} s).")
        self.sleep(seconds)
        self.view.now += seconds

    def guard(self) -> None:
        """Busy if another run took the lock, DreamError if the run folder is gone."""
        self.lock.check()
        if not self.run.journal.exists():
            raise DreamError(f"The run folder {self.run.folder} was removed meanwhile; nothing more was changed.")

    def _read(self, ids: Collection[str]) -> None:
        if ids:
            self.view.read(ids, self.store.get(sorted(ids), self.scope))

    def _lags(self, id: str) -> bool:
        written = self._written.get(id)
        return written is not None and self.view.now < written.until and not written.shows(self.view.get(id))

    def _expect_recent(self) -> None:
        """What runs of this scope wrote so short a time ago that the store may not show it yet."""
        for run in all_runs(self.run.scope_folder):
            try:
                age = max(0.0, time.time() - run.journal.stat().st_mtime)
            except OSError:
                continue
            if age < self.store.lag_seconds:
                for id, stands in _outcome(journal.read(run.journal)):
                    self._written[id] = Written(self.store.lag_seconds - age, stands)


def _outcome(operations: Iterable[Operation]) -> Iterable[tuple[str, bool]]:
    """The ids that these operations made or removed, and whether each stands since."""
    for op in operations:
        if op.state == "done":
            yield from ((str(record["id"]), True) for record in op.left)
            yield from ((id, True) for id in op.restored.values())
            yield from ((id, False) for id in op.removed)
            if op.kind == "undo" and not op.why:  # else what it was to remove may stand, edited
                yield from ((id, False) for id in op.removes)
