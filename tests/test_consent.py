"""Consent: an agent that tries to apply without it is refused, whatever it tries."""

from __future__ import annotations

import pytest
from mem0_dream.errors import AttentionNeeded
from mem0_dream.review import consent
from mem0_dream.review.answers import combine, decide

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
    changed = decide(plan, combine(answers, {"M2": "Something else was agreed"}), made.before)
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
