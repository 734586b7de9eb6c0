"""Entries of a diary: notes that begin with their day."""

import pytest
from mem0_dream.diary import is_entry
from mem0_dream.series import other_things


@pytest.mark.parametrize(
    "text",
    [
        "Session of 14 September, part 2: went on with the mailer",
        "2026-03-05: mended the login test",
        "**Standup (2026-05-03)**: nothing new",
        "[2026-05-03] the cache is back",
        "May 3rd, 2026 - shipped the new parser",
        "Sitzung vom 3. Mai: Parser fertig",
        "3 mars : réunion",
        "- 10.05.2026: deployed",
    ],
)
def test_a_note_that_begins_with_its_day_is_an_entry(text):
    assert is_entry(text)


@pytest.mark.parametrize(
    "text",
    [
        "The freeze starts on 3 May",
        "3 May is the day of the freeze",
        "Deadline 5 March: hand in the form",
        "Meeting on 3 May",
        "10.5.2: the release notes",
        "Session timeout: 30 minutes",
        "",
        "-" * 50_000,
    ],
)
def test_a_note_that_only_names_a_day_is_none(text):
    assert not is_entry(text)


def test_two_entries_do_not_contradict_each_other():
    assert other_things([("2026-03-05: the mailer is down", "2026-03-12: the mailer is up")]) == [True]


def test_two_days_for_one_event_do():
    assert other_things([("The freeze starts on 3 May", "The freeze starts on 12 May")]) == [False]
