"""Questions about what is no longer true: in the plan of an asked run, only counted in an unattended one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from mem0_dream.config.policies import Settings, parse
from mem0_dream.planning import outdated
from mem0_dream.planning.plan import Plan
from mem0_dream.runs import documents
from mem0_dream.runs.dismissals import Dismissals

from .memories import STORE, TODAY, record, snapshot
from .test_repository import NOTED, Project

GONE = "Sessions are checked in src/legacy/auth.py"
MOVED = "Prices stand in `src/cart.py`"
DATED = "The new importer went live yesterday"
TEXTS = {"gone": GONE, "moved": MOVED, "dated": DATED}


@pytest.fixture
def project(tmp_path) -> Project:
    made = Project(tmp_path / "shop")
    made.write("src/legacy/auth.py")
    made.write("src/cart.py", "cart\n" * 30)
    made.commit("2026-01-01")
    made.move("src/cart.py", "src/basket.py", "2026-03-01")
    made.remove("src/legacy/auth.py", "2026-03-04")
    return made


def plan_of(project: Project, settings: Settings | None = None, **other: Any) -> Plan:
    """The plan of three memories: one names what is gone, one what was renamed, one has a relative date."""
    records = [record(id, text, created=NOTED) | other.get(id, {}) for id, text in TEXTS.items()]
    found = snapshot(records)
    plan = other.get("plan") or Plan(found.store, found.scope)
    outdated.add(plan, found.memories, settings or Settings(), project.folder, other.get("dismissals"), TODAY)
    return plan


def test_each_question_names_its_memory_and_its_reason(project):
    plan = plan_of(project)
    assert [(p.handle, p.id, p.reason, p.age_days) for p in plan.prunes] == [("P1", "gone", "gone", 120)]
    assert plan.prunes[0].why.startswith("names src/legacy/auth.py, deleted 2026-03-04 (")
    assert [(u.handle, u.id, u.text) for u in plan.updates] == [
        ("U1", "moved", "Prices stand in `src/basket.py`"),
        ("U2", "dated", "The new importer went live yesterday (2026-01-31)"),
    ]
    assert plan.order == ["U1", "U2", "P1"]
    assert sorted(plan.memories) == ["dated", "gone", "moved"]


def test_the_questions_survive_the_document(project):
    plan = plan_of(project)
    text = documents.dump("plan", plan.to_document()).encode()
    assert Plan.from_document(documents.parse(text, "plan", "plan.json")) == plan


def test_an_unattended_run_only_counts_them(project):
    plan = plan_of(project, plan=Plan(STORE, snapshot([]).scope, mode="auto"))
    assert not plan.proposes()
    assert plan.notes == ["1 memory names what is gone and 2 memories need a new path or a day: run /mem0:dream."]


def test_the_settings_turn_each_of_them_off(project):
    settings = parse("## Dream\n- repository: off\n- dates: off\n").settings
    assert not plan_of(project, settings).proposes()
    assert [u.id for u in plan_of(project, replace(settings, dates=True)).updates] == ["dated"]
    assert [u.id for u in plan_of(project, replace(settings, repository=True)).updates] == ["moved"]


def test_what_was_left_alone_is_not_asked_again(project, tmp_path):
    dismissals = Dismissals(tmp_path / "kept.json")
    dismissals.add("prune", [GONE], "keep")
    dismissals.add("update", [DATED], "keep")
    plan = plan_of(project, dismissals=dismissals)
    assert [update.id for update in plan.updates] == ["moved"] and not plan.prunes


def test_a_pinned_memory_is_not_touched(project):
    pinned = {"metadata": {"type": "decision", "pinned": True}}
    assert not plan_of(project, gone=pinned, moved=pinned, dated=pinned).proposes()


def test_a_memory_that_the_plan_names_already_keeps_its_fate(project):
    plan = plan_of(project)
    again = plan_of(project, plan=Plan(plan.store, plan.scope, prunes=list(plan.prunes)))
    assert [prune.id for prune in again.prunes] == ["gone"]
    assert [update.id for update in again.updates] == ["moved", "dated"]
