"""The labelled sets beside the clone: what was reached is not lost again. Skipped where they are not there."""

from pathlib import Path

import pytest

from benchmarks.accuracy import figures, judged

PAIRS = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "pairs"
needs_pairs = pytest.mark.skipif(not PAIRS.is_dir(), reason=f"no labelled pairs in {PAIRS}")


@needs_pairs
def test_nothing_is_merged_wrongly_unasked():
    assert {path.stem: figures(judged(path))["wrong"] for path in sorted(PAIRS.glob("*.jsonl"))} == {
        path.stem: 0 for path in PAIRS.glob("*.jsonl")
    }


@needs_pairs
def test_edits_of_one_note_are_told_from_changes():
    found = figures(judged(PAIRS / "coding.jsonl"))
    assert found["F1"] >= 0.84
    assert found["as dup"] <= 0.18
    assert found["as conflict"] >= 0.60
    assert found["seen"] >= 0.77


@needs_pairs
@pytest.mark.parametrize(("name", "least"), [("stsb_zh", 0.80), ("stsb_ja", 0.75), ("stsb_ru", 0.73)])
def test_other_scripts_are_compared_too(name, least):
    assert figures(judged(PAIRS / f"{name}.jsonl"))["F1"] >= least
