"""A memory as any store gives it: odd fields made regular, the record never changed."""

from __future__ import annotations

import copy
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from mem0_dream.memory import REMINDER_SOURCE, Memory, Scope, is_true, read_date, undated

NOON = datetime(2025, 6, 1, 12, 0, 5, tzinfo=timezone.utc)
TODAY = date(2026, 1, 1)


@pytest.mark.parametrize(
    "written",
    [
        "2025-06-01T12:00:05Z",
        "2025-06-01T12:00:05z",
        "2025-06-01T12:00:05+00:00",
        "2025-06-01T05:00:05-07:00",
        "2025-06-01T05:00:05-0700",
        "2025-06-01 12:00:05+00",
        "2025-06-01T12:00:05",
        "2025-06-01 12:00:05",
        "  2025-06-01T12:00:05Z ",
        "2025-06-01T12:00:05.0Z",
        "2025-06-01T12:00:05.00000-00:00",
        "2025-06-01T12:00:05.000000000+00:00",
        1748779205,
        1748779205.0,
        1748779205000,
    ],
)
def test_a_moment_in_any_spelling_is_that_moment_on_every_python(written):
    assert read_date(written) == NOON


def test_a_fraction_of_any_length_is_read():
    assert read_date("2025-06-01T12:00:05.12345Z") == NOON.replace(microsecond=123450)


def test_a_day_is_its_midnight():
    assert read_date("2025-06-01") == datetime(2025, 6, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "written",
    [
        None,
        "",
        "  ",
        "yesterday",
        "2025-13-01",
        "01.06.2025",
        True,
        float("nan"),
        float("inf"),
        1e300,
        [],
        {},
        "0001-01-01T00:00:00+10:00",
    ],
)
def test_what_is_no_moment_is_none(written):
    assert read_date(written) is None


@pytest.mark.parametrize("value", [True, 1, "true", "True", " YES ", "y", "on", "1"])
def test_true_has_many_spellings(value):
    assert is_true(value)


@pytest.mark.parametrize("value", [False, 0, 2, None, "", "false", "no", "off", "0", "maybe", [], {}, [1]])
def test_nothing_else_is_true(value):
    assert not is_true(value)


@pytest.mark.parametrize(
    ("value", "number"),
    [(0.7, 0.7), (1, 1.0), (0, 0.0), ("0.9", 0.9), (" 0.9 ", 0.9), ("high", None), ("", None), (None, None),
     (True, None), (1.5, None), (-0.1, None), ("1.5", None), (float("nan"), None), ("NaN", None), ("inf", None),
     ([0.5], None)],
)  # fmt: skip
def test_a_confidence_is_a_number_between_nought_and_one_or_none(value, number):
    assert Memory({"id": "1", "metadata": {"confidence": value}}).confidence == number


@pytest.mark.parametrize("metadata", [None, "plain", "[1, 2]", '"text"', "{", 7, []])
def test_metadata_that_is_no_mapping_is_none(metadata):
    memory = Memory({"id": "1", "memory": "Text", "metadata": metadata})
    assert (memory.metadata, memory.type, memory.confidence) == ({}, "unknown", None)


def test_metadata_as_json_text_is_read():
    memory = Memory({"id": "1", "metadata": '{"type": "decision", "confidence": 0.4}'})
    assert (memory.type, memory.confidence) == ("decision", 0.4)


@pytest.mark.parametrize("kind", [None, "", "  ", 7, ["decision"], {}])
def test_a_type_that_is_no_text_is_unknown(kind):
    assert Memory({"id": "1", "metadata": {"type": kind}}).type == "unknown"


@pytest.mark.parametrize("text", [None, 7, ["a"], {}])
def test_a_text_that_is_no_text_is_empty(text):
    assert Memory({"id": "1", "memory": text}).text == ""


def test_a_scope_is_found_beside_the_metadata_or_in_it():
    beside = Memory({"user_id": "me", "app_id": "shop", "agent_id": "bot"})
    inside = Memory({"user_id": "me", "metadata": {"app_id": "shop", "agent_id": "bot"}})
    assert beside.scope == inside.scope == Scope("me", "shop", "bot")


def test_nobodys_memory_has_an_empty_scope():
    assert Memory({"user_id": None, "app_id": "", "metadata": None}).scope == Scope("", None, None)


