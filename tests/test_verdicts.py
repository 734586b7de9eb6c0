"""Answers and rails: what is taken, what is refused and with which words, what waits for a person."""

from __future__ import annotations

import json
from datetime import date

import pytest
from mem0_dream.errors import UsageError
from mem0_dream.memory import Memory
from mem0_dream.planning.plan import Conflict, Merge, NearMiss, Plan, Prune, Update
from mem0_dream.review.answers import decide, remember
from mem0_dream.review.rails import MOST_TEXT
from mem0_dream.review.verdicts import combine, parse
from mem0_dream.runs.dismissals import Dismissals

from .memories import STORE
from .worlds import SCOPE, record

TODAY = date(2026, 6, 1)
ROWS = [
    record("a-000001", "Tests run with pytest on port 8080", 1),
    record("b-000002", "Tests are run with pytest", 2),
    record("c-000003", "Deploy to ECS", 3),
    record("d-000004", "Deploy to Vercel", 4),
    record("e-000005", "Deploy to Fly", 5),
    record("f-000006", "Old state", 6, type="session_state"),
    record("g-000007", "Vague", 7, confidence=0.1),
    record("h-000008", "Something else", 8),
    record("i-000009", "Something else again", 9),
    record("j-000010", "[PINNED] Keep this", 10),
    record("k-000011", "A convention", 11, type="convention"),
    record("l-000012", "Same words", 12),
    record("m-000013", "same words", 13),
]
NUMBERS = [Memory(row) for row in ROWS]


def plan(**changes) -> Plan:
    whole = {
        "merges": [
            Merge("M1", ["l-000012", "m-000013"], "safe", "same words", "the same"),
            Merge("M2", ["a-000001", "b-000002"], "review", "Tests run with pytest on port 8080", "alike"),
        ],
        "conflicts": [
            Conflict("C1", "c-000003", "d-000004", "deploy", "B", ""),
            Conflict("C2", "d-000004", "e-000005", "deploy", None, ""),
            Conflict("C3", "c-000003", "e-000005", "deploy", None, ""),
        ],
        "prunes": [
            Prune("P1", "f-000006", "session_state", "retention", 100, 90),
            Prune("P2", "g-000007", "decision", "low_confidence", 100, None),
        ],
        "memories": {row["id"]: row for row in ROWS},
        "total": len(ROWS),
    }
    return Plan(STORE, SCOPE, **{**whole, **changes})


def decisions(answers, **changes):
    return decide(plan(**changes), answers, NUMBERS, TODAY)


def state(answers, handle, **changes) -> str:
    done = decisions(answers, **changes)
    return next(item.state for item in done.items if item.handle == handle)


def refusal(answers, **changes) -> str:
    with pytest.raises(UsageError) as refused:
        decisions(answers, **changes)
    return str(refused.value)


def test_safe_merges_and_prunes_need_no_answer_and_the_rest_stays_open():
    done = decisions({})
    assert [(m.handle, m.state) for m in done.merges] == [("M1", "accepted"), ("M2", "open")]
    assert {c.state for c in done.conflicts} == {"open"}
    assert [(p.handle, p.state) for p in done.prunes] == [("P1", "accepted"), ("P2", "accepted")]


