"""What is too long for one command comes in pages, and a report counts as shown with its last one."""

import pytest
from mem0_dream.errors import AttentionNeeded
from mem0_dream.memory import Scope
from mem0_dream.planning.plan import Plan
from mem0_dream.review import consent
from mem0_dream.review.answers import decide
from mem0_dream.runs.run_folder import new_run
from mem0_dream.views import paging

from tests.memories import STORE


def test_pages_hold_every_block_once_and_none_is_cut():
    blocks = [f"{number:04}" * 1000 + "\n" for number in range(20)]
    every = paging.pages(blocks)
    assert "".join(every) == "".join(blocks)
    assert len(every) > 1
    assert all(len(page) <= paging.PAGE for page in every)


def test_a_page_names_the_next_one_and_the_last_names_none():
    every = ["one\n", "two\n"]
    assert paging.page(every, 1) == "one\nPage 1 of 2; next: --page 2\n"
    assert paging.page(every, 2) == "two\n"


@pytest.mark.parametrize("number", [-1, 0, 3])
def test_there_is_no_page_outside_of_them(number):
    assert paging.page(["one\n", "two\n"], number) == f"There is no page {number}: the last one is 2.\n"


def test_a_report_of_three_pages_is_shown_when_all_three_were(tmp_path):
    run = new_run(tmp_path)
    decisions = decide(Plan(STORE, Scope("u", "p")), {})
    for page in (1, 2):
        consent.reported(run, decisions, page, 3)
        with pytest.raises(AttentionNeeded, match=f"{page} of 3 pages were printed; .* --page {page + 1}"):
            consent.require(run, decisions, {})
    consent.reported(run, decisions, 3, 3)
    consent.require(run, decisions, {})


def test_the_last_page_alone_is_no_report(tmp_path):
    run = new_run(tmp_path)
    decisions = decide(Plan(STORE, Scope("u", "p")), {})
    consent.reported(run, decisions, 3, 3)
    with pytest.raises(AttentionNeeded, match="No report"):
        consent.require(run, decisions, {})
