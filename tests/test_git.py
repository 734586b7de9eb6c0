"""git is only asked: nothing that a repository's configuration, attributes or files name is run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from mem0_dream.config import git

WHO = ["-c", "user.name=Developer", "-c", "user.email=developer@example.com", "-c", "commit.gpgsign=false"]

TRAPS = [
    *(
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "credential.helper",
    ),
    *("gpg.program", "diff.external", "diff.trap.command", "diff.trap.textconv"),
    *("filter.trap.clean", "filter.trap.smudge", "filter.trap.process"),
]


def do(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *WHO, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def trapped(tmp_path) -> tuple[Path, Path]:
    """A repository whose every setting would leave a mark, and the mark."""
    folder, mark = tmp_path / "cloned repository", tmp_path / "mark"
    folder.mkdir()
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch '{mark}'\n", encoding="utf-8")
    trap.chmod(0o755)
    do(folder, "init", "-q", "-b", "main")
    (folder / ".gitattributes").write_text("*.txt diff=trap filter=trap\n", encoding="utf-8")
    (folder / "old.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    do(folder, "add", ".")
    do(folder, "commit", "-q", "-m", "First")
    do(folder, "mv", "old.txt", "new.txt")
    do(folder, "commit", "-q", "-m", "Second")
    for name in TRAPS:
        do(folder, "config", name, str(trap))
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").write_text(trap.read_text(encoding="utf-8"), encoding="utf-8")
    (hooks / "post-index-change").chmod(0o755)
    do(folder, "config", "core.hooksPath", str(hooks))
    do(folder, "config", "log.showSignature", "true")
    for alias in ("log", "ls-tree", "branch", "check-ignore"):
        do(folder, "config", f"alias.{alias}", f"!'{trap}'")
    mark.unlink(missing_ok=True)
    return folder, mark


@pytest.mark.parametrize(
    "arguments",
    [
        ["log", "-p", "--no-ext-diff", "--no-textconv"],
        ["log", "--raw", "-M", "-z"],
        ["ls-tree", "-r", "-z", "HEAD"],
        ["check-ignore", "--no-index", "new.txt"],
        ["branch", "--show-current"],
        ["config", "--get", "core.pager"],
    ],
    ids=" ".join,
)
def test_a_question_to_git_runs_nothing_of_the_repository(trapped, arguments):
    folder, mark = trapped
    git.run(folder, *arguments)
    assert not mark.exists()


def test_the_trap_would_spring(trapped):
    folder, mark = trapped
    subprocess.run(["git", "status"], cwd=folder, check=False, capture_output=True)
    assert mark.exists()


def test_a_repository_among_the_files_of_another_is_not_asked(tmp_path):
    do(tmp_path, "init", "-q", "--bare", "inner")
    assert git.run(tmp_path / "inner", "rev-parse", "--git-dir") is None


def test_a_hook_that_starts_this_program_does_not_choose_the_repository(tmp_path, monkeypatch):
    for name in ("one", "other"):
        do(tmp_path, "init", "-q", "-b", name, name)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert git.line(tmp_path / "one", "branch", "--show-current") == "one"


def test_no_repository_and_no_such_setting_are_none(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert git.line(tmp_path, "branch", "--show-current") is None
    do(tmp_path, "init", "-q")
    assert git.line(tmp_path, "config", "--get", "remote.origin.url") is None


def test_git_is_never_taken_from_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "git").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ":.:relative")
    assert git.run(tmp_path, "--version") is None


def test_an_answer_that_is_too_long_is_none(tmp_path, monkeypatch):
    assert git.run(tmp_path, "--version")
    monkeypatch.setattr(git, "MOST", 3)
    assert git.run(tmp_path, "--version") is None


@pytest.mark.skipif(os.name == "nt", reason="a script stands in for git")
def test_an_answer_that_is_too_late_is_none(tmp_path, monkeypatch):
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 600\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert git.run(tmp_path, "log", seconds=0.1) is None
