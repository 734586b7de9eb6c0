"""Every store call and every journal write of applying, resuming and undoing, killed before, halfway and after.

Real processes on a real file, ended by a real SIGKILL; what stands afterwards is resumed in this process.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.errors import Busy
from mem0_dream.execution.apply import apply
from mem0_dream.execution.resume import resume
from mem0_dream.execution.undo import undo
from mem0_dream.runs import journal
from mem0_dream.runs.history import history, open_operations
from mem0_dream.stores.file import FileStore
from mem0_dream.stores.protocol import Store

from .worlds import CALLS, World, contents, example, world

if not hasattr(signal, "SIGKILL"):
    pytest.skip("this system has no SIGKILL", allow_module_level=True)

TODAY = date(2026, 6, 1)
WHEN = ("before", "halfway", "after")
Act = Callable[[World, Any], None]


class Points:
    """Counts the points at which a process can be killed, and kills it at one of them."""

    def __init__(self, at: int = 0, when: str = "") -> None:
        self.at, self.when = at, when
        self.seen: list[str] = []

    def reach(self, name: str, whole: Callable[[], Any], half: Callable[[], Any]) -> Any:
        self.seen.append(name)
        if len(self.seen) != self.at:
            return whole()
        if self.when != "before":
            half() if self.when == "halfway" else whole()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("a killed process went on")


class KillableStore:
    """Every call is a point; halfway is a batch of which the first half was done."""

    def __init__(self, inner: FileStore, points: Points) -> None:
        self.inner, self.points = inner, points
        self.kind, self.identity, self.label, self.former = inner.kind, inner.identity, inner.label, inner.former
        self.lag_seconds, self.wave, self.page = inner.lag_seconds, inner.wave, inner.page

    def _call(self, name: str, items: Any, *more: Any) -> Any:
        call = getattr(self.inner, name)
        half = (lambda: call(list(items)[: len(items) // 2])) if name not in ("fetch", "get") else (lambda: None)
        return self.points.reach(name, lambda: call(items, *more), half)

    def fetch(self, scope: Any) -> Any:
        return self._call("fetch", scope)

    def get(self, ids: Any, scope: Any) -> Any:
        return self._call("get", ids, scope)

    def add(self, drafts: Any) -> Any:
        return self._call("add", drafts)

    def update(self, changes: Any) -> Any:
        return self._call("update", changes)

    def delete(self, ids: Any) -> Any:
        return self._call("delete", ids)


@contextmanager
def killable_journal(points: Points) -> Any:
    real = journal.write

    def write(descriptor: int, data: bytes) -> None:
        half = data[: len(data) // 2]
        points.reach("journal", lambda: real(descriptor, data), lambda: real(descriptor, half))

    journal.write = write
    try:
        yield
    finally:
        journal.write = real


def do(made: World, store: Any) -> None:
    with made.lock() as lock:
        apply(made.run, store, made.decisions, Policies(), lock, lambda _: None, TODAY)


def carry_on(made: World, store: Any) -> None:
    with made.lock() as lock:
        resume(made.run, store, lock, lambda _: None)


def take_back(made: World, store: Any) -> None:
    with made.lock() as lock:
        undo(made.run, store, (), lock, lambda _: None)


def fresh(folder: Path) -> World:
    rows, plan, answers = example()
    folder.mkdir()
    export = folder / "export.json"
    export.write_text(json.dumps(rows), encoding="utf-8")
    return world(folder / "home", FileStore(export), plan, answers)


def points_of(made: World, act: Act) -> list[str]:
    """The points of a process that nobody kills."""
    points = Points()
    with killable_journal(points):
        act(made, KillableStore(made.store, points))
    return points.seen


def killed(made: World, act: Act, at: int, when: str) -> None:
    """Do it in a process of its own, which is killed at this point."""
    child = os.fork()
    if child == 0:
        points = Points(at, when)
        with killable_journal(points):
            act(made, KillableStore(made.store, points))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def assert_whole(made: World) -> None:
    """Nothing is open, and every operation stands for its originals or for its result, never both."""
    if made.run.journal.exists():
        carry_on(made, made.store)
        assert open_operations(made.run) == []
    now = {id: memory.text for id, memory in made.now().items()}
    expected = {memory.id: memory.text for memory in made.before}
    for op in journal.read(made.run.journal):
        if op.state == "done":
            for id in op.removed:
                del expected[id]
            for new in op.restored:
                expected[op.restored[new]] = next(m.text for m in made.before if m.id == new)
            expected.update((record["id"], record["memory"]) for record in op.left)
            if op.kind == "undo":
                for id in op.removes:
                    expected.pop(id, None)
    assert now == expected


def assert_undone(made: World) -> None:
    if made.run.journal.exists():
        take_back(made, made.store)
    assert contents(made.now().values()) == contents(made.before)


def test_every_point_of_applying(tmp_path):
    points = points_of(fresh(tmp_path / "count"), do)
    assert {"journal", *CALLS} == set(points)
    for at in range(1, len(points) + 1):
        for when in WHEN:
            made = fresh(tmp_path / f"{at}-{when}")
            killed(made, do, at, when)
            assert_whole(made)
            assert_undone(made)


def test_every_point_of_an_undo(tmp_path):
    counted = fresh(tmp_path / "count")
    do(counted, counted.store)
    points = points_of(counted, take_back)
    assert {"journal", *CALLS} == set(points)
    for at in range(1, len(points) + 1):
        for when in WHEN:
            made = fresh(tmp_path / f"{at}-{when}")
            do(made, made.store)
            killed(made, take_back, at, when)
            carry_on(made, made.store)
            assert open_operations(made.run) == []
            assert_undone(made)


@pytest.mark.parametrize("first", [(4, "after"), (5, "halfway"), (8, "halfway"), (12, "after"), (17, "before")])
def test_every_point_of_a_resume(tmp_path, first):
    def stopped(name: str) -> World:
        made = fresh(tmp_path / name)
        killed(made, do, *first)
        return made

    points = points_of(stopped("count"), carry_on)
    for at in range(1, len(points) + 1):
        for when in WHEN:
            made = stopped(f"{at}-{when}")
            killed(made, carry_on, at, when)
            assert_whole(made)
            assert_undone(made)


def test_a_process_asleep_while_another_took_over_does_nothing_more_when_it_wakes(tmp_path):
    """It falls asleep at each look in turn; its lock grows old; another run finishes what it began."""
    points = points_of(fresh(tmp_path / "count"), do)
    looks = points.count("fetch") + points.count("get")
    for look in range(1, looks + 1):
        made = fresh(tmp_path / str(look))
        child = os.fork()
        if child == 0:
            os._exit(_asleep_at(made, look))
        os.waitpid(child, os.WUNTRACED)
        lock = made.run.scope_folder / "lock.json"
        lock.write_text(json.dumps({**json.loads(lock.read_text()), "time": time.time() - 700}), encoding="utf-8")
        with made.lock() as mine:
            if made.run.journal.exists():
                resume(made.run, made.store, mine, lambda _: None)
            stood = contents(made.now().values())
            os.kill(child, signal.SIGCONT)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == Busy.exit_code
            assert contents(made.now().values()) == stood
        assert_whole(made)
        assert_undone(made)


def _asleep_at(made: World, look: int) -> int:
    looks = itertools.count(1)

    class Sleepy(FileStore):
        def fetch(self, scope: Any) -> Any:
            self.look()
            return super().fetch(scope)

        def get(self, ids: Any, scope: Any) -> Any:
            self.look()
            return super().get(ids, scope)

        def look(self) -> None:
            if next(looks) == look:
                os.kill(os.getpid(), signal.SIGSTOP)

    try:
        do(made, Sleepy(made.store.path))
    except Busy as busy:
        return busy.exit_code
    return 0


def test_the_points_are_complete(tmp_path):
    """Every file that is written is the journal, through a point, or the export, through a store call, or the lock."""
    made = fresh(tmp_path / "case")
    opened: list[str] = []
    active = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if active[0] and event == "open" and isinstance(arguments[2], int):
            writes = arguments[2] & (os.O_WRONLY | os.O_RDWR)
            path = os.fsdecode(arguments[0]) if not isinstance(arguments[0], int) else ""
            if writes and str(tmp_path) in path:
                opened.append(path)

    sys.addaudithook(hook)
    seen = points_of(made, do) + points_of(made, take_back)
    active[0] = False
    names = [Path(path).name for path in opened]
    assert names.count("journal.jsonl") == seen.count("journal")
    others = {name.lstrip(".").split(".")[0] for name in names} - {"journal"}
    assert others == {"export", "lock", "published", "kept"}
    acting = {name for name in vars(Store) if not name.startswith("_")} - {"kind", "identity", "former", "label"}
    assert acting - {"search", "nearest", "owners", "close"} == set(CALLS)


def test_a_killed_run_shows_in_the_history_until_it_is_resumed(tmp_path):
    made = fresh(tmp_path / "case")
    killed(made, do, 5, "after")
    assert [entry.state for entry in history(made.run.scope_folder)] == ["interrupted"]
    carry_on(made, made.store)
    assert [entry.state for entry in history(made.run.scope_folder)] == ["applied"]
