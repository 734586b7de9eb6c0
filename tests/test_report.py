"""The texts a person reads, compared whole."""

import unicodedata

import hypothesis
import pytest
from hypothesis import given
from mem0_dream import __version__
from mem0_dream.memory import Memory, Scope
from mem0_dream.planning.plan import Conflict, HeldBack, Merge, Plan, Prune, Update
from mem0_dream.review.answers import decide
from mem0_dream.safe_text import short_ids, shown
from mem0_dream.views import report, wording

from tests.memories import STORE

IDS = [f"{n:08x}-0000-4000-8000-000000000000" for n in range(1, 9)]
TEXTS = [
    "Retries back off from 30s",
    "Retries back off from 30s, at most five times",
    "The queue is RabbitMQ",
    "The queue is Kafka",
    "Looked into the slow tests",
    "Things may be slow",
]


def record(n: int, **more: object) -> dict:
    metadata = {"type": "decision", "confidence": 0.5 + n / 10}
    return {
        "id": IDS[n],
        "memory": TEXTS[n],
        "user_id": "me",
        "app_id": "shop",
        "metadata": metadata,
        "created_at": f"2026-10-0{n + 1}T08:00:00+00:00",
        **more,
    }


def plan() -> Plan:
    found = Plan(STORE, Scope("me", "shop"), total=6)
    found.merges = [Merge("M1", IDS[:2], "review", TEXTS[1], "one says all the other says", loses=[])]
    found.conflicts = [Conflict("C1", IDS[2], IDS[3], "the queue is", "B", "same but for RabbitMQ / Kafka")]
    found.prunes = [
        Prune("P1", IDS[4], "session_state", "retention", 120, 90),
        Prune("P2", IDS[5], "decision", "low_confidence", 58, None),
    ]
    found.held_back = [HeldBack("M9", "the list of memories may be cut off")]
    found.memories = {IDS[n]: record(n) for n in range(5)}
    found.memories[IDS[5]] = record(5, metadata={"type": "decision", "confidence": 0.2})
    return found


def test_the_short_report_is_exactly_the_published_form():
    found = plan()
    assert report.short(decide(found, {"M1": True})) == (
        "## dream — consolidation report\n"
        "\n"
        "Merges (1):\n"
        '  [mem0:00000001] + [mem0:00000002] → "Retries back off from 30s, at most five times"  M1\n'
        "\n"
        "Conflicts (1):\n"
        '  [mem0:00000003] vs [mem0:00000004] — "The queue is RabbitMQ / Kafka" [A/B/skip]  C1\n'
        "\n"
        "Prune (2):\n"
        '  [mem0:00000005] — session_state, 120d old — "Looked into the slow tests"  P1\n'
        "  [mem0:00000006] — decision, 58d old — confidence 0.2, says nothing specific — "
        '"Things may be slow"  P2\n'
        "\n"
        "Proposed: 1 merge, 2 prunes, 1 conflict. Apply? [Y/n]"
    )


def test_the_long_report_is_the_first_published_form_with_handle_and_reason():
    found = plan()
    assert report.long(decide(found, {"M1": True})) == (
        "## Dream — Memory Consolidation Report\n"
        "\n"
        "### Merge proposals (1 pairs)\n"
        "MERGE [mem0:00000001] + [mem0:00000002] → NEW\n"
        '  - Original 1: "Retries back off from 30s"\n'
        '  - Original 2: "Retries back off from 30s, at most five times"\n'
        '  - Merged:     "Retries back off from 30s, at most five times"\n'
        "  handle: M1\n"
        "  why: one says all the other says\n"
        "\n"
        "### Contradictions (1 pairs)\n"
        "CONFLICT [mem0:00000003] vs [mem0:00000004]\n"
        '  - A: "The queue is RabbitMQ" (2026-10-03, confidence: 0.7)\n'
        '  - B: "The queue is Kafka" (2026-10-04, confidence: 0.8)\n'
        "  Which is current? [A/B/skip]\n"
        "  handle: C1\n"
        "  why: same but for RabbitMQ / Kafka\n"
        "\n"
        "### Prune candidates (2 memories)\n"
        "PRUNE [mem0:00000005] — session_state, 120d old (policy: 90d)\n"
        '  - Text: "Looked into the slow tests"\n'
        "  handle: P1\n"
        "  why: older than its policy\n"
        "PRUNE [mem0:00000006] — decision, 58d old (confidence: 0.2)\n"
        '  - Text: "Things may be slow"\n'
        "  handle: P2\n"
        "  why: low confidence and no specifics\n"
        "\n"
        "### Held back (1)\n"
        "M9 — the list of memories may be cut off\n"
        "\n"
        "---\n"
        "Proposed: 1 merge, 2 prunes, 1 conflict\n"
        "Apply? [Y/n]"
    )


