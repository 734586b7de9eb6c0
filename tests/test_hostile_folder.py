"""A cloned repository runs nothing: whatever its files are called, no start in it executes one of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mem0_dream.config import git, programs

from .steps import SCRIPTS, Place
from .test_environment import Plugin, wheels

__all__ = ["wheels"]

MODULES = (
    "argparse", "asyncio", "ctypes", "encodings", "ensurepip", "httpx", "json", "logging", "mem0", "mem0_dream",
    "multiprocessing", "numpy", "os", "pip", "pickle", "platform", "re", "rich", "runpy", "signal", "site",
    "sitecustomize", "socket", "sqlite3", "ssl", "struct", "subprocess", "threading", "tiny", "typing", "urllib",
    "usercustomize", "venv", "yaml",
)  # fmt: skip


class Trap:
    """A folder full of files that would leave a mark if anything ran them, or followed what they say."""

    def __init__(self, folder: Path) -> None:
        self.marks = folder / "marks"
        self.marks.mkdir()
        self.folder = folder / "cloned repository"
        self.folder.mkdir()
        for name in MODULES:
            self._write(f"{name}.py", f"open({str(self.marks / name)!r}, 'w').close()\nraise SystemExit(99)\n")
        for name in ("git", "uv", "python", "python3", "pager", "hook"):
            self.program(name)
        index = "https://127.0.0.1:9/simple"
        self._write("uv.toml", f'[[index]]\nurl = "{index}"\ndefault = true\n')
        self._write("pyproject.toml", f'[tool.uv]\nindex-url = "{index}"\n[[tool.uv.index]]\nurl = "{index}"\n')
        self._write("pip.conf", f"[global]\nindex-url = {index}\nno-index = false\n")
        self._write(".env", f"MEM0_DIR={self.marks / 'mem0'}\nPIP_INDEX_URL={index}\n")
        self._write(".python-version", "2.7\n")
        self._repository()

    def program(self, name: str) -> str:
        for file in (self.folder / name, self.folder / f"{name}.exe"):
            file.write_text(f"#!/bin/sh\ntouch '{self.marks / name}'\n", encoding="utf-8")
            file.chmod(0o755)
        return str(self.folder / name)

    @property
    def sprung(self) -> list[str]:
        return sorted(mark.name for mark in self.marks.iterdir())

    def _write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def _repository(self) -> None:
        program = str(programs.find("git"))
        subprocess.run([program, "init", "-q", str(self.folder)], check=True)
        hook, pager = self.folder / "hook", self.folder / "pager"
        config = {
            "core.fsmonitor": hook, "core.pager": pager, "pager.branch": pager, "pager.config": pager,
            "core.sshCommand": hook, "core.hooksPath": self.folder, "core.editor": hook, "alias.branch": f"!{hook}",
            "alias.remote": f"!{hook}", "credential.helper": hook, "core.askPass": hook, "gpg.program": hook,
            "remote.origin.url": "ext::sh -c hook", "remote.origin.vcs": "hook", "diff.external": hook,
        }  # fmt: skip
        for name, value in config.items():
            subprocess.run([program, "-C", str(self.folder), "config", name, str(value)], check=True)


@pytest.fixture
def trap(tmp_path) -> Trap:
    return Trap(tmp_path)


def start(trap: Trap, env: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=trap.folder, env=env, input="", capture_output=True, encoding="utf-8", timeout=300
    )


def test_the_trap_would_spring(trap):
    """What follows means something only if the files do leave their mark."""
    start(trap, dict(os.environ), sys.executable, "-m", "venv", str(trap.folder / "made"))
    assert trap.sprung


def test_building_the_plugin_s_own_python_runs_nothing_of_the_folder(trap, tmp_path, wheels):
    plugin = Plugin(tmp_path, wheels)
    env = {**plugin.env, "PATH": os.pathsep.join(["", ".", plugin.env["PATH"]])}
    done = start(trap, env, sys.executable, str(plugin.scripts / "step.py"))
    assert (done.returncode, trap.sprung) == (3, [])
    assert done.stdout.startswith("ran 1.2.0")


@pytest.mark.parametrize(
    "arguments",
    [
        ["parse_mem0_config.py", "--full"],
        ["fetch_all.py", "--whoami"],
        ["fetch_all.py", "--auto"],
        ["dream.py", "--dry-run"],
        ["dream.py", "--auto"],
        ["dream.py", "--schedule", "daily"],
        ["apply_plan.py", "--history"],
    ],
    ids=" ".join,
)
def test_no_step_runs_anything_of_the_folder(trap, tmp_path, arguments):
    place = Place(tmp_path)
    place.store({"text": "Use tabs"}, {"text": "Use tabs."})
    script, *rest = arguments
    options = [] if script.startswith("parse") else ["--store", "file", "--config", str(place.export), "--user", "me"]
    env = {**place.env, "PATH": os.pathsep.join(["", ".", place.env["PATH"]])}
    done = start(trap, env, sys.executable, str(SCRIPTS / script), *options, *rest)
    assert (done.returncode, trap.sprung) == (0, []), done.stderr


def test_the_demo_runs_nothing_of_the_folder(trap, tmp_path):
    pytest.importorskip("mem0")
    place = Place(tmp_path)
    done = start(trap, place.env, sys.executable, str(SCRIPTS / "dream.py"), "--demo")
    assert (done.returncode, trap.sprung) == (0, []), done.stderr


def test_helper_processes_import_nothing_from_the_folder(trap):
    code = (
        "import sys; sys.path[:] = [path for path in sys.path if path]; sys.path.insert(0, sys.argv[1])\n"
        "from mem0_dream.planning import parallel; import threading\n"
        "if __name__ == '__main__':\n"
        "    threading.Thread(target=threading.Event().wait, daemon=True).start()  # so that they are not forked\n"
        "    print(list(parallel.spread(len, ['a', 'bb', 'ccc'], parallel.WORTH_IT)))\n"
    )
    script = trap.marks.parent / "elsewhere" / "step.py"
    script.parent.mkdir()
    script.write_text(code, encoding="utf-8")
    done = start(trap, dict(os.environ), sys.executable, str(script), str(SCRIPTS))
    assert (done.stdout, trap.sprung) == ("[1, 2, 3]\n", []), done.stderr


def test_git_is_found_on_the_path_and_never_in_the_working_folder(trap, monkeypatch):
    monkeypatch.chdir(trap.folder)
    assert programs.find("git", {"PATH": os.pathsep.join(["", ".", "relative"])}) is None
    assert programs.find("git") != trap.folder / "git"


def test_a_repository_still_says_its_branch_and_remote(trap):
    assert git.line(trap.folder, "config", "--get", "remote.origin.url") == "ext::sh -c hook"
    assert git.line(trap.folder, "branch", "--show-current")
    assert trap.sprung == []


def test_a_home_within_the_folder_is_refused(trap, tmp_path):
    place = Place(tmp_path)
    env = {**place.env, "MEM0_DREAM_HOME": "dream"}
    done = start(trap, env, sys.executable, str(SCRIPTS / "dream.py"), "--store", "file", "--config", str(place.export))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "MEM0_DREAM_HOME is the relative path dream" in done.stderr
    assert not (trap.folder / "dream").exists()
