"""What holds for the whole suite: how many examples a property gets, and which tests the fast check leaves out."""

import os

import pytest
from hypothesis import settings

SLOW = (  # real clients, real stores, kills, storms and faults: minutes, where the rest takes seconds
    "clients/",
    "stores/",
    "test_apply_faults.py",
    "test_apply_kills.py",
    "test_demo.py",
    "test_environment.py",
    "test_hostile_folder.py",
    "test_local_store.py",
    "test_page.py",
    "test_pass_on_web_stores.py",
    "test_platform_storms.py",
    "test_review_page.py",
    "test_unattended.py",
)

settings.register_profile("ci", deadline=None)
settings.register_profile("dev", deadline=None, max_examples=20)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(SLOW):
            item.add_marker(pytest.mark.slow)
