"""Applying, killing, resuming and undoing on a Platform whose replicas show a write late."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.errors import DreamError
from mem0_dream.execution.apply import Summary, apply
from mem0_dream.execution.resume import resume
from mem0_dream.execution.undo import undo
from mem0_dream.memory import Memory
from mem0_dream.planning.plan import Prune
from mem0_dream.review.answers import decide
from mem0_dream.runs import journal
from mem0_dream.runs.history import open_operations
from mem0_dream.runs.run_folder import new_run
from mem0_dream.stores.platform import PlatformStore

from .standins.platform_api import PlatformApi
from .standins.web import Fault
from .test_apply_platform import example_on
from .worlds import SCOPE, FaultyStore, Killed, World, contents

TODAY = date(2026, 6, 1)


def constant(seconds: float) -> Callable[[], float]:
    return lambda: seconds


def varying(most: float, seed: int = 1) -> Callable[[], float]:
    luck = random.Random(seed)
    return lambda: luck.uniform(0, most)


LAGS = {
    "none": lambda: constant(0),
    "always 1 s": lambda: constant(1),
    "always 5 s": lambda: constant(5),
    "always 60 s": lambda: constant(60),
    "up to 1 s": lambda: varying(1),
    "up to 20 s": lambda: varying(20),
    "up to 60 s": lambda: varying(60),
}


@pytest.fixture
def api() -> Any:
    with PlatformApi() as service:
        yield service


def fresh(api: PlatformApi, folder: Path) -> World:
    api.lag = api.read_lag = constant(0)
    return example_on(api, folder, PlatformStore(api.key, api.url, sleep=api.sleep))


def do(api: PlatformApi, made: World, store: Any = None) -> Summary:
    with made.lock() as lock:
        return apply(made.run, store or made.store, made.decisions, Policies(), lock, api.sleep, TODAY)


def take_back(api: PlatformApi, made: World, store: Any = None) -> Summary:
    with made.lock() as lock:
        return undo(made.run, store or made.store, (), lock, api.sleep)


def carry_on(api: PlatformApi, made: World) -> Summary:
    with made.lock() as lock:
        return resume(made.run, made.store, lock, api.sleep)


def really(api: PlatformApi) -> list[Memory]:
    """What stands, whatever the replicas show."""
    return [Memory(row) for row in api.rows.values()]


def assert_no_fact_lost(api: PlatformApi, made: World) -> None:
    """Every original stands, or is on record as removed by an operation whose result stands."""
    standing = {memory.id for memory in really(api)}
    on_record = {id for op in journal.read(made.run.journal) for id in op.removed}
    assert {memory.id for memory in made.before} <= standing | on_record
    for op in journal.read(made.run.journal):
        if op.state == "done" and op.kind == "merge":
            assert {record["id"] for record in op.left} <= standing | on_record
            assert len(op.removed) == len([id for id in op.removes if id not in standing])


@pytest.mark.parametrize("lag", LAGS)
@pytest.mark.parametrize("reads_lag_too", [False, True], ids=["listing", "every read"])
def test_a_run_is_applied_and_undone_straight_away_whatever_the_replicas_show(api, tmp_path, lag, reads_lag_too):
    made = fresh(api, tmp_path)
    api.lag = LAGS[lag]()
    api.read_lag = LAGS[lag]() if reads_lag_too else constant(0)
    summary = do(api, made)
    assert (summary.merged, summary.resolved, summary.pruned) == (3, 1, 2)
    assert (summary.left_alone, summary.unfinished, summary.after) == ([], [], len(api.rows))
    assert_no_fact_lost(api, made)
    summary = take_back(api, made)
    assert (summary.undone, summary.left_alone, summary.unfinished) == (6, [], [])
    assert contents(really(api)) == contents(made.before)


def test_one_stale_look_after_the_members_are_gone_loses_nothing(api, tmp_path):
    """At each look in turn, and at it alone, the replica is a minute behind."""
    for at in range(1, 60):
        made = fresh(api, tmp_path / str(at))
        looks = iter(range(1, 10_000))
        api.lag = api.read_lag = lambda looks=looks, at=at: 60.0 if next(looks) == at else 0.0
        do(api, made)
        api.lag = api.read_lag = constant(0)
        if open_operations(made.run):
            carry_on(api, made)
        assert_no_fact_lost(api, made)
        take_back(api, made)
        assert contents(really(api)) == contents(made.before)


class KilledAtWrites(FaultyStore):
    """Only writes count: a kill at a read is a kill after the write before it."""

    def fetch(self, scope: Any) -> Any:
        return self.inner.fetch(scope)

    def get(self, ids: Any, scope: Any) -> Any:
        return self.inner.get(ids, scope)


@pytest.mark.parametrize("lag", ["always 5 s", "up to 60 s"])
@pytest.mark.parametrize("fault", ["killed before", "killed halfway", "killed after"])
def test_a_kill_at_any_write_loses_and_doubles_nothing(api, tmp_path, lag, fault):
    for undoing in (False, True):
        for at in range(1, 20):
            made = fresh(api, tmp_path / f"{undoing}-{at}")
            api.lag, api.read_lag = LAGS[lag](), LAGS[lag]()
            if undoing:
                do(api, made)
            store = KilledAtWrites(made.store, {at: fault})
            try:
                (take_back if undoing else do)(api, made, store)
            except Killed:
                pass
            else:
                assert at > 3
                break
            if made.run.journal.exists():
                carry_on(api, made)
                assert open_operations(made.run) == []
                texts = sorted(memory.text for memory in really(api))
                assert len(texts) == len(set(texts)) + texts.count("Bystander") - 1
                assert_no_fact_lost(api, made)
                take_back(api, made)
            assert contents(really(api)) == contents(made.before)


def test_an_unknown_add_is_waited_for_before_it_is_repeated(api, tmp_path):
    made = fresh(api, tmp_path)
    api.lag = api.read_lag = constant(45)
    with pytest.raises(Killed):
        do(api, made, FaultyStore(made.store, {3: "killed after"}))
    carry_on(api, made)
    results = [memory.text for memory in really(api) if memory.metadata.get("source") == "mem0-dream"]
    assert len(results) == len(set(results))


def test_a_result_that_shows_no_more_leaves_the_merge_open_and_its_originals_on_record(api, tmp_path, monkeypatch):
    """The store loses it for good while the originals are removed: the undo brings them back."""
    made = fresh(api, tmp_path)
    store = FaultyStore(made.store)
    real, lost = store.delete, []

    def delete(ids: Any) -> Any:
        answered = real(ids)
        for id in [id for id, row in api.rows.items() if (row["metadata"] or {}).get("source") == "mem0-dream"]:
            lost.append(api.rows.pop(id))
        return answered

    monkeypatch.setattr(store, "delete", delete)
    summary = do(api, made, store)
    assert lost and {held.handle for held in summary.unfinished} >= {"M2", "M3"}
    carry_on(api, made)
    assert open_operations(made.run) == []
    take_back(api, made)
    texts = {memory.text for memory in really(api)}
    assert {row.text for row in made.before if row.text not in ("Use pnpm", "use pnpm.")} <= texts


def test_nothing_is_concluded_from_a_list_that_is_cut_off(api, tmp_path):
    made = fresh(api, tmp_path)
    real = made.store.fetch

    def fetch(scope: Any) -> Any:
        listing = real(scope)
        listing.memories, listing.complete = listing.memories[:2], False
        return listing

    made.store.fetch = fetch
    do(api, made)
    assert_no_fact_lost(api, made)
    take_back(api, made)
    assert contents(really(api)) == contents(made.before)


@pytest.mark.parametrize(
    ("mark", "word"),
    [
        ({"lifecycle_state": "superseded"}, "superseded"),
        ({"lifecycle_state": "merged"}, "merged"),
        ({"replaced_by": "another"}, "superseded"),
        ({"synthesized": True}, "synthesized"),
    ],
)
def test_what_the_platform_protects_after_the_fetch_is_left_alone(api, tmp_path, mark, word):
    made = fresh(api, tmp_path)
    id = next(memory.id for memory in made.before if memory.text == "Old state")
    api.rows[id].update(mark)
    summary = do(api, made)
    assert [(held.handle, word in held.why) for held in summary.left_alone] == [("P1", True)]
    assert id in api.rows


def test_members_of_one_text_come_back_each_with_its_own_metadata_and_date(api, tmp_path):
    made = fresh(api, tmp_path)
    for team, row in zip(("core", "web"), list(api.rows.values())[2:4], strict=True):
        row.update(memory="Deploy to ECS", metadata={"type": "decision", "team": team})
    made.before = really(api)
    made.decisions.plan.memories = {memory.id: memory.record for memory in made.before}
    do(api, made)
    real = made.store.add
    made.store.add = lambda drafts: [type(r)(error="lost", unsure=True) for r in real(list(reversed(drafts)))]
    take_back(api, made)
    made.store.add = real
    if open_operations(made.run):
        carry_on(api, made)
    take_back(api, made)
    assert contents(really(api)) == contents(made.before)


def test_a_removal_follows_a_read_of_its_ids_and_no_listing(api, tmp_path):
    made = fresh(api, tmp_path)
    do(api, made)
    paths = [(call.method, call.path) for call in api.calls]
    removals = [n for n, (method, path) in enumerate(paths) if method == "DELETE"]
    assert removals
    for n in removals:
        assert paths[n - 1][0] in ("GET", "DELETE") and paths[n - 1][1] != "/v3/memories/"


def test_what_was_done_before_the_key_was_refused_comes_with_the_failure(api, tmp_path):
    made = fresh(api, tmp_path)
    api.before = lambda call: setattr(api, "key", "another") if call.method == "DELETE" and len(api.rows) < 10 else None
    with pytest.raises(DreamError) as failure:
        do(api, made)
    summary = failure.value.summary
    assert summary.merged + len(summary.unfinished) >= 1
    assert summary.before == 11


@pytest.mark.parametrize("lag", [0, 60])
@pytest.mark.parametrize("at", range(1, 4))
def test_a_removal_that_the_platform_only_claims_is_noticed_whatever_its_list_shows(api, tmp_path, lag, at):
    """The list of a replica may be older than the memory that was to go, and so not show it either."""
    claimed = Fault(200, '{"message": "Memory deleted successfully!"}')
    made = fresh(api, tmp_path)
    api.lag = constant(lag)
    for act in (do, take_back):
        deletes = api.count("DELETE", "")
        fault = lambda call, wanted=deletes + at: claimed if api.count("DELETE", "") == wanted else None  # noqa: E731
        api._next_fault = lambda call, fault=fault: fault(call) if call.method == "DELETE" else None
        act(api, made)
        assert open_operations(made.run) == []
    assert contents(really(api)) == contents(made.before)


def test_many_removals_are_read_back_by_one_listing(api, tmp_path):
    """A read of each before it is removed, and none after it."""
    made = fresh(api, tmp_path)
    ids = api.seed(SCOPE.user, SCOPE.project, [f"Old note {n}" for n in range(50)])
    plan = made.decisions.plan
    plan.merges, plan.conflicts = [], []
    plan.prunes = [Prune(f"P{n}", id, "unknown", "retention", 100, 90) for n, id in enumerate(ids)]
    plan.memories = {memory.id: memory.record for memory in made.store.fetch(SCOPE).memories}
    made.decisions = decide(plan, {})
    api.calls.clear()
    summary = do(api, made)
    assert (summary.pruned, api.count("GET", "/v1/memories/"), api.count("POST", "/v3/memories/")) == (50, 50, 2)


def test_a_list_from_before_a_memory_was_brought_back_does_not_show_that_it_is_gone(api, tmp_path):
    """Pruned again straight after the undo; the Platform claims both removals and does neither at first."""
    made = fresh(api, tmp_path)
    do(api, made)
    take_back(api, made)
    again = [id for op in journal.read(made.run.journal) if op.handle in ("P1", "P2") for id in op.restored.values()]
    plan = made.decisions.plan
    plan.merges, plan.conflicts = [], []
    plan.prunes = [Prune(f"P{n}", id, "unknown", "retention", 100, 90) for n, id in enumerate(again)]
    plan.memories = {memory.id: memory.record for memory in made.store.fetch(SCOPE).memories}
    made.decisions, made.run = decide(plan, {}), new_run(made.run.scope_folder)
    lags = iter([0.0])
    api.lag = lambda: next(lags, 60.0)
    api.fail("DELETE", "", Fault(200, '{"message": "Successfully deleted 2 memories"}'))
    assert (len(again), do(api, made).pruned) == (2, 2)
    assert not api.rows.keys() & again


def test_the_run_after_an_undo_waits_for_nothing(api, tmp_path):
    made = fresh(api, tmp_path)
    do(api, made)
    take_back(api, made)
    plan = made.decisions.plan
    plan.merges, plan.conflicts, plan.prunes = [], [], []
    made.decisions, made.run, before = decide(plan, {}), new_run(made.run.scope_folder), api.now
    do(api, made)
    assert api.now == before