@pytest.mark.parametrize(
    ("answers", "handle", "expected"),
    [
        ({"M1": "keep"}, "M1", "dismissed"),
        ({"M2": True}, "M2", "accepted"),
        ({"M2": "Pytest runs the tests on port 8080"}, "M2", "accepted"),
        ({"C1": "b"}, "C1", "accepted"),
        ({"C1": "Both"}, "C1", "dismissed"),
        ({"C1": "SKIP"}, "C1", "skipped"),
        ({"M2": "skip"}, "M2", "skipped"),
        ({"M1": "skip"}, "M1", "skipped"),
        ({"P1": " Keep "}, "P1", "dismissed"),
        ({"P1": "skip"}, "P1", "skipped"),
        ({"M2": "same"}, "M2", "accepted"),
        ({"P1": "keep"}, "P1", "dismissed"),
        ({"P2": True}, "P2", "accepted"),
    ],
)
def test_each_answer_has_its_outcome(answers, handle, expected):
    assert state(answers, handle) == expected


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"M9": True}, "M9 is not in this plan"),
        ({"M1": 3}, "M1 takes true"),
        ({"M1": False}, "M1 takes true"),
        ({"M1": ["x"]}, "M1 takes true"),
        ({"M1": {"text": "x"}}, "M1 takes true"),
        ({"C1": "C"}, "C1 has no version C; it takes A or B"),
        ({"C1": 1}, "C1 takes"),
        ({"C1": "?"}, "C1 takes"),
        ({"M2": "?"}, "M2 takes"),
        ({"M2": "yes"}, "M2 takes"),
        ({"M1": "C"}, "M1 has no version C"),
        ({"M2": "The weather was fine in Lisbon"}, "M2 has a text that shares too few words"),
        ({"P1": "conflict"}, "P1 takes true"),
        ({"P1": "yes"}, "P1 takes true"),
        ({"P1": 1}, "P1 takes true"),
        ({"M2": "  "}, "M2 has an empty text"),
        ({"M2": "x" * (MOST_TEXT + 1)}, "M2 has a text of 10001 characters"),
        ({"M2": "half \ud83d"}, "half a character"),
        ({"M2": "Something else"}, "M2 has the text of a memory outside of it"),
        ({"+": {}}, '"+" takes a list'),
        ({"+": [{"members": ["#8", "#9"]}]}, '"+" takes a list'),
        ({"+": [{"members": ["#8", "#99"], "text": "x"}]}, "there is no memory #99"),
        ({"+": [{"members": ["#0", "#9"], "text": "x"}]}, "there is no memory #0"),
        ({"+": [{"members": [8, 9], "text": "x"}]}, "there is no memory"),
        ({"+": [{"members": ["#8"], "text": "x"}]}, "two numbers or more"),
        ({"+": [{"members": ["#8", "#8"], "text": "x"}]}, "names a memory twice"),
        ({"+": [{"members": ["#8", "#9"], "text": " "}]}, "its text is empty"),
        ({"+": [{"members": ["#1", "#2"], "text": "x"}]}, "M2 asks that already"),
        ({"+": [{"conflict": ["#3", "#4"], "topic": "x"}]}, "C1 asks that already"),
        ({"+": [{"conflict": ["#8", "#9"]}]}, "its topic is empty"),
        ({"+": [{"conflict": ["#3", "#8", "#9"], "topic": "x"}]}, "between two memories"),
        ({"+": [{"members": ["#8", "#10"], "text": "Something else"}]}, "pinned and must not be touched"),
        ({"+": [{"conflict": ["#8", "#10"], "topic": "x"}], "C4": "A"}, "pinned and must not be touched"),
        ({"+": [{"members": ["#8", "#11"], "text": "Something else"}]}, "different scope or type"),
        ({"+": [{"conflict": ["#8", "#11"], "topic": "x"}], "C4": "A"}, "different scope or type"),
        ({"+": [{"members": ["#8", "#6"], "text": "x"}]}, "another answer uses already"),
        ({"C1": "A", "C2": "A", "C3": "B"}, "together would leave no version"),
    ],
)
def test_what_is_refused_is_refused_with_the_reason(answers, words):
    assert words in refusal(answers)


def test_every_bad_answer_is_named_at_once():
    told = refusal({"M1": 3, "M9": True, "C1": "C"})
    assert all(words in told for words in ("M1 takes", "M9 is not", "C1 has no version"))


def held(answers, handle, **changes) -> str:
    """Why a found item is held back although nobody answered it."""
    done = decisions(answers, **changes)
    assert state(answers, handle, **changes) == "held"
    return "; ".join(item.why for item in done.held_back if item.handle == handle)


@pytest.mark.parametrize("key", ["pinned", "immutable"])
def test_a_protected_memory_is_left_alone_even_where_the_plan_names_it(key):
    rows = {row["id"]: row for row in ROWS}
    rows["l-000012"] = {**rows["l-000012"], "metadata": {"type": "decision", key: "true"}}
    assert f"is {key} and must not be touched" in held({}, "M1", memories=rows)
    assert f"M1 names a memory that is {key}" in refusal({"M1": True}, memories=rows)


