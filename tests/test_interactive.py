"""Asking a person in a terminal, played by a list of replies."""

import pytest
from mem0_dream.memory import Scope
from mem0_dream.planning.plan import Conflict, Merge, NearMiss, Plan
from mem0_dream.views import prompts, report
from mem0_dream.views.interview import Interview, outlook
from mem0_dream.views.prompts import Cancelled

from tests.memories import STORE

IDS = [f"{n:08x}-0000-4000-8000-000000000000" for n in range(8)]
TEXTS = ["Cache for 30s", "Cache", "Ports are 80", "Ports are 81", "Use tabs", "Use spaces", "Log in JSON", "Log JSON"]


def plan() -> Plan:
    found = Plan(STORE, Scope("me", "shop"), total=8)
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

    def __init__(self, *replies: str | type[BaseException], attended: bool = True, edited: str = "") -> None:
        self.replies = list(replies)
        self.said: list[str] = []
        self.attended, self.edited = attended, edited

    def say(self, text: str) -> None:
        self.said.append(text)

    def pair(self, a: str, b: str) -> None:
        self.said += [f"A: {a}", f"B: {b}"]

    def edit(self, draft: str) -> str:
        return self.edited

    def ask(self, prompt: str) -> str:
        self.said.append(prompt)
        if not self.replies:
            raise EOFError
        reply = self.replies.pop(0)
        if not isinstance(reply, str):
            raise reply
        return reply

    def prompts(self) -> list[str]:
        return [said.strip() for said in self.said if said.endswith("] ")]


def held(found: Plan, console: Played, answers: dict | None = None, most: int = 20, saved: list | None = None):
    given = {} if answers is None else answers
    kept: list = [] if saved is None else saved
    return Interview(found, given, (), console, kept.append).hold(most)


def asked(console: Played, most: int = 20):
    answers: dict = {}
    return held(plan(), console, answers, most), answers


WHICH = "Which is current? [A/B/both/same/skip]"
INTO = "Merge into this text? [y/N/edit/conflict]"


def test_counts_and_minutes_come_first_then_each_question_with_its_number_then_the_last_yes():
    console = Played("A", "b", "y", "")
    decisions, answers = asked(console)
    assert answers == {"C1": "A", "C2": "B", "M1": True}
    assert console.said[1:] == [
        "\n3 questions, about 1 minute.",
        '\n1 of 3 · C1 — "Ports are 80 / 81"',
        'A: "Ports are 80" (no date, confidence: none)',
        'B: "Ports are 81" (no date, confidence: none)',
        f"{WHICH} ",
        '\n2 of 3 · C2 — "Use tabs / spaces"',
        'A: "Use tabs" (no date, confidence: none)',
        'B: "Use spaces" (no date, confidence: none)',
        f"{WHICH} ",
        "\n3 of 3 · M1 — alike",
        '  - Original 1: "Cache for 30s"\n  - Original 2: "Cache"\n  - Merged:     "Cache"',
        '  It drops "30s".',
        f"{INTO} ",
        "",
        "Proposed: 1 merge, 0 prunes, 2 conflicts. Apply? [Y/n] ",
    ]
    assert [item.state for item in (*decisions.merges, *decisions.conflicts)] == ["accepted", "accepted", "accepted"]


def test_what_waits_for_the_next_pass_is_said():
    assert outlook(30, 12) == "12 questions, about 3 minutes; 18 more wait for the next pass."
    assert outlook(1, 20) == "1 question, about 1 minute."


def test_the_most_useful_questions_come_first_whatever_their_kind():
    found = plan()
    found.order = ["C2", "M1", "C1"]
    console = Played("", "", "")
    held(found, console)
    assert [said[1:12] for said in console.said if " of 3 · " in said] == ["1 of 3 · C2", "2 of 3 · M1", "3 of 3 · C1"]


def test_an_empty_reply_skips_and_is_no_answer_to_a_merge():
    console = Played("", "SKIP", "")
    decisions, answers = asked(console)
    assert answers == {"C1": "skip", "C2": "skip"}
    assert not decisions.changes()


def test_no_to_a_merge_is_remembered():
    decisions, answers = asked(Played("", "", "n"))
    assert answers["M1"] == "keep"
    assert decisions.merges[0].state == "dismissed"


def test_if_nothing_would_change_the_last_question_is_not_asked():
    console = Played("skip", "s", "n")
    asked(console)
    assert not any("Apply?" in said for said in console.said)


def test_both_and_same_are_answers_to_a_contradiction():
    decisions, answers = asked(Played("both", "same", "y", "", "y"))
    assert (answers["C1"], answers["C2"]) == ("both", {"text": None, "confirmed": True})
    assert "C2" in [merge.handle for merge in decisions.merges if merge.state == "accepted"]


