"""$mem0:dream in the real Codex, which fills in no path, grants nothing and has no network."""

from __future__ import annotations

from .codex import Codex
from .conftest import Export
from .scripted import Skill, dry_run, unattended
from .standin import Acts, Script, Turn
from .test_claude import FULL, SAFE, merges

WRITE = ("--sandbox", "workspace-write")


def test_it_is_listed_and_its_file_named(codex: Codex):
    def hello(_: Turn) -> Acts:
        yield "hello"

    text = codex.exec("$mem0:dream --auto", hello).turns[0].text
    assert "- mem0:dream: Consolidates a project's mem0 memories" in text
    assert "<name>mem0:dream</name>" in text
    assert 'python3 "${CLAUDE_PLUGIN_ROOT}/scripts/fetch_all.py"' in text  # as it stands: nothing is filled in


def test_a_dry_run_changes_nothing(codex: Codex, export: Export):
    before = export.path.read_bytes()
    session = codex.exec(f"$mem0:dream --dry-run {export.scope}", dry_run(export.scope, merges), *WRITE)
    assert "Proposed: 2 merges, 1 prune, 1 conflict. Apply? [Y/n]" in session.reply
    assert export.path.read_bytes() == before


def test_a_whole_unattended_pass(codex: Codex, export: Export):
    session = codex.exec(f"$mem0:dream --auto {export.scope}", unattended(export.scope, merges), *WRITE)
    assert "[mem0-dream --auto] project=shop  merged=2  pruned=1  conflicts_skipped=1" in session.reply
    assert {SAFE, FULL} <= set(export.texts())
    assert len(export.texts()) == 7  # nine less two merged and one stale, and the reminder


def fetch(scope: str) -> Script:
    """A model that only fetches."""

    def script(first: Turn) -> Acts:
        yield (yield from Skill(first, scope).step("Step 2", "fetch_all.py"))

    return script


def test_without_network_the_sentence_names_the_setting(codex: Codex):
    codex.env = {**codex.env, "MEM0_API_KEY": "m0-stand-in"}
    session = codex.exec("$mem0:dream", fetch("--user dev --project shop"), *WRITE)
    assert "Traceback" not in session.reply
    assert "network_access" in session.reply, session.reply


def test_where_the_home_cannot_be_written_the_sentence_names_the_setting(codex: Codex, export: Export):
    session = codex.exec("$mem0:dream", fetch(export.scope), "--sandbox", "read-only")
    assert "Traceback" not in session.reply
    assert "writable_roots" in session.reply and "MEM0_DREAM_HOME" in session.reply, session.reply
