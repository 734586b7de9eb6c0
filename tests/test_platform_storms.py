"""Applying and undoing on the Platform while one call in six goes wrong, answered or not, carried out or not."""

from __future__ import annotations

import random

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.execution.apply import apply
from mem0_dream.execution.resume import resume
from mem0_dream.execution.undo import undo
from mem0_dream.planning.planner import make_plan
from mem0_dream.review.answers import decide
from mem0_dream.stores.platform import PlatformStore

from tests.standins.platform_api import PlatformApi
from tests.standins.web import EMPTY, HALF_JSON, HTML, Fault
from tests.stores.test_odd_records import ME, TODAY, World, fact, note, state

STORM = [
    Fault(429),
    Fault(500),
    Fault(502, acts=True),
    Fault(reset=True),
    Fault(reset=True, acts=True),
    Fault(200, '{"message": "cut off here"}', cut=True, acts=True),
    HALF_JSON,
    HTML,
    EMPTY,
    Fault(413),
    Fault(400),
]


@pytest.mark.parametrize("seed", range(12))
def test_no_fact_is_lost_and_none_is_there_twice(seed, monkeypatch, tmp_path):
    luck, chance = random.Random(seed), 0.0
    with PlatformApi() as api:
        monkeypatch.setattr(api, "_next_fault", lambda call: luck.choice(STORM) if luck.random() < chance else None)
        api.polls_to_finish = 2 if seed % 2 else None
        facts = [f"The part {i} talks to port {4000 + i}" for i in range(20)]
        copies = [fact(text, files=[f"{side}.py"]) for text in facts for side in "ab"]
        api.seed(ME.user, ME.project, [*copies, *(note(f"Note {i}") for i in range(10)), fact("Something else")])
        world = World(PlatformStore(api.key, api.url, sleep=api.sleep, timeout=5), tmp_path)
        before = state(world.store)
        snapshot, _ = world.session.fetch("auto")
        world.run = world.session.keep(snapshot, world.policies)
        decisions = decide(make_plan(snapshot, world.policies, None, TODAY), {}, today=TODAY)

        chance = 1 / 6
        if seed >= 8:  # and its replicas lag, each read as far as it likes
            api.lag = api.read_lag = lambda: luck.uniform(0, 60)
        with world.lock() as lock:
            _until_done(world, lock, api, lambda: apply(
                world.run, world.store, decisions, world.policies, lock, sleep=api.sleep, today=TODAY
            ))  # fmt: skip
            chance = 0.0
            _until_done(world, lock, api, lambda: resume(world.run, world.store, lock, sleep=api.sleep))
        texts = [row["memory"] for row in api.rows.values()]
        assert {*facts, "Something else"} <= set(texts) <= {text for text, *_ in before}
        assert all(texts.count(text) in (1, 2) for text in facts)
        assert any(texts.count(text) == 1 for text in facts)

        chance = 1 / 6
        with world.lock() as lock:
            _until_done(world, lock, api, lambda: undo(world.run, world.store, (), lock, sleep=api.sleep))
            chance = 0.0
            _until_done(world, lock, api, lambda: resume(world.run, world.store, lock, sleep=api.sleep))
            _until_done(world, lock, api, lambda: undo(world.run, world.store, (), lock, sleep=api.sleep))
        api.lag = api.read_lag = lambda: 0.0
        assert state(world.store) == before
        world.store.close()


def _until_done(world, lock, api, act):
    """The act, then resumed a few times, as a person would."""
    for _ in range(4):
        try:
            summary = act()
        except DreamError:
            if not world.run.journal.exists():
                continue
        else:
            if not summary.unfinished:
                return
        act = lambda: resume(world.run, world.store, lock, sleep=api.sleep)  # noqa: E731
