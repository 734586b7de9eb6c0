"""The pictures of a store: what they count, in words and in their tables."""

import re
from datetime import date, timedelta

import pytest
from mem0_dream.memory import Memory, Scope
from mem0_dream.planning.plan import Merge, Plan
from mem0_dream.views import charts

from tests.memories import STORE

TODAY = date(2026, 6, 1)


def memory(kind, days):
    made = None if days is None else f"{TODAY - timedelta(days=days)}T08:00:00Z"
    return Memory({"id": "x", "memory": "m", "created_at": made, "metadata": {"type": kind}})


def cells(figure):
    """The rows of the figure's table."""
    rows = re.findall(r"<tr>(.*?)</tr>", figure)[1:]
    return [re.findall(r">([^<]*)</t[hd]>", row) for row in rows]


def test_each_type_is_a_row_with_its_oldest_its_retention_and_what_is_past_it():
    store = [memory("decision", 400), memory("decision", 5), memory("session_state", 91), memory("session_state", 90)]
    figure = charts.ages(store, {"session_state": 90, "decision": None}, TODAY)
    assert cells(figure) == [
        ["decision", "2", "400 days", "kept", "0"],
        ["session_state", "2", "91 days", "90 days", "1"],
    ]
    assert "1 of 4 memories are past their type&#x27;s retention (hatched)." in figure


def test_what_is_past_its_retention_is_hatched_and_nothing_else():
    store = [memory("session_state", 10), memory("session_state", 300)]
    assert len(re.findall(r'<rect fill="url\(#ages-hatch\)"', charts.ages(store, {"session_state": 90}, TODAY))) == 1
    assert "url(#ages-hatch)" not in charts.ages(store, {}, TODAY)


def test_a_memory_without_a_date_is_counted_in_words():
    figure = charts.ages([memory("decision", 3), memory("decision", None)], {}, TODAY)
    assert "1 have no readable date and are not shown." in figure


def test_a_retention_of_no_days_is_a_retention():
    assert cells(charts.ages([memory("note", 1)], {"note": 0}, TODAY)) == [["note", "1", "1 days", "0 days", "1"]]


def test_a_date_in_the_future_is_today():
    assert cells(charts.ages([memory("note", -9)], {}, TODAY))[0][2] == "0 days"


def test_many_types_share_the_last_row():
    figure = charts.ages([memory(f"type{n:02}", n) for n in range(20)], {}, TODAY)
    assert cells(figure)[-1][:2] == ["12 more types", "12"]
    assert len(cells(figure)) == 9


def test_an_empty_store_has_no_picture_and_no_table():
    assert "<svg" not in charts.ages([], {}, TODAY)
    assert "<table" not in charts.ages([], {}, TODAY)


def plan(*merges):
    merged = [Merge(f"M{n}", [str(i) for i in range(size)], tier, "", "") for n, (size, tier) in enumerate(merges)]
    return Plan(STORE, Scope("dev", None), merges=merged)


def test_clusters_are_counted_by_size_and_tier():
    figure = charts.clusters(plan((2, "safe"), (2, "review"), (4, "review")))
    assert cells(figure) == [["2", "1", "1"], ["3", "0", "0"], ["4", "0", "1"]]
    assert "3 clusters of duplicates; merged, 5 memories fewer" in figure


def test_clusters_of_six_and_more_share_a_column():
    assert cells(charts.clusters(plan((6, "safe"), (60, "safe"))))[-1] == ["6 or more", "2", "0"]


def test_past_runs_show_what_was_kept_and_what_was_taken_away():
    runs: list[dict] = [
        {"run": "20260401T080000Z-abcdef", "before": 50, "after": 41},
        {"run": "20260501T080000Z-abcdef", "before": None, "after": None},
    ]
    assert cells(charts.growth(runs)) == [["2026-04-01", "41", "9"]]


def test_without_a_past_run_that_is_said():
    assert "No earlier run of this project." in charts.growth([])


@pytest.mark.parametrize("count", [1, 2, 9, 24, 60])
def test_columns_stay_inside_their_picture(count):
    runs = [{"run": f"{20260101 + n}T080000Z-abcdef", "before": 1000 - n, "after": n} for n in range(count)]
    figure = charts.growth(runs)
    width = float(re.findall(r'viewBox="0 0 (\d+)', figure)[0])
    bars = [
        (float(x), float(y), float(w), float(h))
        for x, y, w, h in re.findall(r'x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)" height="([\d.-]+)"/>', figure)
    ]
    assert bars
    assert all(x >= 0 and y >= 0 and w > 0 and h >= 0 and x + w <= width for x, y, w, h in bars)
