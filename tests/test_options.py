"""An option that is given is that option: it does what it says, or is refused in a sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .steps import Place

REPEAT = [{"text": "Cache pages for 30s", "days": 9}, {"text": "Cache pages for 30s.", "days": 2}]
CONFLICT = [
    {"text": "The gateway listens on port 8080", "days": 8},
    {"text": "The gateway listens on port 9090", "days": 1},
]
NOTES = [
    {"text": "Sessions end at 18:00", "days": 8, "type": "session_note"},
    {"text": "Sessions end at 19:00", "days": 1, "type": "session_note"},
]


@pytest.fixture
def place(tmp_path):
    found = Place(tmp_path)
    found.store(*REPEAT, *CONFLICT)
    return found


@pytest.mark.parametrize(
    "given",
    [
        ("dream.py", "--dry-run", "--check-recall"),
        ("dream.py", "--dry-run", "--limit", "3"),
        ("dream.py", "--auto", "--html", "page.html"),
        ("dream.py", "--auto", "--type", "decision"),
        ("dream.py", "--only", "M1"),
        ("dream.py", "--max-removed", "5%"),
        ("dream.py", "--undo", "--json"),
        ("apply_plan.py", "--report", "--only", "M1"),
        ("apply_plan.py", "--history", "--yes"),
        ("apply_plan.py", "--decide", "{}", "--page", "2"),
    ],
    ids=lambda given: " ".join(given),
)
def test_an_option_that_does_nothing_in_a_mode_is_refused(place, given):
    done = place.run(*given)
    assert done.returncode == 2
    assert " does nothing " in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("option", ["--config", "--user", "--project", "--agent", "--cwd"])
def test_an_empty_value_is_not_taken_for_no_option(place, option):
    done = place.bare("dream.py", "--store", "file", "--config", str(place.export), "--dry-run", option, "")
    assert (done.returncode, "it is empty" in done.stderr) == (2, True)


@pytest.mark.parametrize("option", ["--decide", "--forget", "--erase"])
def test_an_empty_answer_applies_nothing(place, option):
    run = place.fetched()
    before = place.export.read_bytes()
    place.step(run, "--report")
    assert place.step(run, option, "", "--apply").returncode == 2
    assert place.step(run, option, "").returncode == 2
    assert place.export.read_bytes() == before


@pytest.mark.parametrize(
    "given",
    [("fetch_all.py", "--out", "mine.txt"), ("dream.py", "--dry-run", "--html", "mine.txt")],
    ids=lambda given: given[0],
)
def test_a_file_that_was_not_written_here_is_not_replaced(place, given):
    mine = place.folder / "mine.txt"
    mine.write_text("my notes", encoding="utf-8")
    done = place.run(*given)
    assert (done.returncode, mine.read_text(encoding="utf-8")) == (2, "my notes")


def test_what_was_written_here_may_be_written_again(place):
    for _ in range(2):
        assert place.run("fetch_all.py", "--out", "snapshot.json").returncode == 0
        assert place.run("dream.py", "--dry-run", "--html", "page.html").returncode == 0


def test_a_run_outside_the_dream_home_is_not_read(place):
    run = Path(place.fetched())
    elsewhere = place.folder / "elsewhere"
    run.rename(elsewhere)
    for step in ("--report", "--undo"):
        done = place.step(str(elsewhere), step)
        assert (done.returncode, "does not lie in" in done.stderr) == (1, True)


def test_limit_asks_so_many_questions_and_says_how_many_wait(place):
    place.store(*CONFLICT, *NOTES)
    done = place.run("dream.py", "--limit", "1", input="B\ny\n")
    assert "1 question, about 1 minute; 1 more wait for the next pass." in done.stdout
    assert "conflicts resolved: 1" in done.stdout


def test_type_looks_at_the_memories_of_one_type(place):
    place.store(*CONFLICT, *NOTES)
    done = place.run("dream.py", "--dry-run", "--type", "session_note")
    assert "Sessions end at 18:00" in done.stdout
    assert "gateway" not in done.stdout


def test_check_ends_with_3_as_long_as_something_waits(place):
    before = place.export.read_bytes()
    done = place.run("dream.py", "--check")
    assert (done.returncode, done.stdout) == (3, "Waiting for an answer: 1 contradiction and 0 merges.\n")
    assert place.export.read_bytes() == before
    assert not list(Path(place.env["MEM0_DREAM_HOME"]).glob("*/runs/*"))
    place.store(*REPEAT)
    assert place.run("dream.py", "--check").returncode == 0


def test_an_empty_line_from_a_pipe_applies_nothing(place):
    before = place.export.read_bytes()
    done = place.run("dream.py", input="B\n\n")
    assert done.returncode == 3
    assert place.export.read_bytes() == before


@pytest.mark.parametrize("name", ["{}", "[mem0:{}]", "mem0:{}"])
def test_a_memory_can_be_named_as_it_is_printed(place, name):
    ids = [name.format(row["id"][:8]) for row in place.rows()]
    done = place.run("dream.py", "--explain", ids[2], ids[3])
    assert done.returncode == 0, done.stderr
    assert "8080" in done.stdout and "9090" in done.stdout


def test_a_number_needs_no_sign(place):
    run = place.fetched()
    with_sign = place.bare("find_dupes.py", "--run", run, "--explain", "#1", "#2").stdout
    assert place.bare("find_dupes.py", "--run", run, "--explain", "1", "2").stdout == with_sign.replace("#", "")


def test_one_tool_answers_who_what_was_left_alone_and_asks_again(place):
    run = place.fetched()
    place.step(run, "--decide", '{"C1": "both"}')
    assert "user    me  (--user)" in place.run("dream.py", "--whoami").stdout
    assert "both (conflict)" in place.run("dream.py", "--kept").stdout
    assert place.run("dream.py", "--forget", "#1").stdout == "Forgotten: 1; the next run asks again.\n"


def test_a_second_undo_goes_on_to_the_run_before(place):
    before = place.texts()
    place.run("dream.py", input="skip\ny\n")
    place.run("dream.py", input="B\ny\n")
    assert place.run("dream.py", "--undo").stdout == "Undone: 1 change (2 → 3 memories)\n"
    assert place.run("dream.py", "--undo").stdout == "Undone: 1 change (3 → 4 memories)\n"
    assert place.texts() == before


def test_a_run_that_is_taken_back_already_names_the_one_before(place):
    place.run("dream.py", input="skip\ny\n")
    place.run("dream.py", input="B\ny\n")
    newest = place.run("dream.py", "--history").stdout.split()[0]
    place.run("dream.py", "--undo")
    lines = place.run("dream.py", "--undo", newest).stdout.splitlines()
    assert lines[0].startswith(f"Nothing to undo: what run {newest} changed is taken back already")
    assert lines[1].startswith("The run before it: ")
    assert lines[2].startswith("Undo: ") and " --undo --run " in lines[2]


def test_after_an_undo_the_next_pass_says_what_it_skips_and_how_to_have_it_asked(place):
    place.run("dream.py", input="B\ny\n")
    place.run("dream.py", "--undo")
    told = place.run("dream.py", "--dry-run").stderr
    assert "Skipped, because you decided or undid them before: 2 (2 undone: " in told
    assert "--forget N has one asked again" in told


def test_a_store_that_cannot_be_written_is_found_before_the_first_question(place):
    if os.name == "nt" or os.geteuid() == 0:
        pytest.skip("whoever may write everything finds no such file")
    place.export.chmod(0o400)
    done = place.run("dream.py", input="B\ny\n")
    assert done.returncode == 1
    assert "Which is current?" not in done.stdout


def test_answers_are_kept_if_the_store_fails_and_are_not_asked_again(place):
    fails = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "from mem0_dream.errors import DreamError\n"
        "from mem0_dream.stores.file import FileStore\n"
        "def refuse(self, ids): raise DreamError('The key was refused.')\n"
        "FileStore.delete = refuse\n"
        "import dream; from mem0_dream.cli import process; process.run(dream.main)"
    )
    scripts = str(Path(__file__).resolve().parent.parent / "scripts")
    done = subprocess.run(
        [sys.executable, "-c", fails, scripts, *place.options],
        input="B\ny\n",
        env=place.env,
        cwd=place.folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 1
    assert "--resume" in done.stdout + done.stderr
    place.run("dream.py", "--resume")
    again = place.run("dream.py", input="y\n")
    assert "Which is current?" not in again.stdout


class Repository:
    """A place whose folder is a git repository, with the export among its files."""

    def __init__(self, place: Place) -> None:
        self.place = place
        subprocess.run(["git", "init", "-q", str(place.folder)], check=True)


def test_an_export_among_the_files_of_the_repository_waits_for_a_person(place):
    Repository(place)
    done = place.run("dream.py", "--dry-run")
    assert done.returncode == 3
    assert "is a file of this repository" in done.stderr


def test_what_a_person_allowed_once_is_not_asked_about_again(place):
    Repository(place)
    home = Path(place.env["MEM0_DREAM_HOME"])
    home.mkdir()
    entry = {"file": str(place.export.resolve()), "content": ""}
    document = {"schema": "mem0-dream/trusted", "version": 1, "entries": [entry]}
    (home / "trusted.json").write_text(json.dumps(document), encoding="utf-8")
    assert place.run("dream.py", "--dry-run").returncode == 0
