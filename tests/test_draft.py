import os
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mem0_dream.config.policies import Policies
from mem0_dream.matching.classifier import Judgement
from mem0_dream.planning import comparing, parallel, planner
from mem0_dream.planning.comparing import Findings
from mem0_dream.planning.plan import Plan
from mem0_dream.planning.planner import make_plan
from mem0_dream.planning.wording import OTHER_DAY
from mem0_dream.runs import documents
from mem0_dream.runs.dismissals import Dismissals

from tests.memories import TODAY, record, snapshot, texts

KEEP_90 = Policies({"session_state": 90})
SAME_TEXT = "the same but for how it is written"
PORT = "The payment API listens on port 8080"
OTHER_PORT = "The payment API listens on port 9090"
THIRD_PORT = "The payment API listens on port 7070"


def plan_of(*records: dict[str, Any], **other: Any) -> Plan:
    return make_plan(snapshot(records), KEEP_90, other.pop("kept", None), TODAY, **other)


def named(plan: Plan) -> set[str]:
    return {*plan.ids(), *plan.memories}


# Merges


def test_repeats_are_one_safe_merge_with_the_oldest_first():
    plan = make_plan(texts("Use tabs", "Use tabs", "Something else", "Use tabs"), KEEP_90, None, TODAY)
    assert [(merge.ids, merge.tier, merge.text) for merge in plan.merges] == [(["m0", "m1", "m3"], "safe", "Use tabs")]


def test_of_equal_texts_the_newest_one_stands():
    plan = make_plan(texts("use tabs", "Use **tabs**", "Use tabs."), KEEP_90, None, TODAY)
    assert [(merge.tier, merge.text) for merge in plan.merges] == [("safe", "Use tabs.")]


def test_the_same_words_about_yesterday_noted_on_two_days_are_asked_about():
    first = record("a", "The release failed yesterday", created_at="2026-01-01T00:00:00+00:00")
    same_day = record("b", "The release failed yesterday", created_at="2026-01-01T09:00:00+00:00")
    later = record("c", "The release failed yesterday", created_at="2026-03-01T00:00:00+00:00")
    assert [merge.tier for merge in plan_of(first, same_day).merges] == ["safe"]
    assert [(merge.tier, merge.why) for merge in plan_of(first, later).merges] == [
        ("review", f"{OTHER_DAY}; {SAME_TEXT}")
    ]


def test_the_fullest_text_is_the_draft():
    short, full = (
        "The user prefers short commit messages",
        "The user prefers short commit messages with the ticket number",
    )
    merges = make_plan(texts(full, short), KEEP_90, None, TODAY).merges
    assert [(merge.ids, merge.tier, merge.text, merge.loses) for merge in merges] == [
        (["m0", "m1"], "review", full, [])
    ]


def test_ten_thousand_copies_are_one_merge():
    plan = plan_of(*(record(f"m{i}", "The archive has two files") for i in range(10_000)))
    assert [len(merge.ids) for merge in plan.merges] == [10_000]


def test_thousands_in_other_dress_are_one_merge():
    words = ["the", "nightly", "export", "of", "our", "billing", "service", "writes", "two", "files", "a", "week"]
    dressed = (" ".join(f"**{w}**" if i >> n & 1 else w for n, w in enumerate(words)) for i in range(3000))
    plan = plan_of(*(record(f"m{i}", text) for i, text in enumerate(dressed)))
    assert [(len(merge.ids), merge.tier) for merge in plan.merges] == [(3000, "safe")]


# What is never compared or touched


@pytest.mark.parametrize(
    "other",
    [{"type": "preference"}, {"user_id": "somebody else"}, {"app_id": "other"}, {"agent_id": "agent"}, {"type": None}],
)
def test_repeats_of_another_type_or_scope_never_meet(other):
    assert named(plan_of(record("a", "Use tabs"), record("b", "Use tabs", **other))) == set()


@pytest.mark.parametrize(
    "protected",
    [
        {"pinned": True},
        {"pinned": "yes"},
        {"immutable": True},
        {"replaced_by": "x"},
        {"lifecycle_state": "merged"},
        {"synthesized": True},
        {"expiration_date": "2026-01-01"},
        {"metadata": {"type": "session_state", "source": "mem0-dream-auto"}},
    ],
)
def test_a_protected_memory_is_named_nowhere(protected):
    old = {"type": "session_state", "created": "2020-01-01"}
    a, b = record("a", PORT, **{**old, **protected}), record("b", PORT, type="session_state")
    assert named(plan_of(a, b, record("c", OTHER_PORT, type="session_state"))) <= {"b", "c"}


