"""Asking a person in a terminal, played by a list of replies."""

import pytest
from mem0_dream.memory import Scope
from mem0_dream.planning.plan import Conflict, Merge, Plan
from mem0_dream.views import prompts, report
from mem0_dream.views.prompts import Cancelled, consult

IDS = [f"{n:08x}-0000-4000-8000-000000000000" for n in range(8)]
TEXTS = ["Cache for 30s", "Cache", "Ports are 80", "Ports are 81", "Use tabs", "Use spaces", "Log in JSON", "Log JSON"]


def plan() -> Plan:
    found = Plan({"kind": "file", "identity": "x"}, Scope("me", "shop"), total=8)
    found.merges = [Merge("M1", IDS[:2], "review", "Cache", "alike", loses=["30s"])]
    found.conflicts = [
        Conflict("C1", IDS[2], IDS[3], "ports are", None, "80 / 81"),
        Conflict("C2", IDS[4], IDS[5], "use", None, "tabs / spaces"),
    ]
    metadata = {"type": "decision"}
    found.memories = {
        id: {"id": id, "memory": text, "user_id": "me", "app_id": "shop", "metadata": metadata}
        for id, text in zip(IDS, TEXTS, strict=True)
    }
    return found


class Played:
    """A console that answers from a list and keeps what was said; at its end the input ends."""

    def __init__(self, *replies: str | type[BaseException]) -> None:
        self.replies = list(replies)
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def pair(self, a: str, b: str) -> None:
        self.said += [f"A: {a}", f"B: {b}"]

    def ask(self, prompt: str) -> str:
        self.said.append(prompt)
        if not self.replies:
            raise EOFError
        reply = self.replies.pop(0)
        if not isinstance(reply, str):
            raise reply
        return reply


def asked(console: Played, most: int = 20):
    answers: dict = {}
    kept: list = []
    decisions = consult(plan(), answers, (), most, console, kept.append)
    return decisions, answers


def test_each_contradiction_is_asked_then_each_loss_then_the_last_yes():
    console = Played("A", "b", "y", "")
    decisions, answers = asked(console)
    assert answers == {"C1": "A", "C2": "B", "M1": True}
    assert console.said[1:] == [
        '\nC1 — "ports are"',
        'A: "Ports are 80" (no date, confidence: none)',
        'B: "Ports are 81" (no date, confidence: none)',
        "Which is current? [A/B/skip] ",
        '\nC2 — "use"',
        'A: "Use tabs" (no date, confidence: none)',
        'B: "Use spaces" (no date, confidence: none)',
        "Which is current? [A/B/skip] ",
        '\n  - Original 1: "Cache for 30s"\n  - Original 2: "Cache"\n  - Merged:     "Cache"',
        'M1 drops "30s". Merge anyway? [y/N] ',
        "",
        "Proposed: 1 merges, 0 prunes, 2 conflicts. Apply? [Y/n] ",
    ]
    assert [item.state for item in (*decisions.merges, *decisions.conflicts)] == ["accepted", "accepted", "accepted"]


def test_an_empty_reply_skips_and_a_loss_is_no_by_default():
    console = Played("", "SKIP", "")
    decisions, answers = asked(console)
    assert answers == {"C1": "skip", "C2": "skip"}
    assert [item.state for item in (*decisions.merges, *decisions.conflicts)] == ["open", "skipped", "skipped"]


def test_where_nothing_would_change_the_last_question_is_not_asked():
    console = Played("skip", "s", "n")
    asked(console)
    assert not any("Apply?" in said for said in console.said)


def test_both_is_taken_though_it_is_not_offered():
    assert asked(Played("both", "", ""))[1]["C1"] == "both"


def test_anything_else_is_asked_again_with_what_can_be_typed():
    console = Played("maybe", "C", "a", "", "", "perhaps", "y")
    assert asked(console)[1]["C1"] == "A"
    assert console.said.count("Which is current? [A/B/skip] ") == 4
    assert console.said.count("Type A, B, both (both are true), skip, or q to leave.") == 2
    assert console.said.count("Type y, n, details, or q to leave.") == 1


