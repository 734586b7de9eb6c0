"""Applying, resuming and undoing: what stands in the store afterwards, and what is left alone."""

from __future__ import annotations

import json
import os
from datetime import date

import pytest
from mem0_dream.config.policies import Policies, Settings
from mem0_dream.errors import AttentionNeeded, Busy, DreamError, UsageError
from mem0_dream.execution.apply import Summary, apply
from mem0_dream.execution.resume import resume
from mem0_dream.execution.undo import undo
from mem0_dream.memory import Memory
from mem0_dream.planning.plan import Merge, Plan, Prune
from mem0_dream.runs import journal
from mem0_dream.runs.dismissals import Dismissals
from mem0_dream.runs.history import history, interrupted

from .memories import STORE
from .worlds import SCOPE, FaultyStore, Killed, MemoryStore, World, contents, example, faulty_journal, record, world


def make(tmp_path, rows=None, plan=None, answers=None, **store) -> World:
    if rows is None:
        rows, plan, answers = example()
    return world(tmp_path, MemoryStore({row["id"]: row for row in rows}, **store), plan, answers or {})


def merging(ids, text, tier="review", **plan) -> Plan:
    return Plan(STORE, SCOPE, merges=[Merge("M1", ids, tier, text, "")], **plan)


def do(made: World, policies=None, store=None) -> Summary:
    with made.lock() as lock:
        return apply(
            made.run,
            store or made.store,
            made.decisions,
            policies or Policies(),
            lock,
            lambda _: None,
            date(2026, 6, 1),
        )


def undo_it(made: World, *only, store=None) -> Summary:
    with made.lock() as lock:
        return undo(made.run, store or made.store, only, lock, lambda _: None)


def resume_it(made: World, store=None) -> Summary:
    with made.lock() as lock:
        return resume(made.run, store or made.store, lock, lambda _: None)


def texts(made: World) -> list[str]:
    return sorted(memory.text for memory in made.now().values())


def test_every_kind_of_operation_is_carried_out(tmp_path):
    made = make(tmp_path)
    summary = do(made)
    assert (summary.merged, summary.resolved, summary.pruned, summary.left_alone) == (3, 1, 2, [])
    assert (summary.before, summary.after) == (11, 5)
    assert texts(made) == ["Bystander", "Bystander", "Deploy to Vercel", "The API listens on port 8080", "use pnpm."]


def test_undo_brings_back_every_text_with_its_metadata_and_date(tmp_path):
    made = make(tmp_path)
    do(made)
    assert undo_it(made).undone == 6
    assert contents(made.now().values()) == contents(made.before)


@pytest.mark.parametrize("personality", ["keeps_one_text", "merges_metadata", "hides"])
def test_undo_brings_everything_back_whatever_the_store_is_like(tmp_path, personality):
    made = make(tmp_path, **{personality: True})
    do(made, Policies(settings=Settings(conflict_loser="supersede", prune="expire")))
    undo_it(made)
    assert contents(made.now().values()) == contents(made.before)


def test_undo_twice_does_nothing_the_second_time(tmp_path):
    made = make(tmp_path)
    do(made)
    undo_it(made)
    after = made.now().keys()
    assert undo_it(made).undone == 0
    assert made.now().keys() == after


def test_undo_of_one_operation_touches_nothing_else(tmp_path):
    made = make(tmp_path)
    do(made)
    before = made.now()
    undo_it(made, "P1")
    new = made.now().keys() - before.keys()
    assert [made.now()[id].text for id in new] == ["Old state"]
    assert contents(m for m in made.now().values() if m.id not in new) == contents(before.values())


def test_undo_of_a_handle_that_was_not_carried_out_is_a_wrong_argument(tmp_path):
    made = make(tmp_path)
    do(made)
    with pytest.raises(UsageError, match="M9"):
        undo_it(made, "M9")


