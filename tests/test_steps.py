"""The scripts as a user runs them, step by step and in one, on an export."""

import json
from pathlib import Path

import pytest
from mem0_dream.runs.lock import Lock

from .steps import Place

REPEAT = [{"text": "Cache pages for 30s", "days": 9}, {"text": "Cache pages for 30s.", "days": 2}]
CONFLICT = [
    {"text": "The gateway listens on port 8080", "days": 8},
    {"text": "The gateway listens on port 9090", "days": 1},
]
STALE = [{"text": "Session: looked at the slow build", "days": 200, "type": "session_state"}]
PINNED = [{"text": "[PINNED] Session: keep this one", "days": 300, "type": "session_state"}]


@pytest.fixture
def place(tmp_path):
    found = Place(tmp_path)
    found.store(*REPEAT, *CONFLICT, *STALE, *PINNED)
    return found


def test_a_whole_pass_step_by_step_and_its_undo(place):
    before = place.rows()
    run = place.fetched()
    assert place.step(run, "--decide", '{"C1": "B"}').stdout == "Taken: 1 decided B.\n"
    shown = place.step(run, "--report").stdout
    assert "Proposed: 1 merge, 1 prune, 1 conflict. Apply? [Y/n]" in shown
    done = place.step(run, "--apply")
    assert done.stdout.splitlines()[0] == "Dream complete — merged: 1, pruned: 1, conflicts resolved: 1, skipped: 0"
    assert done.stdout.splitlines()[1] == "6 → 3 memories, 84 characters less in the store"
    assert place.texts() == [
        "Cache pages for 30s.",
        "The gateway listens on port 9090",
        "[PINNED] Session: keep this one",
    ]
    assert place.step(run, "--undo").stdout == "Undone: 3 changes (3 → 6 memories)\n"
    assert facts(place.rows()) == facts(before)


def facts(rows):
    return sorted((row["memory"], row["created_at"][:19], json.dumps(row["metadata"], sort_keys=True)) for row in rows)


def test_the_first_line_on_stderr_names_store_user_project_and_count(place):
    expected = " · file export.json · user me · project shop · 6 memories"
    run = place.fetched()
    for done in (
        place.run("fetch_all.py"),
        place.run("dream.py", "--dry-run"),
        place.run("dream.py", "--auto"),
        place.bare("find_dupes.py", "--run", run),
        place.step(run, "--report"),
    ):
        line = done.stderr.splitlines()[0]
        assert line.startswith("mem0-dream ")
        assert line.replace(" · file · ", " · file export.json · ").endswith(expected)


def test_a_dry_run_changes_nothing(place):
    before = place.export.read_bytes()
    assert place.run("dream.py", "--dry-run").returncode == 0
    assert place.export.read_bytes() == before


def test_a_pass_in_a_terminal_asks_and_applies(place):
    done = place.run("dream.py", input="B\ny\n")
    assert done.returncode == 0, done
    assert "Dream complete — merged: 1, pruned: 1, conflicts resolved: 1, skipped: 0" in done.stdout
    assert len(place.rows()) == 3


def test_no_cancels_and_changes_nothing(place):
    before = place.export.read_bytes()
    done = place.run("dream.py", input="B\nn\n")
    assert done.returncode == 0
    assert done.stdout.endswith("Cancelled. No changes made.\n")
    assert place.export.read_bytes() == before


def test_nobody_to_ask_changes_nothing_and_exits_with_3(place):
    before = place.export.read_bytes()
    done = place.run("dream.py")
    assert done.returncode == 3
    assert done.stdout.endswith("Cancelled. No changes made.\n")
    assert place.export.read_bytes() == before


def test_the_answers_of_a_run_that_was_left_are_taken_over(place):
    left = place.run("dream.py", input="B\nq\n")
    assert left.stdout.endswith("Cancelled. No changes made.\n")
    done = place.run("dream.py", input="y\n")
    assert "Taken over from the run you left: C1." in done.stderr
    assert "conflicts resolved: 1" in done.stdout
    assert "The gateway listens on port 9090" in place.texts()
    assert "The gateway listens on port 8080" not in place.texts()


def test_an_answer_about_a_text_that_changed_is_not_taken_over(place):
    place.run("dream.py", input="B\nq\n")
    rows = place.rows()
    rows[3]["memory"] = "The gateway listens on port 7070"
    place.export.write_text(json.dumps(rows), encoding="utf-8")
    assert "Taken over" not in place.run("dream.py").stderr


