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


@given(pairs)
def test_after_merging_nothing_that_stays_would_be_merged(edges):
    groups = joined(edges)
    chosen = undisputed(groups, edges, lambda group: group)
    gone = {i for group, voice in zip(groups, chosen, strict=True) if voice is not None for i in group if i != voice}
    left = {pair for pair in edges if not gone & set(pair)}
    again = joined(left)
    assert set(undisputed(again, left, lambda group: group)) <= {None}


def test_another_member_speaks_if_the_first_would_be_asked_about_again():
    assert undisputed([[0, 1]], [(0, 1), (0, 2)], lambda group: group) == [1]


def test_a_group_in_which_no_member_can_speak_is_left_alone():
    assert undisputed([[0, 1]], [(0, 1), (0, 2), (1, 3)], lambda group: group) == [None]