def test_the_rest_of_a_run_can_be_undone_after_one_operation_was(tmp_path):
    made = make(tmp_path)
    do(made)
    for handle in ("P1", "C1", "M2"):
        undo_it(made, handle)
    undo_it(made)
    assert contents(made.now().values()) == contents(made.before)


def test_the_newest_member_stays_where_it_has_the_merged_text(tmp_path):
    made = make(tmp_path)
    do(made)
    kept = made.now()["id-00000002"]
    assert kept.record["created_at"] == "2026-01-02T10:20:30+00:00"
    assert "id-00000001" not in made.now()


def test_the_new_memory_is_added_before_an_original_is_removed(tmp_path):
    made = make(tmp_path, [record("a" * 8, "One", 1), record("b" * 8, "Two", 2)], merging(["a" * 8, "b" * 8], "Three"))
    made.decisions.merges[0].state = "accepted"
    seen = []
    store = FaultyStore(made.store)
    store.events = {
        n: lambda: seen.append(sorted(row["memory"] for row in made.store.rows.values())) for n in range(99)
    }
    do(made, store=store)
    assert all("Three" in now or now == ["One", "Two"] for now in seen)


def test_the_metadata_of_a_merged_memory_follows_the_rules(tmp_path):
    rows = [
        record("a" * 8, "One", 1, confidence="0.4", files=["x", "y"], team="core", ticket=1, pinned=False),
        record("b" * 8, "Two", 2, confidence=0.8, files=["y", "z"], team="core", ticket=2, branch="dev"),
    ]
    made = make(tmp_path, rows, merging(["a" * 8, "b" * 8], "Three", branch="main"), {"M1": True})
    made.decisions.merges[0].state = "accepted"
    do(made)
    [new] = made.now().values()
    assert new.record["created_at"] == "2026-01-02T10:20:30+00:00"
    assert {name: value for name, value in new.metadata.items() if name != "dream_op"} == {
        "type": "decision",
        "branch": "dev",
        "confidence": 0.8,
        "source": "mem0-dream",
        "merged_from": ["a" * 8, "b" * 8],
        "files": ["x", "y", "z"],
        "team": "core",
        "pinned": False,
        "ticket": 2,
    }


def test_metadata_over_the_platform_s_limit_is_trimmed_and_never_refused(tmp_path):
    rows = [record(f"{n:08d}", f"One {n}", n + 1, files=[f"src/{n}/{i}.ts" for i in range(40)]) for n in range(9)]
    made = make(tmp_path, rows, merging([row["id"] for row in rows], "All of them"))
    made.decisions.merges[0].state = "accepted"
    do(made)
    [new] = made.now().values()
    assert len(json.dumps(new.metadata)) <= 2000
    assert new.metadata["dream_op"] and new.metadata["type"] == "decision"


@pytest.mark.parametrize(
    ("days", "expected"),
    [([None, None], None), (["2026-03-01", None], None), (["2026-03-01", "2026-02-01"], "2026-03-01")],
)
def test_no_merged_memory_expires_before_a_member_would_have(tmp_path, days, expected):
    rows = [{**record(f"{n:08d}", f"One {n}", n + 1), "expiration_date": day} for n, day in enumerate(days)]
    plan = merging([row["id"] for row in rows], "Both")
    plan.memories = {row["id"]: row for row in rows}
    from mem0_dream.execution.operations import merge

    assert merge("M1", [Memory(row) for row in rows], "Both", None).adds[0]["expiration_date"] == expected


def test_where_the_store_keeps_one_memory_of_a_text_the_older_member_is_updated_with_the_newer_date(tmp_path):
    rows = [record("a" * 8, "The text", 1), record("b" * 8, "Another", 2)]
    made = make(tmp_path, rows, merging(["a" * 8, "b" * 8], "The text"), {"M1": True}, keeps_one_text=True)
    made.decisions.merges[0].state = "accepted"
    assert do(made).merged == 1
    [kept] = made.now().values()
    assert (kept.id, kept.text, kept.record["created_at"]) == ("a" * 8, "The text", "2026-01-02T10:20:30+00:00")
    undo_it(made)
    assert contents(made.now().values()) == contents(made.before)