def test_a_memory_that_expired_since_the_plan_was_made_is_left_alone():
    rows = {row["id"]: row for row in ROWS}
    rows["f-000006"] = {**rows["f-000006"], "expiration_date": "2026-05-31"}
    assert "is expired" in held({}, "P1", memories=rows)
    assert state({}, "M1", memories=rows) == "accepted"


def test_a_memory_of_another_scope_is_left_alone():
    rows = {row["id"]: row for row in ROWS}
    rows["l-000012"] = {**rows["l-000012"], "app_id": "elsewhere"}
    assert "memories of different scope" in held({}, "M1", memories=rows)


def test_an_added_merge_takes_in_the_copies_of_its_members():
    done = decisions({"+": [{"members": ["#8", "#12"], "text": "Something else, same words"}]})
    assert [set(merge.ids) for merge in done.merges if merge.state == "accepted"] == [
        {"h-000008", "l-000012", "m-000013"}
    ]


def test_a_memory_in_two_items_is_left_alone_and_refused_where_an_answer_wants_it():
    twice = [*plan().merges, Merge("M3", ["b-000002", "h-000008"], "added", "Something else", "")]
    assert "another answer uses already" in refusal({"M2": True}, merges=twice)
    twice = [*plan().merges, Merge("M3", ["l-000012", "h-000008"], "safe", "Same words", "")]
    assert held({}, "M1", merges=twice) and held({}, "M3", merges=twice)


def test_a_text_that_loses_or_brings_a_specific_waits_for_a_yes():
    done = decisions({"M2": "Tests run with pytest"})
    assert (done.merges[1].state, done.merges[1].loses) == ("held", ["8080"])
    done = decisions({"M2": "Tests run with pytest on port 8080 in /srv/app"})
    assert (done.merges[1].state, done.merges[1].brings != []) == ("held", True)


def test_true_after_such_a_text_confirms_it():
    answers = combine({"M2": "Tests run with pytest"}, {"M2": True})
    [_, merge] = decisions(answers).merges
    assert (merge.state, merge.text) == ("accepted", "Tests run with pytest")


def test_another_text_after_a_confirmed_one_waits_again():
    answers = combine(combine({"M2": "Tests run with pytest"}, {"M2": True}), {"M2": "Pytest"})
    assert state(answers, "M2") == "held"


def test_a_draft_that_loses_a_specific_is_accepted_by_a_yes_alone():
    lossy = [Merge("M1", ["a-000001", "b-000002"], "review", "Tests are run with pytest", "", loses=["8080"])]
    assert state({}, "M1", merges=lossy) == "open"
    assert state({"M1": True}, "M1", merges=lossy) == "accepted"


def test_nobody_confirms_a_loss_in_an_unattended_run():
    answers = combine({"M2": "Tests run with pytest"}, {"M2": True})
    assert state(answers, "M2", mode="auto") == "held"


def test_an_agent_s_text_that_loses_nothing_is_accepted_unattended():
    assert state({"M2": "Pytest runs the tests on port 8080"}, "M2", mode="auto") == "accepted"


def test_a_contradiction_is_never_decided_unattended():
    assert state({"C1": "B"}, "C1", mode="auto") == "held"


def test_a_doubtful_prune_is_never_done_unattended():
    assert state({}, "P2", mode="auto") == "held"
    assert state({"P2": True}, "P2", mode="auto") == "held"
    assert state({}, "P1", mode="auto") == "accepted"


def test_an_answer_that_removes_a_memory_settles_its_other_pairs():
    done = decisions({"C1": "B"})
    assert [(c.handle, c.state, c.winner) for c in done.conflicts] == [
        ("C1", "accepted", "B"),
        ("C2", "open", None),
        ("C3", "accepted", "B"),
    ]


