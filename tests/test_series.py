"""Contradictions that are none: other things of one kind."""

import pytest
from mem0_dream.series import other_things


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The login test is in tests/test_login.py", "The cart test is in tests/test_cart.py"),
        ("Mails of the shop come from shop@example.org", "Mails of the blog come from blog@example.org"),
    ],
)
def test_a_name_that_stands_in_its_value_again_is_another_thing(a, b):
    assert other_things(a, b, 1)


def test_many_of_one_form_with_another_name_and_value_are_other_things():
    assert other_things("The mail job runs 3 times", "The tax job runs 5 times", 3)
    assert not other_things("The mail job runs 3 times", "The tax job runs 5 times", 1)


def test_another_value_of_the_same_thing_stays_a_contradiction_however_many_there_are():
    assert not other_things("The mail job runs 3 times", "The mail job runs 5 times", 9)


def test_what_only_one_says_is_no_swap():
    assert not other_things("The job is allowed", "The job is not allowed", 9)
