"""Memories that name what a repository's history had when they were written, and that is gone or renamed since."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mem0_dream.config import git
from mem0_dream.memory import Memory
from mem0_dream.planning import repository
from mem0_dream.planning.mentions import commands, mentions
from mem0_dream.planning.repository import Checked, check

from .memories import record

BODY = "".join(f"line {n}\n" for n in range(20))
NOTED = "2026-02-01"  # when memories are written, between two commits


class Project:
    """A small repository whose commits are made on days that a test chooses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, day: str = "2026-01-01") -> None:
        who = ["-c", "user.name=Developer", "-c", "user.email=developer@example.com", "-c", "commit.gpgsign=false"]
        moment = f"{day}T12:00:00+00:00"
        env = {**os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        subprocess.run(["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True, env=env)

    def write(self, path: str, text: str = BODY) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def commit(self, day: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "A step", day=day)

    def remove(self, path: str, day: str) -> None:
        self.git("rm", "-rq", path)
        self.commit(day)

    def move(self, old: str, new: str, day: str) -> None:
        (self.folder / new).parent.mkdir(parents=True, exist_ok=True)
        self.git("mv", old, new)
        self.commit(day)

    def check(self, *texts: str, created: str = NOTED) -> Checked:
        memories = [Memory(record(f"m{i}", text, created=created)) for i, text in enumerate(texts)]
        return check(memories, self.folder)

    def found(self, text: str, created: str = NOTED) -> list[tuple[str, str | None]]:
        """What is said of one memory, without the commit."""
        return [(f.why.split(" (")[0], f.text) for f in self.check(text, created=created).findings]


@pytest.fixture
def project(tmp_path) -> Project:
    made = Project(tmp_path / "web shop")
    made.write("src/legacy/auth.py")
    made.write("src/cart.py", "cart\n" * 30)
    made.commit("2026-01-01")
    return made


def test_a_file_that_was_deleted_since_is_told_with_day_and_commit(project):
    project.remove("src/legacy/auth.py", "2026-03-04")
    commit = git.line(project.folder, "rev-parse", "HEAD") or ""
    (found,) = project.check("Sessions are checked in `src/legacy/auth.py`").findings
    assert found == ("m0", f"names src/legacy/auth.py, deleted 2026-03-04 ({commit[:7]})", None, False)


@pytest.mark.parametrize(
    "name", ["src/legacy/auth.py", "./src/legacy/auth.py:42", "legacy/auth.py", "auth.py", "src/legacy/"]
)
def test_a_path_is_known_in_every_usual_spelling(project, name):
    project.remove("src/legacy/auth.py", "2026-03-04")
    assert project.found(f"Sessions are checked in {name}, at every request")


@pytest.mark.parametrize(
    "text",
    [
        "The gateway lives in src/gateway.py",
        "`src/legacy/auth.py` was removed with the gateway",
        "No longer used: src/legacy/auth.py",
        "Sessions: see https://example.com/src/legacy/auth.py",
        "Generated into /var/src/legacy/auth.py",
        "Every service has a src/<name>/auth.py or src/*/auth.py",
    ],
)
def test_what_the_history_never_had_or_the_memory_knows_itself_is_not_asked(project, text):
    project.remove("src/legacy/auth.py", "2026-03-04")
    assert project.found(text) == []


def test_a_file_deleted_before_the_memory_was_written_is_not_asked(project):
    project.remove("src/legacy/auth.py", "2026-01-20")
    assert project.found("Sessions are checked in src/legacy/auth.py") == []


def test_a_file_that_came_after_the_memory_and_went_again_is_not_asked(project):
    project.write("src/plan.py")
    project.commit("2026-02-10")
    project.remove("src/plan.py", "2026-03-01")
    assert project.found("The next step is src/plan.py") == []


def test_a_file_of_that_name_elsewhere_keeps_the_memory_out_of_it(project):
    project.write("lib/auth.py", "something else\n")
    project.commit("2026-01-02")
    project.remove("src/legacy/auth.py", "2026-03-04")
    assert project.found("Sessions are checked in src/legacy/auth.py") == []


def test_a_file_that_came_back_stands(project):
    project.remove("src/legacy/auth.py", "2026-03-01")
    project.write("src/legacy/auth.py")
    project.commit("2026-03-02")
    assert project.found("Sessions are checked in src/legacy/auth.py") == []


def test_a_file_that_is_ignored_or_still_on_disk_is_not_asked(project):
    project.write("config/local.json", "{}")
    project.write("config/other.json", "[]")
    project.commit("2026-01-02")
    project.git("rm", "-q", "--cached", "config/local.json", "config/other.json")
    (project.folder / "config/other.json").unlink()
    project.write(".gitignore", "config/other.json\n")
    project.git("add", ".gitignore")
    project.git("commit", "-q", "-m", "Ignored", day="2026-03-04")
    assert project.found("Ports stand in config/local.json") == []
    assert project.found("Ports stand in config/other.json") == []


def test_a_path_in_a_submodule_is_not_asked(project):
    project.write("vendor/parser/lexer.py")
    project.commit("2026-01-02")
    project.remove("vendor/parser", "2026-03-04")
    head = git.line(project.folder, "rev-parse", "HEAD")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{head},vendor/parser")
    project.git("commit", "-q", "-m", "A submodule", day="2026-03-05")
    assert project.found("Tokens are cut in vendor/parser/lexer.py") == []


def test_a_memory_whose_other_paths_stand_comes_later_and_says_so(project):
    project.write("src/tax.py", "tax\n")
    project.commit("2026-01-02")
    project.git("rm", "-q", "src/legacy/auth.py")
    project.remove("src/tax.py", "2026-03-04")
    found = project.check("src/cart.py calls src/legacy/auth.py", "Rates stand in src/tax.py").findings
    assert [(f.id, f.stands) for f in found] == [("m1", False), ("m0", True)]
    assert found[1].why.endswith("; src/cart.py still there")


def test_a_renamed_file_gets_its_new_name_in_the_text(project):
    project.move("src/legacy/auth.py", "src/security/login.py", "2026-03-04")
    assert project.found("`src/legacy/auth.py` checks sessions; tests call src/legacy/auth.py, too") == [
        (
            "src/legacy/auth.py was renamed 2026-03-04",
            "`src/security/login.py` checks sessions; tests call src/security/login.py, too",
        )
    ]


def test_a_rename_is_followed_to_the_name_that_stands_now(project):
    project.move("src/legacy/auth.py", "src/security/auth2.py", "2026-03-01")
    project.move("src/security/auth2.py", "src/security/login.py", "2026-03-04")
    assert [text for _, text in project.found("See legacy/auth.py")] == ["See security/login.py"]


def test_a_renamed_folder_gets_its_new_name(project):
    project.write("src/legacy/roles.py", "roles\n" * 30)
    project.commit("2026-01-02")
    project.move("src/legacy", "src/security", "2026-03-04")
    assert [text for _, text in project.found("All checks stand in src/legacy/")] == [
        "All checks stand in src/security/"
    ]


def test_a_rename_whose_new_name_is_gone_too_is_a_deletion(project):
    project.move("src/legacy/auth.py", "src/login.py", "2026-03-01")
    project.remove("src/login.py", "2026-03-04")
    assert project.found("See src/legacy/auth.py") == [("names src/legacy/auth.py, deleted 2026-03-01", None)]


def test_a_name_that_only_begins_like_the_old_one_is_left_as_it_is(project):
    project.move("src/legacy/auth.py", "src/login.py", "2026-03-01")
    ((_, text),) = project.found("src/legacy/auth.py and src/legacy/auth.pyi")
    assert text == "src/login.py and src/legacy/auth.pyi"


@pytest.mark.parametrize(
    ("path", "before", "after", "text"),
    [
        ("package.json", '{"scripts": {"lint:css": "a"}}', '{"scripts": {}}', "Run npm run lint:css first"),
        ("web/package.json", '{"scripts": {"e2e": "a"}}', "{}", "`pnpm e2e` opens a browser"),
        ("Makefile", "deploy: build\n\tcopy\nbuild:\n\tcc\n", "build:\n\tcc\n", "Run make deploy after a release"),
        ("justfile", "deploy env:\n  copy\n", "build:\n  cc\n", "`just deploy` copies the pages"),
    ],
)  # fmt: skip
def test_a_script_or_target_that_went_is_told(project, path, before, after, text):
    project.write(path, before)
    project.commit("2026-01-02")
    project.write(path, after)
    project.commit("2026-03-04")
    ((why, new),) = project.found(text)
    assert why.startswith("names ") and why.endswith(", removed 2026-03-04") and new is None
    project.write(path, before)
    project.commit("2026-03-05")
    assert project.found(text) == []


def test_prose_names_no_target():
    assert mentions("We make sure that it works, and make deploy notes") == []


def test_a_shallow_clone_says_so_once(project, tmp_path):
    project.remove("src/legacy/auth.py", "2026-03-04")
    project.git("clone", "-q", "--depth", "1", project.folder.as_uri(), str(tmp_path / "clone"))
    memories = [Memory(record(f"m{i}", f"See src/legacy/auth.py {i}", created=NOTED)) for i in range(3)]
    assert check(memories, tmp_path / "clone") == Checked(notes=[repository.SHALLOW])


def test_git_is_not_asked_where_no_memory_names_anything(project, monkeypatch):
    monkeypatch.setattr(git, "run", None)
    assert project.check("Use tabs", "Deploys are on Tuesdays") == Checked()


def test_outside_of_a_repository_nothing_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert check([Memory(record("m", "See src/legacy/auth.py"))], tmp_path) == Checked()


def test_a_history_that_cannot_be_read_in_time_is_told(project, monkeypatch):
    project.remove("src/legacy/auth.py", "2026-03-04")
    run = git.run
    monkeypatch.setattr(git, "run", lambda root, *a, **k: None if a[0] == "log" else run(root, *a, **k))
    assert project.check("See src/legacy/auth.py") == Checked(notes=[repository.TOO_LONG])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")
def test_hostile_file_names_are_data(project):
    names = ["-M", "a\nD\nsrc/cart.py", ":100644 100644 a b D", "0 1 2", "$(touch x).py", "\x01.py", "--output=x"]
    for name in names:
        project.write(f"src/{name}")
    project.commit("2026-01-02")
    for name in names:
        (project.folder / "src" / name).unlink()
    project.remove("src/legacy/auth.py", "2026-03-04")
    before = sorted(path.name for path in project.folder.iterdir())
    assert [why for why, _ in project.found("See src/legacy/auth.py")] == [
        "names src/legacy/auth.py, deleted 2026-03-04"
    ]
    assert project.found("src/cart.py --output=x and -M.py") == []
    assert sorted(path.name for path in project.folder.iterdir()) == before


@given(st.text())
def test_no_text_names_a_path_that_leaves_the_repository(text):
    for mention in mentions(f"{text} src/a.py {text}"):
        assert not mention.name.startswith(("/", "-", "~")) and ".." not in mention.name and "\n" not in mention.name


@given(
    st.one_of(
        st.text(),
        st.builds(
            json.dumps, st.recursive(st.none() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
        ),
    )
)
def test_no_listing_of_commands_is_too_odd_to_read(content):
    for kind in ("script", "make", "just"):
        assert all(isinstance(name, str) for name in commands(kind, content))
