"""What a dream relies on, whatever the store."""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timezone

import pytest
from mem0_dream.memory import Memory, Scope
from mem0_dream.stores.protocol import Change, Draft

ME = Scope("developer", "web-shop")
LAST_MAY = datetime(2025, 5, 31, 23, 59, 58, tzinfo=timezone.utc)


def by_id(store, scope=ME) -> dict[str, Memory]:
    return {memory.id: memory for memory in store.fetch(scope).memories}


def added(store, *texts, scope=ME, **more) -> list[str]:
    results = store.add(
        [Draft(text, scope, dict(more.pop("metadata", {"type": "decision"})), **more) for text in texts]
    )
    assert [result.error for result in results] == [None] * len(texts)
    return [result.id for result in results]


def without_nulls(metadata):
    return {key: value for key, value in metadata.items() if value is not None and key != "app_id"}


def test_an_empty_store_lists_nothing_and_all_of_it(store):
    listing = store.fetch(ME)
    assert (listing.memories, listing.complete, listing.dropped) == ([], True, 0)


def test_an_added_memory_is_listed_with_everything_it_was_given(store):
    (id,) = added(
        store,
        "The build uses Node 20.",
        metadata={"type": "decision", "confidence": 0.8, "branch": "main", "files": ["src/app.ts", "src/web.ts"]},
        created=LAST_MAY,
    )
    memory = by_id(store)[id]
    assert (memory.text, memory.type, memory.scope, memory.confidence) == (
        "The build uses Node 20.",
        "decision",
        ME,
        0.8,
    )
    assert memory.metadata["files"] == ["src/app.ts", "src/web.ts"]
    assert memory.metadata["branch"] == "main"


def test_an_added_memory_keeps_the_date_of_its_original_to_the_second(store):
    (id,) = added(store, "The build uses Node 20.", created=LAST_MAY)
    assert by_id(store)[id].created == LAST_MAY


def test_an_added_memory_without_a_date_is_of_now(store):
    (id,) = added(store, "The build uses Node 20.")
    created = by_id(store)[id].created
    assert created and abs((datetime.now(timezone.utc) - created).total_seconds()) < 60


def test_memories_are_read_by_their_ids_as_they_are_listed(store):
    first, _, third = added(store, "First", "Second", "Third", created=LAST_MAY)
    listed = by_id(store)
    found = {memory.id: memory for memory in store.get([third, first], ME)}
    assert found.keys() == {first, third}
    assert all(found[id].text == listed[id].text and found[id].scope == ME for id in found)
    assert all(without_nulls(found[id].metadata) == without_nulls(listed[id].metadata) for id in found)
    assert all(found[id].created == LAST_MAY for id in found)


def test_an_id_that_is_gone_is_not_among_those_read(store):
    first, second = added(store, "First", "Second")
    store.delete([first])
    assert [memory.id for memory in store.get([first, second, str(uuid.uuid4())], ME)] == [second]
    assert store.get([], ME) == []


def test_results_come_in_the_order_of_the_drafts(store):
    ids = added(store, "First", "Second", "Third")
    assert [by_id(store)[id].text for id in ids] == ["First", "Second", "Third"]


@pytest.mark.parametrize(
    "text",
    [
        "部署到 Vercel 🚀",
        "Сборка использует Node 20",
        "الإصدار ٣ هو الأحدث",
        "Quotes \" and ' and \\ and %s and {braces}",
        "Two\nlines and a\ttab",
        "x" * 50_000,
        "  spaces at both ends  ",
        "'; DROP TABLE memories; --",
    ],
    ids=["chinese", "russian", "arabic", "quotes", "lines", "50 kB", "spaces", "sql"],
)
def test_a_text_comes_back_as_it_was_given(store, text):
    (id,) = added(store, text)
    assert by_id(store)[id].text == text


