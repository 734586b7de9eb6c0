"""The Platform store, through mem0's own client, against the stand-in API."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from datetime import datetime, timezone

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.execution.apply import refuse_other_store
from mem0_dream.memory import Scope, StoreRef
from mem0_dream.runs.run_folder import scope_folder
from mem0_dream.stores.platform import PlatformStore
from mem0_dream.stores.protocol import Change, Draft

from tests.standins import platform_api
from tests.standins.web import Call, Fault

pytest_plugins = "tests.standins.fixtures"
ME = Scope("developer", "web-shop")
JANUARY = datetime(2025, 1, 2, 3, 4, 5, 678, tzinfo=timezone.utc)


def texts(listing):
    return sorted(memory.text for memory in listing.memories)


def facts(count):
    return [f"Fact {i}" for i in range(count)]


# Fetching


def test_memories_on_three_pages_arrive_whole(api, store):
    api.seed("developer", "web-shop", facts(401))
    assert texts(store.fetch(ME)) == sorted(facts(401))


def test_every_page_is_asked_for_with_its_size_and_with_expired_rows(api, store):
    api.seed("developer", "web-shop", facts(401))
    store.fetch(ME)
    pages = [call for call in api.calls if call.path == "/v3/memories/"]
    assert sorted((call.query["page"], call.query["page_size"]) for call in pages) == [
        ("1", "1"), ("1", "1"), ("1", "200"), ("2", "200"), ("3", "200")
    ]  # fmt: skip
    assert all(call.body["show_expired"] for call in pages)


def test_a_row_that_shifts_to_a_page_already_read_is_not_missed(api, store):
    ids = api.seed("developer", "web-shop", facts(401))
    api.before = once("/v3/memories/", 1, lambda: api.rows.pop(ids[-1]))  # the newest goes: every later row moves up
    listing = store.fetch(ME)
    assert texts(listing) == sorted(facts(400))
    assert listing.complete


def test_a_row_added_while_pages_are_read_does_not_arrive_twice(api, store):
    api.seed("developer", "web-shop", facts(401))
    api.before = once("/v3/memories/", 1, lambda: api.seed("developer", "web-shop", ["Late fact"]))
    listing = store.fetch(ME)
    assert texts(listing) == sorted([*facts(401), "Late fact"])


def test_a_page_that_vanished_meanwhile_is_no_failure(api, store):
    ids = api.seed("developer", "web-shop", facts(201))
    api.before = once("/v3/memories/", 1, lambda: api.rows.pop(ids[0]))
    assert texts(store.fetch(ME)) == sorted(facts(201)[1:])


def test_a_list_that_never_stands_still_is_called_incomplete(api, store):
    api.seed("developer", "web-shop", facts(401))

    def grow(call: Call) -> None:
        if call.query.get("page") in ("1", "2", "3"):
            api.seed("developer", "web-shop", [f"Row {len(api.rows)}"])

    api.before = grow
    listing = store.fetch(ME)
    assert not listing.complete
    assert "kept changing" in listing.notes[0]


def test_a_count_that_differs_from_the_rows_is_told(api, store, monkeypatch):
    api.seed("developer", "web-shop", facts(3))
    real = api._list
    monkeypatch.setattr(api, "_list", lambda call: {**real(call), "count": 5})
    listing = store.fetch(ME)
    assert listing.complete and len(listing.memories) == 3
    assert listing.notes == ["The Platform counts 5 memories here and shows 3."]


def test_a_list_without_a_count_is_read_to_its_last_page(api, store, monkeypatch):
    api.seed("developer", "web-shop", facts(401))
    real = api._list
    monkeypatch.setattr(api, "_list", lambda call: {k: v for k, v in real(call).items() if k != "count"})
    assert texts(store.fetch(ME)) == sorted(facts(401))


def test_pages_smaller_than_asked_for_are_all_read(api, store, monkeypatch):
    api.seed("developer", "web-shop", facts(401))
    real = api._list
    monkeypatch.setattr(api, "_list", lambda call: real(replace(call, query={**call.query, "page_size": "100"})))
    assert texts(store.fetch(ME)) == sorted(facts(401))


@pytest.mark.parametrize("shown", ["count", "next"])
def test_a_service_that_ignores_the_page_is_asked_no_more_and_its_list_is_not_complete(api, store, monkeypatch, shown):
    api.seed("developer", "web-shop", facts(401))
    real = api._list
    link: dict[str, object] = {"next": "more"} if shown == "next" else {"next": None, "count": 10**12}
    kept = ("results",) if shown == "next" else ("results", "count")

    def first(call):
        answer = real(replace(call, query={**call.query, "page": "1"}))
        return {**{key: value for key, value in answer.items() if key in kept}, **link}

    monkeypatch.setattr(api, "_list", first)
    listing = store.fetch(ME)
    assert (len(listing.memories), listing.complete) == (200, False)
    assert "same page again and again" in listing.notes[0]
    assert len(api.calls) < 20


def test_rows_of_others_that_the_platform_sends_all_the_same_are_dropped_and_counted(api, store, monkeypatch):
    api.seed("developer", "web-shop", ["Mine"])
    api.seed("reviewer", "web-shop", ["Another user's"])
    api.seed("developer", "other", ["Another project's"])
    monkeypatch.setattr("tests.standins.platform_api._passes", lambda row, filters: True)
    listing = store.fetch(ME)
    assert (texts(listing), listing.dropped) == (["Mine"], 2)
    assert listing.notes == ["2 rows of other users or projects came too and were left out."]


def test_without_a_project_all_of_the_users_memories_arrive(api, store):
    api.seed("developer", "web-shop", ["One"])
    api.seed("developer", None, ["Two"])
    assert texts(store.fetch(Scope("developer", None))) == ["One", "Two"]


def test_the_flat_and_the_wrapped_filter_name_the_same_memories(api, store):
    api.seed("developer", "web-shop", facts(5))
    api.seed("developer", "other", facts(5))
    flat = store._client.get_all(filters={"user_id": "developer", "app_id": "web-shop"}, page=1, page_size=200)
    assert {row["id"] for row in flat["results"]} == {memory.id for memory in store.fetch(ME).memories}


def test_merged_rows_stay_hidden_and_expired_ones_are_shown(api, store):
    rows = [{"memory": "Merged", "lifecycle_state": "merged"}, {"memory": "Expired", "expiration_date": "2020-01-01"}]
    api.seed("developer", "web-shop", rows)
    (memory,) = store.fetch(ME).memories
    assert memory.protection(JANUARY.date()) == "expired"


@pytest.mark.parametrize(
    "state, why",
    [
        ({"replaced_by": "a newer one"}, "superseded"),
        ({"synthesized": True}, "synthesized"),
        ({"metadata": {"pinned": "true"}}, "pinned"),
        ({"metadata": None, "categories": None, "memory": ""}, ""),
    ],
)
def test_what_the_platform_says_of_a_row_decides_whether_it_may_be_touched(api, store, state, why):
    api.seed("developer", "web-shop", [{"memory": "Text", **state}])
    (memory,) = store.fetch(ME).memories
    assert memory.protection(JANUARY.date()) == why


def test_search_finds_the_nearest_of_the_scope(api, store):
    api.seed("developer", "web-shop", ["The shop sells books", "Deploys go to the cloud"])
    api.seed("developer", "other", ["The shop sells wine"])
    assert [memory.text for memory in store.search("shop books", ME, 5)] == ["The shop sells books"]


def test_owners_tell_who_has_memories(api, store):
    api.seed("developer", "web-shop", ["One", "Two"])
    api.seed("reviewer", None, ["Three"])
    assert store.owners() == [(Scope("developer", "web-shop"), 2), (Scope("reviewer", None), 1)]


# Adding


def test_an_added_memory_is_stored_as_it_stands(api, store):
    draft = Draft("The build uses Node 20.", Scope("developer", "web-shop", "coder"), {"type": "decision"}, run_id="s1")
    (result,) = store.add([draft])
    row = api.rows[result.id]
    assert [row[k] for k in ("memory", "user_id", "app_id", "agent_id", "session_id", "metadata")] == [
        "The build uses Node 20.",
        "developer",
        "web-shop",
        "coder",
        "s1",
        {"type": "decision"},
    ]


def test_an_added_memory_keeps_the_date_of_its_original_to_the_second(api, store):
    (result,) = store.add([Draft("Text", ME, {}, created=JANUARY)])
    (memory,) = store.fetch(ME).memories
    assert memory.created == JANUARY.replace(microsecond=0)
    assert memory.id == result.id


def test_an_expiry_is_added_with_the_memory(api, store):
    (result,) = store.add([Draft("Text", ME, {}, expiration_date="2031-01-01")])
    assert api.rows[result.id]["expiration_date"] == "2031-01-01"


def test_an_add_that_is_pending_is_waited_for(api, store):
    api.polls_to_finish = 3
    (result,) = store.add([Draft("Text", ME, {})])
    assert api.rows[result.id]["memory"] == "Text"
    assert api.count("GET", "^/v1/event/") == 3


def test_an_add_that_stays_pending_is_unsure(api, store):
    api.polls_to_finish = 10_000
    (result,) = store.add([Draft("Text", ME, {})])
    assert result.unsure and result.id is None


def test_an_add_that_fails_later_is_an_error(api, store):
    api.polls_to_finish, api.event_ends_in = 1, "FAILED"
    (result,) = store.add([Draft("Text", ME, {})])
    assert (result.id, result.unsure) == (None, False)
    assert "storage is out of order" in result.error


def test_an_exact_repeat_that_the_platform_drops_is_unsure_and_not_called_done(api, store):
    api.seed("developer", "web-shop", ["Text"])
    (result,) = store.add([Draft("Text", ME, {})])
    assert result.unsure and "stored nothing new" in result.error


def test_an_add_whose_answer_is_lost_is_not_repeated(api, store):
    api.fail("POST", "/add/", Fault(reset=True, acts=True))
    (result,) = store.add([Draft("Text", ME, {})])
    assert result.unsure and api.count("POST", "/add/") == 1 and len(api.rows) == 1


def test_an_add_is_repeated_when_the_rate_was_limited(api, store):
    api.fail("POST", "/add/", Fault(429), Fault(429))
    (result,) = store.add([Draft("Text", ME, {})])
    assert result.id in api.rows


def test_one_refused_add_does_not_stop_the_others(api, store):
    drafts = [Draft("Good", ME, {}), Draft("Too much metadata", ME, {"note": "x" * 2001}), Draft("Good too", ME, {})]
    results = store.add(drafts)
    assert [result.id is not None for result in results] == [True, False, True]
    assert "2000 characters" in results[1].error and not results[1].unsure


def test_a_used_up_quota_stops_the_adds_that_have_not_begun(api, store):
    api.fail("POST", "/add/", Fault(413, '{"error": "Memory quota exceeded"}'), forever=True)
    with pytest.raises(DreamError, match=r"no room left.*raise the plan"):
        store.add([Draft(text, ME, {}) for text in facts(100)])
    assert api.count("POST", "/add/") <= 8


def test_at_most_sixteen_calls_are_under_way_at_once(api, store):
    api.latency = 0.01
    store.add([Draft(text, ME, {}) for text in facts(60)])
    assert 1 < api.most_at_once <= 16


# Changing


def test_an_update_changes_only_what_it_names(api, store):
    (id,) = api.seed("developer", "web-shop", [{"memory": "Old text", "metadata": {"type": "decision", "a": 1}}])
    store.update([Change(id, text="New text")])
    assert (api.rows[id]["memory"], api.rows[id]["metadata"]) == ("New text", {"type": "decision", "a": 1})


def test_given_metadata_replaces_what_was_there(api, store):
    (id,) = api.seed("developer", "web-shop", [{"memory": "Text", "metadata": {"a": 1, "b": 2}}])
    store.update([Change(id, metadata={"b": 3})])
    assert (api.rows[id]["memory"], api.rows[id]["metadata"]) == ("Text", {"b": 3})


def test_a_date_and_an_expiry_can_be_set_and_taken_back(api, store):
    (id,) = api.seed("developer", "web-shop", ["Text"])
    store.update([Change(id, expiration_date="2020-01-01", created=JANUARY)])
    (memory,) = store.fetch(ME).memories
    assert memory.created == JANUARY.replace(microsecond=0) and memory.record["expiration_date"] == "2020-01-01"
    store.update([Change(id, expiration_date=None)])
    assert api.rows[id]["expiration_date"] is None


def test_many_plain_changes_are_one_call_and_answer_in_order(api, store):
    ids = api.seed("developer", "web-shop", facts(20))
    changes = [Change(id, text=f"New {i}", expiration_date="2031-01-01") if i % 5 == 0 else Change(id, text=f"New {i}")
               for i, id in enumerate(ids)]  # fmt: skip
    assert [result.id for result in store.update(changes)] == ids
    assert [api.rows[id]["memory"] for id in ids] == [f"New {i}" for i in range(20)]
    assert (api.count("PUT", "/batch/"), api.count("PUT", "/memories/")) == (1, 4)


def test_a_batch_refused_for_one_change_is_done_one_by_one(api, store):
    ids = api.seed("developer", "web-shop", facts(3))
    changes = [Change(ids[0], text="A"), Change(ids[1], metadata={"note": "x" * 2001}), Change(ids[2], text="C")]
    results = store.update(changes)
    assert [result.error is None for result in results] == [True, False, True]
    assert [api.rows[id]["memory"] for id in ids] == ["A", "Fact 1", "C"]


def test_a_change_of_a_memory_that_is_gone_is_an_error(api, store):
    ids = api.seed("developer", "web-shop", facts(1))
    store.delete(ids)
    (result,) = store.update([Change(ids[0], text="New")])
    assert "not found" in result.error


# Deleting


def test_deletes_go_by_the_thousand(api, store):
    ids = api.seed("developer", "web-shop", facts(2100))
    results = store.delete(ids)
    assert [result.id for result in results] == ids
    assert (api.rows, api.count("DELETE", "/batch/")) == ({}, 3)


def test_a_delete_of_what_is_gone_is_done(api, store):
    ids = api.seed("developer", "web-shop", facts(1))
    store.delete(ids)
    assert store.delete(ids)[0].error is None


def test_an_id_that_is_none_does_not_keep_the_others(api, store):
    ids = api.seed("developer", "web-shop", facts(2))
    results = store.delete([ids[0], "not-an-id", ids[1]])
    assert [result.error is None for result in results] == [True, False, True]
    assert api.rows == {}


def test_a_change_or_delete_answered_with_nothing_is_done(api, store):
    (id,) = api.seed("developer", "web-shop", facts(1))
    for method in ("PUT", "DELETE"):
        api.fail(method, "/memories/", Fault(204, "", acts=True), forever=True)
    assert store.update([Change(id, text="New")])[0].error is None
    assert store.delete([id])[0].error is None
    assert (api.count("PUT", ""), api.count("DELETE", "")) == (1, 1)


def test_batches_done_before_the_service_fails_are_done(api, store):
    ids = api.seed("developer", "web-shop", facts(2100))
    api.before = once("/v1/batch/", 0, lambda: api.fail("DELETE", "/batch/", Fault(401), forever=True))
    results = store.delete(ids)
    assert [result.error is None for result in results] == [True] * 1000 + [False] * 1100
    assert len(api.rows) == 1100 and api.count("DELETE", "/batch/") == 2


def test_a_batch_that_may_or_may_not_have_arrived_is_unsure(api, store):
    ids = api.seed("developer", "web-shop", facts(2))
    api.fail("DELETE", "/batch/", Fault(502, acts=True), forever=True)
    assert all(result.unsure for result in store.delete(ids))


# Secrets and silence


def test_building_a_store_needs_neither_mem0_nor_a_network():
    assert PlatformStore("m0-secret-key", "http://127.0.0.1:9/").label == "platform 127.0.0.1:9"


def test_the_account_is_what_the_service_says_and_not_the_key(api, store):
    before = store.identity
    api.key = "m0-another-key"
    assert PlatformStore("m0-another-key", api.url).identity == before


def test_another_project_of_the_service_is_another_account(api, store, monkeypatch):
    before = store.identity
    real = api.answer
    monkeypatch.setattr(
        api,
        "answer",
        lambda call: (200, {"org_id": "org-1", "project_id": "p-2"}) if "ping" in call.path else real(call),
    )
    assert PlatformStore(api.key, api.url).identity != before


def test_the_account_of_a_key_is_asked_once(api, store, tmp_path):
    store.home = tmp_path
    other = PlatformStore(api.key, api.url)
    other.home = tmp_path
    assert store.identity == other.identity
    assert api.count("GET", "/ping/") == 1


def test_records_of_0_1_0_are_found_by_any_key_that_the_account_had(api, store, tmp_path):
    """0.1.0 named an account by the hash of its key."""
    old = f"{store.label.removeprefix('platform ')} account {hashlib.sha256(api.key.encode()).hexdigest()[:12]}"
    store.home = tmp_path
    folder = scope_folder(tmp_path, old, ME)
    folder.mkdir()
    assert scope_folder(tmp_path, store.identity, ME, store.former) == folder
    api.key = "m0-another-key"
    later = PlatformStore("m0-another-key", api.url)
    later.home = tmp_path
    assert scope_folder(tmp_path, later.identity, ME, later.former) == folder
    refuse_other_store(StoreRef("platform", old), later)


def test_no_key_is_shown(api, store, tmp_path):
    store.home = tmp_path
    shown = f"{store.identity} {store.label} {store!r} {store.former}"
    assert api.key not in shown + (tmp_path / "accounts.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", ["m0-secret\nkey", "m0-secret key", "m0-secret-ключ"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(key):
    with pytest.raises(DreamError, match="MEM0_API_KEY") as caught:
        PlatformStore(key)
    assert "secret" not in str(caught.value)


def test_an_address_that_is_none_is_refused():
    with pytest.raises(DreamError, match="MEM0_BASE_URL is not a web address"):
        PlatformStore("m0-key", "api.example.com")


def test_nothing_of_mem0_reaches_the_user(api, store, capfd, caplog):
    with caplog.at_level(logging.WARNING):
        api.fail("POST", "^/v3/memories/$", Fault(400, '{"error": "no"}'), forever=True)
        with pytest.raises(DreamError):
            store.fetch(ME)
    assert caplog.text == "" and capfd.readouterr() == ("", "")


def test_a_key_that_the_service_repeats_is_not_shown(api, store):
    api.fail("POST", "^/v3/memories/$", Fault(400, f'{{"error": "bad token {api.key}"}}'))
    with pytest.raises(DreamError) as caught:
        store.fetch(ME)
    assert api.key not in str(caught.value)


def once(path, number, act):
    """Act before the call after the given number of calls to a path."""
    seen = []

    def before(call: Call) -> None:
        if call.path == path:
            seen.append(call)
            if len(seen) == number + 1:
                act()

    return before


def test_memories_without_a_project_beside_those_of_it_are_counted_once(api, store):
    api.seed(ME.user, ME.project, ["Of the project"])
    api.seed(ME.user, "other", ["Of another project"])
    api.seed(ME.user, None, ["Of none", "Of none either"])
    assert store.fetch(ME).notes == ["2 memories without a project left out; --project none takes all."]
    assert store.fetch(ME).notes == []


@pytest.mark.parametrize("known", [False, True], ids=["a service that knows no *", "all have a project"])
def test_no_memory_is_said_to_be_left_out_where_none_is(api, store, monkeypatch, known):
    api.seed(ME.user, ME.project, ["Of the project"])
    api.seed(ME.user, "other", ["Of another project"])
    if not known:
        passes = platform_api._passes
        monkeypatch.setattr(platform_api, "_passes", lambda row, asked: "*" not in str(asked) and passes(row, asked))
    assert store.fetch(ME).notes == []
