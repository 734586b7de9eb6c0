"""Each client's own validator or published rules accept the manifests, and they agree with one another."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from tools import icon, version

from .claude import Claude

ROOT = Path(__file__).parents[2]
PLUGINS = [".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json"]
MARKETS = [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json", ".cursor-plugin/marketplace.json"]

# What Cursor's published schema of a plugin allows (it admits no other field), and of an author.
CURSOR_FIELDS = {
    *("name", "displayName", "description", "version", "author", "publisher", "homepage", "repository", "license"),
    *(
        "logo",
        "keywords",
        "category",
        "tags",
        "commands",
        "agents",
        "skills",
        "rules",
        "hooks",
        "variables",
        "mcpServers",
    ),
}


def manifest(name: str) -> dict[str, Any]:
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def test_every_manifest_is_the_same_plugin_at_the_same_version():
    told = [{key: manifest(name)[key] for key in ("name", "version", "description", "license")} for name in PLUGINS]
    assert told[0]["name"] == "mem0"
    assert told[0] == told[1] == told[2]


def test_one_version_everywhere():
    assert len(set(version.versions().values())) == 1
    assert re.fullmatch(r"\d+\.\d+\.\d+", next(iter(version.versions().values())))


def test_the_version_script_sets_every_place(tmp_path: Path):
    for place in version.PLACES:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text((ROOT / place).read_text(encoding="utf-8"), encoding="utf-8")
    version.set_version("9.8.7", tmp_path)
    assert set(version.versions(tmp_path).values()) == {"9.8.7"}


@pytest.mark.parametrize("name", MARKETS)
def test_every_marketplace_offers_this_repository_as_the_plugin(name: str):
    (entry,) = manifest(name)["plugins"]
    source = entry["source"] if isinstance(entry["source"], str) else entry["source"]["path"]
    assert manifest(name)["name"] == "mem0-dream"
    assert (entry["name"], source) == ("mem0", "./")
    assert "version" not in entry  # the plugin's own manifest has it


def test_cursor_finds_only_fields_that_its_schema_knows():
    plugin = manifest(".cursor-plugin/plugin.json")
    assert set(plugin) <= CURSOR_FIELDS
    assert re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", plugin["name"])
    assert set(plugin["author"]) <= {"name", "email"}
    market = manifest(".cursor-plugin/marketplace.json")
    assert set(market) <= {"name", "owner", "metadata", "plugins"}
    assert all(set(entry) <= {"name", "source", "description", "minClientVersions"} for entry in market["plugins"])


def test_codex_is_told_what_its_plugin_list_shows():
    interface = manifest(".codex-plugin/plugin.json")["interface"]
    assert {"displayName", "shortDescription", "longDescription", "developerName", "category"} <= set(interface)
    assert len(interface["defaultPrompt"]) <= 3
    assert all(len(prompt) <= 128 for prompt in interface["defaultPrompt"])


def test_the_icon_is_the_one_that_the_script_draws():
    data = (ROOT / ".claude-plugin" / "icon.png").read_bytes()
    assert struct.unpack(">II", data[16:24]) == (512, 512)
    assert data == icon.png()


@pytest.mark.parametrize("target", ["", ".claude-plugin/plugin.json"])
def test_claude_code_finds_nothing_to_fault(bare_claude: Claude, plugin: Path, target: str):
    done = bare_claude.command("plugin", "validate", str(plugin / target), "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skills: mem0:dream" in done.stdout
    assert "warning" not in done.stdout.lower(), done.stdout


def test_the_plugin_directory_would_take_it(bare_claude: Claude, plugin: Path):
    done = bare_claude.command("plugin", "validate", str(plugin), "--strict", "--profile", "directory")
    assert done.returncode == 0, done.stdout + done.stderr
