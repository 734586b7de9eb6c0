"""Run folders: their order, which one a step means, and what is refused."""

from datetime import datetime, timedelta, timezone

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.memory import Scope
from mem0_dream.runs.run_folder import all_runs, dream_home, new_run, newest_open, open_run, scope_folder

NOW = datetime(2026, 11, 1, 8, 0, 0, 250, tzinfo=timezone.utc)


def fetched(folder, at):
    run = new_run(folder, at)
    (run.folder / "snapshot.json").write_text("{}", encoding="utf-8")
    return run


def test_runs_of_one_second_keep_their_order(tmp_path):
    made = [fetched(tmp_path, NOW + timedelta(microseconds=n)).name for n in range(20)]
    assert [run.name for run in all_runs(tmp_path)] == made


def test_the_newest_run_that_is_not_applied_is_meant(tmp_path):
    first = fetched(tmp_path, NOW)
    second = fetched(tmp_path, NOW + timedelta(hours=1))
    assert newest_open(tmp_path, NOW + timedelta(hours=2)).name == second.name
    second.journal.touch()
    assert newest_open(tmp_path, NOW + timedelta(hours=2)).name == first.name


def test_a_run_older_than_a_day_is_not_meant(tmp_path):
    fetched(tmp_path, NOW)
    with pytest.raises(DreamError, match="run fetch_all"):
        newest_open(tmp_path, NOW + timedelta(hours=25))


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(DreamError, match=r"no snapshot\.json"):
        open_run(tmp_path)


def test_stores_users_projects_and_agents_have_folders_of_their_own(tmp_path):
    scopes = [Scope("me", "shop"), Scope("me", None), Scope("you", "shop"), Scope("me", "shop", "bot")]
    folders = {scope_folder(tmp_path, store, scope) for store in ("one", "two") for scope in scopes}
    assert len(folders) == 8
    assert scope_folder(tmp_path, "one", scopes[0]).name.startswith("shop-")


def test_a_project_of_odd_letters_has_a_folder_that_every_system_can_name(tmp_path):
    assert scope_folder(tmp_path, "one", Scope("me", "../ü:*店")).name.startswith("scope-")


def test_a_home_that_cannot_be_made_names_the_ways_out(tmp_path):
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(DreamError, match=r"MEM0_DREAM_HOME.*writable_roots"):
        dream_home({"MEM0_DREAM_HOME": str(blocked / "home")})


def test_a_home_relative_to_whatever_folder_is_worked_in_is_refused():
    with pytest.raises(DreamError, match="relative path"):
        dream_home({"MEM0_DREAM_HOME": "dream"})