def test_a_text_of_the_persons_own_is_asked_about_again_if_it_drops_something():
    console = Played("", "", "edit", "y", "y", edited="Cache it")
    decisions, answers = asked(console)
    assert '  It drops "30s".' in console.said
    assert answers["M1"] == {"text": "Cache it", "confirmed": True}
    assert decisions.merges[0].text == "Cache it"


def test_a_merge_can_be_made_a_contradiction_and_is_asked_as_one():
    console = Played("", "", "conflict", "B", "y")
    decisions, _ = asked(console)
    [made] = [conflict for conflict in decisions.conflicts if conflict.handle == "M1"]
    assert (made.state, made.winner) == ("accepted", "B")


def test_b_goes_one_back():
    console = Played("A", "back", "B", "A", "", "y")
    _, answers = asked(console)
    assert answers == {"C1": "B", "C2": "A"}
    assert [said for said in console.said if "1 of 3" in said] == ['\n1 of 3 · C1 — "Ports are 80 / 81"'] * 2


def test_anything_else_is_asked_again_with_what_can_be_typed():
    console = Played("maybe", "C", "a", "", "", "perhaps", "y")
    assert asked(console)[1]["C1"] == "A"
    assert console.prompts().count(WHICH) == 4
    answers = "A, B, both (both are true), same (one fact, merge them), skip, back (one question back), or q to leave"
    assert console.said.count(f"Type {answers}.") == 2
    assert console.said.count("Type y, n, details, or q to leave.") == 1


def test_no_more_than_the_set_number_of_questions_is_asked():
    console = Played("A", "y")
    decisions, _ = asked(console, most=1)
    assert [conflict.state for conflict in decisions.conflicts] == ["accepted", "open"]
    assert "\n1 question, about 1 minute; 2 more wait for the next pass." in console.said


@pytest.mark.parametrize("no", ["n", "NO"])
def test_no_cancels(no):
    with pytest.raises(Cancelled) as left:
        asked(Played("A", "", "", no))
    assert left.value.code == 0


@pytest.mark.parametrize("way", ["q", "Quit", KeyboardInterrupt])
def test_leaving_keeps_the_answers_given_so_far_and_counts_them(way):
    saved: list = []
    answers: dict = {}
    with pytest.raises(Cancelled) as left:
        held(plan(), Played("B", way), answers, saved=saved)
    assert answers == {"C1": "B"}
    assert [decisions.conflicts[0].winner for decisions in saved] == ["B"]
    assert left.value.answered == 1


def test_the_end_of_the_input_says_that_somebody_must_decide():
    with pytest.raises(Cancelled) as left:
        asked(Played("A"))
    assert left.value.code == 3


def test_an_empty_line_from_a_pipe_is_nobodys_yes():
    with pytest.raises(Cancelled) as left:
        asked(Played("A", "", "", "", "", attended=False))
    assert left.value.code == 3


def test_details_prints_the_long_form_and_asks_again():
    console = Played("A", "", "", "details", "y")
    decisions, _ = asked(console)
    assert console.said[-2:] == [report.long(decisions).removesuffix("\nApply? [Y/n]"), "Apply? [Y/n] "]


def alike(count: int) -> Plan:
    found = plan()
    found.merges, found.conflicts = [], []
    found.near_misses = [NearMiss([IDS[2 * n], IDS[2 * n + 1]], "items of a list", f"N{n + 1}") for n in range(count)]
    return found


def test_near_misses_are_shown_only_on_request():
    console = Played("")
    held(alike(2), console)
    assert console.prompts() == ["2 pairs that look alike are left alone. Look through them? [y/N]"]


def test_questions_of_one_form_can_be_answered_together():
    answers: dict = {}
    held(alike(4), Played("y", "y"), answers)
    assert answers == dict.fromkeys(["N1", "N2", "N3", "N4"], "keep")


def test_questions_of_one_form_can_be_answered_one_by_one():
    answers: dict = {}
    console = Played("y", "one by one", "n", "conflict", "A", "", "", "y")
    held(alike(4), console, answers)
    assert answers == {"N1": "keep", "N2": "A"}


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
    decisions = held(found, console)
    assert console.prompts() == [INTO]
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
    decisions = held(three_versions(), console)
    assert console.prompts().count(WHICH) == 2
    assert [(c.state, c.winner) for c in decisions.conflicts] == [
        ("accepted", "A"),
        ("accepted", "B"),
        ("accepted", "B"),
    ]


@pytest.mark.parametrize("replies", [("A", "A", "A"), ("B", "B", "B"), ("A", "B", "A"), ("B", "A", "B")])
def test_no_row_of_answers_can_remove_every_version(replies):
    decisions = held(three_versions(), Played(*replies, "y", "y"))
    removed = {loser for c in decisions.conflicts for _, loser in c.losses()}
    assert len(removed) < 3