def test_a_text_that_begins_pinned_is_named_nowhere():
    assert named(plan_of(record("a", "[Pinned] Use tabs"), record("b", "[Pinned] Use tabs"))) == set()


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_empty_memories_are_left_alone(text):
    old = {"type": "session_state", "created": "2020-01-01"}
    assert named(plan_of(record("a", text, **old), record("b", text, **old))) == set()


def test_memories_without_an_id_of_their_own_are_left_alone():
    rows = [
        record("", "Use tabs"),
        record("", "Use tabs"),
        record("a", "Use tabs"),
        record("a", "Use tabs", pinned=True),
    ]
    assert named(plan_of(*rows, record("b", "Use tabs"))) == set()


@pytest.mark.parametrize(
    "text", ["!!!", "🎉🎉", "a", "\ud83d", "x" * 50_000, "\u200b", "שלום", "| a | b |\n|---|---|", "```\ncode\n```"]
)
def test_odd_texts_meet_only_their_own_repeats(text):
    rows = [
        record("a", text),
        record("b", text),
        record("c", "???"),
        record("d", "🎈"),
        record("e", "b"),
        record("f", "\udc00"),
    ]
    assert [merge.ids for merge in plan_of(*rows).merges] == [["a", "b"]]


# One memory, one fate


def test_what_retention_prunes_is_neither_merged_nor_asked():
    old = {"type": "session_state", "created": "2026-01-01"}
    rows = [record("a", PORT, **old), record("b", PORT, **old), record("c", OTHER_PORT, type="session_state")]
    plan = plan_of(*rows)
    assert sorted(prune.id for prune in plan.prunes) == ["a", "b"]
    assert not plan.merges
    assert not plan.conflicts


def test_the_doubtful_are_pruned_and_nothing_else():
    plan = plan_of(record("a", "it is nice", confidence=0.1), record("b", "it is nice", confidence=0.9))
    assert [(prune.id, prune.reason) for prune in plan.prunes] == [("a", "low_confidence")]
    assert not plan.merges


def test_of_doubtful_copies_one_stays():
    plan = plan_of(*(record(id, "it is nice", confidence=0.1) for id in "ab"))
    assert not plan.prunes
    assert [(merge.tier, merge.ids) for merge in plan.merges] == [("safe", ["a", "b"])]


def test_a_text_under_two_types_is_told_once_with_the_count():
    rows = [record(f"{type}{n}", text, type=type) for type in ("task", "fact") for n, text in enumerate((PORT, SHORT))]
    plan = plan_of(*rows)
    assert not plan.merges
    assert plan.notes == ["2 texts stand word for word under several types, which are never compared: fact and task."]


# Conflicts


def sides(plan: Plan) -> list[tuple[str, str, str | None]]:
    return [(conflict.a, conflict.b, conflict.winner) for conflict in plan.conflicts]


@pytest.mark.parametrize(
    ("older", "newer", "winner"),
    [(0.5, 0.9, "B"), (0.9, 0.5, None), (0.5, 0.5, None), (None, 0.9, None), (0.5, None, None), (None, None, None)],
)
def test_the_newer_wins_only_with_the_higher_confidence(older, newer, winner):
    rows = [
        record("new", OTHER_PORT, created="2026-05-02", confidence=newer),
        record("old", PORT, created="2026-05-01", confidence=older),
    ]
    assert sides(plan_of(*rows)) == [("old", "new", winner)]


@pytest.mark.parametrize(("older", "newer", "winner"), [(0.7, 0.7, "B"), (None, 0.7, "B"), (0.9, 0.5, None)])
def test_a_newer_note_of_the_change_wins_unless_it_is_less_sure(older, newer, winner):
    rows = [
        record("old", "The team uses Jenkins for CI", created="2026-05-01", confidence=older),
        record("new", "The team switched CI from Jenkins to Buildkite", created="2026-05-09", confidence=newer),
    ]
    assert sides(plan_of(*rows)) == [("old", "new", winner)]


def test_without_two_dates_there_is_no_winner():
    rows = [record("a", PORT, confidence=0.1), record("b", OTHER_PORT, confidence=0.9)]
    rows[0]["created_at"] = None
    assert sides(plan_of(*rows)) == [("a", "b", None)]


