"""Whether search finds after a run what it found before."""

import pytest
from mem0_dream.memory import Memory, Scope
from mem0_dream.recall import FIRST, Probe, compare, probes, queries, search

SCOPE = Scope("dev", "shop")


def memory(id, text):
    return Memory({"id": id, "memory": text})


class Words:
    """A store that finds by shared words, best first."""

    def __init__(self, *memories):
        self.memories = list(memories)

    def search(self, query, scope, limit):
        wanted = set(query.lower().split())
        found = [m for m in self.memories if wanted & set(m.text.lower().split())]
        return sorted(found, key=lambda m: (-len(wanted & set(m.text.lower().split())), m.id))[:limit]


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("The gateway gives up after 30s, then it retries.", "The gateway gives up after 30s"),
        ("网关的超时是30秒，然后重试。", "网关的超时是30秒"),
        ("Auth: tokens live in src/auth.py (rotated weekly)", "tokens live in src/auth.py"),
        ("one\ntwo lines of it\nthree", "two lines of it"),
    ],
)
def test_the_first_question_is_the_first_clause_that_says_something(text, clause):
    assert queries(text)[0] == clause


def test_the_second_question_is_the_longest_words_in_their_order():
    assert queries("The gateway of the shop gives up after thirty seconds")[1] == "gateway gives after thirty seconds"


def test_the_same_text_gives_the_same_questions():
    text = "Deploys go to the staging cluster first; nobody skips it."
    assert queries(text) == queries(text)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_text_asks_nothing(text):
    assert queries(text) == []


def test_questions_are_never_long():
    assert max(map(len, queries("x" * 5000 + " " + "y" * 5000))) <= 120


def test_a_merged_fact_is_found_through_the_memory_that_carries_it():
    a, b = memory("a", "staging runs postgres fifteen"), memory("b", "staging runs postgres fifteen on db-1")
    asked = probes([a, b])
    before = search(Words(a, b), SCOPE, asked)
    after = search(Words(memory("c", "staging runs postgres fifteen on db-1")), SCOPE, asked)
    found = compare(before, after, {"a": "c", "b": "c"})
    assert (found.asked, found.before, found.after, found.lost) == (len(asked), len(asked), len(asked), [])


def test_a_fact_that_is_no_longer_found_is_named():
    a = memory("a", "staging runs postgres fifteen")
    asked = [Probe("a", "staging postgres")]
    before = search(Words(a), SCOPE, asked)
    after = search(Words(memory("c", "something else entirely")), SCOPE, asked)
    assert compare(before, after, {"a": "c"}).lost == asked


def test_a_fact_that_was_never_found_is_not_counted_as_lost():
    asked = [Probe("a", "nothing like it")]
    found = compare({asked[0]: []}, {asked[0]: []}, {})
    assert (found.before, found.after, found.lost) == (0, 0, [])


def test_only_the_first_results_count():
    crowd = [memory(f"{i}", "gateway timeout") for i in range(FIRST + 1)]
    asked = [Probe(str(FIRST), "gateway timeout")]
    found = search(Words(*crowd), SCOPE, asked)
    assert compare(found, found, {}).before == 0


def test_a_fact_that_was_merged_twice_is_followed_to_the_end():
    asked = [Probe("a", "x")]
    assert compare({asked[0]: ["a"]}, {asked[0]: ["c"]}, {"a": "b", "b": "c"}).after == 1


def test_a_circle_of_carriers_ends():
    asked = [Probe("a", "x")]
    assert compare({asked[0]: ["a"]}, {asked[0]: ["b"]}, {"a": "b", "b": "a"}).asked == 1


def test_every_question_is_one_step():
    steps = []
    search(Words(), SCOPE, probes([memory("a", "staging runs postgres fifteen, always")]), lambda: steps.append(1))
    assert len(steps) == 2