def test_a_member_s_own_text_is_taken_although_a_memory_of_another_type_has_it_too(tmp_path):
    rows = [record("a" * 8, "Same", 1), record("b" * 8, "Other", 2), record("c" * 8, "Same", 3, type="convention")]
    made = make(tmp_path, rows, merging(["a" * 8, "b" * 8], "Same"))
    made.decisions.merges[0].state = "accepted"
    assert do(made).merged == 1
    assert texts(made) == ["Same", "Same"]


def test_a_merged_text_that_another_memory_has_by_now_is_not_added(tmp_path):
    made = make(tmp_path)
    made.store.rows["new-01"] = record("new-01", "Deploys go to ECS always", 20)
    assert "M2" in [held.handle for held in do(made).left_alone]
    assert texts(made).count("Deploys go to ECS always") == 1


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"memory": "Edited"}, "another text"),
        ({"metadata": {"type": "decision", "confidence": 0.1}}, "other metadata"),
        ({"expiration_date": "2027-01-01"}, "another expiration date"),
        ({"app_id": "elsewhere"}, "belongs to another user"),
        (None, "is gone"),
    ],
)
def test_a_memory_that_changed_since_the_snapshot_is_left_alone_and_the_rest_goes_on(tmp_path, change, word):
    made = make(tmp_path)
    if change is None:
        del made.store.rows["id-00000008"]
    else:
        made.store.rows["id-00000008"].update(change)
    before = made.now()
    summary = do(made)
    assert [held.handle for held in summary.left_alone] == ["M3"]
    assert word in summary.left_alone[0].why
    assert (summary.merged, summary.resolved, summary.pruned) == (2, 1, 2)
    assert made.now()["id-00000009"].record == before["id-00000009"].record


def test_a_null_key_that_the_store_adds_is_no_change(tmp_path):
    made = make(tmp_path)
    made.store.rows["id-00000008"]["metadata"]["app_id"] = None
    assert do(made).left_alone == []


def test_a_member_that_changes_after_the_add_takes_the_merge_back(tmp_path):
    made = make(tmp_path, [record("a" * 8, "One", 1), record("b" * 8, "Two", 2)], merging(["a" * 8, "b" * 8], "Three"))
    made.decisions.merges[0].state = "accepted"
    store = FaultyStore(made.store)
    store.events[4] = lambda: made.store.rows["a" * 8].update(memory="Edited")  # look, look, add, look
    summary = do(made, store=store)
    assert texts(made) == ["Edited", "Two"]
    assert "another text" in summary.left_alone[0].why


def test_a_contradiction_is_not_resolved_once_the_winner_is_gone(tmp_path):
    made = make(tmp_path)
    del made.store.rows["id-00000005"]
    summary = do(made)
    assert [held.handle for held in summary.left_alone] == ["C1"]
    assert "Deploys go to ECS always" in texts(made)


def test_a_superseded_loser_stays_with_its_mark(tmp_path):
    made = make(tmp_path)
    do(made, Policies(settings=Settings(conflict_loser="supersede")))
    [loser] = [memory for memory in made.now().values() if memory.text == "Deploys go to ECS always"]
    assert (loser.metadata["superseded_by"], loser.confidence) == ("id-00000005", 0.1)
    assert loser.protection(date(2026, 6, 1)) == "superseded"


def test_an_expired_prune_is_hidden_and_its_text_stays(tmp_path):
    made = make(tmp_path)
    do(made, Policies(settings=Settings(prune="expire")))
    assert made.now()["id-00000006"].protection(date(2026, 6, 1)) == "expired"


def test_the_same_plan_twice_does_nothing_the_second_time_and_says_so(tmp_path):
    made = make(tmp_path)
    do(made)
    before = made.now()
    with pytest.raises(AttentionNeeded, match="applied already"):
        do(made)
    assert made.now().keys() == before.keys()