def test_versions_of_one_fact_are_one_question_the_newest_first():
    plan = make_plan(texts(PORT, OTHER_PORT, THIRD_PORT), KEEP_90, None, TODAY)
    assert [(c.ids, c.a, c.b) for c in plan.conflicts] == [(["m2", "m1", "m0"], "m1", "m2")]


def test_versions_that_one_write_holds_are_no_chain():
    rows = [record("a", PORT), record("b", OTHER_PORT, created="2026-05-02"), record("c", THIRD_PORT)]
    assert all(not conflict.ids for conflict in plan_of(*rows).conflicts)


def test_a_rename_is_one_question_and_names_every_pair():
    forms = ("Install {} with npm", "The {} theme is dark", "Pin {} in package.json")
    rows = [
        record(f"{name}{n}", form.format(name), created=day)
        for name, day in (("acme-ui", "2026-05-01"), ("acme-kit", "2026-05-09"))
        for n, form in enumerate(forms)
    ]
    (conflict,) = plan_of(*rows).conflicts
    pairs = [[conflict.a, conflict.b], *conflict.also]
    assert sorted(pairs) == [[f"acme-ui{n}", f"acme-kit{n}"] for n in range(3)]


# What was written at once was true together


WAYS = ("Use Kafka for the mail queue", "Use Redis for the mail queue")


def kinds(plan: Plan) -> tuple[int, int]:
    return len(plan.conflicts), sum(merge.tier == "review" for merge in plan.merges)


def test_two_ways_noted_at_once_are_no_contradiction_and_a_week_apart_they_are():
    a, b = WAYS
    assert kinds(plan_of(record("a", a), record("b", b))) == (0, 0)
    assert kinds(plan_of(record("a", a), record("b", b, created="2026-05-08"))) == (1, 0)


def test_one_session_is_one_write_however_long_it_was():
    a, b = WAYS
    rows = [record("a", a, run_id="s1"), record("b", b, run_id="s1", created_at="2026-05-01T07:00:00+00:00")]
    assert kinds(plan_of(*rows)) == (0, 0)


def test_memories_without_a_date_were_not_written_at_once():
    a, b = WAYS
    assert kinds(plan_of(record("a", a, created_at=None), record("b", b, created_at=None))) == (1, 0)


def test_another_number_noted_at_once_is_a_contradiction():
    assert kinds(plan_of(record("a", PORT), record("b", OTHER_PORT))) == (1, 0)


def test_another_number_of_the_thing_itself_is_another_thing():
    assert kinds(plan_of(record("a", "Server 1: runs nginx"), record("b", "Server 2: runs nginx"))) == (0, 0)


# Exact copies are one memory


SHORT, LONG = "Deploys are announced in the channel", "Deploys are announced in the channel on Fridays"


def test_copies_are_merged_whatever_else_is_like_them():
    rows = [record("a", SHORT), record("b", SHORT, created="2026-05-02"), record("c", LONG, created="2026-05-03")]
    plan = plan_of(*rows)
    assert [(merge.tier, merge.ids) for merge in plan.merges] == [("safe", ["a", "b"]), ("review", ["b", "c"])]


def test_copies_are_merged_although_the_merge_with_a_third_was_refused(tmp_path):
    dismissed = Dismissals.load(tmp_path)
    dismissed.add("merge", [SHORT, LONG], "keep")
    rows = [record("a", SHORT), record("b", SHORT), record("c", LONG, created="2026-05-03")]
    assert [merge.ids for merge in plan_of(*rows, kept=dismissed).merges] == [["a", "b"]]


def test_many_copies_of_a_few_wordings_leave_one_of_each():
    rows = [record(f"m{i}", f"Backups of shop number {i % 25} run at night") for i in range(300)]
    merges = [merge for merge in plan_of(*rows).merges if merge.tier == "safe"]
    assert sum(len(merge.ids) - 1 for merge in merges) == 275


def test_copies_about_two_services_are_asked_about():
    rows = [record(id, SHORT) for id in "ab"]
    for row, service in zip(rows, ("api", "web"), strict=True):
        row["metadata"]["service"] = service
    (merge,) = plan_of(*rows).merges
    assert (merge.tier, merge.loses) == ("review", ["service: api", "service: web"])
    assert merge.why.startswith("service: api / web")


@pytest.mark.parametrize("values", [(["x"], ["y"]), (3, 4), ("2026-01-01", "2026-02-01"), (None, "api")])
def test_lists_numbers_and_moments_are_no_names(values):
    rows = [record(id, SHORT) for id in "ab"]
    for row, value in zip(rows, values, strict=True):
        row["metadata"]["extra"] = value
    assert [merge.tier for merge in plan_of(*rows).merges] == ["safe"]


