"""Contradictions that are none: other things of one kind."""

from itertools import combinations

from mem0_dream.planning.false_conflicts import other_things


def test_many_of_one_form_with_another_name_and_value_are_other_things():
    texts = [f"The {name} job runs {n} times" for n, name in enumerate(["mail", "tax", "cart", "chat"], 3)]
    assert all(other_things(list(combinations(texts, 2))))


def test_two_of_one_form_with_another_name_and_value_are_asked_about():
    assert other_things([("The mail job runs 3 times", "The tax job runs 5 times")]) == [False]


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
    assert other_things([("The job is allowed", "The job is not allowed")] * 5) == [False] * 5
