"""A whole pass with the real commands over a web store: what it does there, what it says, and what it never shows."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.standins.platform_api import PlatformApi
from tests.standins.server_api import ServerApi
from tests.standins.web import Fault

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
KEY = "m0-a-key-that-must-not-show"
MEMORIES: list[dict[str, Any]] = [
    {"memory": "The build uses Node 20.", "metadata": {"type": "decision", "confidence": 0.7}},
    {"memory": "the build uses Node 20", "metadata": {"type": "decision", "confidence": 0.9}},
    {"memory": "Deploys wait for the nightly tests.", "metadata": {"type": "convention"}},
    {"memory": "Stopped in the middle of the importer.", "metadata": {"type": "session_state"}},
]


@dataclass
class Bench:
    """One stand-in, and how the commands reach it."""

    api: Any
    env: dict[str, str]
    folder: Path

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPTS / script), *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, encoding="utf-8", timeout=120
        )

    def texts(self) -> list[str]:
        rows = self.api.rows.values() if isinstance(self.api, PlatformApi) else self.api.rows()
        return sorted(row["memory"] for row in rows)


def test_an_unattended_pass_merges_and_prunes_and_can_be_undone(bench):
    before = bench.texts()
    done = bench.run("dream.py", "--auto")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == (
        "[mem0-dream --auto] project=web-shop  merged=1  pruned=1  conflicts_skipped=0"
    )
    assert len(bench.texts()) == 2
    undone = bench.run("dream.py", "--undo")
    assert undone.returncode == 0, undone.stderr
    assert bench.texts() == before


def test_a_second_pass_straight_after_changes_nothing(bench):
    bench.run("dream.py", "--auto")
    left = bench.texts()
    again = bench.run("dream.py", "--auto")
    assert "merged=0  pruned=0" in again.stdout
    assert bench.texts() == left


def test_the_key_is_in_no_output_and_in_no_file(bench):
    outputs = [bench.run("fetch_all.py", "--whoami"), bench.run("dream.py", "--auto"), bench.run("dream.py", "--undo")]
    bench.api.fail("GET", "", Fault(401), forever=True)
    bench.api.fail("POST", "", Fault(401), forever=True)
    outputs.append(bench.run("dream.py", "--auto"))
    files = [path for path in Path(bench.env["MEM0_DREAM_HOME"]).rglob("*") if path.is_file()]
    assert files
    assert not any(KEY in done.stdout + done.stderr for done in outputs)
    assert not any(KEY.encode() in path.read_bytes() for path in files)


def test_a_failure_is_one_sentence_on_stderr_and_exit_1(bench):
    bench.api.fail("GET", "", Fault(401), forever=True)
    failed = bench.run("fetch_all.py")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "does not accept the key" in failed.stderr and "Traceback" not in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1


def test_nothing_but_its_own_lines_is_said(bench):
    done = bench.run("dream.py", "--auto")
    assert done.stderr.startswith("mem0-dream ")
    assert not any(word in done.stderr for word in ("Warning", "DEBUG", "INFO", "ERROR", "httpx", "Traceback"))


@pytest.fixture(params=["platform", "server"])
def bench(request, tmp_path):
    home, folder = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    folder.mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MEM0", "CLAUDE", "CODEX"))}
    env |= {"HOME": str(home), "USERPROFILE": str(home), "MEM0_DREAM_HOME": str(home / "dream")}
    env |= {"MEM0_USER_ID": "developer", "MEM0_PROJECT_ID": "web-shop"}
    with PlatformApi(KEY) if request.param == "platform" else ServerApi(KEY) as api:
        api.seed("developer", "web-shop", MEMORIES)
        if request.param == "platform":
            env |= {"MEM0_API_KEY": KEY, "MEM0_BASE_URL": api.url}
        else:
            env |= {"MEM0_SERVER_URL": api.url, "MEM0_SERVER_API_KEY": KEY}
        yield Bench(api, env, folder)
