import pytest
from mem0_dream.matching.details import brings, loses, of


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("Retry failed jobs 3 times, never in production", ["3", "never", "production"]),
        ("Alma owns src/a.py at v2.1", ["Alma", "src/a.py", "v2.1"]),
        ("Read https://docs.example.com first", ["https://docs.example.com"]),
        ("Use `-D`, not -d", ["-D", "not", "-d"]),
        ("不要等待30秒", ["不要", "30 秒"]),
        ("Then the user likes short answers", []),
    ],
)
def test_details_are_named_as_a_person_reads_them(text, details):
    assert of(text) == details


def test_a_dropped_detail_is_lost():
    assert loses(["Wait 30s for Bruno", "Wait in staging"], "Wait for Bruno") == ["30s", "staging"]


def test_a_detail_told_otherwise_is_not_lost():
    assert loses(["Wait 30 seconds", "Do not push"], "Wait 30s and never push") == []


def test_a_new_detail_is_brought():
    assert brings(["Retry the job", "Retry it in staging"], "Retry the job 5 times in staging, not on Friday") == [
        "5",
        "Friday",
        "not",
    ]


def test_a_text_loses_and_brings_nothing_against_itself():
    text = "Deploy `app:1.4` to staging with --wait, never by hand"
    assert loses([text], text) == brings([text], text) == []
