from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from mem0_dream.planning.clustering import MOST, clusters, undisputed

pairs = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] < pair[1]))


def joined(edges):
    """The groups of these edges, where just they agree."""
    return clusters(sorted(edges), lambda a, b: (min(a, b), max(a, b)) in edges)


def test_three_that_all_agree_are_one_group():
    assert joined({(0, 1), (1, 2), (0, 2)}) == [[0, 1, 2]]


def test_a_chain_is_no_group():
    assert joined({(0, 1), (1, 2)}) == [[0, 1]]


@given(pairs)
def test_in_every_group_every_pair_agrees(edges):
    for group in joined(edges):
        assert all(pair in edges for pair in combinations(group, 2))


@given(pairs)
def test_nobody_is_in_two_groups(edges):
    members = [member for group in joined(edges) for member in group]
    assert len(members) == len(set(members))


def test_a_group_has_an_end():
    edges = list(combinations(range(MOST + 3), 2))
    assert [len(group) for group in clusters(edges, lambda a, b: True)] == [MOST, 3]


def settled(edges, compatible=lambda a, b: False):
    """The groups of these edges with what stands for each: its first member."""
    return undisputed(joined(edges), edges, min, compatible)


@given(pairs, st.booleans())
def test_after_merging_nothing_that_stays_would_be_merged(edges, lenient):
    merged = [(group, voice) for group, voice in settled(edges, lambda a, b: lenient) if voice is not None]
    gone = {i for group, voice in merged for i in group if i != voice}
    left = {pair for pair in edges if not gone & set(pair)}
    assert {voice for _, voice in settled(left, lambda a, b: lenient)} <= {None}


def test_what_the_text_is_also_like_joins_if_it_contradicts_no_member():
    assert settled({(0, 1), (0, 2)}, lambda a, b: True) == [([0, 1, 2], 0)]


def test_a_group_whose_text_is_like_one_that_stays_is_left_alone():
    assert settled({(0, 1), (0, 2)}) == [([0, 1], None)]


def test_two_groups_whose_texts_are_alike_join_only_if_one_text_is_like_all():
    edges = {(0, 1), (2, 3), (0, 2)}
    assert settled(edges, lambda a, b: True) == [([0, 1], None), ([2, 3], None)]
    assert settled(edges | {(0, 3)}, lambda a, b: True) == [([0, 1, 2, 3], 0)]
