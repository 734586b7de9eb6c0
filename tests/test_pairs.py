import math
import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mem0_dream.planning import blocking
from mem0_dream.planning.blocking import alike, candidates, enough

words = st.frozensets(st.sampled_from("abcdefghijkl"), max_size=7)


def all_pairs(texts, least):
    """What trying every pair finds, by the measure as it is written down."""
    counts = Counter(word for text in texts for word in text)
    weigh = lambda text: math.fsum(math.log(1 + len(texts) / counts[word]) for word in text)  # noqa: E731
    return {
        (i, j)
        for i, j in combinations(range(len(texts)), 2)
        if texts[i] & texts[j]
        and weigh(texts[i] & texts[j]) >= least * math.sqrt(weigh(texts[i]) * weigh(texts[j])) - 1e-9
    }


@given(st.lists(words, max_size=12), st.sampled_from([0.3, 0.4, 0.5, 0.6, 0.8, 1.0]))
@settings(max_examples=300, deadline=None)
def test_the_index_finds_what_trying_all_pairs_finds(texts, least):
    found = list(alike(texts, least))
    assert len(found) == len(set(found))
    assert set(found) == all_pairs(texts, least)


def test_the_index_finds_it_in_a_store_of_its_own_size():
    rng = random.Random(1)
    vocabulary = [f"word{i}" for i in range(400)]
    texts = [frozenset(rng.choices(vocabulary, k=rng.randint(1, 12))) for _ in range(500)]
    texts += [text - {min(text)} | {rng.choice(vocabulary)} for text in texts[:200]]
    wanted = all_pairs(texts, 0.5)
    assert len(wanted) > 150
    assert len(set(alike(texts, 0.5)) & wanted) >= 0.99 * len(wanted)


@given(st.lists(words, max_size=10), st.randoms())
@settings(deadline=None)
def test_the_order_of_the_texts_does_not_matter(texts, rng):
    order = list(range(len(texts)))
    rng.shuffle(order)
    back = dict(enumerate(order))
    found = {tuple(sorted((back[i], back[j]))) for i, j in alike([texts[i] for i in order], 0.5)}
    assert found == set(alike(texts, 0.5))


def test_few_texts_are_all_compared_with_each_other():
    texts = [frozenset({f"word{i}"}) for i in range(20)]
    assert len(list(candidates(texts))) == 190


def test_many_are_not():
    texts = [frozenset({f"word{i}"}) for i in range(blocking.FEW + 1)]
    assert list(candidates(texts)) == []


def test_a_small_type_in_a_large_store_is_not_all_compared():
    texts = [frozenset({f"word{i}"}) for i in range(blocking.LONE + 1)]
    assert list(candidates(texts, 1_000_000)) == []


@pytest.mark.parametrize("total", [1, 300, 3_000, 10_000, 30_000, 1_000_000])
def test_more_must_be_alike_in_a_larger_store(total):
    assert 0.4 <= enough(total) <= enough(total * 2) <= 0.6


def test_a_text_is_paired_with_a_few_of_a_thousand_like_it():
    texts = [frozenset({"the", "same", "template", f"number{i}"}) for i in range(1000)]
    found = Counter(j for _, j in alike(texts, 0.2))
    assert 0 < sum(found.values()) <= 1000 * blocking.CLOSEST


def test_texts_without_words_meet_nobody():
    assert list(alike([frozenset()] * 5 + [frozenset("ab")] * 2, 0.4)) == [(5, 6)]
