"""Pairs that look alike and are not: none may be merged with nobody asked."""

import json
from collections import Counter
from pathlib import Path

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.matching.classifier import judge
from mem0_dream.matching.text import read
from mem0_dream.planning.planner import make_plan

from tests.memories import TODAY, record, snapshot

LINES = (Path(__file__).parent / "data" / "traps.jsonl").read_text(encoding="utf-8").splitlines()
TRAPS = [json.loads(line) for line in LINES]
# Ways people write one text twice; a trap must hold through them.
WAYS = [
    str,
    lambda text: f"- {text}",
    lambda text: f"{text}.",
    lambda text: f"  {text} \n",
    lambda text: f"**Note:** {text}",
]


def test_there_are_enough_traps_of_enough_kinds_and_languages():
    assert len(TRAPS) >= 600
    assert len(Counter(trap["kind"] for trap in TRAPS)) >= 30
    assert len(Counter(trap["lang"] for trap in TRAPS)) >= 15


@pytest.mark.parametrize("way", WAYS)
def test_no_trap_is_merged_unasked(way):
    merged = [(t["a"], t["b"]) for t in TRAPS if judge(read(t["a"]), read(way(t["b"]))).safe]
    assert merged == []


def test_no_trap_has_one_exact_form():
    assert [(t["a"], t["b"]) for t in TRAPS if read(t["a"]).normal == read(t["b"]).normal] == []


def test_a_plan_merges_no_trap_unasked():
    records = [record(f"{i}{side}", trap[side], type=f"type {i}") for i, trap in enumerate(TRAPS) for side in "ab"]
    plan = make_plan(snapshot(records), Policies(), None, TODAY)
    assert [merge.ids for merge in plan.merges if merge.tier == "safe"] == []


def test_nothing_is_found_across_types():
    records = [record(f"{i}{side}", trap["a"], type=f"{side}{i}") for i, trap in enumerate(TRAPS) for side in "ab"]
    plan = make_plan(snapshot(records), Policies(), None, TODAY)
    assert (plan.merges, plan.conflicts, plan.near_misses) == ([], [], [])


def test_most_contradictions_are_asked_about():
    """Not a promise, a guard against a judge that goes blind: what it finds today it should find tomorrow."""
    kinds = Counter(judge(read(t["a"]), read(t["b"])).kind for t in TRAPS if t["label"] == "contradiction")
    assert kinds["distinct"] / sum(kinds.values()) < 0.15
