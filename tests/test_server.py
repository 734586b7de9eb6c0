"""The self-hosted server's store against the stand-in."""

from __future__ import annotations

import pytest
from mem0_dream.memory import Scope
from mem0_dream.stores.server import ServerStore

from tests.standins.server_api import ServerApi

ME = Scope("developer", "web-shop")


@pytest.fixture
def api():
    with ServerApi() as service:
        yield service


@pytest.fixture
def store(api):
    made = ServerStore(api.url, api.key, sleep=lambda seconds: None, timeout=5)
    yield made
    made.close()


def test_a_thousand_rows_may_be_a_part_and_the_listing_says_so(api, store):
    api.seed("developer", "web-shop", [f"Fact {i}" for i in range(1001)])
    listing = store.fetch(ME)
    assert len(listing.memories) == 1000 and not listing.complete
    assert "at most 1000" in " ".join(listing.notes)


def test_all_of_fewer_rows_arrive(api, store):
    api.seed("developer", "web-shop", [f"Fact {i}" for i in range(999)])
    listing = store.fetch(ME)
    assert (len(listing.memories), listing.complete, listing.notes) == (999, True, [])


def test_a_list_of_exactly_twenty_is_whole(api, store):
    api.seed("developer", "web-shop", [f"Fact {i}" for i in range(20)])
    assert store.fetch(ME).complete


def test_a_server_that_ignores_top_k_is_found_out():
    with ServerApi(knows_top_k=False) as api:
        api.seed("developer", "web-shop", [f"Fact {i}" for i in range(150)])
        listing = ServerStore(api.url, api.key).fetch(ME)
    assert len(listing.memories) == 100 and not listing.complete
