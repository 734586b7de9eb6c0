"""The demo: a whole pass on mem0's own engine on disk, and an undo that restores it."""

import io
from importlib.util import find_spec

import pytest
from mem0_dream.cli import demo
from mem0_dream.views.terminal import Terminal

pytestmark = pytest.mark.skipif(find_spec("mem0") is None, reason="mem0ai is not installed")


@pytest.fixture
def played(tmp_path, monkeypatch):
    monkeypatch.setenv("MEM0_DREAM_HOME", str(tmp_path / "dream home"))

    def play():
        shown = io.StringIO()
        whole = demo.play(Terminal(shown), lambda *lines: None)
        return whole, shown.getvalue()

    return play


def test_the_demo_plays_the_whole_pass_and_restores_every_memory(played):
    whole, shown = played()
    assert whole
    assert "Restored: 40 of 40 memories" in shown
    assert "Dream complete — merged: " in shown
    assert "Dream complete. No duplicate, contradictory, or stale memories found." in shown


def test_the_demo_can_be_played_again(played):
    played()
    assert played()[0]


def test_the_demo_merges_no_staging_with_production_and_touches_nothing_pinned(played):
    _, shown = played()
    merges = shown.split("Merges (")[1].split("Conflicts (")[0]
    assert "staging" not in merges and "production" not in merges
    assert "PINNED" not in shown.split("Step 3")[0]


def test_the_demo_asks_about_a_changed_number_a_negation_and_another_host(played):
    _, shown = played()
    questions = shown.split("C1 —")[1].split("Proposed:")[0]
    for text in ("times out after 30s", "are not allowed in the billing module", "Deploy the storefront to ECS"):
        assert text in questions


def test_the_demo_prunes_stale_notes_and_doubtful_words_but_no_doubtful_specifics(played):
    _, shown = played()
    prunes = shown.split("Prune (")[1].split("\n\n")[0]
    assert prunes.count("session_state") == 2
    assert prunes.count("compact_summary") == 1
    assert prunes.count("task_learning") == 1


def test_the_embedder_puts_texts_that_share_words_closer():
    embed = demo.Embedder().embed
    near = sum(a * b for a, b in zip(embed("cache pages"), embed("cache every page"), strict=True))
    far = sum(a * b for a, b in zip(embed("cache pages"), embed("rotate keys"), strict=True))
    assert near > far
