"""What an unattended run may do: the seven-day cap, a list that may be cut off, a retention that became shorter."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

import pytest
from mem0_dream.config.policies import Policies, Settings
from mem0_dream.execution.apply import apply
from mem0_dream.execution.undo import undo
from mem0_dream.planning.plan import Merge, Plan, Prune
from mem0_dream.review import limits

from .memories import STORE
from .worlds import SCOPE, MemoryStore, World, record, world

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)


def stale(tmp_path, prunes: int, total: int = 100, **plan) -> World:
    """`prunes` of `total` memories are to be pruned."""
    rows = [record(f"{n:08d}", f"Fact {n}", type="session_state") for n in range(total)]
    found = [Prune(f"P{n + 1}", f"{n:08d}", "session_state", "retention", 99, 90) for n in range(prunes)]
    made = Plan(STORE, SCOPE, mode="auto", prunes=found, **plan)
    return world(tmp_path, MemoryStore({row["id"]: row for row in rows}), made, {})


def held(made: World, policies: Policies | None = None, **options) -> dict[str, str]:
    done = limits.unattended(made.decisions, policies or Policies(), made.run.scope_folder, **options)
    items: list = [*done.merges, *done.prunes]
    states = {item.handle for item in items if item.state == "held"}
    assert {item.handle for item in done.held_back} == states
    return {item.handle: item.why for item in done.held_back}


def do(made: World) -> None:
    with made.lock() as lock:
        apply(made.run, made.store, made.decisions, Policies(), lock, lambda _: None, date(2026, 6, 1))


def test_a_quarter_of_the_memories_may_go(tmp_path):
    assert held(stale(tmp_path, 25)) == {}


def test_beyond_a_quarter_nothing_goes_and_all_of_it_is_queued(tmp_path):
    assert len(held(stale(tmp_path, 26))) == 26


def test_ten_may_go_whatever_the_percentage(tmp_path):
    lowered = Policies(settings=Settings(max_removed=1))
    assert held(stale(tmp_path, 10), lowered) == {}
    assert len(held(stale(tmp_path, 11), lowered)) == 11


@pytest.mark.parametrize(("total", "most"), [(39, 9), (12, 3), (4, 1), (3, 0)])
def test_in_a_small_scope_never_more_than_a_quarter_goes(tmp_path, total, most):
    assert limits.allowed(total, None, 25) == limits.allowed(total, None, 1) == most


def test_what_went_within_seven_days_counts(tmp_path):
    do(stale(tmp_path, 20))
    assert len(held(stale(tmp_path, 6, total=80))) == 6
    assert held(stale(tmp_path, 5, total=80)) == {}


def test_what_went_before_that_does_not_count(tmp_path):
    do(stale(tmp_path, 20))
    later = datetime.now(timezone.utc) + timedelta(days=8)
    assert held(stale(tmp_path, 6, total=80), now=later) == {}


def test_what_was_undone_does_not_count(tmp_path):
    first = stale(tmp_path, 20)
    do(first)
    with first.lock() as lock:
        undo(first.run, first.store, (), lock, lambda _: None)
    assert limits.removed_lately(first.run.scope_folder) == 0


def test_exact_repeats_do_not_count(tmp_path):
    rows = [record(f"{n:08d}", "The same", n % 28 + 1) for n in range(40)]
    plan = Plan(STORE, SCOPE, mode="auto", merges=[Merge("M1", [row["id"] for row in rows], "safe", "The same", "")])
    made = world(tmp_path, MemoryStore({row["id"]: row for row in rows}), plan, {})
    assert held(made) == {}
    do(made)
    assert limits.removed_lately(made.run.scope_folder) == 0


def test_a_merge_takes_away_one_memory_less_than_it_has(tmp_path):
    rows = [record(f"{n:08d}", f"Fact {n}") for n in range(3)]
    for text, counted in (("Fact 2", 2), ("All three", 2)):
        plan = Plan(STORE, SCOPE, mode="auto", merges=[Merge("M1", [row["id"] for row in rows], "safe", text, "")])
        made = world(tmp_path, MemoryStore({row["id"]: dict(row) for row in rows}), plan, {})
        before = limits.removed_lately(made.run.scope_folder)
        assert limits.taken(made.decisions.merges[0], made.decisions) == counted
        do(made)
        assert limits.removed_lately(made.run.scope_folder) - before == counted


@pytest.mark.parametrize(
    ("percent", "configured", "expected"),
    [(None, 25, 50), (50, 25, 100), (None, 10, 20), (50, 10, 20), (None, 80, 50), (0, 25, 0), (1, 25, 10)],
)
def test_mem0_md_can_only_lower_the_cap(percent, configured, expected):
    assert limits.allowed(200, percent, configured) == expected


def test_a_list_that_may_be_cut_off_queues_everything(tmp_path):
    assert set(held(stale(tmp_path, 3, complete=False)).values()) == {"the list of memories may be cut off"}


def test_pruning_unattended_can_be_switched_off(tmp_path):
    assert len(held(stale(tmp_path, 3), Policies(settings=Settings(prune_in_auto=False)))) == 3


@pytest.mark.parametrize(("auto", "expected"), [("safe", {"M2"}), ("drafted", set())])
def test_an_agent_s_text_can_be_kept_out_of_unattended_runs(tmp_path, auto, expected):
    rows = [record(f"{n:08d}", f"Fact {n}") for n in range(20)]
    merges = [
        Merge("M1", ["00000000", "00000001"], "safe", "Fact 1", ""),
        Merge("M2", ["00000002", "00000003"], "review", "Fact 3", ""),
    ]
    made = world(tmp_path, MemoryStore({r["id"]: r for r in rows}), Plan(STORE, SCOPE, mode="auto", merges=merges), {})
    made.decisions.merges[1].state = "accepted"
    assert held(made, Policies(settings=Settings(auto=auto))).keys() == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 90}, {"a": 30}, {"a"}),
        ({"a": None}, {"a": 30}, {"a"}),
        ({}, {"a": 30}, {"a"}),
        ({"a": 30}, {"a": 90}, set()),
        ({"a": 30}, {"a": None}, set()),
        ({"a": 30}, {"a": 30}, set()),
        ({"a": 30}, {}, set()),
    ],
)
def test_a_retention_that_became_shorter_is_noticed(tmp_path, before, after, expected):
    limits.seen(tmp_path, before)
    assert limits.shortened(tmp_path, after) == expected
    limits.used(tmp_path, after)
    assert limits.shortened(tmp_path, after) == expected
    limits.seen(tmp_path, after)
    assert limits.shortened(tmp_path, after) == set()


@pytest.mark.parametrize(
    ("retention", "expected"),
    [
        ({"session_state": 90, "compact_summary": 90}, set()),
        ({"session_state": 365, "decision": None}, set()),
        ({"session_state": 89}, {"session_state"}),
        ({"decision": 0}, {"decision"}),
    ],
)
def test_before_any_run_the_published_defaults_count_as_seen(tmp_path, retention, expected):
    assert limits.shortened(tmp_path, retention) == expected
    limits.used(tmp_path, retention)
    assert limits.shortened(tmp_path, retention) == expected


def test_a_retention_that_became_shorter_prunes_nothing_until_a_person_has_seen_it(tmp_path):
    made = stale(tmp_path, 3)
    limits.used(made.run.scope_folder, {"session_state": 180})
    shorter = Policies({"session_state": 90})
    assert len(held(made, shorter)) == 3
    limits.seen(made.run.scope_folder, shorter.retention)
    assert held(made, shorter) == {}