def test_a_run_of_another_store_is_refused(tmp_path):
    made = make(tmp_path)
    do(made)
    made.store.identity = "memory:other"
    with pytest.raises(DreamError, match="another store"):
        undo_it(made)


def test_undo_refuses_what_was_edited_since_and_undoes_the_rest(tmp_path):
    made = make(tmp_path)
    do(made)
    made.store.rows["id-00000002"]["memory"] = "Use pnpm, always"
    summary = undo_it(made)
    assert [(held.handle, held.why) for held in summary.left_alone] == [
        ("M1", "[mem0:id-00000] has another text since")
    ]
    assert summary.undone == 5
    assert "Use pnpm, always" in texts(made) and "Use pnpm" not in texts(made)


def test_undo_refuses_what_was_deleted_since(tmp_path):
    made = make(tmp_path)
    do(made)
    del made.store.rows["id-00000002"]
    assert [held.handle for held in undo_it(made).left_alone] == ["M1"]


def test_undo_refuses_what_somebody_added_again(tmp_path):
    made = make(tmp_path)
    do(made)
    made.store.rows["again-01"] = record("again-01", "Old state", 20, type="session_state")
    summary = undo_it(made)
    assert [(held.handle, "stands again" in held.why) for held in summary.left_alone] == [("P1", True)]
    assert texts(made).count("Old state") == 1


def test_a_twin_of_another_type_does_not_stop_an_undo(tmp_path):
    rows = [record("a" * 8, "Same", 1), record("b" * 8, "Same", 2), record("c" * 8, "Same", 3, type="convention")]
    plan = Plan(STORE, SCOPE, prunes=[Prune("P1", "a" * 8, "decision", "retention", 9, 1)])
    made = make(tmp_path, rows, plan)
    do(made)
    undo_it(made)
    assert contents(made.now().values()) == contents(made.before)


def test_undo_names_the_later_run_that_merged_on(tmp_path):
    rows = [record(f"{n}" * 8, f"Fact {n}", n) for n in (1, 2, 3)]
    first = make(tmp_path, rows, merging(["1" * 8, "2" * 8], "Fact 2", "safe"))
    do(first)
    plan = merging(["2" * 8, "3" * 8], "Fact 3", "safe")
    second = world(tmp_path, first.store, plan, {})
    do(second)
    [held] = undo_it(first).left_alone
    assert second.run.name in held.why and "undo that first" in held.why
    undo_it(second)
    assert undo_it(first).undone == 1
    assert contents(first.now().values()) == contents(first.before)


def test_what_was_undone_is_remembered_for_the_scope(tmp_path):
    made = make(tmp_path)
    do(made)
    undo_it(made, "M1")
    kept = Dismissals.load(made.run.scope_folder)
    assert kept.forbids("merge", ["Use pnpm", "use pnpm."])
    assert [entry["said"] for entry in kept.entries] == ["undone"]


def test_an_undo_that_was_killed_before_it_was_remembered_is_remembered_by_a_resume(tmp_path, monkeypatch):
    made = make(tmp_path)
    do(made)

    def killed(dismissals):
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Dismissals, "save", killed)
        undo_it(made, "M1")
    assert [run.name for run in interrupted(made.run.scope_folder)] == [made.run.name]
    resume_it(made)
    assert Dismissals.load(made.run.scope_folder).forbids("merge", ["Use pnpm", "use pnpm."])
    assert interrupted(made.run.scope_folder) == []


def test_a_failure_takes_along_what_was_done_before_it(tmp_path, monkeypatch):
    monkeypatch.setattr(MemoryStore, "wave", 1)
    made = make(tmp_path)
    store = FaultyStore(made.store, {8: "failed", 9: "failed", 10: "failed"})
    with pytest.raises(DreamError) as failure:
        do(made, store=store)
    summary = failure.value.summary
    assert summary.merged >= 1 and summary.unfinished
    assert (summary.before, summary.after) == (11, len(made.now()))
    resume_it(made)
    assert "interrupted" not in [entry.state for entry in history(made.run.scope_folder)]