def test_a_confirmed_merge_that_loses_a_detail_names_it_in_the_long_report():
    found = plan()
    found.merges[0].text = "Retries back off"
    decisions = decide(found, {"M1": {"text": "Retries back off, at most five times", "confirmed": True}})
    assert '  loses: "30s", "from"\n' in report.long(decisions)


def test_a_section_with_no_item_is_left_out():
    found = plan()
    found.conflicts, found.prunes = [], []
    assert report.short(decide(found, {"M1": True})) == (
        "## dream — consolidation report\n"
        "\n"
        "Merges (1):\n"
        '  [mem0:00000001] + [mem0:00000002] → "Retries back off from 30s, at most five times"  M1\n'
        "\n"
        "Proposed: 1 merge, 0 prunes, 0 conflicts. Apply? [Y/n]"
    )


def test_a_merge_that_waits_stands_in_a_section_of_its_own():
    text = report.short(decide(plan(), {}))
    assert "Merges" not in text
    assert (
        "Needs your answer (1):\n"
        '  M1 [mem0:00000001] + [mem0:00000002] → "Retries back off from 30s, at most five times" — '
        "one says all the other says\n"
    ) in text


def test_a_text_that_drops_something_waits_with_all_that_goes():
    text = report.short(decide(plan(), {"M1": "Retries back off"}))
    gone = 'drops "30s", "from", "five", "most", "times"'
    assert f'M1 [mem0:00000001] + [mem0:00000002] → "Retries back off" — {gone}\n' in text
    confirmed = {"M1": {"text": "Retries back off", "confirmed": True}}
    assert f'→ "Retries back off" ({gone})  M1\n' in report.short(decide(plan(), confirmed))


def test_only_merges_that_wait_are_not_nothing_found():
    found = plan()
    found.conflicts, found.prunes = [], []
    assert report.NOTHING_FOUND not in report.short(decide(found, {}))
    assert "Left as they are: 1 kept" in report.short(decide(found, {"M1": "keep"}))


@pytest.mark.parametrize(("answer", "said"), [("A", "→ A  C1"), ("B", "→ B  C1"), (None, "[A/B/skip]  C1")])
def test_the_answer_stands_in_the_line_of_its_contradiction(answer, said):
    line = report.short(decide(plan(), {"C1": answer} if answer else {}))
    assert f'vs [mem0:00000004] — "The queue is RabbitMQ / Kafka" {said}\n' in line


@pytest.mark.parametrize(("answer", "said"), [("both", "both stay"), ("skip", "skipped")])
def test_what_stays_as_it_is_is_counted_and_named_in_the_long_form(answer, said):
    decisions = decide(plan(), {"C1": answer})
    assert "Conflicts" not in report.short(decisions)
    assert f"Left as they are: 1 {said} (--verbose names them)." in report.short(decisions)
    assert f"### Left as they are (1)\nC1 [mem0:00000003] vs [mem0:00000004] — {said}\n" in report.long(decisions)


def test_both_texts_are_quoted_whatever_topic_an_answer_gave():
    found = plan()
    memories = [Memory(record) for record in found.memories.values()]
    added = {"+": [{"conflict": ["#3", "#5"], "topic": "a comma"}]}
    text = report.short(decide(found, added, memories))
    assert '— "a comma: The queue is RabbitMQ / Looked into the slow tests" [A/B/skip]  C2\n' in text


def test_updates_stand_after_the_merges_and_what_is_gone_waits():
    found = plan()
    found.updates = [Update("U1", IDS[2], "The queue is NATS", "src/a.py was renamed")]
    found.prunes = [Prune("P1", IDS[4], "session_state", "gone", 120, None, "names src/old.py, deleted 2026-09-01")]
    open_text = report.short(decide(found, {}))
    assert '  U1 [mem0:00000003] → "The queue is NATS" — src/a.py was renamed\n' in open_text
    assert (
        "  P1 [mem0:00000005] — session_state, 120d old — names src/old.py, deleted 2026-09-01 — "
        '"Looked into the slow tests"\n'
    ) in open_text
    accepted = report.short(decide(found, {"U1": True, "P1": True}))
    assert 'Updates (1):\n  [mem0:00000003] → "The queue is NATS"  U1\n' in accepted
    assert "1 prune, 1 conflict, 1 update. Apply?" in accepted
    assert "UPDATE [mem0:00000003]\n" in report.long(decide(found, {"U1": True}))