def test_no_more_than_the_set_number_of_questions_is_asked():
    console = Played("A", "y")
    decisions, _ = asked(console, most=1)
    assert [conflict.state for conflict in decisions.conflicts] == ["accepted", "open"]


@pytest.mark.parametrize("no", ["n", "NO"])
def test_no_cancels(no):
    with pytest.raises(Cancelled) as left:
        asked(Played("A", "", "", no))
    assert left.value.code == 0


@pytest.mark.parametrize("way", ["q", "Quit", KeyboardInterrupt])
def test_leaving_keeps_the_answers_given_so_far(way):
    kept: list = []
    answers: dict = {}
    with pytest.raises(Cancelled):
        consult(plan(), answers, (), 20, Played("B", way), kept.append)
    assert answers == {"C1": "B"}
    assert [decisions.conflicts[0].winner for decisions in kept] == ["B"]


def test_the_end_of_the_input_says_that_somebody_must_decide():
    with pytest.raises(Cancelled) as left:
        asked(Played("A"))
    assert left.value.code == 3


def test_details_prints_the_long_form_and_asks_again():
    console = Played("A", "", "", "details", "y")
    decisions, _ = asked(console)
    assert console.said[-2:] == [report.long(decisions).removesuffix("\nApply? [Y/n]"), "Apply? [Y/n] "]


def drafted_pair(one: str, other: str) -> Plan:
    found = plan()
    found.conflicts = []
    found.merges = [Merge("M1", IDS[:2], "review", other, "alike")]
    found.memories[IDS[0]]["memory"], found.memories[IDS[1]]["memory"] = one, other
    return found


def test_a_draft_that_only_adds_plain_words_counts_as_yes_until_the_last_question():
    found = drafted_pair("Logs are JSON", "Logs are JSON with a request id")
    assert prompts.drafted(found, {}) == {"M1": True}
    assert prompts.drafted(found, {"M1": "keep"}) == {"M1": "keep"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploying on Fridays is fine", "Never deploy on Fridays"),
        ("User is allergic to walnuts", "User is allergic to peanuts"),
        ("Tests run in order", "Tests run in order, but only in staging"),
        ("All tables have an owner", "Most tables have an owner"),
        ("The importer calls the parser", "The parser calls the importer"),
    ],
)
def test_a_draft_that_may_turn_the_meaning_is_asked_by_itself(one, other):
    found = drafted_pair(one, other)
    assert prompts.drafted(found, {}) == {}
    console = Played("")
    decisions = consult(found, {}, (), 20, console, lambda decisions: None)
    assert "M1 — alike. Merge anyway? [y/N] " in console.said
    assert decisions.merges[0].state == "open"


def test_a_draft_that_loses_a_detail_is_asked_by_itself():
    assert prompts.drafted(plan(), {}) == {}


def three_versions() -> Plan:
    found = plan()
    found.merges = []
    found.conflicts = [
        Conflict("C1", IDS[2], IDS[3], "ports", None, "80 / 81"),
        Conflict("C2", IDS[3], IDS[4], "ports", None, "81 / tabs"),
        Conflict("C3", IDS[2], IDS[4], "ports", None, "80 / tabs"),
    ]
    return found


def test_an_answer_that_settles_another_contradiction_saves_its_question():
    console = Played("A", "B", "y")
    decisions = consult(three_versions(), {}, (), 20, console, lambda decisions: None)
    assert console.said.count("Which is current? [A/B/skip] ") == 2
    assert [(c.state, c.winner) for c in decisions.conflicts] == [
        ("accepted", "A"),
        ("accepted", "B"),
        ("accepted", "B"),
    ]


@pytest.mark.parametrize("replies", [("A", "A", "A"), ("B", "B", "B"), ("A", "B", "A"), ("B", "A", "B")])
def test_no_row_of_answers_can_remove_every_version(replies):
    decisions = consult(three_versions(), {}, (), 20, Played(*replies, "y", "y"), lambda decisions: None)
    removed = {loser for c in decisions.conflicts for _, loser in c.losses()}
    assert len(removed) < 3
