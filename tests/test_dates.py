"""Relative dates made absolute: exact words only, in the writer's calendar; what is not one day stays."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mem0_dream.memory import Memory
from mem0_dream.planning.dates import absolute, written_out

from .memories import record

THURSDAY = date(2026, 3, 5)


def said(text: str, day: date = THURSDAY) -> str:
    found = written_out(text, day)
    return found[0] if found else text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Version 2.4 was released yesterday.", "Version 2.4 was released yesterday (2026-03-04)."),
        ("Tomorrow we move the cart service.", "Tomorrow (2026-03-06) we move the cart service."),
        ("The importer broke two days ago", "The importer broke two days ago (2026-03-03)"),
        ("The audit starts in two weeks", "The audit starts in two weeks (2026-03-19)"),
        ("This sprint ends on Friday", "This sprint ends on Friday (2026-03-06)"),
        ("The invoice bug came back last Saturday", "The invoice bug came back last Saturday (2026-02-28)"),
        ("The freeze begins next Tuesday", "The freeze begins next Tuesday (2026-03-10)"),
        ("The team moves next week", "The team moves next week (2026-03-09 – 2026-03-15)"),
        ("Der Import läuft heute fehlerfrei", "Der Import läuft heute (2026-03-05) fehlerfrei"),
        ("Die Migration endete vor 3 Tagen", "Die Migration endete vor 3 Tagen (2026-03-02)"),
        ("La version 3 est sortie hier", "La version 3 est sortie hier (2026-03-04)"),
        ("Mañana cambiamos el proveedor de correo", "Mañana (2026-03-06) cambiamos el proveedor de correo"),
        ("Вчера обновили сертификат", "Вчера (2026-03-04) обновили сертификат"),
        ("昨天发布了新版本", "昨天(2026-03-04)发布了新版本"),
        ("昨日リリースしました", "昨日(2026-03-04)リリースしました"),
        ("어제 배포했다", "어제 (2026-03-04) 배포했다"),
    ],
)  # fmt: skip
def test_the_day_is_written_behind_the_word(before, after):
    assert said(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "The rewrite comes soon",
        "The old gateway was switched off last year",
        "The report was rewritten recently",
        "We move to another office next month",
    ],
)
def test_what_is_not_one_day_stays(text):
    assert said(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "The list shows today's orders first",
        "The chart has a yesterday filter",
        "Anchor the window on the newest row, not on today",
        "Run the export again if it fails today",
        "Deploys are allowed until Friday noon",
        "Orders placed today ship tomorrow",
        "`today` is passed in by the caller",
        'The heading says "delivered yesterday"',
        "const today = new Date()",
        "The open tasks are tomorrow follow-up checks",
        "2026-02-11: the cache was cleared yesterday",
        "Released yesterday (2026-03-04)",
        "It follows USA Today",
        "Tokens expire in 7 days",
        "Commits older than 3 days ago are squashed",
        "Korrektur: Hier stand bis Januar das Gegenteil",
        "Am Morgen läuft der Import, und morgen ist frei, heute nicht",
        "El respaldo corre por la mañana",
        "汇总：本金、昨日盈亏、今日涨跌",
        "今天买入，明天确认",
    ],
)
def test_any_day_a_label_a_quotation_or_a_date_beside_it_stays(text):
    assert said(text) == text


@pytest.mark.parametrize("text", ["The bug came back last Tuesday", "The freeze begins next Friday"])
def test_a_weekday_that_can_be_of_this_week_or_of_another_stays(text):
    assert said(text) == text


def test_on_a_sunday_nobody_knows_which_week_this_one_is():
    assert said("The rotation ended last week", date(2026, 3, 8)) == "The rotation ended last week"


def test_the_day_is_the_writer_s(monkeypatch):
    time = pytest.importorskip("time")
    if not hasattr(time, "tzset"):
        pytest.skip("this system has one zone for all")
    memory = Memory(record("m", "Released yesterday", created="2026-03-05"))
    for zone, day in (("UTC", "2026-03-04"), ("America/Los_Angeles", "2026-03-03")):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert absolute(memory) == (
            f"Released yesterday ({day})",
            f'"yesterday" was written on 2026-03-0{int(day[-1]) + 1}',
        )
    monkeypatch.undo()
    time.tzset()


def test_a_memory_without_a_date_or_edited_on_a_later_day_stays():
    plain = record("m", "Released yesterday", created="2026-03-05")
    assert absolute(Memory(plain))
    assert absolute(Memory({**plain, "created_at": None})) is None
    assert absolute(Memory({**plain, "updated_at": "2026-03-09T00:00:00+00:00"})) is None


@given(st.text(), st.dates(date(2001, 1, 8)))
def test_whatever_the_text_nothing_is_lost_and_nothing_is_asked_twice(text, day):
    for written in (text, f"Released yesterday {text}"):
        found = written_out(written, day)
        if found:
            kept = iter(found[0])
            assert all(char in kept for char in written)
            assert written_out(found[0], day) is None