def test_a_second_pass_straight_after_finds_nothing(place):
    place.run("dream.py", input="B\ny\n")
    again = place.run("dream.py", "--dry-run")
    assert again.stdout == "Dream complete. No duplicate, contradictory, or stale memories found.\n"


def test_what_was_undone_is_not_proposed_again(place):
    place.run("dream.py", input="B\ny\n")
    assert place.run("dream.py", "--undo").returncode == 0
    again = place.run("dream.py", "--dry-run")
    assert again.stdout == "Dream complete. No duplicate, contradictory, or stale memories found.\n"


def test_undo_twice_is_harmless(place):
    place.run("dream.py", input="B\ny\n")
    place.run("dream.py", "--undo")
    before = place.export.read_bytes()
    done = place.run("dream.py", "--undo")
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing to undo: what run ")
    assert place.export.read_bytes() == before


def test_applying_twice_says_that_it_is_applied_already(place):
    run = place.fetched()
    place.step(run, "--report")
    assert place.step(run, "--apply").returncode == 0
    before = place.export.read_bytes()
    again = place.step(run, "--apply")
    assert (again.returncode, again.stderr.splitlines()[-1]) == (3, "This run is applied already; nothing was changed.")
    assert place.export.read_bytes() == before


def test_the_printed_undo_line_works_as_pasted(place):
    import shlex
    import subprocess

    line = place.run("dream.py", input="B\ny\n").stdout.splitlines()[-1]
    command = line.removeprefix("Undo: ")
    done = subprocess.run(shlex.split(command), env=place.env, capture_output=True, encoding="utf-8", timeout=60)
    assert done.stdout == "Undone: 3 changes (3 → 6 memories)\n", done


def test_no_memories_is_said_with_who_has_some(place):
    options = [*place.options[:-1], "other"]
    done = place.bare("dream.py", *options)
    assert (done.returncode, done.stdout) == (0, "No memories found for project other. Nothing to consolidate.\n")
    assert "user me · project shop (6)" in done.stderr


def test_a_run_that_finds_nothing_leaves_no_folder(place):
    place.store({"text": "Only this"})
    place.run("dream.py")
    place.run("dream.py", "--auto")
    assert not list(Path(place.env["MEM0_DREAM_HOME"]).glob("*/runs/*"))


def test_a_bare_snapshot_reads_no_home_and_no_policies(place):
    place.run("fetch_all.py", "--out", "snapshot.json")
    home = Path(place.env["MEM0_DREAM_HOME"])
    done = place.bare("find_dupes.py", "snapshot.json", "--out", "-", MEM0_DREAM_HOME=str(home / "nowhere"))
    plan = json.loads(done.stdout)
    assert plan["schema"] == "mem0-dream/plan"
    assert [prune["id"][:8] for prune in plan["prunes"]] == ["00000004"]
    assert not (home / "nowhere").exists()


def test_a_snapshot_is_read_from_standard_input(place):
    place.run("fetch_all.py", "--out", "snapshot.json")
    text = (place.folder / "snapshot.json").read_text(encoding="utf-8")
    done = place.bare("find_dupes.py", "-", "--out", "-", input=text)
    assert json.loads(done.stdout)["total"] == 6


def test_explain_says_what_two_memories_are(place):
    run = place.fetched()
    ids = [row["id"] for row in place.rows()]
    done = place.bare("find_dupes.py", "--run", run, "--explain", ids[2], ids[3])
    assert "conflict" in done.stdout
    assert "8080" in done.stdout and "9090" in done.stdout


