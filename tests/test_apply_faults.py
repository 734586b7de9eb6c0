"""Random stores, plans and faults: after any interruption and a resume every fact stands exactly once."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mem0_dream.config.policies import Policies, Settings
from mem0_dream.errors import DreamError
from mem0_dream.execution.apply import apply
from mem0_dream.execution.resume import resume
from mem0_dream.execution.undo import undo
from mem0_dream.memory import Memory
from mem0_dream.planning.plan import Conflict, Merge, Plan, Prune
from mem0_dream.runs import journal
from mem0_dream.runs.history import open_operations

from .memories import STORE
from .profiles import whole_runs
from .worlds import (
    FAULTS,
    SCOPE,
    WRITE_FAULTS,
    FaultyStore,
    Killed,
    MemoryStore,
    World,
    content,
    contents,
    faulty_journal,
    record,
    world,
)

TODAY = date(2026, 6, 1)
ODD = " (as I see it)"  # how a text ends that the store changed


@dataclass
class Faults:
    """What goes wrong in one process: at which store calls and at which journal writes."""

    calls: dict[int, str] = field(default_factory=dict)
    writes: dict[int, str] = field(default_factory=dict)


@st.composite
def worlds(draw: Callable[[Any], Any]) -> tuple[MemoryStore, Plan, Policies]:
    """A store of up to a dozen memories with some repeats, and a plan that gives each at most one fate."""
    count = draw(st.integers(3, 12))
    rows = []
    for n in range(count):
        row = record(f"{n:08d}", f"Fact {draw(st.integers(0, 7))}", draw(st.integers(1, 28)))
        row["metadata"].update(draw(st.fixed_dictionaries({}, optional=METADATA)))
        if draw(st.booleans()):
            row["expiration_date"] = draw(st.sampled_from([None, "2031-01-01", "2032-02-02"]))
        rows.append(row)
    ids = draw(st.permutations([row["id"] for row in rows]))
    texts = {row["id"]: row["memory"] for row in rows}
    plan, free, fresh = Plan(STORE, SCOPE, branch="main"), list(ids), itertools.count()
    while len(free) >= 2 and draw(st.booleans()):
        members, free = free[: (size := draw(st.integers(2, 4)))], free[size:]
        own = [texts[id] for id in members if texts[id] not in {texts[i] for i in ids if i not in members}]
        text = draw(st.sampled_from([*own, f"Merged {next(fresh)}"]))
        if len(members) > 1:
            plan.merges.append(Merge(f"M{len(plan.merges) + 1}", members, "safe", text, ""))
    merged = [merge.ids[0] for merge in plan.merges]
    while len(pool := free + merged) >= 2 and draw(st.booleans()):
        a, b = pool[0], pool[1]
        free, merged = [i for i in free if i not in (a, b)], [i for i in merged if i not in (a, b)]
        plan.conflicts.append(Conflict(f"C{len(plan.conflicts) + 1}", a, b, "it", None, ""))
    for id in free[: draw(st.integers(0, 3))]:
        plan.prunes.append(Prune(f"P{len(plan.prunes) + 1}", id, "decision", "retention", 9, 1))
    store = MemoryStore(
        {row["id"]: row for row in rows},
        keeps_one_text=draw(st.booleans()),
        merges_metadata=draw(st.booleans()),
        hides=draw(st.booleans()),
    )
    how = Settings(
        conflict_loser=draw(st.sampled_from(["delete", "supersede"])), prune=draw(st.sampled_from(["delete", "expire"]))
    )
    return store, plan, Policies(settings=how)


METADATA: dict[str, Any] = {
    "confidence": st.sampled_from([0.2, 0.9, "0.5", None]),
    "files": st.lists(st.sampled_from(["a", "b", "c"]), max_size=2),
    "branch": st.sampled_from(["main", "dev"]),
    "team": st.sampled_from(["core", None]),
}
FAULT_LISTS = st.builds(
    Faults,
    st.dictionaries(st.integers(1, 12), st.sampled_from(sorted(FAULTS)), max_size=3),
    st.dictionaries(st.integers(1, 6), st.sampled_from(WRITE_FAULTS), max_size=1),
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of runs need no disk that survives a power cut; waves are short, so that there are several."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr(MemoryStore, "wave", 2)


def build(folder: str, store: MemoryStore, plan: Plan) -> World:
    answers = {conflict.handle: "AB"[n % 2] for n, conflict in enumerate(plan.conflicts)}
    return world(Path(folder), store, plan, answers)


def in_a_process(made: World, act: Callable[[Any, Any], Any], faults: Faults, later: list[Any]) -> bool:
    """Act in what stands for one process; whether it came through, and all it began has ended."""
    store = FaultyStore(made.store, faults.calls, later=later)
    try:
        with faulty_journal(faults.writes), made.lock() as lock:
            act(store, lock)
    except (Killed, DreamError):
        return False
    finally:
        later[:] = store.later
    return True


def end(made: World, later: list[Any]) -> None:
    """Resume with nothing going wrong any more."""
    assert in_a_process(made, lambda store, lock: resume(made.run, store, lock, lambda _: None), Faults(), later)
    assert open_operations(made.run) == []


def apply_with(made: World, policies: Policies, first: Faults, second: Faults) -> None:
    later: list[Any] = []

    def act(store: Any, lock: Any) -> None:
        apply(made.run, store, made.decisions, policies, lock, lambda _: None, TODAY)

    in_a_process(made, act, first, later)
    if made.run.journal.exists():
        in_a_process(made, lambda store, lock: resume(made.run, store, lock, lambda _: None), second, later)
        end(made, later)


def odd_in(*faults: Faults) -> bool:
    return any("other text" in each.calls.values() for each in faults)


def assert_every_fact_once(made: World, odd: bool) -> None:
    """What the journal says is what stands, and nothing else stands."""
    now, before = made.now(), {memory.id: memory for memory in made.before}
    expected = {id: content(memory) for id, memory in before.items()}
    for op in journal.read(made.run.journal):
        if op.state == "done":
            for id in op.removed:
                del expected[id]
            expected.update((record["id"], content(Memory(record))) for record in op.left)
            if op.kind == "merge":
                assert [Memory(record).text for record in op.left] == [_text(made, op.handle)]
                assert {*op.removed, op.left[0]["id"]} >= {member.id for member in op.members}
    standing = {id: content(memory) for id, memory in now.items() if not (odd and memory.text.endswith(ODD))}
    assert standing == expected


def _text(made: World, handle: str) -> str:
    return next(merge.text for merge in made.decisions.merges if merge.handle == handle)


@whole_runs(1200)
@given(worlds(), FAULT_LISTS, FAULT_LISTS)
def test_after_any_faults_and_a_resume_every_fact_stands_exactly_once(case, first, second):
    store, plan, policies = case
    with tempfile.TemporaryDirectory() as folder:
        made = build(folder, store, plan)
        apply_with(made, policies, first, second)
        if made.run.journal.exists():
            assert_every_fact_once(made, odd_in(first, second))


@whole_runs(900)
@given(worlds(), FAULT_LISTS, FAULT_LISTS, FAULT_LISTS)
def test_after_any_faults_an_undo_brings_everything_back(case, first, second, third):
    store, plan, policies = case
    with tempfile.TemporaryDirectory() as folder:
        made = build(folder, store, plan)
        apply_with(made, policies, first, Faults())
        later: list[Any] = []

        def act(store: Any, lock: Any) -> None:
            undo(made.run, store, (), lock, lambda _: None)

        if made.run.journal.exists():
            in_a_process(made, act, second, later)
            in_a_process(made, lambda store, lock: resume(made.run, store, lock, lambda _: None), third, later)
            end(made, later)
            assert in_a_process(made, act, Faults(), later)
            end(made, later)
        odd = odd_in(first, second, third)
        now = [memory for memory in made.now().values() if not (odd and memory.text.endswith(ODD))]
        assert contents(now) == contents(made.before)


@whole_runs(300)
@given(worlds(), st.integers(0, 11), st.integers(1, 9), st.sampled_from(["edited", "deleted"]), FAULT_LISTS)
def test_what_somebody_changes_meanwhile_is_never_lost_nor_overwritten(case, which, look, how, faults):
    store, plan, policies = case
    with tempfile.TemporaryDirectory() as folder:
        made = build(folder, store, plan)
        target = made.before[which % len(made.before)].id
        looks, touched = itertools.count(1), []
        real = store.fetch

        def fetch(scope: Any) -> Any:
            if next(looks) == look and target in store.rows:
                touched.append(target)
                if how == "deleted":
                    del store.rows[target]
                else:
                    store.rows[target]["memory"] = "Edited by somebody"
            return real(scope)

        store.fetch = fetch
        apply_with(made, policies, faults, Faults())
        now = made.now()
        if touched and how == "edited":
            assert now[target].text == "Edited by somebody"
        dropped = {op.id for op in journal.read(made.run.journal) if op.state == "dropped"}
        if not odd_in(faults):
            assert not [m for m in now.values() if m.metadata.get("dream_op") in dropped and m.id != target]
        results = {record["id"] for op in journal.read(made.run.journal) for record in op.left}
        removed = {id for op in journal.read(made.run.journal) if op.state == "done" for id in op.removed}
        # A merged memory that somebody deleted before a resume: nobody can tell any more that it stood for the others.
        with_target = {
            member.id
            for op in journal.read(made.run.journal)
            for member in op.members
            if how == "deleted" and op.state == "dropped" and target in {m.id for m in op.members}
        }
        for memory in made.before:
            if memory.id not in removed | results | with_target | {target}:
                assert content(now[memory.id]) == content(memory)


@whole_runs(300)
@given(worlds(), st.data(), st.booleans())
def test_runs_on_top_of_each_other_are_undone_one_after_the_other(case, data, too_early):
    """A second run takes on whatever the first one left; undoing the first too early leaves those parts alone."""
    store, plan, policies = case
    with tempfile.TemporaryDirectory() as folder:
        first = build(folder, store, plan)
        apply_with(first, policies, Faults(), Faults())
        standing = sorted(first.now().values(), key=lambda memory: memory.id)
        free = [m.id for m in standing if not m.protection(TODAY)]
        chosen = data.draw(st.permutations(free))[: data.draw(st.integers(0, 6))]
        again = Plan(STORE, SCOPE, branch="main")
        if len(chosen) >= 2:
            again.merges.append(Merge("M1", chosen[:2], "safe", "Merged on", ""))
        again.prunes += [Prune(f"P{n + 1}", id, "decision", "retention", 9, 1) for n, id in enumerate(chosen[2:])]
        second = build(folder, store, again)
        apply_with(second, policies, Faults(), Faults())
        for made in [first, second, first] if too_early else [second, first]:
            with made.lock() as lock:
                undo(made.run, store, (), lock, lambda _: None)
        assert contents(first.now().values()) == contents(first.before)
