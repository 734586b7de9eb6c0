"""One place to keep memories per store; what is tested here runs unchanged against every one of them."""

from __future__ import annotations

import json
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mem0_dream.memory import Scope
from mem0_dream.stores.file import FileStore
from mem0_dream.stores.local import LocalStore
from mem0_dream.stores.mem0_config import Config
from mem0_dream.stores.platform import PlatformStore
from mem0_dream.stores.protocol import Store
from mem0_dream.stores.server import ServerStore

from tests.standins.collection import make_collection
from tests.standins.embedder import WordEmbedder
from tests.standins.platform_api import PlatformApi
from tests.standins.server_api import ServerApi

LOCAL = ("qdrant", "chroma", "pgvector")
ALL = ("file", *LOCAL, "platform", "server")
CREATED = "2026-01-01T00:00:00+00:00"


@dataclass
class Place:
    """Where memories are kept while a test runs, and how to get at them behind the store's back."""

    name: str
    open: Callable[[], Store]
    fill: Callable[[Scope, list[dict[str, Any]]], None]  # records: memory, and what else mem0 keeps beside it
    many: int  # a number of memories that a careless listing would cut off
    loosens: bool  # a project narrows only where a memory has one


@pytest.fixture(params=ALL)
def place(request, monkeypatch, tmp_path) -> Iterator[Place]:
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    with make_place(request, tmp_path) as made:
        yield made


@pytest.fixture
def store(place) -> Iterator[Store]:
    opened = place.open()
    yield opened
    opened.close()


def make_place(request: pytest.FixtureRequest, folder: Path) -> AbstractContextManager[Place]:
    """An empty place of the kind that the fixture's parameter names; skips where its driver cannot be had."""
    if request.param in _OTHERS:
        return _OTHERS[request.param](folder)
    dimensions = WordEmbedder().dimensions
    if request.param == "chroma":
        pytest.importorskip("chromadb", reason="chromadb is not installed")
        collection: dict[str, Any] = {"path": str(folder / "chroma"), "collection_name": "mem0"}
    elif request.param == "qdrant":
        collection = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": dimensions}
    else:
        address, name = request.getfixturevalue("postgres"), f"test_{uuid.uuid4().hex}"
        collection = {"connection_string": address, "collection_name": name, "embedding_model_dims": dimensions}
    return nullcontext(_local(request.param, collection, folder))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL with pgvector that lives as long as the tests."""
    pytest.importorskip("psycopg_pool", reason="psycopg with its pool is not installed")
    pgserver = pytest.importorskip("pgserver", reason="pgserver, which brings PostgreSQL, is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # its socket's path may not be long
    try:
        server = pgserver.get_server(folder, cleanup_mode="stop")
    except Exception as error:
        pytest.skip(f"PostgreSQL does not start here: {type(error).__name__}")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


def _local(engine: str, collection: dict[str, Any], folder: Path) -> Place:
    config = Config(
        {
            "vector_store": {"provider": engine, "config": collection},
            "history_db_path": str(folder / "history.db"),
        }
    )
    embedder = WordEmbedder()
    make_collection(config.settings)

    def fill(scope: Scope, records: list[dict[str, Any]]) -> None:
        payloads = [_payload(scope, record) for record in records]
        opened = LocalStore(config, embedder)
        if engine == "qdrant":  # it would wait for the disk once a row
            for kept in opened._memory.vector_store.client._client.collections.values():
                kept.storage.storage.execute("PRAGMA synchronous = OFF")
        opened._memory.vector_store.insert(
            vectors=[embedder.embed(payload["data"]) for payload in payloads],
            ids=[str(record.get("id", uuid.uuid4())) for record in records],
            payloads=payloads,
        )
        opened.close()

    return Place(engine, lambda: LocalStore(config, embedder), fill, many=2_500, loosens=True)


def _payload(scope: Scope, record: dict[str, Any]) -> dict[str, Any]:
    """How mem0's engine keeps a record: everything flat, the project a key of the metadata."""
    beside = {key: value for key, value in record.items() if key not in ("id", "memory", "metadata")}
    owner = {"user_id": scope.user, "app_id": scope.project, "agent_id": scope.agent}
    named = {key: value for key, value in owner.items() if value}
    return {"created_at": CREATED, **(record.get("metadata") or {}), **beside, **named, "data": record["memory"]}


@contextmanager
def _file(folder: Path) -> Iterator[Place]:
    path = folder / "export.json"
    path.write_text('{"results": []}', encoding="utf-8")

    def fill(scope: Scope, records: list[dict[str, Any]]) -> None:
        whole = json.loads(path.read_text(encoding="utf-8"))
        owner = {"user_id": scope.user, "app_id": scope.project, "agent_id": scope.agent}
        for record in records:
            whole["results"].append({"id": str(uuid.uuid4()), "created_at": CREATED, **owner, **record})
        path.write_text(json.dumps(whole), encoding="utf-8")

    yield Place("file", lambda: FileStore(path), fill, many=2_500, loosens=True)


@contextmanager
def _platform(folder: Path) -> Iterator[Place]:
    with PlatformApi() as api:

        def fill(scope: Scope, records: list[dict[str, Any]]) -> None:
            api.seed(scope.user, scope.project, [{"agent_id": scope.agent, **record} for record in records])

        yield Place(
            "platform",
            lambda: PlatformStore(api.key, api.url, sleep=lambda seconds: None, timeout=10),
            fill,
            many=401,
            loosens=False,
        )


@contextmanager
def _server(folder: Path) -> Iterator[Place]:
    with ServerApi() as api:

        def fill(scope: Scope, records: list[dict[str, Any]]) -> None:
            agent = {"agent_id": scope.agent} if scope.agent else {}
            api.seed(scope.user, scope.project, [{**agent, **record} for record in records])

        yield Place(
            "server",
            lambda: ServerStore(api.url, api.key, sleep=lambda seconds: None, timeout=10),
            fill,
            many=401,
            loosens=True,
        )


_OTHERS = {"file": _file, "platform": _platform, "server": _server}
