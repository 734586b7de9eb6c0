"""Which store is meant: an option before a config, a config before a key in the environment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mem0_dream.errors import DreamError, UsageError
from mem0_dream.stores import local, open_store

KEY = "m0-a-key-that-nobody-may-see"


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "home"
    (folder / ".mem0").mkdir(parents=True)
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(folder))
    return folder / ".mem0"


@pytest.fixture
def configs(monkeypatch) -> list[Path]:
    """The configs that a local store was asked to open, in place of opening one."""
    asked: list[Path] = []

    class Recorder:
        kind = "local"

        @classmethod
        def from_config(cls, path, env, cwd):
            asked.append(path)
            return cls()

    monkeypatch.setattr(local, "LocalStore", Recorder)
    return asked


EVERYTHING = {"MEM0_CONFIG": "from-env.yaml", "MEM0_API_KEY": KEY, "MEM0_SERVER_URL": "http://mem0.example.com"}


def test_the_config_option_wins_over_all(home, configs, tmp_path):
    assert open_store(None, "mine.yaml", EVERYTHING, tmp_path).kind == "local"
    assert configs == [tmp_path / "mine.yaml"]


def test_a_config_in_the_environment_wins_over_the_usual_place_and_every_key(home, configs, tmp_path):
    (home / "oss.yaml").touch()
    open_store(None, None, EVERYTHING, tmp_path)
    assert configs == [tmp_path / "from-env.yaml"]


def test_the_usual_place_wins_over_every_key(home, configs, tmp_path):
    (home / "oss.yaml").touch()
    open_store(None, None, {"MEM0_API_KEY": KEY, "MEM0_SERVER_URL": "http://mem0.example.com"}, tmp_path)
    assert configs == [home / "oss.yaml"]


def test_a_key_in_the_environment_means_the_platform(home, tmp_path):
    store = open_store(None, None, {"MEM0_API_KEY": KEY, "MEM0_SERVER_URL": "http://mem0.example.com"}, tmp_path)
    assert (store.kind, store.label) == ("platform", "platform api.mem0.ai")


def test_the_key_that_mem0s_own_command_keeps_means_the_platform(home, tmp_path):
    settings = {"platform": {"api_key": KEY, "base_url": "https://mem0.example.com"}}
    (home / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    assert open_store(None, None, {}, tmp_path).label == "platform mem0.example.com"


def test_the_platforms_address_may_be_named(home, tmp_path):
    env = {"MEM0_API_KEY": KEY, "MEM0_BASE_URL": "https://eu.example.com"}
    assert open_store(None, None, env, tmp_path).label == "platform eu.example.com"


def test_a_servers_address_means_the_server(home, tmp_path):
    assert open_store(None, None, {"MEM0_SERVER_URL": "http://mem0.example.com"}, tmp_path).kind == "server"


@pytest.mark.parametrize("kind", ["platform", "server"])
def test_the_store_option_wins_over_a_config(home, tmp_path, kind):
    assert open_store(kind, None, EVERYTHING, tmp_path).kind == kind


def test_a_file_is_looked_for_in_the_folder_that_is_named(home, tmp_path):
    (tmp_path / "export.json").write_text("[]", encoding="utf-8")
    assert open_store("file", "export.json", {}, tmp_path).kind == "file"


def test_where_nothing_is_configured_one_sentence_names_every_way(home, tmp_path):
    with pytest.raises(DreamError) as caught:
        open_store(None, None, {}, tmp_path)
    sentence = str(caught.value)
    ways = ("MEM0_API_KEY", "--config", "MEM0_CONFIG", "~/.mem0/oss.yaml", "MEM0_SERVER_URL", "--store file")
    assert all(way in sentence for way in ways)
    assert "plugin settings does not reach scripts" in sentence


@pytest.mark.parametrize("kind", ["platform", "local", "server", "file"])
def test_a_store_that_is_named_but_not_configured_says_what_it_needs(home, tmp_path, kind):
    with pytest.raises(DreamError, match="needs"):
        open_store(kind, None, {}, tmp_path)


def test_a_store_that_does_not_exist_is_a_wrong_argument(home, tmp_path):
    with pytest.raises(UsageError, match=r"platform\|local\|server\|file"):
        open_store("cloud", None, EVERYTHING, tmp_path)
