"""How the library tells how far it is."""

from contextlib import contextmanager

import pytest
from mem0_dream import progress


@pytest.fixture
def heard():
    """What a listener hears: the stages, and the steps of each."""
    found = []

    @contextmanager
    def show(name, **about):
        steps: list[tuple[int, int | None]] = []
        found.append((name, about, steps))
        yield lambda done, total: steps.append((done, total))

    progress.listen(show)
    yield found
    progress.listen(None)


def test_nobody_listens_at_first():
    with progress.stage("Finding"):
        progress.step("Finding", 3)


def test_a_stage_and_its_steps_are_heard(heard):
    with progress.stage("Finding", total=9):
        progress.step("Finding", 3)
        progress.step("Finding", 2, total=5)
    assert heard == [("Finding", {"unit": "memories", "total": 9}, [(3, None), (2, 5)])]


def test_a_step_of_another_stage_is_not_counted(heard):
    with progress.stage("Applying"):
        progress.step("Fetching", 200)
    assert heard[0][2] == []


def test_a_stage_within_a_stage_is_not_shown(heard):
    with progress.stage("Applying"), progress.stage("Fetching"):
        progress.step("Applying")
    assert [(name, steps) for name, _, steps in heard] == [("Applying", [(1, None)])]


def test_a_stage_that_fails_is_over(heard):
    with pytest.raises(ValueError, match="gone"), progress.stage("Applying"):
        raise ValueError("gone")
    progress.step("Applying")
    assert heard[0][2] == []
