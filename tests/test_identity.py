"""Whose memories: every rung of the ladder, in its order, as mem0's own plugin climbs it."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from mem0_dream.config.identity import remote_name, resolve
from mem0_dream.errors import DreamError
from mem0_dream.memory import Scope

REMOTE = "git@github.com:owner/repo.git"


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "home"
    (folder / ".mem0").mkdir(parents=True)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(folder))
    return folder


@pytest.fixture
def project(tmp_path, home, monkeypatch) -> Path:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "web-shop"
    folder.mkdir()
    return folder


def write(home: Path, name: str, body: object) -> None:
    (home / ".mem0" / name).write_text(body if isinstance(body, str) else json.dumps(body), encoding="utf-8")


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=Developer", "-c", "user.email=developer@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, remote: str | None = REMOTE, branch: str = "main") -> None:
    git(folder, "init", "-q")
    git(folder, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git(folder, "commit", "-q", "--allow-empty", "-m", "First")
    if remote:
        git(folder, "remote", "add", "origin", remote)


def remote_key(remote: str) -> str:
    return f"remote:{hashlib.sha256(remote.encode()).hexdigest()[:16]}"


FULL = {
    "MEM0_USER_ID": "from-mem0-user-id",
    "USER": "from-user",
    "LOGNAME": "from-logname",
    "USERNAME": "from-username",
}


@pytest.mark.parametrize(
    ("without", "user", "source"),
    [
        ((), "from-mem0-user-id", "MEM0_USER_ID"),
        (("MEM0_USER_ID",), "from-config", "~/.mem0/config.json"),
        (("MEM0_USER_ID", "config"), "from-user", "USER"),
        (("MEM0_USER_ID", "config", "USER"), "from-logname", "LOGNAME"),
        (("MEM0_USER_ID", "config", "USER", "LOGNAME"), "from-username", "USERNAME"),
        (("MEM0_USER_ID", "config", "USER", "LOGNAME", "USERNAME"), "default", "nothing names a user"),
    ],
)
def test_each_rung_of_the_user_counts_where_those_above_are_missing(home, project, without, user, source):
    if "config" not in without:
        write(home, "config.json", {"version": 1, "defaults": {"user_id": "from-config"}})
    env = {name: value for name, value in FULL.items() if name not in without}
    found = resolve(project, env)
    assert (found.user, found.sources["user"]) == (user, source)


def test_the_option_wins_over_every_rung(home, project):
    found = resolve(project, FULL | {"MEM0_PROJECT_ID": "from-env"}, "me", "mine", "bot")
    assert found.scope == Scope("me", "mine", "bot")
    assert [found.sources[name] for name in ("user", "project", "agent")] == ["--user", "--project", "--agent"]


def test_empty_and_blank_values_name_nobody(home, project):
    assert resolve(project, {"MEM0_USER_ID": "  ", "USER": "", "LOGNAME": " someone "}).user == "someone"


@pytest.mark.parametrize("body", ["", "[]", '{"defaults": null}', '{"defaults": {"user_id": 7}}', '{"defaults": []}'])
def test_a_config_without_a_user_is_passed_over(home, project, body):
    write(home, "config.json", body)
    assert resolve(project, {"USER": "me"}).user == "me"


def test_a_broken_file_of_mem0_is_named_in_a_sentence(home, project):
    write(home, "config.json", '{"defaults": {"user_id": "me"')
    with pytest.raises(DreamError, match=r"config\.json is not JSON .*correct it"):
        resolve(project, {"USER": "me"})


def test_a_byte_order_mark_in_mem0s_file_does_no_harm(home, project):
    write(home, "config.json", "\ufeff" + json.dumps({"defaults": {"user_id": "me"}}))
    assert resolve(project, {}).user == "me"


def test_each_rung_of_the_project_counts_where_those_above_are_missing(home, project):
    repository(project)
    write(home, "project_map.json", {str(project): "by-path", remote_key(REMOTE): "by-remote"})
    assert resolve(project, {"MEM0_PROJECT_ID": "by-env"}).project == "by-env"
    assert resolve(project, {}).project == "by-path"
    write(home, "project_map.json", {remote_key(REMOTE): "by-remote"})
    assert resolve(project, {}).project == "by-remote"
    write(home, "project_map.json", {})
    assert resolve(project, {}).project == "owner-repo"
    git(project, "remote", "remove", "origin")
    assert resolve(project, {}).project == "web-shop"


def test_every_source_of_the_project_is_named(home, project):
    repository(project)
    sources = [resolve(project, {"MEM0_PROJECT_ID": "x"}).sources["project"], resolve(project, {}).sources["project"]]
    write(home, "project_map.json", {remote_key(REMOTE): "by-remote"})
    sources.append(resolve(project, {}).sources["project"])
    write(home, "project_map.json", {str(project): "by-path"})
    sources.append(resolve(project, {}).sources["project"])
    assert sources == [
        "MEM0_PROJECT_ID",
        "git remote origin",
        "~/.mem0/project_map.json, this git remote",
        "~/.mem0/project_map.json, this folder",
    ]


def test_a_moved_folder_keeps_its_project_by_its_remote(home, project):
    repository(project)
    write(home, "project_map.json", {str(project): "shop", remote_key(REMOTE): "shop"})
    moved = project.rename(project.with_name("moved"))
    assert resolve(moved, {}).project == "shop"


def test_a_folder_reached_by_a_link_is_the_folder(home, project, tmp_path):
    link = tmp_path / "link"
    try:
        link.symlink_to(project, target_is_directory=True)
    except OSError:
        pytest.skip("links cannot be made here")
    write(home, "project_map.json", {str(project): "shop"})
    assert resolve(link, {}).project == "shop"


def test_no_project_is_asked_for_by_its_name(home, project):
    found = resolve(project, {"MEM0_PROJECT_ID": "by-env"}, project="none")
    assert (found.project, found.sources["project"]) == (None, "--project")


def test_a_worktree_has_its_repositorys_project_and_its_own_branch(home, project, tmp_path):
    repository(project)
    git(project, "worktree", "add", "-q", "-b", "fix/prices", str(tmp_path / "elsewhere"))
    found = resolve(tmp_path / "elsewhere", {})
    assert (found.project, found.branch) == ("owner-repo", "fix/prices")


def test_a_folder_inside_a_repository_has_its_project(home, project):
    repository(project)
    (project / "src").mkdir()
    assert resolve(project / "src", {}).project == "owner-repo"


def test_without_git_there_is_a_project_but_no_branch(home, project):
    found = resolve(project, {})
    assert (found.project, found.branch, found.sources["branch"]) == ("web-shop", None, "no git")


def test_where_git_is_not_installed_nothing_fails(home, project, monkeypatch):
    repository(project)
    monkeypatch.setenv("PATH", "")
    assert resolve(project, {}).project == "web-shop"


def test_a_branch_without_a_commit_is_a_branch(home, project):
    git(project, "init", "-q")
    git(project, "symbolic-ref", "HEAD", "refs/heads/trunk")
    assert resolve(project, {}).branch == "trunk"


def test_a_detached_head_is_no_branch(home, project):
    repository(project)
    git(project, "checkout", "-q", "--detach")
    found = resolve(project, {})
    assert (found.branch, found.sources["branch"]) == (None, "no branch checked out")


def test_mem0_md_does_not_choose_whose_memories_are_cleaned(home, project):
    (project / "mem0.md").write_text("## Identity\nproject_id: somebody-elses\nuser_id: root\n", encoding="utf-8")
    found = resolve(project, {"USER": "me"})
    assert found.scope == Scope("me", "web-shop")


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("https://github.com/owner/repo.git", "owner-repo"),
        ("https://github.com/owner/repo", "owner-repo"),
        ("https://github.com/owner/repo/", "owner-repo"),
        ("http://git.example.com/owner/repo.git", "owner-repo"),
        ("git@github.com:owner/repo.git", "owner-repo"),
        ("git@github.com-work:owner/repo.git", "owner-repo"),
        ("work:owner/repo", "owner-repo"),
        ("deploy@git.example.com:owner/repo.git", "owner-repo"),
        ("ssh://git@github.com/owner/repo.git", "owner-repo"),
        ("ssh://git@git.example.com:2222/owner/repo.git", "owner-repo"),
        ("git://git.example.com/owner/repo.git", "owner-repo"),
        ("https://git.example.com:8443/owner/repo.git", "owner-repo"),
        ("https://gitlab.example.com/group/subgroup/repo.git", "subgroup-repo"),
        ("https://someone:token@github.com/owner/repo.git", "owner-repo"),
        ("https://github.com/owner/repo.git.git", "owner-repo.git"),
        ("https://github.com/owner/my.repo", "owner-my.repo"),
        ("/srv/git/repo.git", "git-repo"),
        ("file:///srv/git/repo.git", "git-repo"),
        ("repo", "repo"),
        ("", ""),
    ],
)
def test_a_remote_of_any_form_gives_owner_and_repo(remote, name):
    assert remote_name(remote) == name


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("https://git.example.com/repo.git", "git.example.com-repo"),
        ("git@git.example.com:repo", "git.example.com-repo"),
    ],
)
def test_a_remote_without_an_owner_takes_the_host(remote, name):
    assert remote_name(remote) == name


@pytest.mark.parametrize(
    "remote", ["https://someone:t0ps3cret@git.example.com/repo.git", "https://:t0ps3cret@git.example.com/repo"]
)
def test_a_password_in_a_remote_is_in_no_name(remote):
    assert remote_name(remote) == "git.example.com-repo"
