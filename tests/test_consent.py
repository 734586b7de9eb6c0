"""Consent: an agent that tries to apply without it is refused, whatever it tries."""

from __future__ import annotations

from typing import Any

import pytest
from mem0_dream.errors import AttentionNeeded
from mem0_dream.review import consent
from mem0_dream.review.answers import decide
from mem0_dream.review.verdicts import combine

from .worlds import MemoryStore, example, world


@pytest.fixture
def made(tmp_path):
    rows, plan, answers = example()
    return world(tmp_path, MemoryStore({row["id"]: row for row in rows}), plan, answers)


def test_a_report_of_exactly_this_is_consent(made):
    consent.reported(made.run, made.decisions)
    consent.require(made.run, made.decisions, {})


def test_applying_without_a_report_is_refused(made):
    with pytest.raises(AttentionNeeded, match="No report"):
        consent.require(made.run, made.decisions, {})


def test_an_answer_changed_after_the_report_needs_another_report(made):
    _, plan, answers = example()
    plan.memories = made.decisions.plan.memories
    consent.reported(made.run, decide(plan, answers, made.before))
    changed = decide(plan, combine(answers, {"M2": "Deploys go to ECS each night"}), made.before)
    with pytest.raises(AttentionNeeded, match="changed after the report"):
        consent.require(made.run, changed, {})


def test_a_plan_changed_after_the_report_needs_another_report(made):
    consent.reported(made.run, made.decisions)
    made.decisions.plan.prunes.pop()
    with pytest.raises(AttentionNeeded, match="changed after the report"):
        consent.require(made.run, made.decisions, {})


def test_a_run_fetched_unattended_cannot_be_applied_as_if_asked(made):
    made.decisions.plan.mode = "auto"
    consent.reported(made.run, made.decisions)
    with pytest.raises(AttentionNeeded, match="--auto"):
        consent.require(made.run, made.decisions, {})


def test_a_session_that_nobody_attends_cannot_apply(made):
    consent.reported(made.run, made.decisions)
    with pytest.raises(AttentionNeeded, match="Nobody attends"):
        consent.require(made.run, made.decisions, {"CLAUDE_CODE_SESSION_ATTENDED": "0"})
    consent.require(made.run, made.decisions, {"CLAUDE_CODE_SESSION_ATTENDED": "1"})


def test_a_run_fetched_to_be_asked_about_cannot_be_applied_unattended(made):
    with pytest.raises(AttentionNeeded, match="fetched to be asked"):
        consent.require_auto(made.decisions)


def test_every_refusal_ends_with_exit_code_3():
    assert AttentionNeeded.exit_code == 3


def test_policies_changed_after_the_report_need_another_report(made):
    policies: dict[str, Any] = {
        "retention": {"decision": 90},
        "unreadable": [],
        "dream": {"prune": "expire"},
        "source": None,
    }
    made.run.write("policies", policies)
    consent.reported(made.run, made.decisions)
    made.run.write("policies", {**policies, "dream": {"prune": "delete"}})
    with pytest.raises(AttentionNeeded, match="changed after the report"):
        consent.require(made.run, made.decisions, {})


def test_answers_that_change_nothing_need_no_second_report(made):
    _, plan, answers = example()
    plan.memories = made.decisions.plan.memories
    plan.conflicts[0].winner = None
    answers = {handle: answer for handle, answer in answers.items() if handle != "C1"}
    consent.reported(made.run, decide(plan, answers, made.before))
    for word in ("skip", "both"):
        consent.require(made.run, decide(plan, {**answers, "C1": word}, made.before), {})
    with pytest.raises(AttentionNeeded, match="changed after the report"):
        consent.require(made.run, decide(plan, {**answers, "C1": "A"}, made.before), {})
