"""One long story on every store: an unattended pass, its undo, a pass with every answer given, and its undo.

Each case is a `type` of its own, and only memories of one type are ever compared; so one pass serves all cases.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from mem0_dream.cli import unattended
from mem0_dream.cli.session import Session
from mem0_dream.config.identity import Identity
from mem0_dream.config.policies import Policies
from mem0_dream.execution.apply import apply
from mem0_dream.execution.operations import expiry, without_nulls
from mem0_dream.execution.undo import undo
from mem0_dream.memory import REMINDER_SOURCE, Memory, Scope
from mem0_dream.planning.plan import Plan
from mem0_dream.planning.planner import make_plan
from mem0_dream.review import limits
from mem0_dream.review.answers import decide
from mem0_dream.runs.lock import Lock
from mem0_dream.runs.run_folder import Run, all_runs
from mem0_dream.stores.protocol import Change, Store

from tests.stores.conftest import ALL, Place, make_place

ME = Scope("developer", "web-shop")
NOW = datetime.now(timezone.utc).replace(microsecond=0)
OLD, NEW = NOW - timedelta(days=200), NOW - timedelta(days=10)
KEY = "sk-proj-" + "a1B2c3D4" * 5
EVERYWHERE = "The build uses Node 20."


Cases = dict[str, list[dict[str, Any]]]


def twice(text: str, **more: Any) -> list[dict[str, Any]]:
    """A text and the same once more."""
    return [{"memory": text, **more}, {"memory": text, **more}]


TO_ONE: Cases = {
    "copies": [{"memory": EVERYWHERE}] * 30,
    "a to b to c": [{"memory": "Logs go to Loki"}, {"memory": "Logs go to Loki."}, {"memory": "- **Logs** go to Loki"}],
    "chinese and emoji": twice("部署到 Vercel 🚀"),
    "a secret": twice(f"The staging key is {KEY}"),
}
PROTECTED: Cases = {
    "pinned by text": twice("[pinned] Keep the old API"),
    "pinned by metadata": twice("Keep the old API", metadata={"pinned": "yes"}),
    "immutable": twice("Keep the old API", metadata={"immutable": True}),
    "superseded": twice("Keep the old API", metadata={"superseded_by": "another"}),
    "expired": twice("The sale ends soon", expiration_date="2020-01-31"),
    "stale but pinned": [
        {"memory": "stopped at the importer", "created_at": OLD.isoformat(), "metadata": {"pinned": 1}}
    ],
}
LEFT_OPEN: Cases = {
    "one says more": [
        {"memory": "Deploys go to Vercel"},
        {"memory": "Deploys go to Vercel after the smoke tests have passed"},
    ],
    "contradiction": [
        {"memory": "The gateway gives up on a request after 30 seconds", "created_at": OLD.isoformat()},
        {"memory": "The gateway gives up on a request after 60 seconds", "created_at": NEW.isoformat()},
    ],
    "odd confidence": [
        {"memory": f"that part is {word} at times", "metadata": {"confidence": value}}
        for word, value in [("slow", "high"), ("odd", 1.5), ("late", -1), ("new", "NaN"), ("big", ""), ("low", "0.2")]
    ],
}
STALE: Cases = {
    "stale": [{"memory": "stopped at the importer", "created_at": OLD.isoformat()}],
    "stale by a number": [{"memory": "lunch, then prices", "created_at": int(OLD.timestamp())}],
}
MERGED: Cases = {
    "merged whole": [
        {"memory": "Prices are in cents", "created_at": OLD.isoformat(), "expiration_date": "2990-01-01",
         "metadata": {"files": ["a.py"], "confidence": 0.6, "branch": "main", "ticket": "A-1", "only": "here"}},
        {"memory": "prices are in cents.", "created_at": NEW.isoformat(), "expiration_date": "2991-01-01",
         "metadata": {"files": ["b.py"], "confidence": 0.9, "branch": "main", "ticket": "A-1"}},
    ],
    "metadata too long together": [
        {"memory": f"Images are WebP{stop}", "metadata": {"files": [f"src/{len(stop)}/{n:04}.py" for n in range(80)]}}
        for stop in ("", ".")
    ],
}  # fmt: skip
ELSEWHERE = {
    ME._replace(project="billing"): twice(EVERYWHERE),
    ME._replace(project=None): twice(EVERYWHERE),
    ME._replace(agent="reviewer-bot"): twice(EVERYWHERE),
    Scope("reviewer", "web-shop"): twice(EVERYWHERE),
}
POLICIES = Policies(dict.fromkeys([*STALE, "stale but pinned"], 90))


@dataclass
class Story:
    """What a store held at each point of the story."""

    lines: list[str] = field(default_factory=list)
    plan: Plan | None = None
    before: list[Memory] = field(default_factory=list)
    alone: list[Memory] = field(default_factory=list)
    undone: list[Memory] = field(default_factory=list)
    answered: list[Memory] = field(default_factory=list)
    undone_again: list[Memory] = field(default_factory=list)
    elsewhere: list[dict[str, dict[str, Any]]] = field(default_factory=list)  # before and at the end, by id


@pytest.fixture(scope="module", params=ALL)
def story(request, tmp_path_factory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("story")
    with pytest.MonkeyPatch.context() as patch, make_place(request, folder) as place:
        patch.setenv("MEM0_DIR", str(folder / "mem0"))
        patch.setattr("mem0_dream.runs.lock.PUBLISHED", folder / "published.lock")
        yield told(place, folder)


def told(place: Place, folder: Path) -> Story:
    story = Story()
    for scope, records in {ME: all_records(), **ELSEWHERE}.items():
        place.fill(scope, records)
    store = place.open()
    story.elsewhere.append(others(store))
    session = Session(store, Identity(*ME, "main", {}), folder / "scope", folder, None)
    session.policies = lambda: POLICIES  # type: ignore[method-assign]
    session.folder.mkdir()
    limits.seen(session.folder, POLICIES.retention)
    story.before = store.fetch(ME).memories
    outcome = unattended.alone(session, 100, lambda *lines: story.lines.extend(lines))
    story.lines += [*outcome.lines, outcome.last]
    story.alone = store.fetch(ME).memories
    take_back(session, next(run for run in all_runs(session.folder) if run.journal.exists()))
    story.undone = store.fetch(ME).memories
    run, story.plan = answer_everything(session)
    story.answered = store.fetch(ME).memories
    take_back(session, run)
    story.undone_again = store.fetch(ME).memories
    story.elsewhere.append(others(store))
    store.close()
    return story


def others(store: Store) -> dict[str, dict[str, Any]]:
    return {m.id: m.record for scope in ELSEWHERE for m in store.fetch(scope).memories if m.scope == scope}


def all_records() -> list[dict[str, Any]]:
    cases = {**TO_ONE, **PROTECTED, **LEFT_OPEN, **STALE, **MERGED}
    return [
        {"created_at": NEW.isoformat(), **record, "metadata": {"type": case, **record.get("metadata", {})}}
        for case, records in cases.items()
        for record in records
    ]


def take_back(session: Session, run: Run) -> None:
    with Lock(session.folder) as lock:
        summary = undo(run, session.store, (), lock, sleep=lambda seconds: None)
    assert (summary.left_alone, summary.unfinished) == ([], [])


def answer_everything(session: Session) -> tuple[Run, Plan]:
    """A pass where every merge and prune is agreed to, and A is said to be right in every contradiction."""
    snapshot, _ = session.fetch("asked")
    run = session.keep(snapshot, POLICIES)
    plan = make_plan(snapshot, POLICIES, None, date.today())
    items: list[Any] = [*plan.merges, *plan.prunes]
    yes = {item.handle: True for item in items}
    decisions = decide(plan, {**yes, **{conflict.handle: "A" for conflict in plan.conflicts}})
    with Lock(session.folder) as lock:
        summary = apply(run, session.store, decisions, POLICIES, lock, sleep=lambda seconds: None)
    assert (summary.left_alone, summary.unfinished) == ([], [])
    return run, plan


def of(memories: list[Memory], case: str) -> list[Memory]:
    return [memory for memory in memories if memory.type == case]


def contents(memories: list[Memory]) -> Counter[str]:
    """What memories say, whatever their ids; a date to the second."""
    return Counter(
        json.dumps([m.text, without_nulls(m.metadata), str(m.created)[:19], expiry(m), m.scope], sort_keys=True)
        for m in memories
        if m.metadata.get("source") != REMINDER_SOURCE
    )


def test_every_record_reaches_the_pass(story):
    cases = {**TO_ONE, **PROTECTED, **LEFT_OPEN, **STALE, **MERGED}
    assert {case: len(of(story.before, case)) for case in cases} == {case: len(cases[case]) for case in cases}


@pytest.mark.parametrize("case", TO_ONE)
def test_what_says_the_same_becomes_one_memory_unattended(story, case):
    (left,) = of(story.alone, case)
    assert left.text in {record["memory"] for record in TO_ONE[case]}


@pytest.mark.parametrize("case", LEFT_OPEN)
def test_what_somebody_must_look_at_stands_as_it_was_unattended(story, case):
    before = {memory.id: memory.record for memory in of(story.before, case)}
    assert {memory.id: memory.record for memory in of(story.alone, case)} == before


@pytest.mark.parametrize("case", PROTECTED)
def test_what_is_protected_is_in_no_question_and_stands_whatever_is_answered(story, case):
    before = {memory.id: memory.record for memory in of(story.before, case)}
    for stage in (story.alone, story.undone, story.answered, story.undone_again):
        assert {memory.id: memory.record for memory in of(stage, case)} == before
    assert not set(before) & set(story.plan.memories)


@pytest.mark.parametrize("case", STALE)
def test_what_is_older_than_its_policy_goes(story, case):
    assert of(story.alone, case) == of(story.answered, case) == []


def test_a_merged_memory_keeps_what_its_members_had(story):
    (merged,) = of(story.alone, "merged whole")
    assert merged.created == NEW
    assert (merged.confidence, merged.metadata["branch"], merged.metadata["ticket"]) == (0.9, "main", "A-1")
    assert (sorted(merged.metadata["files"]), merged.metadata["source"]) == (["a.py", "b.py"], "mem0-dream")
    assert (expiry(merged), merged.scope) == ("2991-01-01", ME)


def test_metadata_that_is_too_long_together_is_cut_and_loses_no_memory(story):
    (merged,) = of(story.alone, "metadata too long together")
    assert len(json.dumps(merged.metadata)) <= 2_000 + len(', "app_id": "web-shop"')
    assert merged.metadata["files"]


def test_only_a_confidence_that_is_a_low_number_is_a_reason_to_ask(story):
    asked = [story.plan.memory(prune.id).text for prune in story.plan.prunes if prune.reason != "retention"]
    assert asked == ["that part is low at times"]


def test_a_contradiction_without_confidences_has_no_likely_winner_and_the_answer_decides(story):
    (conflict,) = (c for c in story.plan.conflicts if story.plan.memory(c.a).type == "contradiction")
    assert conflict.winner is None
    assert [memory.text for memory in of(story.answered, "contradiction")] == [LEFT_OPEN["contradiction"][0]["memory"]]


def test_one_reminder_stands_while_there_are_contradictions(story):
    reminders = [memory for memory in story.alone if memory.metadata.get("source") == REMINDER_SOURCE]
    assert [(memory.type, memory.scope) for memory in reminders] == [("task_learning", ME)]


def test_no_memory_is_in_two_questions_that_could_take_it(story):
    asked = [merge.ids for merge in story.plan.merges if merge.tier == "review"]
    safe = [merge.ids for merge in story.plan.merges if merge.tier == "safe"]
    for groups in ([*asked, *([prune.id] for prune in story.plan.prunes)], safe):
        assert set(Counter(id for ids in groups for id in ids).values()) <= {1}


def test_no_secret_of_a_memory_is_in_the_log(story):
    assert story.lines and not any(KEY in line for line in story.lines)


def test_others_lose_nothing_even_where_the_text_is_the_same(story):
    before, after = story.elsewhere
    assert len(before) == 8
    assert after == before


@pytest.mark.parametrize("stage", ["undone", "undone_again"])
def test_an_undo_brings_back_everything(story, stage):
    after, before = contents(getattr(story, stage)), contents(story.before)
    assert (after - before, before - after) == (Counter(), Counter())


def test_what_changed_after_it_was_read_is_left_alone_and_told(place, tmp_path):
    place.fill(ME, [{"memory": text, "metadata": {"type": "decision"}} for text in ("One way", "One way.")])
    store = place.open()
    session = Session(store, Identity(*ME, "main", {}), tmp_path / "scope", tmp_path, None)
    snapshot, _ = session.fetch("asked")
    run = session.keep(snapshot, POLICIES)
    decisions = decide(make_plan(snapshot, POLICIES, None, date.today()), {})
    store.update([Change(snapshot.memories[0].id, text="Quite another thing")])
    with Lock(session.folder, published=tmp_path / "published.lock") as lock:
        summary = apply(run, store, decisions, POLICIES, lock, sleep=lambda seconds: None)
    texts = sorted(memory.text for memory in store.fetch(ME).memories)
    store.close()
    assert (summary.merged, len(summary.left_alone)) == (0, 1)
    assert texts == sorted(["Quite another thing", snapshot.memories[1].text])
