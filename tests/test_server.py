"""The self-hosted server's store against the stand-in."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.memory import Scope
from mem0_dream.stores.protocol import Change, Draft
from mem0_dream.stores.server import ServerStore

from tests.standins.server_api import ServerApi
from tests.standins.web import Fault

ME = Scope("developer", "web-shop")
JANUARY = datetime(2025, 1, 2, 3, 4, 5, tzinfo=timezone.utc)


def facts(count):
    return [f"Fact {i}" for i in range(count)]


# Fetching


def test_a_thousand_rows_may_be_a_part_and_the_listing_says_so(api, store):
    api.seed("developer", "web-shop", facts(1001))
    listing = store.fetch(ME)
    assert (len(listing.memories), listing.complete) == (1000, False)
    assert listing.notes == ["The server lists at most 1000 memories of a user; there may be more."]


def test_a_part_without_projects_does_not_open_the_scope_to_all_of_the_user(api, store):
    api.seed("developer", None, facts(1000))
    api.seed("developer", "web-shop", ["Mine"])
    listing = store.fetch(ME)
    assert (listing.memories, listing.complete) == ([], False)
    assert "--project none takes all" in listing.notes[0]


def test_what_was_written_is_read_back_although_the_list_is_cut_before_it(api, store):
    ids = api.seed("developer", "web-shop", facts(1100))
    store.fetch(ME)
    (added,) = store.add([Draft("Merged", ME, {})])
    store.update([Change(ids[0], text="Changed")])
    store.delete([ids[1]])
    texts = {memory.id: memory.text for memory in store.fetch(ME).memories}
    assert (texts[added.id], texts[ids[0]]) == ("Merged", "Changed")
    assert ids[1] not in texts


def test_all_of_fewer_rows_arrive(api, store):
    api.seed("developer", "web-shop", facts(999))
    listing = store.fetch(ME)
    assert (len(listing.memories), listing.complete, listing.notes) == (999, True, [])


@pytest.mark.parametrize("count", [20, 100])
def test_a_list_as_long_as_a_usual_limit_is_whole(api, store, count):
    api.seed("developer", "web-shop", facts(count))
    assert store.fetch(ME).complete


def test_a_server_that_ignores_top_k_is_found_out():
    with ServerApi(knows_top_k=False) as api:
        api.seed("developer", "web-shop", facts(150))
        listing = ServerStore(api.url, api.key).fetch(ME)
    assert (len(listing.memories), listing.complete) == (100, False)


def test_a_project_is_the_app_id_of_the_metadata(api, store):
    api.seed("developer", "web-shop", ["Mine"])
    api.seed("developer", "other", ["Another project's"])
    listing = store.fetch(ME)
    assert ([memory.text for memory in listing.memories], listing.dropped) == (["Mine"], 1)


def test_an_expired_memory_is_listed(api, store):
    api.seed("developer", "web-shop", [{"memory": "Old", "expiration_date": "2020-01-01"}])
    (memory,) = store.fetch(ME).memories
    assert memory.protection(JANUARY.date().replace(year=2026)) == "expired"


def test_a_list_that_is_none_is_told(api, store):
    api.fail("GET", "^/memories$", Fault(200, '{"message": "Welcome"}'))
    with pytest.raises(DreamError, match="check MEM0_SERVER_URL"):
        store.fetch(ME)


def test_search_keeps_to_the_scope(api, store):
    api.seed("developer", "web-shop", ["The shop sells books"])
    api.seed("developer", "other", ["The shop sells wine"])
    assert [memory.text for memory in store.search("shop", ME, 5)] == ["The shop sells books"]


def test_owners_are_those_of_all_memories(api, store):
    api.seed("developer", "web-shop", facts(2))
    api.seed("reviewer", None, facts(1))
    assert store.owners() == [(Scope("developer", "web-shop"), 2), (Scope("reviewer", None), 1)]


def test_without_the_right_to_list_all_nobody_is_named():
    with ServerApi(admin=False) as api:
        api.seed("developer", "web-shop", facts(2))
        assert ServerStore(api.url, api.key).owners() == []


# Writing


def test_an_added_memory_keeps_scope_date_and_metadata(api, store):
    draft = Draft("Text", Scope("developer", "web-shop", "coder"), {"type": "decision"}, JANUARY, "2031-01-01", "s1")
    (result,) = store.add([draft])
    (memory,) = store.fetch(Scope("developer", "web-shop", "coder")).memories
    assert (memory.id, memory.created, memory.scope) == (result.id, JANUARY, Scope("developer", "web-shop", "coder"))
    assert memory.metadata == {"type": "decision", "app_id": "web-shop"}
    assert (memory.record["expiration_date"], memory.record["run_id"]) == ("2031-01-01", "s1")


def test_an_add_without_a_project_gets_none(api, store):
    (result,) = store.add([Draft("Text", Scope("developer", None), {})])
    assert "app_id" not in api.payloads[result.id]


def test_an_add_whose_answer_is_lost_is_not_repeated(api, store):
    api.fail("POST", "^/memories$", Fault(502, acts=True))
    (result,) = store.add([Draft("Text", ME, {})])
    assert result.unsure and len(api.payloads) == 1


def test_metadata_that_is_to_go_stays_as_null_and_the_project_stays(api, store):
    (id,) = api.seed("developer", "web-shop", [{"memory": "Text", "metadata": {"type": "decision", "old": 1}}])
    store.update([Change(id, metadata={"type": "convention"})])
    (memory,) = store.fetch(ME).memories
    assert memory.metadata == {"type": "convention", "old": None, "app_id": "web-shop"}


def test_an_update_leaves_the_rest_and_the_date_alone(api, store):
    (id,) = api.seed("developer", "web-shop", [{"memory": "Old", "metadata": {"type": "decision"}}])
    before = store.fetch(ME).memories[0]
    store.update([Change(id, text="New", created=JANUARY)])
    after = store.fetch(ME).memories[0]
    assert (after.text, after.metadata, after.created) == ("New", before.metadata, before.created)


def test_an_expiry_can_be_set_and_taken_back(api, store):
    (id,) = api.seed("developer", "web-shop", ["Text"])
    store.update([Change(id, expiration_date="2020-01-01")])
    assert api.payloads[id]["expiration_date"] == "2020-01-01"
    store.update([Change(id, expiration_date=None)])
    assert api.payloads[id]["expiration_date"] is None


def test_a_change_of_what_is_gone_is_an_error_and_a_delete_of_it_is_done(api, store):
    (id,) = api.seed("developer", "web-shop", ["Text"])
    store.delete([id])
    text, metadata = store.update([Change(id, text="New"), Change(id, metadata={"a": 1})])
    assert text.error and metadata.error
    assert store.delete([id])[0].error is None


def test_many_calls_are_under_way_at_once_but_at_most_sixteen(api, store):
    ids = api.seed("developer", "web-shop", facts(40))
    api.latency = 0.01
    store.delete(ids)
    assert api.payloads == {} and 1 < api.most_at_once <= 16


# The address and the key


def test_a_login_token_goes_as_bearer_and_a_key_as_api_key(api):
    api.key = "eyJhead.body.sign"
    ServerStore(api.url, "eyJhead.body.sign").fetch(ME)
    assert api.calls[-1].headers["authorization"] == "Bearer eyJhead.body.sign"
    api.key = "m0sk_key"
    ServerStore(api.url, "m0sk_key").fetch(ME)
    assert api.calls[-1].headers["x-api-key"] == "m0sk_key"


def test_an_open_server_needs_no_key():
    with ServerApi(key="") as api:
        api.seed("developer", "web-shop", facts(1))
        assert len(ServerStore(api.url).fetch(ME).memories) == 1


def test_a_wrong_key_is_told_without_showing_it(api):
    with pytest.raises(DreamError, match="MEM0_SERVER_API_KEY") as caught:
        ServerStore(api.url, "m0sk_wrong").fetch(ME)
    assert "m0sk_wrong" not in str(caught.value)


def test_a_slash_or_a_path_in_the_address_is_fine(api):
    assert ServerStore(f"{api.url}/", api.key).fetch(ME).memories == []
    assert ServerStore("https://host.example/mem0/").label == "server host.example/mem0"


def test_a_password_in_the_address_is_not_shown():
    store = ServerStore("https://admin:hunter2@host.example:8443/")
    assert store.identity == "server host.example:8443"


def test_an_address_that_is_none_is_refused():
    with pytest.raises(DreamError, match="MEM0_SERVER_URL is not a web address; write it with https://"):
        ServerStore("localhost:8888")


@pytest.fixture
def api():
    with ServerApi() as service:
        yield service


@pytest.fixture
def store(api):
    made = ServerStore(api.url, api.key, sleep=lambda seconds: None, timeout=5)
    yield made
    made.close()