def test_metadata_of_any_shape_is_kept_as_far_as_the_store_can(store):
    odd = {"files": [], "nothing": None, "nested": {"a": [1, {"b": None}]}, "mixed": ["a", 1], "confidence": "0.9"}
    (id,) = added(store, "Text", metadata={"type": "decision", **odd})
    metadata = by_id(store)[id].metadata
    assert (metadata["type"], metadata["confidence"]) == ("decision", "0.9")
    nested = metadata["nested"]
    assert (json.loads(nested) if isinstance(nested, str) else nested) == odd["nested"]


def test_a_text_can_be_changed_and_nothing_else_changes(store):
    (id,) = added(store, "The build uses Node 18.", metadata={"type": "decision", "confidence": 0.7}, created=LAST_MAY)
    store.update([Change(id, text="The build uses Node 20.")])
    memory = by_id(store)[id]
    assert (memory.text, memory.created, memory.scope) == ("The build uses Node 20.", LAST_MAY, ME)
    assert without_nulls(memory.metadata) == {"type": "decision", "confidence": 0.7}


def test_metadata_becomes_what_is_asked_and_keeps_the_project(store):
    (id,) = added(store, "Text", metadata={"type": "decision", "confidence": 0.7, "branch": "main"}, created=LAST_MAY)
    store.update([Change(id, metadata={"type": "decision", "confidence": 0.9})])
    memory = by_id(store)[id]
    assert without_nulls(memory.metadata) == {"type": "decision", "confidence": 0.9}
    assert (memory.text, memory.created, memory.scope) == ("Text", LAST_MAY, ME)


def test_an_expired_memory_is_listed_as_expired_and_can_be_taken_back(store):
    (id,) = added(store, "Text")
    store.update([Change(id, expiration_date="2026-01-31")])
    assert by_id(store)[id].protection(datetime(2026, 2, 1).date()) == "expired"
    store.update([Change(id, expiration_date=None)])
    assert by_id(store)[id].protection(datetime(2026, 2, 1).date()) == ""


def test_a_memory_can_be_added_with_an_expiry(store):
    (id,) = added(store, "Text", expiration_date="2026-01-31")
    assert by_id(store)[id].record["expiration_date"] == "2026-01-31"


def test_changing_what_is_gone_stops_nothing_and_makes_nothing(store):
    (id,) = added(store, "Text")
    gone = str(uuid.uuid4())
    results = store.update([Change(gone, text="Ghost"), Change(id, text="New text")])
    assert len(results) == 2
    assert [memory.text for memory in store.fetch(ME).memories] == ["New text"]


def test_only_what_is_named_is_deleted(store):
    first, second, third = added(store, "First", "Second", "Third")
    results = store.delete([first, third])
    assert [result.error for result in results] == [None, None]
    assert list(by_id(store)) == [second]


def test_deleting_what_is_gone_counts_as_done(store):
    (id,) = added(store, "Text")
    store.delete([id])
    results = store.delete([id, str(uuid.uuid4())])
    assert [result.error for result in results] == [None, None]


def test_nothing_to_do_does_nothing(store):
    assert (store.add([]), store.update([]), store.delete([])) == ([], [], [])


def test_memories_of_others_are_neither_listed_nor_counted_here(store):
    (mine,) = added(store, "Mine")
    added(store, "Another project's", scope=ME._replace(project="billing"))
    added(store, "Another user's", scope=ME._replace(user="reviewer"))
    listing = store.fetch(ME)
    assert [memory.id for memory in listing.memories] == [mine]


def test_a_scope_without_a_project_takes_all_of_the_user(store):
    added(store, "Shop")
    added(store, "Billing", scope=ME._replace(project="billing"))
    added(store, "Nobody's", scope=ME._replace(project=None))
    added(store, "Another user's", scope=Scope("reviewer", None))
    texts = sorted(memory.text for memory in store.fetch(ME._replace(project=None)).memories)
    assert texts == ["Billing", "Nobody's", "Shop"]