def test_an_answer_about_a_member_of_a_merge_settles_the_pairs_of_the_merged_memory():
    merges = [Merge("M1", ["c-000003", "h-000008"], "safe", "Deploy to ECS", "")]
    pairs = [Conflict("C1", "c-000003", "d-000004", "", None, ""), Conflict("C2", "h-000008", "e-000005", "", None, "")]
    done = decisions({"C1": "B"}, merges=merges, conflicts=pairs)
    assert [(c.state, c.winner) for c in done.conflicts] == [("accepted", "B"), ("accepted", "B")]


def test_an_added_merge_becomes_an_item_of_the_plan_with_a_handle_of_its_own():
    done = decisions({"+": [{"members": ["#8", "#9"], "text": "Something else again"}]})
    assert (done.merges[-1].handle, done.merges[-1].ids) == ("M3", ["h-000008", "i-000009"])
    assert done.merges[-1].state == "accepted"
    assert done.plan.merges[-1].tier == "added" and done.plan.memory("i-000009").text == "Something else again"


def test_an_added_merge_passes_the_rails_of_a_found_one():
    assert state({"+": [{"members": ["#8", "#9"], "text": "Something else again on port 9090"}]}, "M3") == "held"
    assert state({"+": [{"members": ["#8", "#9"], "text": "Something else again"}], "M3": "keep"}, "M3") == "dismissed"


def test_an_added_contradiction_has_the_older_memory_as_a():
    done = decisions({"+": [{"conflict": ["#9", "#8"], "topic": "else"}], "C4": "A"})
    assert (done.conflicts[-1].conflict.a, done.conflicts[-1].losses()) == ("h-000008", [("h-000008", "i-000009")])


def test_an_addition_is_allowed_where_the_found_one_was_left_alone():
    done = decisions({"M2": "keep", "+": [{"members": ["#1", "#2"], "text": "Tests are run with pytest on port 8080"}]})
    assert done.merges[-1].state == "accepted"


def test_additions_of_several_calls_add_up_and_other_answers_are_overwritten():
    one, two = {"members": ["#8", "#9"], "text": "x"}, {"conflict": ["#3", "#8"], "topic": "y"}
    assert combine({"+": [one], "C1": "A"}, {"+": [two, one], "C1": "B"}) == {"+": [one, two], "C1": "B"}


@pytest.mark.parametrize("text", ["", "M1: true", "[1]", "3", '"M1"', '{"M1": true'])
def test_answers_that_are_no_json_object_are_told_in_a_sentence(text):
    with pytest.raises(UsageError, match="JSON"):
        parse(text)


def test_the_digest_changes_with_every_answer_and_every_plan():
    digests = [decisions(answers).digest() for answers in ({}, {"M2": True}, {"C1": "A"}, {"C1": "B"}, {"P1": "keep"})]
    other = decide(plan(memories={**plan().memories, "x": record("x", "More")}), {}, NUMBERS, TODAY).digest()
    assert len({*digests, other}) == 6
    assert decisions({"C1": "skip"}).digest() == decisions({}).digest()


def test_only_some_handles_leave_the_rest_alone():
    done = decisions({}).only(["P1"])
    assert [item.handle for item in (*done.merges, *done.prunes) if item.state == "accepted"] == ["P1"]
    with pytest.raises(UsageError, match="M2"):
        decisions({}).only(["M2"])


def test_a_plan_and_answers_from_disk_settle_the_same(tmp_path):
    body = json.loads(json.dumps(plan().to_document()))
    assert decide(Plan.from_document(body), {"C1": "A"}, NUMBERS, TODAY).digest() == decisions({"C1": "A"}).digest()


def test_what_is_left_alone_is_remembered_until_it_is_wanted_after_all(tmp_path):
    kept = Dismissals(tmp_path / "kept.json")
    remember(kept, decisions({"M1": "keep", "C1": "both", "P1": "keep"}))
    assert kept.forbids("merge", ["Same words", "same words"])
    assert kept.forbids("conflict", ["Deploy to Vercel", "Deploy to ECS"])
    assert kept.forbids("prune", ["Old state"])
    remember(kept, decisions({"C1": "A"}))
    assert kept.entries == []


def test_skip_is_not_remembered(tmp_path):
    kept = Dismissals(tmp_path / "kept.json")
    remember(kept, decisions({"C1": "skip"}))
    assert kept.entries == []


# Whatever the code took a pair for, every answer that can be true is open.


