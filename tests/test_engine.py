"""mem0 is loaded quietly: no telemetry, no warning, no log line, and no folder where none can be made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.stores import mem0_engine

SCRIPTS = Path(mem0_engine.__file__).parents[2]


def load(tmp_path, code, **more):
    env = {**os.environ, "PYTHONPATH": str(SCRIPTS), "MEM0_DIR": str(tmp_path / "mem0"), **more}
    code = f"from mem0_dream.stores.mem0_engine import mem0\nfound = mem0()\n{code}"
    return subprocess.run(
        [sys.executable, "-W", "default", "-c", code], env=env, capture_output=True, text=True, timeout=120
    )


def test_telemetry_is_off_even_where_the_environment_turns_it_on(tmp_path):
    code = "from mem0.memory import telemetry; print(telemetry.MEM0_TELEMETRY, telemetry.client_telemetry.posthog)"
    assert load(tmp_path, code, MEM0_TELEMETRY="True").stdout == "False None\n"


def test_loading_says_nothing(tmp_path):
    code = "import logging; logging.getLogger('mem0.client.utils').error('a line of mem0')"
    done = load(tmp_path, code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_folder_that_cannot_be_made_is_made_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "file" / "mem0"))
    mem0_engine._make_folder()
    assert Path(os.environ["MEM0_DIR"]).is_dir()


def test_a_folder_that_can_be_made_stays_where_it_belongs(tmp_path, monkeypatch):
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    mem0_engine._make_folder()
    assert os.environ["MEM0_DIR"] == str(tmp_path / "mem0")


def test_without_mem0_a_sentence_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    monkeypatch.setitem(sys.modules, "mem0", None)
    with pytest.raises(DreamError, match=r"mem0ai cannot be loaded .*dream.py --setup"):
        mem0_engine.mem0.__wrapped__()
