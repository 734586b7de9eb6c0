"""Contradictions that are none: other things of one kind."""

from itertools import combinations

import pytest
from mem0_dream.planning.false_conflicts import MANY, OTHER_THINGS, denied, other_things


def test_many_of_one_form_with_another_name_and_value_are_other_things():
    texts = [f"The {name} job runs {n} times" for n, name in enumerate(["mail", "tax", "cart", "chat"], 3)]
    assert all(other_things(list(combinations(texts, 2))))


def test_two_places_that_change_together_early_on_are_other_things():
    assert other_things([("The mail job runs 3 times", "The tax job runs 5 times")]) == [OTHER_THINGS]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Unit tests (Postgres): just test-pg", "Unit tests (SQLite): just test-lite"),
        ("Server 1: runs nginx", "Server 2: runs nginx"),
        ("`anon` - not signed in", "`member` - signed in"),
    ],
)
def test_another_head_is_another_thing(a, b):
    assert other_things([(a, b)]) == [OTHER_THINGS]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Build: none, files are edited by hand", "Build: tasks of a runner, files are made"),
        ("`STATE.md` (120 lines) - the history", "`STATE.md` (340 lines) - the history"),
        ("`audio.md` - how sound works", "`docs/02-audio.md` - how sound works"),
        ("`@old/cli`: the command line", "`@new/cli`: the command line"),
        ("As of 2026-03-04: version 2 is live", "As of 2026-04-01: version 3 is live"),
    ],
)
def test_the_same_head_is_the_same_thing(a, b):
    assert other_things([(a, b)]) == [""]


def test_a_rename_changes_in_many_places_and_is_asked_about():
    assert other_things([("The acme-ui kit lives in src/acme-ui", "The acme-kit kit lives in src/acme-kit")], {0}) == [
        ""
    ]


@pytest.mark.parametrize(
    ("a", "b", "one_denies"),
    [
        ("Tests may call the network", "Tests may not call the network", True),
        ("The cache is used in tests", "The cache is never used in tests", True),
        ("The cache is used in tests", "The cache is warm and no test may ever clear it", False),
        ("The cache is used in tests", "The cache is used in every test", False),
    ],
)
def test_one_denies_the_other_if_only_a_not_differs(a, b, one_denies):
    assert denied(a, b) is denied(b, a) is one_denies


def test_many_notes_that_differ_by_a_number_are_no_versions():
    texts = [f"Ran the nightly import, batch {n}" for n in range(MANY)]
    assert set(other_things(list(combinations(texts, 2)))) == {f"{MANY} notes of one form"}


def test_a_place_that_holds_many_a_word_holds_names():
    texts = [f"Use Kafka for the {name} queue" for name in ("mail", "tax", "cart", "chat", "login")]
    assert all(other_things(list(combinations(texts, 2))))


def test_three_versions_of_one_fact_are_asked_about():
    texts = [f"Deploys go to {host}" for host in ("ECS", "Vercel", "Heroku")]
    assert not any(other_things(list(combinations(texts, 2))))


def test_another_number_of_the_same_thing_stays_a_contradiction_however_many_there_are():
    texts = [f"The mail job runs {n} times" for n in range(9)]
    assert not any(other_things(list(combinations(texts, 2))))


def test_what_only_one_says_is_no_swap():
    assert other_things([("The job is allowed", "The job is not allowed")] * 5) == [""] * 5