NEAR = [NearMiss(["h-000008", "i-000009"], "alike", "N1")]


@pytest.mark.parametrize("word", ["keep", "Keep", " keep ", "both", "BOTH", '"keep"', "keep."])
def test_an_answer_word_is_never_a_text_whatever_its_spaces_and_case(word):
    for handle in ("M1", "M2", "C1", "N1"):
        assert state({handle: word}, handle, near_misses=NEAR) == "dismissed"


@pytest.mark.parametrize("handle", ["M2", "N1"])
def test_a_merge_or_a_near_miss_answered_conflict_is_a_contradiction_that_is_asked(handle):
    done = decisions({handle: "conflict"}, near_misses=NEAR)
    [found] = [c for c in done.conflicts if c.handle == handle]
    assert found.state == "open"
    assert handle not in {item.handle for item in (*done.merges, *done.near_misses)}


def test_a_merge_answered_with_a_letter_keeps_the_older_or_the_newer_alone():
    done = decisions({"M2": "A"})
    [found] = [c for c in done.conflicts if c.handle == "M2"]
    assert found.losses() == [("a-000001", "b-000002")]
    assert decisions({"M2": "b"}).conflicts[0].losses() == [("b-000002", "a-000001")]


def test_a_merge_of_three_answered_conflict_is_a_chain_with_a_letter_for_each():
    three = [Merge("M1", ["c-000003", "d-000004", "e-000005"], "review", "Deploy to Fly", "")]
    [found] = decisions({"M1": "C"}, merges=three, conflicts=[]).conflicts
    assert found.versions() == {"A": "d-000004", "B": "e-000005", "C": "c-000003"}
    assert set(found.losses()) == {("c-000003", "e-000005"), ("c-000003", "d-000004")}


def test_the_answer_to_a_chain_removes_every_other_version():
    chain = [Conflict("C1", "d-000004", "e-000005", "", None, "", ["e-000005", "d-000004", "c-000003"])]
    [found] = decisions({"C1": "B"}, conflicts=chain).conflicts
    assert set(found.losses()) == {("e-000005", "d-000004"), ("e-000005", "c-000003")}


def test_the_answer_to_a_renaming_holds_for_its_further_pairs():
    pairs = [Conflict("C1", "c-000003", "d-000004", "", None, "", also=[["a-000001", "b-000002"]])]
    [found] = decisions({"C1": "B"}, conflicts=pairs).conflicts
    assert found.losses() == [("d-000004", "c-000003"), ("b-000002", "a-000001")]
    assert "renaming" in refusal({"C1": "same"}, conflicts=pairs)


@pytest.mark.parametrize("answer", [True, "same", "Something else again"])
def test_a_near_miss_can_be_one_fact(answer):
    merge = decisions({"N1": answer}, near_misses=NEAR).merges[-1]
    assert (merge.handle, merge.text, merge.state) == ("N1", "Something else again", "accepted")


def test_a_contradiction_that_is_one_fact_is_merged_and_what_it_drops_needs_a_person():
    pair = [Conflict("C1", "b-000002", "a-000001", "", None, "")]
    [merge] = decisions({"C1": "same"}, merges=[], conflicts=pair).merges
    assert (merge.text, merge.state) == ("Tests run with pytest on port 8080", "accepted")
    [merge] = decisions({"C1": "Tests are run with pytest"}, merges=[], conflicts=pair).merges
    assert (merge.loses, merge.state) == (["8080"], "held")
    [merge] = decisions(combine({"C1": "Tests are run with pytest"}, {"C1": True}), merges=[], conflicts=pair).merges
    assert merge.state == "accepted"


def test_one_fact_in_two_wordings_that_name_two_values_is_held_until_a_person_says_yes():
    assert state({"C1": "same"}, "C1") == state({"C1": True}, "C1") == "held"
    assert state(combine({"C1": "same"}, {"C1": True}), "C1", conflicts=plan().conflicts[:1]) == "accepted"


def test_a_person_s_yes_cannot_be_given_in_the_same_call_as_the_text():
    with pytest.raises(UsageError, match="M2 takes"):
        parse('{"M2": {"text": "x", "confirmed": true}}')


