"""The Platform's stand-in and a store on it, for the tests that name this module in pytest_plugins."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mem0_dream.stores.platform import PlatformStore

from tests.standins.platform_api import PlatformApi


@pytest.fixture
def api(monkeypatch, tmp_path) -> Iterator[PlatformApi]:
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    with PlatformApi() as service:
        yield service


@pytest.fixture
def store(api) -> Iterator[PlatformStore]:
    made = PlatformStore(api.key, api.url, sleep=lambda seconds: None, timeout=5)
    yield made
    made.close()
