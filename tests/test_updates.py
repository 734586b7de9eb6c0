"""An update changes the text of one memory and nothing else of it, whatever happens on the way."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.execution.apply import apply
from mem0_dream.execution.resume import resume
from mem0_dream.execution.undo import undo
from mem0_dream.planning.plan import Plan, Prune, Update
from mem0_dream.runs import journal
from mem0_dream.runs.history import history, open_operations
from mem0_dream.views.interview import Interview

from .memories import STORE
from .steps import Place
from .test_interactive import Played
from .test_repository import Project
from .worlds import FAULTS, SCOPE, FaultyStore, Killed, MemoryStore, World, record, world

OLD, NEW = "Released yesterday", "Released yesterday (2026-01-02)"


def updating(folder: Path, store: Any, answer: Any = True) -> World:
    plan = Plan(STORE, SCOPE, updates=[Update("U1", "a", NEW, '"yesterday" was written on 2026-01-03')])
    return world(folder, store, plan, {"U1": answer})


def two_memories() -> MemoryStore:
    rows = [record("a", OLD, 3, files=["x.py"]), record("b", "Use tabs", 4)]
    return MemoryStore({row["id"]: row for row in rows})


def carry(made: World, act: Any = apply, store: Any = None) -> Any:
    with made.lock() as lock:
        if act is apply:
            return apply(made.run, store or made.store, made.decisions, Policies(), lock, sleep=lambda _: None)
        arguments = () if act is resume else ((),)
        return act(made.run, store or made.store, *arguments, lock, sleep=lambda _: None)


def test_only_the_text_changes_and_an_undo_gives_it_back(tmp_path):
    made = updating(tmp_path, two_memories())
    before = {id: dict(row) for id, row in made.store.rows.items()}
    summary = carry(made)
    assert (summary.updated, summary.left_alone, summary.before, summary.after) == (1, [], 2, 2)
    assert made.store.rows == {**before, "a": {**before["a"], "memory": NEW}}
    assert "updated: 1" in history(made.run.scope_folder)[0].line()
    assert carry(made, undo).undone == 1
    assert made.store.rows == before


@pytest.mark.parametrize("answer", ["keep", "skip"])
def test_any_other_answer_leaves_it_alone(tmp_path, answer):
    assert updating(tmp_path, two_memories(), answer).decisions.changes() == 0


def test_a_memory_that_changed_meanwhile_is_left_alone(tmp_path):
    made = updating(tmp_path, two_memories())
    made.store.rows["a"]["memory"] = "Released today"
    summary = carry(made)
    assert (summary.updated, [held.handle for held in summary.left_alone]) == (0, ["U1"])
    assert made.store.rows["a"]["memory"] == "Released today"


def test_an_undo_leaves_alone_what_was_edited_since(tmp_path):
    made = updating(tmp_path, two_memories())
    carry(made)
    made.store.rows["a"]["memory"] = "Released on a Friday"
    assert [held.handle for held in carry(made, undo).left_alone] == ["U1"]
    assert made.store.rows["a"]["memory"] == "Released on a Friday"


def test_a_store_that_gives_it_another_date_is_told(tmp_path):
    made = updating(tmp_path, two_memories())
    change = made.store._update

    def redate(item):
        made.store.rows["a"]["created_at"] = "2026-05-05T00:00:00+00:00"
        return change(item)

    made.store._update = redate
    assert [held.why for held in carry(made).left_alone] == [
        "[mem0:a] has its new text, and the store changed its date; it was 2026-01-03"
    ]


@pytest.mark.parametrize("act", [apply, undo], ids=["applied", "undone"])
@pytest.mark.parametrize("fault", sorted(FAULTS))
@pytest.mark.parametrize("call", range(1, 6))
def test_stopped_anywhere_and_resumed_it_is_done_or_not_begun(tmp_path, act, fault, call):
    made = updating(tmp_path, two_memories())
    before = {id: dict(row) for id, row in made.store.rows.items()}
    after = {**before, "a": {**before["a"], "memory": NEW}}
    if act is undo:
        carry(made)
    with contextlib.suppress(Killed, Exception):
        carry(made, act, FaultyStore(made.store, {call: fault}))
    if made.run.journal.exists() and open_operations(made.run):
        carry(made, resume)
    ended = journal.standing(journal.read(made.run.journal)) if made.run.journal.exists() else []
    assert made.store.rows == (after if ended else before)
    assert not (made.run.journal.exists() and open_operations(made.run))


@pytest.fixture
def place(tmp_path) -> Place:
    """A shop whose repository lost one file that a memory names, and renamed another."""
    place = Place(tmp_path)
    project = Project(place.folder / "shop")
    project.write("src/auth.py")
    project.write("src/cart.py", "cart\n" * 30)
    project.commit("2026-01-01")
    project.move("src/cart.py", "src/basket.py", "2026-03-01")
    project.remove("src/auth.py", "2026-03-04")
    place.options += ["--cwd", str(project.folder)]
    when = {"record": {"created_at": "2026-02-01T12:00:00+00:00", "updated_at": "2026-02-01T12:00:00+00:00"}}
    texts = ("Sessions are checked in src/auth.py", "Prices stand in src/cart.py", "The importer went live yesterday")
    place.store(*({"text": text, **when} for text in texts))
    return place


def planned(place: Place, *arguments: str) -> str:
    run = place.fetched(*arguments)
    assert place.bare("find_dupes.py", "--run", run, *place.options[-2:]).returncode == 0
    return run


def test_the_steps_ask_apply_and_take_back(place):
    before = place.export.read_text(encoding="utf-8")
    run = planned(place)
    plan = place.plan(run)
    assert [update["handle"] for update in plan["updates"]] == ["U1", "U2"]
    assert [(prune["handle"], prune["reason"]) for prune in plan["prunes"]] == [("P1", "gone")]
    decided = place.step(run, "--decide", json.dumps({"U1": True, "U2": True, "P1": True}))
    assert decided.returncode == 0, decided
    assert place.step(run, "--report").returncode == 0
    applied = place.step(run, "--apply")
    assert "pruned: 1" in applied.stdout and "updated: 2" in applied.stdout, applied
    assert place.texts() == ["Prices stand in src/basket.py", "The importer went live yesterday (2026-01-31)"]
    assert place.step(run, "--undo").returncode == 0
    again = [(row["memory"], row["created_at"], row["metadata"]) for row in place.rows()]
    assert sorted(again) == sorted((r["memory"], r["created_at"], r["metadata"]) for r in json.loads(before))


def test_without_an_answer_nothing_of_it_is_applied(place):
    run = planned(place)
    place.step(run, "--report")
    assert place.step(run, "--apply").returncode in (0, 3)
    assert len(place.rows()) == 3


def test_an_unattended_run_counts_them_and_changes_nothing(place):
    before = place.export.read_text(encoding="utf-8")
    done = place.run("dream.py", "--auto")
    assert "1 memory names what is gone and 2 memories need a new path or a day: run /mem0:dream." in done.stderr, done
    assert done.returncode == 0 and place.export.read_text(encoding="utf-8") == before


def in_a_terminal(*replies: str) -> tuple[Played, list[str]]:
    """A person who answers an update and the prune of what is gone; the console, and what would be done."""
    plan = Plan(STORE, SCOPE, total=2, order=["U1", "P1"])
    plan.updates = [Update("U1", "a", NEW, '"yesterday" was written on 2026-01-03')]
    plan.prunes = [Prune("P1", "b", "decision", "gone", 120, None, "names src/auth.py, deleted 2026-03-04 (a1b2c3d)")]
    plan.memories = {"a": record("a", OLD, 3), "b": record("b", "Sessions are checked in src/auth.py", 4)}
    console = Played(*replies)
    answers: dict[str, Any] = {}
    decisions = Interview(plan, answers, (), console, lambda _: None).hold(20)
    return console, [item.handle for item in decisions.accepted()]


def test_enter_keeps_what_the_repository_or_the_calendar_refutes():
    console, accepted = in_a_terminal("", "")
    assert console.prompts() == ["Change it to this text? [y/N]", "Remove it? [y/N]"]
    assert accepted == []
    assert any("deleted 2026-03-04 (a1b2c3d)" in said for said in console.said)


def test_a_yes_changes_the_one_and_removes_the_other():
    assert in_a_terminal("y", "y", "y")[1] == ["U1", "P1"]