def test_a_copy_of_a_memory_goes_into_the_merge_that_an_answer_made():
    copies = [Merge("M1", ["h-000008", "l-000012"], "safe", "Same words", "")]
    [merge] = decisions({"N1": "Something else again"}, merges=copies, near_misses=NEAR).merges
    assert (merge.handle, merge.ids) == ("N1", ["h-000008", "i-000009", "l-000012"])


def test_questions_of_one_form_are_answered_together():
    assert parse('{"C1-C3": "both", "M1, M4": "keep", "P2-3": true}') == {
        **dict.fromkeys(("C1", "C2", "C3"), "both"),
        **dict.fromkeys(("M1", "M4"), "keep"),
        **dict.fromkeys(("P2", "P3"), True),
    }
    for wrong in ("C3-C1", "C1-C999999"):
        with pytest.raises(UsageError, match="no group"):
            parse(f'{{"{wrong}": "both"}}')


@pytest.mark.parametrize("answer", ["keep", "skip", None])
def test_a_near_miss_that_stays_one_changes_nothing(answer):
    done = decisions({} if answer is None else {"N1": answer}, near_misses=NEAR)
    assert [item.state for item in done.near_misses] == [{"keep": "dismissed", "skip": "skipped"}.get(answer, "open")]


# What an agent adds by itself.


def test_a_text_that_drops_a_whole_memory_of_plain_words_waits_for_a_person():
    added = {"+": [{"members": ["#3", "#8"], "text": "Deploy to ECS"}]}
    [*_, merge] = decisions(added).merges
    assert (merge.state, merge.words) == ("held", ["else"])


def test_unattended_only_memories_that_are_alike_are_merged_by_an_addition():
    added = {"+": [{"members": ["#3", "#8"], "text": "Deploy to ECS, something else"}]}
    assert "not alike enough" in refusal(added, mode="auto")


def test_unattended_a_text_keeps_every_significant_word_of_every_member():
    added = {"+": [{"members": ["#8", "#9"], "text": "Something else again"}]}
    assert state(added, "M3", mode="auto") == "accepted"
    assert state({"M2": "Run pytest on port 8080"}, "M2", mode="auto") == "held"
    assert state({"M2": "Run pytest on port 8080"}, "M2") == "accepted"


@pytest.mark.parametrize("mode", ["asked", "auto"])
def test_an_addition_that_was_left_alone_before_is_refused(tmp_path, mode):
    kept = Dismissals(tmp_path / "kept.json")
    kept.add("merge", ["Something else", "Something else again"], "keep")
    added = {"+": [{"members": ["#8", "#9"], "text": "Something else again"}]}
    with pytest.raises(UsageError, match="left alone before"):
        decide(plan(mode=mode), added, NUMBERS, TODAY, kept)


# Updates and what the repository has no more.


def test_an_update_and_a_memory_of_what_is_gone_change_nothing_before_somebody_says_yes():
    updates = [Update("U1", "h-000008", "Something new", "renamed")]
    gone = [Prune("P1", "f-000006", "session_state", "gone", 100, None, "names src/old.py")]
    assert state({}, "U1", updates=updates) == state({}, "P1", prunes=gone) == "open"
    yes = {"U1": True, "P1": True}
    assert [state(yes, handle, updates=updates, prunes=gone) for handle in yes] == ["accepted", "accepted"]
    assert state(yes, "U1", updates=updates, prunes=gone, mode="auto") == "held"
    assert state({"U1": "keep"}, "U1", updates=updates) == "dismissed"


def test_an_update_of_a_memory_that_is_merged_too_is_refused():
    updates = [Update("U1", "a-000001", "Tests run with pytest on port 9090", "moved")]
    assert "another answer uses already" in refusal({"U1": True, "M2": True}, updates=updates)


def test_what_is_left_alone_is_remembered_by_the_kind_of_its_question(tmp_path):
    kept = Dismissals(tmp_path / "kept.json")
    remember(kept, decisions({"N1": "keep"}, near_misses=NEAR))
    assert kept.forbids("near miss", ["Something else", "Something else again"])
