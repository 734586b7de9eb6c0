"""Entries of a diary: notes that name themselves and their day."""

import pytest
from mem0_dream.planning.false_conflicts import OTHER_DAYS, other_days, other_things


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Session of 14 September, part 2: the mailer is up", "Session of 23 November, part 2: the mailer is down"),
        ("**Standup (2026-05-03)**: nothing new", "**Standup (2026-05-04)**: all new"),
        ("- Progress 2026-05-03: parser written", "- Progress 2026-06-03: parser rewritten"),
        ("Session of May 3rd, 2026 - shipped the parser", "Session of May 4th, 2026 - took it back"),
        ("Sitzung vom 3. Mai: Parser fertig", "Sitzung vom 4. Mai: Parser offen"),
    ],
)
def test_entries_of_two_days_do_not_contradict_each_other(a, b):
    assert other_days(a, b)
    assert other_things([(a, b)]) == [OTHER_DAYS]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The freeze starts on 3 May", "The freeze starts on 12 May"),
        ("2026-05-03: launch date", "2026-06-03: launch date"),
        ("2026-05-03: staging runs on db-1", "2026-06-03: staging runs on db-2"),
        ("May 3, 2026 is the release date", "May 10, 2026 is the release date"),
        ("Session 2026-05-03: tests pass on main", "Session 2026-05-03: tests fail on main"),
        ("Meeting: May 3, 10:00 in room B", "Meeting: May 4, 10:00 in room B"),
        ("Tag 1.2.10: deployed", "Tag 1.2.11: deployed"),
        ("Session timeout: 30 minutes", "Session timeout: 60 minutes"),
        ("Session 3 May is the last", "Session 4 May is the last"),
        ("", ""),
        ("-" * 50_000, "- " * 25_000),
    ],
)
def test_a_day_that_is_what_a_note_says_makes_no_entry(a, b):
    assert not other_days(a, b)


def test_two_days_for_one_event_are_asked_about():
    assert other_things([("The freeze starts on 3 May", "The freeze starts on 12 May")]) == [""]