# Which text stands


@pytest.mark.parametrize(
    ("older", "newer", "stands"),
    [
        ("The build takes about six minutes", "The build takes six minutes", "newer"),
        (f"{SHORT} only when they fail", SHORT, "newer"),
        (f"{SHORT} of the platform team by whoever deploys", SHORT, "older"),
        (SHORT, f"{SHORT} of the platform team", "newer"),
    ],
)
def test_the_newest_text_stands_unless_an_older_one_says_all_of_it_and_more(older, newer, stands):
    plan = plan_of(record("a", older), record("b", newer, created="2026-05-09"))
    assert [merge.text for merge in plan.merges] == [{"older": older, "newer": newer}[stands]]


def test_a_conflict_with_a_merge_is_asked_once():
    plan = make_plan(texts(PORT, f"{PORT}.", PORT, OTHER_PORT), KEEP_90, None, TODAY)
    assert [merge.ids for merge in plan.merges] == [["m0", "m1", "m2"]]
    assert [conflict.b for conflict in plan.conflicts] == ["m3"]


# What a person decided


def test_a_merge_that_was_refused_is_not_proposed_again(tmp_path):
    kept = Dismissals.load(tmp_path)
    kept.add("merge", ["Use tabs", "Use tabs."], "keep")
    assert not plan_of(record("a", "Use tabs"), record("b", "Use tabs."), kept=kept).merges


def test_both_were_right_is_remembered(tmp_path):
    kept = Dismissals.load(tmp_path)
    kept.add("conflict", [PORT, OTHER_PORT], "both")
    assert sides(plan_of(record("a", PORT), record("b", OTHER_PORT), kept=kept)) == []


def test_a_memory_that_was_kept_is_not_pruned_again(tmp_path):
    kept = Dismissals.load(tmp_path)
    kept.add("prune", ["the state"], "keep")
    assert not plan_of(record("a", "the state", type="session_state", created="2020-01-01"), kept=kept).prunes


# Neighbours, near misses, handles


def test_neighbours_are_judged_and_never_across_types(monkeypatch):
    seen = []

    def compare(memories, kept, neighbours, total):
        seen.extend(neighbours)
        return Findings()

    monkeypatch.setattr(planner, "compare", compare)
    rows = [record("a", "Use tabs"), record("b", "Indent by tab"), record("c", "Use tabs", type="preference")]
    plan_of(*rows, neighbours=[("a", "b"), ("a", "c"), ("a", "gone")])
    assert seen == [("a", "b")]


def test_a_neighbour_is_judged_whatever_words_it_shares(monkeypatch):
    monkeypatch.setattr(comparing, "candidates", lambda words, total: iter(()))
    rows = [record("a", PORT), record("b", OTHER_PORT)]
    assert sides(plan_of(*rows)) == []
    assert sides(plan_of(*rows, neighbours=[("b", "a")])) == [("a", "b", None)]


def test_near_misses_keep_to_their_budget_the_closest_first(monkeypatch):
    def near(a, b):
        score = 1 - abs(int(a.text) - int(b.text)) / 1000
        return Judgement("distinct", False, score, True, [], [], f"{score}")

    monkeypatch.setattr(comparing, "judge", near)
    plan = plan_of(*(record(f"m{i}", f"{i}") for i in range(200)))
    assert [miss.why for miss in plan.near_misses] == ["0.999"] * 8


def test_handles_count_from_the_closest():
    plan = make_plan(texts("Use tabs", "Use tabs", PORT, OTHER_PORT, THIRD_PORT), KEEP_90, None, TODAY)
    assert [merge.handle for merge in plan.merges] == ["M1"]
    assert [conflict.handle for conflict in plan.conflicts] == ["C1"]
    assert plan.order == ["C1"]


def test_the_plan_holds_the_records_of_all_it_names_and_no_others():
    plan = make_plan(
        texts("Use tabs", "Use tabs", PORT, OTHER_PORT, "The dog is called in at noon"), KEEP_90, None, TODAY
    )
    assert set(plan.memories) == set(plan.ids())


def test_the_plan_is_a_document_and_comes_back():
    plan = make_plan(texts("Use tabs", "Use tabs", PORT, OTHER_PORT), KEEP_90, None, TODAY)
    text = documents.dump("plan", plan.to_document())
    assert Plan.from_document(documents.parse(text.encode(), "plan", "a text")) == plan


