"""Runs that version 0.1.0 applied, or was stopped in, as it left them on disk (data/run-0.1.0)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from mem0_dream.memory import Scope
from mem0_dream.runs.run_folder import scope_folder

from .steps import Place

OLD = Path(__file__).parent / "data" / "run-0.1.0"
NAME = "20261204T034346782478Z-d2c56b"
KEPT = ("memory", "user_id", "app_id", "created_at", "metadata")


@pytest.fixture
def place(tmp_path) -> Place:
    """The export as 0.1.0 left it, and its run where 0.1.0 put it."""
    made = Place(tmp_path)
    made.options[-4:] = ["--user", "developer", "--project", "web-shop"]
    shutil.copy(OLD / "export.json", made.export)
    home, folder = Path(made.env["MEM0_DREAM_HOME"]), made.folder.resolve()
    run = scope_folder(home, f"file:{folder / 'export.json'}", Scope("developer", "web-shop")) / "runs" / NAME
    run.mkdir(parents=True)
    for name in ("journal.jsonl", "snapshot.json"):
        text = (OLD / name).read_text(encoding="utf-8")
        (run / name).write_text(text.replace("FOLDER", json.dumps(str(folder))[1:-1]), encoding="utf-8")
    return made


def facts(rows: list[dict]) -> list[dict]:
    return sorted(({name: row[name] for name in KEPT} for row in rows), key=lambda row: row["memory"])


def before() -> list[dict]:
    return facts(json.loads((OLD / "before.json").read_text(encoding="utf-8")))


def journal_of(place: Place) -> Path:
    return next(Path(place.env["MEM0_DREAM_HOME"]).rglob("journal.jsonl"))


def test_an_old_run_stands_in_the_history_and_is_undone(place):
    assert "applied  merged: 1, pruned: 1, conflicts resolved: 1" in place.run("dream.py", "--history").stdout
    done = place.run("dream.py", "--undo")
    assert (done.returncode, "Undone: 3 changes (5 → 8 memories)" in done.stdout) == (0, True), done
    assert facts(place.rows()) == before()


def test_the_undo_line_that_0_1_0_printed_still_works(place):
    done = place.bare("apply_plan.py", "--run", str(journal_of(place).parent), "--undo")
    assert done.returncode == 0, done
    assert facts(place.rows()) == before()


@pytest.mark.parametrize(("done", "merged"), [(False, "8 → 7"), (True, "7 → 7")], ids=["before", "after"])
def test_an_old_run_that_was_killed_before_or_after_it_acted_is_resumed_and_undone(place, done, merged):
    journal = journal_of(place)
    journal.write_text("".join(journal.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    rows = json.loads((OLD / "before.json").read_text(encoding="utf-8"))
    if done:
        [kept] = [row for row in place.rows() if "dream_op" in row["metadata"]]
        rows = [kept if row["id"] == kept["id"] else row for row in rows[1:]]
    place.export.write_text(json.dumps(rows), encoding="utf-8")
    assert f"{merged} memories" in place.run("dream.py", "--resume").stdout
    assert place.run("dream.py", "--undo").returncode == 0
    assert facts(place.rows()) == before()
