"""Beside mem0's own plugin, which has the same name: laid over it, and installed next to it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from .claude import Claude
from .codex import Codex
from .conftest import ROOT
from .standin import Acts, Turn

# What mem0's other scripts do with its parse_mem0_config.py: import its functions, or ask it for one setting.
CALLER = """
import json
from parse_mem0_config import (find_mem0_config, load_full_config, load_retention_policies, parse_ignore_patterns,
                               parse_retention, parse_section_kv, parse_section_list)
config = load_full_config()
text = open(find_mem0_config("."), encoding="utf-8").read()
print(json.dumps([config, load_retention_policies(), parse_retention(text), parse_section_kv(text, "Search"),
                  parse_section_list(text, "Categories"), parse_ignore_patterns(text)]))
"""
CONFIG = """# Project
## Retention
session_state: 30d
decision: forever
## Categories
- payments
- search
## Search
threshold: 0.4
## Identity
project_id: shop
## Ignore
*.lock
## Settings
commit_prompts: off
"""


def heard(_: Turn) -> Acts:
    yield "ok"


def test_laid_over_mem0s_plugin_its_other_scripts_go_on_working(tmp_path: Path):
    theirs = tmp_path / "mem0 plugin"
    (theirs / "scripts").mkdir(parents=True)
    (theirs / "scripts" / "hook.py").write_text(CALLER, encoding="utf-8")
    (theirs / "scripts" / "parse_mem0_config.py").write_text("raise SystemExit('the old one')", encoding="utf-8")
    for part in ("skills/dream", "scripts"):
        shutil.copytree(ROOT / part, theirs / part, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "mem0.md").write_text(CONFIG, encoding="utf-8")

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, str(theirs / "scripts" / command[0]), *command[1:]],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=project,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    config, policies, retention, search, categories, ignored = json.loads(run("hook.py"))
    assert policies == retention == config["retention"] == {"session_state": 30, "decision": None}
    assert (search, categories, ignored) == ({"threshold": "0.4"}, ["payments", "search"], ["*.lock"])
    assert config["project_id"] == "shop"
    assert run("parse_mem0_config.py", str(project), "--key", "settings.commit_prompts") == "off"
    assert run("parse_mem0_config.py", "--key=settings.absent") == ""
    assert json.loads(run("parse_mem0_config.py", str(project), "--full")) == config
    assert json.loads(run("parse_mem0_config.py", str(project))) == policies


def mem0_plugin(folder: Path) -> Path:
    """A marketplace with another plugin named mem0, that has a dream and a forget of its own."""
    plugin = folder / "mem0-plugins" / "mem0"
    entry = {"name": "mem0", "source": "./mem0", "description": "other"}
    market = {"name": "mem0-plugins", "description": "other", "owner": {"name": "others"}, "plugins": [entry]}
    for path, body in ((plugin.parent, market), (plugin, {"name": "mem0", "version": "0.0.1", "description": "other"})):
        (path / ".claude-plugin").mkdir(parents=True)
        name = "marketplace.json" if body is market else "plugin.json"
        (path / ".claude-plugin" / name).write_text(json.dumps(body), encoding="utf-8")
    for skill in ("dream", "forget"):
        (plugin / "skills" / skill).mkdir(parents=True)
        text = f'---\nname: "{skill}"\ndescription: "other"\n---\nThe other {skill}.\n'
        (plugin / "skills" / skill / "SKILL.md").write_text(text, encoding="utf-8")
    return plugin.parent


def add(client: Claude | Codex, market: Path, plugin: str) -> None:
    verb = "install" if isinstance(client, Claude) else "add"
    for arguments in (("marketplace", "add", str(market)), (verb, plugin)):
        done = client.command("plugin", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr


def body(client: Claude, prompt: str) -> str:
    return client.print(prompt, heard).turns[0].text


def test_in_claude_code_the_one_installed_first_has_dream_and_both_keep_the_rest(claude: Claude, tmp_path: Path):
    add(claude, mem0_plugin(tmp_path), "mem0@mem0-plugins")
    assert "Code finds, you judge" in body(claude, "/mem0:dream")
    assert "The other forget." in body(claude, "/mem0:forget")


def test_in_claude_code_theirs_installed_again_after_ours_gives_way(bare_claude: Claude, plugin: Path, tmp_path: Path):
    theirs = mem0_plugin(tmp_path)
    add(bare_claude, theirs, "mem0@mem0-plugins")
    add(bare_claude, plugin, "mem0@mem0-dream")
    assert "The other dream." in body(bare_claude, "/mem0:dream")
    assert bare_claude.command("plugin", "uninstall", "mem0@mem0-plugins").returncode == 0
    add(bare_claude, theirs, "mem0@mem0-plugins")
    assert "Code finds, you judge" in body(bare_claude, "/mem0:dream")


def test_in_codex_only_one_of_the_two_may_be_enabled(codex: Codex, tmp_path: Path):
    add(codex, mem0_plugin(tmp_path), "mem0@mem0-plugins")
    assert "Code finds, you judge" not in codex.exec("$mem0:dream", heard).turns[0].text
    assert codex.command("plugin", "remove", "mem0@mem0-plugins").returncode == 0
    assert "Code finds, you judge" in codex.exec("$mem0:dream", heard).turns[0].text