def test_an_undo_brings_back_what_an_earlier_release_did_not_record_as_removed(tmp_path):
    """0.1.0 believed a list that lagged, and journalled fewer removals than it had asked for."""
    made = make(tmp_path)
    do(made)
    lines = [json.loads(line) for line in made.run.journal.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line.pop("sum", None)
        line.get("outcome", {}).update(removed=[])
    made.run.journal.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    undo_it(made)
    assert contents(made.now().values()) == contents(made.before)


def test_undoing_many_copies_looks_at_each_of_them_a_few_times_only(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    counts = []
    for size in (100, 400):
        rows = [record(f"{n:08d}", "Same", 1 + n % 28) for n in range(size)]
        made = make(tmp_path / str(size), rows, merging([row["id"] for row in rows], "Same", "safe"))
        do(made)
        calls = [0]
        real = vars(Memory)["metadata"].fget

        def counted(memory, calls=calls, real=real):
            calls[0] += 1
            return real(memory)

        with monkeypatch.context() as patch:
            patch.setattr(Memory, "metadata", property(counted))
            undo_it(made)
        assert contents(made.now().values()) == contents(made.before)
        counts.append(calls[0])
    assert counts[1] < 6 * counts[0]


def test_a_run_that_was_killed_must_be_resumed_before_it_is_applied_or_undone(tmp_path):
    made = make(tmp_path)
    with pytest.raises(Killed):
        do(made, store=FaultyStore(made.store, {3: "killed after"}))
    for act in (do, undo_it):
        with pytest.raises(AttentionNeeded, match="--resume"):
            act(made)


def test_an_add_whose_outcome_is_not_known_is_looked_for_before_it_is_repeated(tmp_path):
    made = make(tmp_path, [record("a" * 8, "One", 1), record("b" * 8, "Two", 2)], merging(["a" * 8, "b" * 8], "Three"))
    made.decisions.merges[0].state = "accepted"
    with pytest.raises(Killed):
        do(made, store=FaultyStore(made.store, {3: "killed after"}))
    assert texts(made) == ["One", "Three", "Two"]
    assert resume_it(made).merged == 1
    assert texts(made) == ["Three"]


def test_a_merge_stays_open_while_the_store_does_not_show_it(tmp_path):
    made = make(tmp_path, [record("a" * 8, "One", 1), record("b" * 8, "Two", 2)], merging(["a" * 8, "b" * 8], "Three"))
    made.decisions.merges[0].state = "accepted"
    store = FaultyStore(made.store, {3: "nothing stored"})
    assert [held.handle for held in do(made, store=store).unfinished] == ["M1"]
    assert texts(made) == ["One", "Two"]
    assert resume_it(made).merged == 1
    assert texts(made) == ["Three"]


def test_an_add_that_lands_later_is_waited_for(tmp_path):
    made = make(tmp_path, [record("a" * 8, "One", 1), record("b" * 8, "Two", 2)], merging(["a" * 8, "b" * 8], "Three"))
    made.decisions.merges[0].state = "accepted"
    assert do(made, store=FaultyStore(made.store, {3: "pending"})).merged == 1
    assert texts(made) == ["Three"]


def test_an_add_that_was_repeated_and_landed_twice_stands_once_in_the_end(tmp_path):
    made = make(tmp_path, [record("a" * 8, "One", 1), record("b" * 8, "Two", 2)], merging(["a" * 8, "b" * 8], "Three"))
    made.decisions.merges[0].state = "accepted"
    with pytest.raises(Killed):
        do(made, store=FaultyStore(made.store, {3: "killed after"}))
    [new] = [row for row in made.store.rows.values() if row["memory"] == "Three"]
    made.store.rows["twice-01"] = {**new, "id": "twice-01"}
    resume_it(made)
    assert texts(made) == ["Three"]


def test_a_text_the_store_changed_is_taken_back_and_noted(tmp_path):
    made = make(tmp_path, [record("a" * 8, "One", 1), record("b" * 8, "Two", 2)], merging(["a" * 8, "b" * 8], "Three"))
    made.decisions.merges[0].state = "accepted"
    summary = do(made, store=FaultyStore(made.store, {3: "other text"}))
    assert texts(made) == ["One", "Two"]
    assert "another text" in summary.left_alone[0].why
    assert "as I see it" in made.run.journal.read_text(encoding="utf-8")


def test_nothing_is_done_once_the_run_folder_is_gone(tmp_path):
    import shutil

    made = make(tmp_path)
    store = FaultyStore(made.store, events={3: lambda: shutil.rmtree(made.run.folder)})
    with pytest.raises(DreamError, match="removed meanwhile"):
        do(made, store=store)
    assert len(made.now()) >= len(made.before)


def test_nothing_is_done_once_another_run_took_the_lock(tmp_path):
    made = make(tmp_path)
    store = FaultyStore(made.store)

    def take_over():
        path = made.run.scope_folder / "lock.json"
        path.write_text(json.dumps({"token": "theirs", "time": 4e9}), encoding="utf-8")

    store.events[2] = take_over
    with pytest.raises(Busy, match="took over"):
        do(made, store=store)
    assert contents(made.now().values()) == contents(made.before)


def test_two_applies_of_one_run_at_once_cannot_happen(tmp_path):
    made = make(tmp_path)
    refusals = []

    def again():
        with pytest.raises(Busy) as refusal:
            do(made)
        refusals.append(refusal)

    do(made, store=FaultyStore(made.store, events={2: again}))
    assert len(refusals) == 1


def test_nothing_is_acted_on_when_its_intent_cannot_be_written(tmp_path):
    made = make(tmp_path)
    with faulty_journal({2: "disk full"}), pytest.raises(DreamError, match="No space left"):
        do(made)
    assert contents(made.now().values()) == contents(made.before)


def test_a_torn_line_does_not_spoil_the_lines_after_it(tmp_path):
    made = make(tmp_path)
    with faulty_journal({3: "half a line"}), pytest.raises(Killed):
        do(made)
    resume_it(made)
    assert all(op.state == "done" for op in journal.read(made.run.journal))


def test_a_plan_of_many_waves_is_carried_out_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(MemoryStore, "wave", 2)
    made = make(tmp_path)
    assert do(made).merged == 3
    undo_it(made)
    assert contents(made.now().values()) == contents(made.before)


@pytest.mark.parametrize("how", ["killed before", "half a line", "killed after"])
def test_a_run_that_was_stopped_before_its_first_operation_can_be_applied_again(tmp_path, how):
    made = make(tmp_path)
    with faulty_journal({1: how}), pytest.raises(Killed):
        do(made)
    assert do(made).merged == 3


def test_a_dream_straight_after_a_dream_proposes_nothing(tmp_path):
    from mem0_dream.planning.planner import make_plan
    from mem0_dream.runs.snapshot import Snapshot

    texts = ["Cache pages for 30s", "cache pages for 30s.", "Cache pages for 30s!", "Deploys go to ECS", "Old note"]
    rows = [record(f"{n:08d}", text, n + 1) for n, text in enumerate(texts)]
    rows[4]["metadata"]["type"] = "session_state"
    store, policies = MemoryStore({row["id"]: row for row in rows}), Policies({"session_state": 30})

    def planned() -> Plan:
        snapshot = Snapshot(STORE, SCOPE, "main", "", "asked", True, store.fetch(SCOPE).memories)
        return make_plan(snapshot, policies, None, date(2026, 6, 1))

    first = planned()
    assert [merge.tier for merge in first.merges] == ["safe", "review"] and len(first.prunes) == 1
    do(world(tmp_path, store, first, {"M2": True}))
    assert not (planned().merges or planned().conflicts or planned().prunes)