PROTECTED: dict[str, tuple[str, dict[str, Any]]] = {
    "pinned by true": ("pinned", {"metadata": {"pinned": True}}),
    "pinned by a word": ("pinned", {"metadata": {"pinned": "Yes"}}),
    "pinned beside": ("pinned", {"pinned": True}),
    "pinned by text": ("pinned", {"memory": "[PINNED] Text"}),
    "pinned by text in small letters": ("pinned", {"memory": "  [pinned] Text"}),
    "immutable": ("immutable", {"immutable": True}),
    "immutable by metadata": ("immutable", {"metadata": {"immutable": "true"}}),
    "replaced": ("superseded", {"replaced_by": "2"}),
    "superseded by a dream": ("superseded", {"metadata": {"superseded_by": "2"}}),
    "superseded state": ("superseded", {"lifecycle_state": "SUPERSEDED"}),
    "merged": ("merged", {"lifecycle_state": "merged"}),
    "synthesized": ("synthesized", {"synthesized": True}),
    "synthesized state": ("synthesized", {"lifecycle_state": "synthesized"}),
    "expired": ("expired", {"expiration_date": "2025-12-31"}),
    "reminder": ("reminder", {"metadata": {"source": REMINDER_SOURCE}}),
}


@pytest.mark.parametrize("case", PROTECTED)
def test_what_must_not_be_touched_says_why(case):
    why, record = PROTECTED[case]
    assert Memory({"id": "1", "memory": "Text", **record}).protection(TODAY) == why


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"metadata": {"pinned": False, "superseded_by": ""}},
        {"metadata": {"pinned": "no"}},
        {"memory": "Text with [PINNED] in it"},
        {"replaced_by": None, "synthesized": False, "immutable": None, "lifecycle_state": "active"},
        {"expiration_date": "2026-01-01"},
        {"expiration_date": "soon"},
        {"metadata": {"source": "mem0-dream"}},
    ],
)
def test_everything_else_may_be_touched(record):
    assert Memory({"id": "1", "memory": "Text", **record}).protection(TODAY) == ""


def test_the_record_is_never_changed():
    record = {"id": 7, "memory": None, "metadata": '{"type": "x"}', "created_at": 1748779205}
    before = copy.deepcopy(record)
    memory = Memory(record)
    memory.metadata["type"] = "y"
    assert (memory.record, memory.created, memory.protection(TODAY)) == (before, NOON, "")


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-04T05:06:07Z",
        "2026-03-04 05:06:07 UTC",
        "2026-03-04 05:06:07 GMT",
        "2026-03-04T05:06:07.000+00:00",
        "Wed, 04 Mar 2026 05:06:07 GMT",
        "Wed, 04 Mar 2026 06:06:07 +0100",
        "4 Mar 2026 05:06:07 +0000",
        1772600767,
        1772600767000,
        "1772600767",
        "1772600767.0",
        "1772600767000",
        {"$date": "2026-03-04T05:06:07Z"},
        {"$date": 1772600767000},
        {"$date": {"$numberLong": "1772600767000"}},
        "2026/03/04 05:06:07",
        "20260304T050607Z",
        "2026-03-04 05:06:07 +0000",
        "2026-03-04 06:06:07.0 +0100 CET m=+0.1",
        "Wed Mar 04 2026 06:06:07 GMT+0100 (Central European Standard Time)",
        "1772600767000000",
        1772600767000000,
        1772600767000000000,
    ],
)
@pytest.mark.parametrize("spelling", ["created_at", "createdAt"])
def test_every_spelling_of_a_date_that_means_one_moment_is_read(written, spelling):
    moment = datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone.utc)
    assert Memory({spelling: written}).created == moment
    assert Memory({"created_at": None, "metadata": {spelling: written}}).created == moment


@pytest.mark.parametrize(
    "written",
    [
        "0001-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z",
        0,
        -1,
        "0",
        "-1",
        {"$date": 0},
        "1601-01-01T00:00:00Z",
        "1899-12-30",
        "1900-01-01T00:00:00Z",
        "1980-01-01T00:00:00Z",
        "2000-01-01",
        "2001-01-01T00:00:00Z",
        20260304,
        45000,
        "9999-12-31T23:59:59Z",
        "03/04/2026",
        "yesterday",
        "Mar 4",
        True,
        {},
        {"$date": {"$date": 1}},
        [2026, 3, 4],
    ],
)
def test_what_stands_for_no_date_or_can_mean_two_is_no_date(written):
    assert Memory({"created_at": written}).created is None


def test_tomorrow_by_another_clock_is_a_date_and_next_week_is_none():
    now = datetime.now(timezone.utc)
    assert Memory({"created_at": (now + timedelta(hours=1)).isoformat()}).created
    assert Memory({"created_at": (now + timedelta(days=7)).isoformat()}).created is None


def test_a_row_of_the_typescript_sdk_is_in_its_scope():
    row = {"userId": "me", "appId": "shop", "agentId": "bot"}
    assert Memory(row).scope == Memory({"metadata": row}).scope == Scope("me", "shop", "bot")


def test_memories_without_a_date_are_counted_in_one_sentence():
    rows = [{"created_at": "2026-03-04"}, {"created_at": "0001-01-01T00:00:00Z"}, {}]
    assert undated([Memory(row) for row in rows]) == (
        'Memories without a date that can be read (such as "0001-01-01T00:00:00Z"): 2; by age none of them is pruned.'
    )
    assert undated([Memory(rows[0])]) == ""
