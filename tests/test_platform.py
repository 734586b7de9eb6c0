"""The Platform store, through mem0's own client, against the stand-in API."""

from __future__ import annotations

import pytest
from mem0_dream.memory import Scope
from mem0_dream.stores.platform import PlatformStore
from mem0_dream.stores.protocol import Change, Draft

from tests.standins.platform_api import PlatformApi

ME = Scope("developer", "web-shop")


@pytest.fixture
def api(monkeypatch, tmp_path):
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    with PlatformApi() as service:
        yield service


@pytest.fixture
def store(api):
    made = PlatformStore(api.key, api.url, sleep=lambda seconds: None, timeout=5)
    yield made
    made.close()


def texts(listing):
    return sorted(memory.text for memory in listing.memories)


def test_memories_on_three_pages_arrive_whole(api, store):
    api.seed("developer", "web-shop", [f"Fact {i}" for i in range(401)])
    listing = store.fetch(ME)
    assert texts(listing) == sorted(f"Fact {i}" for i in range(401))
    assert api.count("POST", "^/v3/memories/$") == 3


def test_an_added_memory_is_stored_as_it_stands(api, store):
    (result,) = store.add([Draft("The build uses Node 20.", ME, {"type": "decision"})])
    row = api.rows[result.id]
    assert (row["memory"], row["app_id"], row["metadata"]) == (
        "The build uses Node 20.",
        "web-shop",
        {"type": "decision"},
    )


def test_an_update_changes_only_what_it_names(api, store):
    (id,) = api.seed("developer", "web-shop", [{"memory": "Old text", "metadata": {"type": "decision", "a": 1}}])
    store.update([Change(id, text="New text")])
    assert (api.rows[id]["memory"], api.rows[id]["metadata"]) == ("New text", {"type": "decision", "a": 1})


def test_many_deletes_are_one_call(api, store):
    ids = api.seed("developer", "web-shop", [f"Fact {i}" for i in range(30)])
    store.delete(ids)
    assert api.rows == {} and api.count("DELETE", "") == 1


def test_search_finds_the_nearest_of_the_scope(api, store):
    api.seed("developer", "web-shop", ["The shop sells books", "Deploys go to the cloud"])
    api.seed("developer", "other", ["The shop sells wine"])
    assert [memory.text for memory in store.search("shop books", ME, 5)] == ["The shop sells books"]


def test_owners_tell_who_has_memories(api, store):
    api.seed("developer", "web-shop", ["One", "Two"])
    api.seed("reviewer", None, ["Three"])
    assert store.owners() == [("developer", "web-shop", 2), ("reviewer", None, 1)]