def test_list_numbers_every_memory_and_an_answer_may_name_the_numbers(place):
    place.store({"text": "Nightly jobs begin at two"}, {"text": "Cron starts batch work 02:00"}, {"text": "Use tabs"})
    run = place.fetched()
    lines = place.bare("find_dupes.py", "--run", run, "--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["[decision]", "#1", "#2", "#3"]
    numbers = [line.split()[0] for line in lines[1:] if "tabs" not in line]
    answer = {"+": [{"conflict": numbers, "topic": "when batch jobs start"}]}
    done = place.step(run, "--decide", json.dumps(answer))
    assert (done.returncode, done.stdout) == (0, "Taken: 1 to ask.\nAdded: C1.\n")
    assert '"when batch jobs start: ' in place.step(run, "--report").stdout


def test_semantic_asks_about_neighbours_and_looks_each_memory_up_once(place):
    place.store({"text": "Invoices go out on Fridays"}, {"text": "Bills are mailed on Fridays at noon"})
    run = place.fetched()
    first = place.bare("find_dupes.py", "--run", run, "--semantic")
    assert "alike by meaning" in first.stdout
    known = Path(run).parent.parent / "looked_up.json"
    assert len(json.loads(known.read_text(encoding="utf-8"))["texts"]) == 2
    assert "alike by meaning" in place.bare("find_dupes.py", "--run", run).stdout
    later = place.bare("find_dupes.py", "--run", place.fetched(), "--semantic")
    assert "alike by meaning" not in later.stdout


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ('{"M7": true}', "M7"),
        ('{"C1": "C"}', "C1"),
        ('{"M1": 7}', "M1"),
        ("[1]", "JSON object"),
        ("{", "not JSON"),
    ],
)
def test_an_answer_that_cannot_be_taken_is_refused_and_not_kept(place, answers, says):
    run = place.fetched()
    done = place.step(run, "--decide", answers)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 2)
    assert says in done.stderr
    assert not (Path(run) / "verdicts.json").exists()


def test_applying_without_a_report_is_refused(place):
    run = place.fetched()
    before = place.export.read_bytes()
    done = place.step(run, "--apply")
    assert done.returncode == 3
    assert "report" in done.stderr.splitlines()[-1]
    assert place.export.read_bytes() == before


def test_an_answer_after_the_report_needs_another_report(place):
    run = place.fetched()
    place.step(run, "--report")
    place.step(run, "--decide", '{"C1": "A"}')
    assert place.step(run, "--apply").returncode == 3
    place.step(run, "--report")
    assert place.step(run, "--apply").returncode == 0


def test_a_run_fetched_for_nobody_is_not_applied_as_asked(place):
    run = place.fetched("--auto")
    place.step(run, "--report")
    assert place.step(run, "--apply").returncode == 3


def test_an_asked_run_is_not_applied_unattended(place):
    run = place.fetched()
    assert place.step(run, "--auto").returncode == 3


def test_a_session_that_nobody_attends_applies_nothing(place):
    run = place.fetched()
    place.step(run, "--report")
    before = place.export.read_bytes()
    assert place.step(run, "--apply", CLAUDE_CODE_SESSION_ATTENDED="0").returncode == 3
    assert place.run("dream.py", input="B\ny\n", CLAUDE_CODE_SESSION_ATTENDED="0").returncode == 3
    assert place.export.read_bytes() == before


def test_only_one_handle_can_be_applied_and_undone(place):
    run = place.fetched()
    place.step(run, "--report")
    assert "merged: 0, pruned: 1" in place.step(run, "--apply", "--only", "P1").stdout
    assert len(place.rows()) == 5


def test_keep_is_remembered_listed_and_forgotten(place):
    run = place.fetched()
    assert place.step(run, "--decide", '{"M1": "keep"}').stdout == "Taken: 1 kept.\n"
    assert place.plan(place.fetched())["merges"] == []
    assert "keep (merge)" in place.run("apply_plan.py", "--kept").stdout
    assert place.run("apply_plan.py", "--forget", "1").stdout == "Forgotten: 1; the next run asks again.\n"
    assert len(place.plan(place.fetched())["merges"]) == 1


def test_the_page_is_written(place):
    place.run("dream.py", "--dry-run", "--html", "run.html")
    assert "Cache pages for 30s" in (place.folder / "run.html").read_text(encoding="utf-8")


def test_check_recall_says_what_search_still_finds(place):
    done = place.run("dream.py", "--check-recall", input="B\ny\n")
    assert done.stdout.splitlines()[-1].startswith("Search: ")


def test_whoami_says_where_each_part_came_from(place):
    done = place.run("fetch_all.py", "--whoami")
    assert "user    me  (--user)" in done.stdout
    assert "project shop  (--project)" in done.stdout


@pytest.mark.parametrize("option", ["--decide", "--forget", "--erase"])
def test_an_option_that_is_given_empty_is_an_error_and_never_an_apply(place, option):
    run = place.fetched()
    place.step(run, "--report")
    before = place.rows()
    done = place.step(run, option, "", *(["--yes"] if option == "--erase" else []))
    assert done.returncode == 2
    assert place.rows() == before


def test_answers_are_taken_only_while_no_other_run_holds_the_lock(place):
    run = place.fetched()
    with Lock(Path(run).parent.parent):
        assert place.step(run, "--decide", '{"C1": "B"}').returncode == 75
    assert place.step(run, "--decide", '{"C1": "B"}').returncode == 0
