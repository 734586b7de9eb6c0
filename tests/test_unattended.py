"""Unattended runs as cron starts them, several projects in one, and what the next run with a person is told."""

import json
import subprocess
import sys

import pytest

from .steps import SCRIPTS, Place

SAFE = [{"text": "Cache pages for 30s", "days": 9}, {"text": "Cache pages for 30s.", "days": 2}]
CONFLICT = [
    {"text": "The gateway listens on port 8080", "days": 8},
    {"text": "The gateway listens on port 9090", "days": 1},
]


@pytest.fixture
def place(tmp_path):
    found = Place(tmp_path)
    found.store(*SAFE, *CONFLICT)
    return found


def repository(place, name):
    """A project folder whose memories the export holds under its own name."""
    folder = place.folder / name
    folder.mkdir()
    return folder


def two_projects(place):
    rows = [
        {**row, "app_id": name, "id": f"{row['id'][:-1]}{n}"}
        for n, name in enumerate(("shop", "blog"))
        for row in place.rows()
    ]
    place.export.write_text(json.dumps(rows), encoding="utf-8")
    return repository(place, "shop"), repository(place, "blog")


STORE = ["--store", "file", "--user", "me"]


def unattended(place, *arguments):
    return place.bare("dream.py", *STORE, "--config", str(place.export), "--auto", *arguments)


def test_projects_are_gone_through_one_after_the_other_with_a_line_each(place):
    shop, blog = two_projects(place)
    done = unattended(place, "--cwd", str(shop), "--cwd", str(blog))
    lines = [line for line in done.stdout.splitlines() if line.startswith("[mem0-dream --auto]")]
    assert lines == [
        "[mem0-dream --auto] project=shop  merged=1  pruned=0  conflicts_skipped=1",
        "[mem0-dream --auto] project=blog  merged=1  pruned=0  conflicts_skipped=1",
    ]
    assert done.returncode == 0


def test_projects_may_stand_in_a_file_a_path_a_line(place):
    shop, blog = two_projects(place)
    listed = place.folder / "projects.txt"
    listed.write_text(f"# mine\n{shop}\n\n{blog}\n", encoding="utf-8")
    done = unattended(place, "--projects", str(listed))
    assert done.stdout.count("merged=1") == 2


def test_a_project_that_fails_does_not_stop_the_others_and_the_worst_code_counts(place):
    shop, blog = two_projects(place)
    done = unattended(place, "--cwd", str(shop), "--cwd", str(place.folder / "nowhere"), "--cwd", str(blog))
    lines = [line for line in done.stdout.splitlines() if line.startswith("[mem0-dream --auto]")]
    assert lines[1].startswith("[mem0-dream --auto] project=nowhere  failed: There is no folder")
    assert "merged=1" in lines[2]
    assert done.returncode == 2


def test_the_last_line_is_the_summary(place):
    done = place.run("dream.py", "--auto")
    assert done.stdout.splitlines()[-1] == "[mem0-dream --auto] project=shop  merged=1  pruned=0  conflicts_skipped=1"


def test_under_cron_with_nothing_in_the_environment_it_says_whom_it_took(place):
    """As `env -i` starts it: no USER, no locale, no terminal."""
    command = [sys.executable, str(SCRIPTS / "dream.py"), "--auto", "--store", "file", "--config", str(place.export)]
    bare = {"HOME": place.env["HOME"], "MEM0_DREAM_HOME": place.env["MEM0_DREAM_HOME"], "PATH": place.env["PATH"]}
    if "SYSTEMROOT" in place.env:
        bare["SYSTEMROOT"] = place.env["SYSTEMROOT"]
    done = subprocess.run(
        command, env=bare, capture_output=True, encoding="utf-8", cwd=place.folder, timeout=60, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done
    assert " · user " in done.stderr.splitlines()[0]
    assert "No memories found for project" in done.stderr
    assert "user me · project shop (4)" in done.stderr


def test_a_memory_of_any_script_is_logged_in_any_locale(place):
    place.store({"text": "网关 gateway listens on port 8080"}, {"text": "网关 gateway listens on port 9090"})
    done = place.run("dream.py", "--auto", LC_ALL="C", PYTHONUTF8="0")
    assert (done.returncode, "网关 gateway" in done.stdout) == (0, True)


def test_what_was_held_back_is_the_first_thing_the_next_asked_run_shows(place):
    place.run("dream.py", "--auto")
    run = place.run("fetch_all.py").stdout.strip().removeprefix("Run: ")
    lines = place.bare("find_dupes.py", "--run", run).stdout.splitlines()
    assert lines[1] == "Left by the last unattended run:"
    assert lines[2] == (
        '  conflict "The gateway listens on port 8080" / "The gateway listens on port 9090"'
        " — a contradiction is never decided unattended"
    )


def test_a_memory_that_changed_meanwhile_drops_out_of_the_queue(place):
    place.run("dream.py", "--auto")
    rows = place.rows()
    for row in rows:
        row["memory"] = row["memory"].replace("9090", "7070")
    place.export.write_text(json.dumps(rows), encoding="utf-8")
    run = place.run("fetch_all.py").stdout.strip().removeprefix("Run: ")
    assert "Left by the last unattended run" not in place.bare("find_dupes.py", "--run", run).stdout


def test_nothing_in_the_queue_applies_by_itself(place):
    place.run("dream.py", "--auto")
    before = place.texts()
    place.run("dream.py", "--auto")
    assert place.texts() == before


def test_once_a_person_has_seen_a_report_the_queue_is_settled(place):
    place.run("dream.py", "--auto")
    place.step(place.fetched(), "--report")
    assert "Left by the last" not in place.run("dream.py", "--dry-run").stderr


def test_the_next_asked_run_says_when_unattended_ones_failed_and_why(place):
    place.run("dream.py", "--auto")
    good = place.export.read_text(encoding="utf-8")
    place.export.write_text("[{", encoding="utf-8")
    failed = place.run("dream.py", "--auto")
    assert failed.returncode == 1
    assert failed.stdout.splitlines()[-1].startswith("[mem0-dream --auto] project=shop  failed: ")
    place.export.write_text(good, encoding="utf-8")
    told = place.run("fetch_all.py").stderr
    assert "The unattended run of " in told and "not JSON" in told
    place.run("dream.py", "--auto")
    assert "The unattended run of " not in place.run("fetch_all.py").stderr


def test_an_unforeseen_failure_of_one_project_is_its_own_line_too(place):
    shop, blog = two_projects(place)
    broken = (
        "import sys; sys.path.insert(0, sys.argv.pop(1))\n"
        "from mem0_dream.cli import process, session\n"
        "real = session.Session.policies\n"
        "def fails(self):\n"
        "    if self.cwd.name == 'shop': raise ZeroDivisionError('by nothing')\n"
        "    return real(self)\n"
        "session.Session.policies = fails\n"
        "import dream; process.run(dream.main)"
    )
    command = [sys.executable, "-c", broken, str(SCRIPTS), *STORE, "--config", str(place.export), "--auto"]
    done = subprocess.run(
        [*command, "--cwd", str(shop), "--cwd", str(blog)],
        env=place.env,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    first, second = [line for line in done.stdout.splitlines() if line.startswith("[mem0-dream --auto]")]
    assert first.startswith(
        "[mem0-dream --auto] project=shop  failed: Unexpected failure (ZeroDivisionError: by nothing)"
    )
    assert "project=blog  merged=1" in second
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (1, False)