def test_nothing_to_propose_is_said_in_one_line():
    found = plan()
    found.merges, found.conflicts, found.prunes = [], [], []
    line = "Dream complete. No duplicate, contradictory, or stale memories found."
    assert report.short(decide(found, {})) == report.long(decide(found, {})) == line


def test_a_cluster_of_more_than_two_is_one_merge():
    found = plan()
    found.merges[0].ids = IDS[:3]
    assert "[mem0:00000001] + [mem0:00000002] + [mem0:00000003] → " in report.short(decide(found, {"M1": True}))


def test_a_member_of_an_accepted_merge_is_asked_about_with_the_merged_text():
    found = plan()
    found.conflicts[0].a = IDS[0]
    decisions = decide(found, {"M1": True})
    assert wording.sides(decisions, decisions.conflicts[0])[0] == (
        '"Retries back off from 30s, at most five times" (2026-10-01, confidence: 0.5)'
    )


def test_a_merged_text_is_cut_to_100_characters_in_the_short_report():
    found = plan()
    found.merges[0].text = "x" * 101
    line = report.short(decide(found, {"M1": True})).splitlines()[3]
    assert '→ "' + "x" * 99 + '…"' in line


def test_no_memory_can_forge_a_line():
    assert shown("a\nb\r\tc\u2028d\u202ee\x1b[31m") == "a\\nb\\r\\tc\\u2028d\\u202ee\\x1b[31m"


def test_an_emoji_of_several_parts_stays_whole():
    assert shown("👩‍💻 done ✅") == "👩‍💻 done ✅"


@pytest.mark.parametrize("char", ["\u3164", "\u2800", "\uffa0", "\u2003", "\U000e0101"])
def test_a_letter_that_nobody_can_see_is_escaped(char):
    assert shown(f"a{char}b").isascii()


def test_a_mark_without_a_letter_or_too_many_on_one_are_escaped():
    assert shown("\u0301a") == "\\u0301a"
    assert shown("a" + "\u0301" * 9) == "a" + "\u0301" * 4 + "\\u0301" * 5


@pytest.mark.parametrize("text", ["Viê\u0323t", "हिन्दी में", "שָׁלוֹם", "น้ำ", "1\ufe0f\u20e3", "日本\u3000語", "d\u00a0!"])
def test_every_script_stays_readable(text):
    assert shown(text) == text


@given(hypothesis.strategies.text(), hypothesis.strategies.integers(1, 40))
def test_no_text_can_hide_or_break_a_line(text, limit):
    hidden = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    for line in (shown(text), shown(text, limit)):
        assert not [c for c in line if unicodedata.category(c) in hidden and c not in "\u200c\u200d"]
    assert len(shown(text, limit)) <= limit


def test_a_cut_does_not_part_what_belongs_together():
    assert shown("ab👩‍💻cd", 5) == "ab…"
    assert shown("abcde\u0301f", 6) == "abcd…"


def test_ids_are_shortened_to_eight_characters_or_as_many_as_tell_them_apart():
    assert short_ids(["abcdefgh-1", "abcdefgh-2", "x"]) == {
        "abcdefgh-1": "abcdefgh-1",
        "abcdefgh-2": "abcdefgh-2",
        "x": "x",
    }
    assert short_ids(["aaaaaaaa-1", "bbbbbbbb-2"]) == {"aaaaaaaa-1": "aaaaaaaa", "bbbbbbbb-2": "bbbbbbbb"}


def test_the_first_line_says_version_store_user_project_and_count():
    line = report.first_line("file export.json", "me", None, 3)
    assert line == f"mem0-dream {__version__} · file export.json · user me · project none · 3 memories"


def test_the_summaries_are_exactly_the_published_ones():
    assert report.summary(1, 2, 3, 4) == "Dream complete — merged: 1, pruned: 2, conflicts resolved: 3, skipped: 4"
    assert report.undo_line("undo it") == "Undo: undo it"
    assert report.worth(306, 254, 9400) == "306 → 254 memories, 9,400 characters less in the store"
    assert report.worth(40, 32) == "40 → 32 memories"
    assert (
        report.auto_line("shop", 1, 2, 3) == "[mem0-dream --auto] project=shop  merged=1  pruned=2  conflicts_skipped=3"
    )
    assert report.no_memories("shop") == "No memories found for project shop. Nothing to consolidate."
    assert report.AUTO_BUSY == "[mem0-dream --auto] Another run in progress — skipping."
