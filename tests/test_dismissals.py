"""What somebody decided to leave alone: by kind and text, until a text changes or it is cleared."""

from __future__ import annotations

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.runs.dismissals import Dismissals


@pytest.fixture
def kept(tmp_path) -> Dismissals:
    return Dismissals.load(tmp_path)


def test_nothing_is_forbidden_before_anything_was_kept(kept):
    assert not kept.forbids("merge", ["One", "Two"])


def test_any_pair_of_a_kept_cluster_is_left_alone_in_any_order(kept):
    kept.add("merge", ["One", "Two", "Three"], "keep")
    assert kept.forbids("merge", ["Three", "One"])
    assert kept.forbids("merge", ["Two", "Four", "One"])
    assert not kept.forbids("merge", ["One", "Four"])


def test_two_of_the_same_text_are_a_pair(kept):
    kept.add("merge", ["One", "One"], "keep")
    assert kept.forbids("merge", ["One", "One", "Two"])
    assert not kept.forbids("merge", ["One", "Two"])


def test_a_decision_holds_for_its_kind_alone(kept):
    kept.add("conflict", ["One", "Two"], "both")
    assert not kept.forbids("merge", ["One", "Two"])


def test_a_changed_text_is_another_question(kept):
    kept.add("prune", ["One"], "keep")
    assert kept.forbids("prune", ["One"])
    assert not kept.forbids("prune", ["One."])


def test_the_same_decision_twice_is_one_entry(kept):
    kept.add("merge", ["One", "Two"], "keep")
    kept.add("merge", ["Two", "One"], "undone")
    assert len(kept.entries) == 1


def test_decisions_survive_on_disk_with_enough_text_to_know_them_by(kept, tmp_path):
    kept.add("merge", ["One " + "x" * 200, "Two"], "keep")
    kept.save()
    again = Dismissals.load(tmp_path)
    assert again.forbids("merge", ["Two", "One " + "x" * 200])
    assert [text[:3] for text in again.entries[0]["about"]] == ["One", "Two"]


def test_everything_can_be_cleared(kept):
    kept.add("merge", ["One", "Two"], "keep")
    kept.add("prune", ["Three"], "keep")
    assert kept.clear() == 2
    assert not kept.forbids("prune", ["Three"])


def test_a_damaged_file_is_told_in_a_sentence(tmp_path):
    (tmp_path / "kept.json").write_text('{"schema": "mem0-dream/kept", "version": 1}', encoding="utf-8")
    with pytest.raises(DreamError, match="entries"):
        Dismissals.load(tmp_path)
