"""Applying on the Platform's stand-in, with a fault at every single request."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.errors import DreamError
from mem0_dream.execution.apply import apply
from mem0_dream.execution.resume import resume
from mem0_dream.execution.undo import undo
from mem0_dream.planning.plan import Plan
from mem0_dream.runs.history import open_operations
from mem0_dream.stores.platform import PlatformStore

from .standins.platform_api import PlatformApi
from .standins.web import Call, Fault
from .worlds import SCOPE, World, contents, example, world

TODAY = date(2026, 6, 1)
FAULTS = {
    "too often": Fault(429, headers={"Retry-After": "1"}),
    "too often for hours": Fault(429, headers={"Retry-After": "7200"}),
    "server error": Fault(500),
    "server error after it acted": Fault(500, acts=True),
    "gateway time-out after it acted": Fault(504, acts=True),
    "connection lost": Fault(reset=True),
    "connection lost after it acted": Fault(reset=True, acts=True),
    "half an answer": Fault(cut=True, acts=True, body='{"message": "Memories stored succ'),
    "not found": Fault(404),
    "refused": Fault(400),
}


class FaultyApi(PlatformApi):
    """The stand-in, whose n-th request from `start` on goes wrong."""

    at = 0
    fault: Fault | None = None

    def start(self, at: int, fault: Fault | None) -> None:
        self.at, self.fault = len(self.calls) + at, fault

    def _next_fault(self, call: Call) -> Fault | None:
        return self.fault if len(self.calls) == self.at else None


@pytest.fixture
def api() -> Any:
    with FaultyApi() as service:
        yield service


def fresh(api: FaultyApi, folder: Path) -> World:
    return example_on(api, folder, PlatformStore(api.key, api.url, sleep=lambda _: None))


def example_on(api: PlatformApi, folder: Path, store: PlatformStore) -> World:
    """The example on an emptied account; one of its merges gets a text that an older member has."""
    rows, plan, answers = example()
    api.rows.clear()
    ids = api.seed(
        SCOPE.user, SCOPE.project, [{k: row[k] for k in ("memory", "metadata", "created_at")} for row in rows]
    )
    new = dict(zip((row["id"] for row in rows), ids, strict=True))
    for merge in plan.merges:
        merge.ids = [new[id] for id in merge.ids]
    for conflict in plan.conflicts:
        conflict.a, conflict.b = new[conflict.a], new[conflict.b]
    for prune in plan.prunes:
        prune.id = new[prune.id]
    return world(folder, store, Plan(**{**vars(plan), "memories": {}}), answers)


def tried(made: World, how: Any) -> None:
    """In a process of its own, so to speak: what goes wrong is told in a sentence, and no more."""
    try:
        with made.lock() as lock:
            how(lock)
    except DreamError:
        pass


def applied(made: World) -> None:
    tried(made, lambda lock: apply(made.run, made.store, made.decisions, Policies(), lock, lambda _: None, TODAY))


def undone(made: World) -> None:
    tried(made, lambda lock: undo(made.run, made.store, (), lock, lambda _: None))


def finished(made: World) -> None:
    if made.run.journal.exists():
        tried(made, lambda lock: resume(made.run, made.store, lock, lambda _: None))
        assert open_operations(made.run) == []


def requests(api: FaultyApi, act: Any, made: World) -> list[int]:
    """The numbers of the requests that it makes; of reads by id in a row, which are alike, the first and the last."""
    before = len(api.calls)
    act(made)
    methods = ["", *(call.method for call in api.calls[before:]), ""]
    return [at for at in range(1, len(methods) - 1) if methods[at - 1 : at + 2] != ["GET", "GET", "GET"]]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_at_any_request_loses_and_doubles_nothing(api, tmp_path, name):
    numbers = requests(api, applied, fresh(api, tmp_path / "count"))
    assert len(numbers) > 10
    for at in numbers:
        made = fresh(api, tmp_path / str(at))
        api.start(at, FAULTS[name])
        applied(made)
        api.start(0, None)
        finished(made)
        texts = sorted(memory.text for memory in made.now().values())
        assert len(texts) == len(set(texts)) + texts.count("Bystander") - 1
        undone(made)
        assert contents(made.now().values()) == contents(made.before)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_at_any_request_of_an_undo_loses_and_doubles_nothing(api, tmp_path, name):
    counted = fresh(api, tmp_path / "count")
    applied(counted)
    for at in requests(api, undone, counted):
        made = fresh(api, tmp_path / str(at))
        applied(made)
        api.start(at, FAULTS[name])
        undone(made)
        api.start(0, None)
        finished(made)
        undone(made)
        assert contents(made.now().values()) == contents(made.before)


def test_adds_that_are_pending_for_a_while_are_waited_for(api, tmp_path):
    made = fresh(api, tmp_path)
    api.polls_to_finish = 3
    applied(made)
    assert sorted(memory.text for memory in made.now().values())[-1] == "use pnpm."
    undone(made)
    assert contents(made.now().values()) == contents(made.before)


def test_an_add_that_fails_in_the_end_leaves_the_originals(api, tmp_path):
    made = fresh(api, tmp_path)
    api.polls_to_finish, api.event_ends_in = 2, "FAILED"
    applied(made)
    texts = {memory.text for memory in made.now().values()}
    assert {"Deploy to ECS", "Deploys go to ECS"} & texts
    assert "Use pnpm" not in texts


def test_exact_repeats_come_back_although_the_platform_keeps_one_memory_of_a_text(api, tmp_path):
    made = fresh(api, tmp_path)
    for row in list(api.rows.values())[:2]:
        row["memory"] = "use pnpm."
    made.before = list(made.now().values())
    made.decisions.plan.memories = {memory.id: memory.record for memory in made.before}
    applied(made)
    undone(made)
    assert contents(made.now().values()) == contents(made.before)