def test_the_project_narrows_where_a_memory_of_the_user_has_one(store):
    added(store, "Nobody's", scope=ME._replace(project=None))
    (mine,) = added(store, "Mine")
    assert list(by_id(store)) == [mine]


def test_where_no_memory_has_a_project_all_are_taken_and_a_note_says_so(place, store):
    (id,) = added(store, "Nobody's", scope=ME._replace(project=None))
    listing = store.fetch(ME)
    if place.loosens:
        assert [memory.id for memory in listing.memories] == [id]
        assert any("project" in note for note in listing.notes)
    else:
        assert (listing.memories, listing.notes) == ([], [])


def test_an_agents_memories_are_its_own(store):
    (mine,) = added(store, "Mine")
    robot = ME._replace(agent="reviewer-bot")
    (its,) = added(store, "The robot's", scope=robot)
    assert list(by_id(store)) == [mine]
    assert {id: memory.scope for id, memory in by_id(store, robot).items()} == {its: robot}


def test_a_long_list_is_never_cut(place):
    place.fill(ME, [{"memory": f"Fact number {number}"} for number in range(place.many)])
    opened = place.open()
    listing = opened.fetch(ME)
    opened.close()
    assert len({memory.text for memory in listing.memories}) == len(listing.memories) == place.many
    assert listing.complete


def test_a_hundred_memories_are_deleted_in_one_call(place):
    place.fill(ME, [{"memory": f"Fact number {number}"} for number in range(101)])
    opened = place.open()
    ids = sorted(by_id(opened))
    opened.delete(ids[1:])
    left = list(by_id(opened))
    opened.close()
    assert left == ids[:1]


def test_what_was_written_is_there_when_the_store_is_opened_again(place):
    opened = place.open()
    (id,) = added(opened, "Text")
    opened.close()
    again = place.open()
    found = by_id(again)[id].text
    again.close()
    assert found == "Text"


def test_a_store_is_the_same_store_when_opened_again(place):
    opened = place.open()
    first = (opened.kind, opened.identity, opened.label)
    opened.close()
    again = place.open()
    second = (again.kind, again.identity, again.label)
    again.close()
    assert first == second
    assert first[0] in ("platform", "local", "server", "file")
    assert first[2].startswith(first[0])


def test_closing_twice_does_no_harm(place):
    opened = place.open()
    opened.fetch(ME)
    opened.close()
    opened.close()


def test_search_finds_what_shares_words_in_this_scope_alone(store):
    added(store, "The shop sells books", "Deploys go to the cloud")
    added(store, "The shop sells wine", scope=ME._replace(project="billing"))
    added(store, "The shop sells wine", scope=ME._replace(user="reviewer"))
    found = store.search("shop sells wine", ME, 1)
    assert [memory.text for memory in found] == ["The shop sells books"]


def test_the_store_can_tell_who_has_memories(store):
    added(store, "One", "Two")
    added(store, "Three", scope=Scope("reviewer", "billing"))
    assert (ME, 2) in store.owners()
    assert (Scope("reviewer", "billing"), 1) in store.owners()


def test_a_record_keeps_the_stores_own_keys(store):
    (id,) = added(store, "Text")
    record = by_id(store)[id].record
    assert {"id", "memory", "metadata", "created_at", "updated_at", "user_id"} <= set(record)


def test_an_agents_memories_of_no_user_are_reached(store):
    scope = Scope("", None, "coder")
    added(store, "To deploy: build, tag, push", scope=scope)
    added(store, "Of a user", scope=ME)
    assert [memory.text for memory in store.fetch(scope).memories] == ["To deploy: build, tag, push"]
    assert (scope, 1) in store.owners() or store.kind == "platform"


def test_memories_without_a_project_beside_others_are_counted(store):
    added(store, "Of the project")
    added(store, "Of none", "Of none either", scope=ME._replace(project=None))
    listing = store.fetch(ME)
    assert [memory.text for memory in listing.memories] == ["Of the project"]
    assert listing.notes == ["2 memories without a project left out; --project none takes all."]
