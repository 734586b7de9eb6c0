"""The same words, two of them changed over."""

import pytest
from mem0_dream.matching.classifier import judge
from mem0_dream.matching.order import turned
from mem0_dream.matching.text import read


@pytest.mark.parametrize(
    ("a", "b", "changed"),
    [
        ("Use tabs, not spaces", "Use spaces, not tabs", ("tabs", "spaces")),
        ("Prefer composition over inheritance", "Prefer inheritance over composition", ("composition", "inheritance")),
        ("Alma reviews the work of Bruno", "Bruno reviews the work of Alma", ("Alma", "Bruno")),
        ("The API is on 8080, the admin on 8081", "The API is on 8081, the admin on 8080", ("8080", "8081")),
        ("Move from the old host to Fly", "Move from Fly to the old host", ("the old host", "Fly")),
    ],
)
def test_what_changed_places_is_found_and_asked_as_a_contradiction(a, b, changed):
    assert turned(read(a), read(b)) == changed
    assert turned(read(b), read(a)) == changed[::-1]
    found = judge(read(a), read(b))
    assert (found.kind, found.why) == ("conflict", f"changed over: {' / '.join(changed)}")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Lint and test", "Test and lint"),
        ("Run lint, build and test", "Run test, build and lint"),
        ("When the build fails, tell Alma", "Tell Alma when the build fails"),
        ("Alma likes tea and avoids milk", "Alma avoids milk and likes tea"),
        ("The staging host is db-01", "db-01 is the staging host"),
        ("Use tabs, not spaces", "Use tabs, not spaces"),
        ("Use tabs", "Use spaces"),
        ("", ""),
    ],
)
def test_a_list_in_another_order_or_a_moved_half_is_no_change(a, b):
    assert turned(read(a), read(b)) is None