def test_several_cores_find_what_one_finds(monkeypatch):
    rows = [record(f"m{i}", f"Note {i // 2} about the weather", type=f"type{i % 4}") for i in range(40)]
    one = plan_of(*rows)
    monkeypatch.setattr(parallel, "WORTH_IT", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert plan_of(*rows) == one


# Properties

places = st.sampled_from(["staging", "production"])
rows = st.builds(
    lambda form, service, number, place: form.format(service=service, number=number, place=place),
    st.sampled_from(
        [
            "The {service} service runs on port {number}",
            "the {service} service runs on port {number}.",
            "Run the {service} service on port {number}",
            "The {service} service runs on port {number} in {place}",
            "Never deploy {service} to {place}",
            "Deploy {service} to {place}",
            "{service}",
            "用 {service} 部署到 {place}",
        ]
    ),
    st.sampled_from(["payment", "search"]),
    st.sampled_from(["80", "81"]),
    places,
)
memories = st.builds(
    lambda text, type, user, day, confidence, pinned: record(
        "", text, type=type, user_id=user, created=f"2026-0{day}-01", confidence=confidence, pinned=pinned
    ),
    rows,
    st.sampled_from(["decision", "session_state"]),
    st.sampled_from(["somebody", "somebody", "else"]),
    st.integers(1, 5),
    st.sampled_from([0.1, 0.7, 0.9, None]),
    st.sampled_from([False, False, False, True]),
)
stores = st.lists(memories, max_size=9).map(lambda found: [{**row, "id": f"m{i:08d}"} for i, row in enumerate(found)])
examples = settings(max_examples=60, deadline=None)


@given(stores, st.randoms())
@examples
def test_a_plan_does_not_depend_on_the_order_of_the_store(found, rng):
    shuffled = found[:]
    rng.shuffle(shuffled)
    assert plan_of(*shuffled) == plan_of(*found)


@given(stores)
@examples
def test_what_is_put_together_is_of_one_scope_and_type(found):
    plan = plan_of(*found)
    together = (
        [merge.ids for merge in plan.merges] + [[c.a, c.b] for c in plan.conflicts] + [m.ids for m in plan.near_misses]
    )
    for ids in together:
        assert len({(plan.memory(id).scope, plan.memory(id).type) for id in ids}) == 1


@given(stores)
@examples
def test_one_memory_has_one_fate(found):
    plan = plan_of(*found)
    for safe in (True, False):  # a copy may stand for its copies in a merge that is asked
        fates = Counter(id for merge in plan.merges if (merge.tier == "safe") is safe for id in merge.ids)
        assert set((fates + Counter(prune.id for prune in plan.prunes)).values()) <= {1}
    pruned = {prune.id for prune in plan.prunes}
    assert not pruned & {id for conflict in plan.conflicts for id in (conflict.a, conflict.b)}
    assert not pruned & {id for miss in plan.near_misses for id in miss.ids}


@given(stores)
@examples
def test_nothing_protected_is_named(found):
    pinned = {row["id"] for row in found if row["metadata"]["pinned"]}
    assert not pinned & named(plan_of(*found))


@given(stores)
@examples
def test_a_second_draft_of_the_applied_result_proposes_nothing(found):
    plan = plan_of(*found)
    again = plan_of(*applied(found, plan))
    assert again.merges == []
    assert {prune.id for prune in again.prunes} <= {id for merge in plan.merges for id in merge.ids}  # doubtful copies
    assert {frozenset((c.a, c.b)) for c in again.conflicts} <= {
        frozenset((c.a, c.b)) for c in plan.conflicts
    } or plan.merges


def applied(found: list[dict[str, Any]], plan: Plan) -> list[dict[str, Any]]:
    """The store after every merge and prune of the plan: each merge is its newest member with the merged text."""
    store = {row["id"]: row for row in found}
    for prune in plan.prunes:
        del store[prune.id]
    for merge in plan.merges:
        newest = store[merge.ids[-1]]
        known = [c for id in merge.ids if (c := store[id]["metadata"]["confidence"]) is not None]
        confidence = max(known, default=None)
        for id in merge.ids:
            del store[id]
        store[newest["id"]] = {
            **newest,
            "memory": merge.text,
            "metadata": {**newest["metadata"], "confidence": confidence},
        }
    left = list(store.values())
    random.Random(0).shuffle(left)
    return left
