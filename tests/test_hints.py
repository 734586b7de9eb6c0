"""Hints that save a search through the documentation."""

import json

import pytest
from mem0_dream.cli import session

from .steps import Place


def written(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body), encoding="utf-8")


def test_a_key_in_the_plugin_settings_is_named_but_not_shown(tmp_path):
    written(tmp_path / ".claude" / ".credentials.json", {"pluginSecrets": {"mem0@shop": {"api_key": "m0-secret"}}})
    assert session.unseen_key(tmp_path) == session.KEY
    assert "m0-secret" not in session.KEY


def test_a_key_in_the_open_plugin_options_is_named_too(tmp_path):
    written(tmp_path / ".claude" / "settings.json", {"pluginConfigs": {"mem0@x": {"options": {"MEM0_API_KEY": "k"}}}})
    assert session.unseen_key(tmp_path) == session.KEY


@pytest.mark.parametrize("body", [{}, [], {"pluginSecrets": {"other@x": {"api_key": "k"}}}, {"pluginSecrets": 3}])
def test_no_key_no_hint(tmp_path, body):
    written(tmp_path / ".claude" / ".credentials.json", body)
    assert session.unseen_key(tmp_path) == ""


def test_two_plugins_named_mem0_are_told(tmp_path):
    plugins: dict = {"mem0@mem0-dream": [], "mem0@mem0-plugins": [], "else@x": []}
    written(tmp_path / ".claude" / "plugins" / "installed_plugins.json", {"plugins": plugins})
    assert session.two_plugins(tmp_path).startswith(
        "2 plugins named mem0 are installed (mem0@mem0-dream, mem0@mem0-plugins)"
    )


def test_one_plugin_is_no_hint(tmp_path):
    written(tmp_path / ".claude" / "plugins" / "installed_plugins.json", {"plugins": {"mem0@mem0-dream": [{}]}})
    assert session.two_plugins(tmp_path) == ""


def test_no_store_configured_names_the_ways_and_the_unseen_key(tmp_path):
    place = Place(tmp_path)
    home = place.folder / "home"
    written(home / ".claude" / ".credentials.json", {"pluginSecrets": {"mem0@shop": {"api_key": "m0-secret"}}})
    done = place.bare("dream.py", "--dry-run")
    assert done.returncode == 1
    assert "MEM0_API_KEY" in done.stderr and session.KEY in done.stderr
    assert "m0-secret" not in done.stderr


def test_a_policy_for_a_type_that_no_memory_has_is_told(tmp_path):
    place = Place(tmp_path)
    place.store({"text": "Use tabs"})
    (place.folder / "mem0.md").write_text("## Retention\n- sesion_state: 30d\n- decision: 9d\n", encoding="utf-8")
    done = place.run("fetch_all.py")
    assert 'mem0.md has a retention for "sesion_state", but no memory has that type' in done.stderr
