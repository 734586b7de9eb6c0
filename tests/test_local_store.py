"""mem0's own engine from a config: what can be wrong with one, each in a sentence and without a secret."""

from __future__ import annotations

import builtins
import json
import logging
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.memory import Scope
from mem0_dream.stores import drivers
from mem0_dream.stores.local import LocalStore
from mem0_dream.stores.mem0_config import Config, read_config
from mem0_dream.stores.mem0_engine import mem0
from mem0_dream.stores.protocol import Change, Draft

from tests.standins.collection import make_collection
from tests.standins.embedder import WordEmbedder

ME = Scope("developer", "web-shop")
SECRET = "correct-horse-battery"


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch) -> None:
    """No file of mem0's on this machine, no key and no address of a service of this machine's user."""
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    for name in [name for name in os.environ if name.startswith(("OPENAI", "OPENROUTER"))]:
        monkeypatch.delenv(name)


def qdrant(folder: Path, **more) -> dict:
    inner = {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": 32, **more}
    return {
        "vector_store": {"provider": "qdrant", "config": inner},
        "history_db_path": str(folder / "history.db"),
    }


def made(folder: Path) -> Config:
    """A config whose collection is there; empty at first."""
    settings = qdrant(folder)
    if not (folder / "qdrant" / "meta.json").exists():
        make_collection(settings)
    return Config(settings)


def written(folder: Path, settings: object, name: str = "mem0.json") -> Path:
    path = folder / name
    path.write_text(settings if isinstance(settings, str) else json.dumps(settings), encoding="utf-8")
    return path


def sentence(path: Path, env: dict[str, str] | None = None) -> str:
    """What a person is told when the store of this config cannot be opened: one sentence."""
    with pytest.raises(DreamError) as caught:
        LocalStore.from_config(path, env or {}).fetch(ME)
    text = str(caught.value)
    assert "\n" not in text and "Traceback" not in text and text.endswith(".")
    return text


# Reading a config

YAML = """
vector_store:
  provider: pgvector
  config: {host: db.example.com, port: "${PG_PORT:-5432}", user: mem0, password: "${PG_PASSWORD}"}
embedder: {provider: openai, config: {api_key: "${EMBEDDER_KEY}"}}
llm: {provider: openai, config: {api_key: "${A_KEY_THAT_IS_NOT_SET}"}}
"""


def test_variables_are_filled_in_and_may_have_a_default(tmp_path):
    config = read_config(written(tmp_path, YAML, "mem0.yaml"), {"PG_PASSWORD": SECRET, "EMBEDDER_KEY": "abc"})
    inner = config.settings["vector_store"]["config"]
    assert (inner["password"], inner["port"]) == (SECRET, "5432")
    assert config.settings["embedder"]["config"]["api_key"] == "abc"


def test_a_variable_that_is_not_set_is_named(tmp_path):
    assert "${PG_PASSWORD}, which is not set" in sentence(written(tmp_path, YAML, "mem0.yaml"))


def test_the_language_model_is_not_even_read(tmp_path):
    config = read_config(written(tmp_path, YAML, "mem0.yaml"), {"PG_PASSWORD": "x", "EMBEDDER_KEY": "y"})
    assert "llm" not in config.settings


@pytest.mark.parametrize(
    ("name", "content", "where"),
    [
        ("mem0.json", '{"vector_store": {\n "provider": "qdrant"\n "config": {}}}', "line 3"),
        ("mem0.yaml", "vector_store:\n  provider: qdrant\n config: {}\n", "line 3"),
        ("mem0.yaml", "vector_store: [\n", "line 2"),
    ],
)
def test_a_syntax_error_is_named_by_file_and_line(tmp_path, name, content, where):
    text = sentence(written(tmp_path, content, name))
    assert f"{name}, {where}" in text and "correct that line" in text


def test_yaml_on_a_python_without_packages_goes_on_in_one_that_has_them(tmp_path, monkeypatch):
    class Continued(BaseException):
        """In place of starting the step again in another Python."""

    def ensure():
        raise Continued

    monkeypatch.setattr("mem0_dream.stores.mem0_config.find_spec", lambda name: None)
    monkeypatch.setattr("mem0_dream.stores.mem0_config.python_env.ensure", ensure)
    with pytest.raises(Continued):
        read_config(written(tmp_path, YAML, "mem0.yaml"), {})


def test_an_export_is_no_config_and_the_sentence_says_how_to_open_it(tmp_path):
    assert "--store file" in sentence(written(tmp_path, {"results": []}))


def test_a_config_that_is_not_there_is_named(tmp_path):
    assert "There is no config" in sentence(tmp_path / "mem0.yaml")


def test_a_path_may_begin_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    config = read_config(written(tmp_path, qdrant(Path("~"))), {})
    assert Path(config.settings["vector_store"]["config"]["path"]) == tmp_path / "qdrant"
    assert Path(config.settings["history_db_path"]) == tmp_path / "history.db"


def test_a_relative_folder_counts_from_the_project_and_not_from_where_a_scheduler_starts(tmp_path):
    relative = qdrant(Path("data"))
    config = read_config(written(tmp_path, relative), {}, tmp_path / "project")
    assert Path(config.settings["vector_store"]["config"]["path"]) == tmp_path / "project" / "data" / "qdrant"


def test_a_history_in_memory_stays_there(tmp_path):
    settings = {**qdrant(tmp_path), "history_db_path": ":memory:"}
    assert read_config(written(tmp_path, settings), {}).settings["history_db_path"] == ":memory:"


@pytest.mark.parametrize(
    "given",
    [
        {"password": SECRET},
        {"api_key": SECRET},
        {"connection_string": f"postgresql://mem0:{SECRET}@db.example.com/mem0"},
        {"connection_string": f"host=db.example.com password={SECRET} dbname=mem0"},
        {"url": f"https://mem0:{SECRET}@qdrant.example.com"},
        {"url": f"https://mem0:{SECRET}@[bad:port"},
    ],
)
def test_no_secret_of_a_config_is_ever_told(tmp_path, given):
    config = read_config(written(tmp_path, {"vector_store": {"provider": "qdrant", "config": given}}), {})
    told = config.tell(ValueError(f"no route for {SECRET} with {given}"))
    assert SECRET not in told and "no route" in told


def test_no_secret_of_the_environment_is_ever_told(tmp_path):
    config = read_config(written(tmp_path, qdrant(tmp_path)), {"SOME_API_KEY": SECRET, "HOME": "/home/me"})
    assert config.tell(ValueError(f"{SECRET} in /home/me")) == "*** in /home/me"


# Where a store is


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"host": "db.example.com", "port": 5432, "dbname": "app"}, "pgvector:db.example.com:5432/app:mem0"),
        ({"connection_string": f"postgresql://me:{SECRET}@db:5433/app?x=1"}, "pgvector:db:5433/app:mem0"),
        ({"connection_string": f"host=db port=5433 dbname=app password={SECRET}"}, "pgvector:db:5433/app:mem0"),
        ({"connection_string": f"postgresql://me:{SECRET}@db:port/app"}, "pgvector:db:port/app:mem0"),
        ({"connection_string": "postgresql://me:@/app?host=/run/pg"}, "pgvector:/run/pg/app:mem0"),
        ({"url": "https://q.example.com:6333", "collection_name": "other"}, "pgvector:q.example.com:6333:other"),
    ],
)
def test_the_identity_is_engine_place_and_collection_and_no_secret(settings, expected):
    config = Config({"vector_store": {"provider": "pgvector", "config": settings}})
    assert LocalStore(config).identity == expected


def test_a_relative_folder_is_the_same_store_from_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = Config({"vector_store": {"provider": "qdrant", "config": {"path": "data", "collection_name": "mem0"}}})
    assert LocalStore(config).identity == f"qdrant:{tmp_path / 'data'}:mem0"


@pytest.mark.parametrize("settings", [None, "text", {}, {"provider": None}])
def test_a_config_that_says_next_to_nothing_has_an_identity_all_the_same(settings):
    config = Config({"vector_store": {"config": settings}})
    assert LocalStore(config).identity == "qdrant:default:mem0"


def test_a_store_that_nobody_asks_anything_opens_nothing(tmp_path):
    LocalStore(Config(qdrant(tmp_path)), WordEmbedder()).close()
    assert list(tmp_path.iterdir()) == []


# Opening


def test_no_key_is_asked_for_but_the_embedders(tmp_path):
    path = written(
        tmp_path, made(tmp_path).settings | {"embedder": {"provider": "openai", "config": {"api_key": "k-embedder"}}}
    )
    store = LocalStore.from_config(path, {})
    assert store.fetch(ME).memories == []
    store.close()


def test_an_embedder_without_its_key_is_named(tmp_path):
    text = sentence(written(tmp_path, made(tmp_path).settings))
    assert "embedder openai" in text and "set the key" in text


def test_a_folder_that_another_process_holds_is_named(tmp_path):
    holder = LocalStore(made(tmp_path), WordEmbedder())
    holder.fetch(ME)
    try:
        with pytest.raises(DreamError, match="in use by another process") as caught:
            LocalStore(made(tmp_path), WordEmbedder()).fetch(ME)
        assert str(tmp_path / "qdrant") in str(caught.value)
    finally:
        holder.close()


def test_a_closed_store_lets_go_of_its_folder(tmp_path):
    for _ in range(2):
        store = LocalStore(made(tmp_path), WordEmbedder())
        store.fetch(ME)
        store.close()


@pytest.mark.parametrize("engine", ["pgvector", "qdrant"])
def test_a_database_that_does_not_answer_is_told_at_once(tmp_path, engine):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"host": "127.0.0.1", "port": port, "collection_name": "mem0", "embedding_model_dims": 32}
    if engine == "pgvector":
        pytest.importorskip("psycopg_pool", reason="psycopg with its pool is not installed")
        settings |= {"user": "mem0", "password": SECRET}
    with pytest.raises(DreamError, match=rf"The {engine} store of the config cannot be opened \(.*refused") as caught:
        LocalStore(Config({"vector_store": {"provider": engine, "config": settings}}), WordEmbedder()).fetch(ME)
    assert SECRET not in str(caught.value)


def test_a_driver_that_is_missing_is_named_with_the_way_to_have_it(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] in ("psycopg", "psycopg2", "psycopg_pool"):
            raise ImportError(f"No module named {name!r}", name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    for module in [name for name in sys.modules if name.startswith(("psycopg", "mem0.vector_stores.pgvector"))]:
        monkeypatch.delitem(sys.modules, module)
    settings = {"vector_store": {"provider": "pgvector", "config": {"connection_string": "postgresql://db/mem0"}}}
    with pytest.raises(DreamError, match=r"psycopg\[binary,pool\].*MEM0_DREAM_PYTHON"):
        LocalStore(Config(settings), WordEmbedder()).fetch(ME)


@pytest.mark.parametrize(
    ("store", "why"),
    [
        (
            {"provider": "pgvector", "config": {"user": "mem0", "password": SECRET, "hostname": "db"}},
            "Extra fields not allowed: hostname)",
        ),
        ({"provider": "no-such-engine", "config": {"api_key": SECRET}}, "Unsupported vector store"),
    ],
)
def test_a_config_that_mem0_refuses_is_told_without_its_secrets(tmp_path, store, why):
    text = sentence(written(tmp_path, {"vector_store": store}))
    assert "not a config mem0 accepts" in text and why in text
    assert SECRET not in text


def test_a_history_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(DreamError, match="history_db_path"):
        LocalStore(
            Config(made(tmp_path).settings | {"history_db_path": str(tmp_path / "no" / "such" / "x.db")}),
            WordEmbedder(),
        ).fetch(ME)


def test_the_history_is_kept_where_the_config_says(tmp_path):
    store = LocalStore(made(tmp_path), WordEmbedder())
    (result,) = store.add([Draft("Text", ME, {})])
    store.delete([str(result.id)])
    history = store._memory.history(result.id)
    store.close()
    assert (tmp_path / "history.db").exists()
    assert [entry["event"] for entry in history] == ["ADD", "DELETE"]


def test_nothing_but_the_caller_speaks(tmp_path):
    """A process of its own: no log line, no warning, no telemetry, whatever mem0 and its engines have to say."""
    program = (
        "import sys, pathlib; folder = pathlib.Path(sys.argv[1])\n"
        "from tests.test_local_store import *\n"
        "store = LocalStore(made(folder), WordEmbedder())\n"
        "store.add([Draft('The build uses Node 20.', ME, {})])\n"
        "store.update([Change(store.fetch(ME).memories[0].id, text='The build uses Node 22.')])\n"
        "store.search('build', ME, 3); store.close()\n"
        "print('telemetry', sys.modules['mem0.memory.telemetry'].MEM0_TELEMETRY)\n"
    )
    root = Path(__file__).parent.parent
    env: dict[str, str] = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(root), str(root / "scripts")]),
        "MEM0_DIR": str(tmp_path),
    }
    env.pop("MEM0_TELEMETRY", None)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], env=env, capture_output=True, encoding="utf-8", timeout=120
    )
    assert (done.stdout, done.stderr, done.returncode) == ("telemetry False\n", "", 0)


# Writing


@pytest.fixture
def store(tmp_path):
    opened = LocalStore(made(tmp_path), WordEmbedder())
    yield opened
    opened.close()


def test_vectors_of_another_length_are_told_and_nothing_is_stored(store, tmp_path):
    store.close()
    other = LocalStore(made(tmp_path), WordEmbedder(dimensions=16))
    (result,) = other.add([Draft("Text", ME, {})])
    listed = other.fetch(ME).memories
    other.close()
    assert "another length than the collection" in (result.error or "")
    assert not result.unsure, "an operation that surely did nothing is not left open"
    assert listed == []


class SilentEmbedder:
    def embed(self, text, memory_action=None):
        raise ConnectionError(f"no answer for {SECRET}")


def test_where_the_embedder_does_not_answer_surely_nothing_is_written(store, tmp_path):
    (id,) = (result.id for result in store.add([Draft("Text", ME, {})]))
    before = store.fetch(ME).memories[0].record
    store.close()
    silent = LocalStore(Config(qdrant(tmp_path), secrets={SECRET}), SilentEmbedder())
    results = [*silent.add([Draft("More", ME, {})]), *silent.update([Change(id, text="Other")])]
    with pytest.raises(DreamError, match="embedder of the config gives no vector"):
        silent.search("text", ME, 1)
    left = [memory.record for memory in silent.fetch(ME).memories]
    silent.close()
    assert [result.unsure for result in results] == [False, False]
    assert all("gives no vector (no answer for ***)" in (result.error or "") for result in results)
    assert left == [before]


def test_a_memory_with_a_date_that_is_no_text_hides_no_other(store):
    store.add([Draft("Good", ME, {})])
    payload = {"data": "Odd", "user_id": ME.user, "app_id": ME.project, "created_at": 1700000000}
    store._memory.vector_store.insert(vectors=[WordEmbedder().embed("Odd")], ids=["c0ffee00" * 4], payloads=[payload])
    memories = {memory.text: memory for memory in store.fetch(ME).memories}
    assert set(memories) == {"Good", "Odd"}
    assert memories["Odd"].created.year == 2023


def test_a_listing_is_what_mem0s_own_listing_is(store):
    store.add(
        [Draft("Text", ME, {"type": "decision", "files": ["a.py"]}, expiration_date="2999-01-01", run_id="run-1")]
    )
    (theirs,) = store._memory.get_all(filters={"user_id": ME.user}, top_k=10)["results"]
    (ours,) = store.fetch(ME).memories
    assert ours.record == theirs


def test_after_a_few_failures_in_a_row_the_rest_is_not_tried(store, monkeypatch):
    tried = []

    def broken(id):
        tried.append(id)
        raise ConnectionError("connection lost")

    monkeypatch.setattr(store._memory, "delete", broken)
    monkeypatch.setattr(store._memory.vector_store, "get", lambda vector_id: SimpleNamespace(payload={}))
    results = store.delete([str(number) for number in range(100)])
    assert len(tried) == 3 and len(results) == 100
    assert all(result.error for result in results)
    assert (results[0].unsure, results[99].unsure) == (True, False)


def test_a_database_that_goes_away_is_one_sentence_when_read(store, monkeypatch):
    def broken(**_):
        raise ConnectionError("connection lost")

    monkeypatch.setattr(store._memory.vector_store, "list", broken)
    with pytest.raises(DreamError, match=r"could not be read \(connection lost\)"):
        store.fetch(ME)


def test_an_engine_that_stops_at_a_round_number_is_not_believed(store, monkeypatch):
    row = type("Row", (), {"id": "1", "payload": {"data": "x", "user_id": ME.user}})
    monkeypatch.setattr(store._memory.vector_store, "list", lambda filters, top_k: [[row] * min(top_k, 10_000)])
    monkeypatch.setitem(store._config.settings["vector_store"], "provider", "some-engine")
    assert store.fetch(ME._replace(project=None)).complete is False


def test_mem0s_log_says_nothing(store, caplog):
    with caplog.at_level(logging.DEBUG):
        store.add([Draft("Text", ME, {})])
    assert not [record for record in caplog.records if record.name.startswith(("mem0", "qdrant"))]


# Nothing that only looks makes anything


def test_a_folder_that_is_not_there_is_named_and_not_made(tmp_path):
    with pytest.raises(DreamError, match=r"There is no qdrant store in .*qdrant; correct path"):
        LocalStore(Config(qdrant(tmp_path)), WordEmbedder()).fetch(ME)
    assert not (tmp_path / "qdrant").exists() and not (tmp_path / "history.db").exists()


def test_a_collection_that_is_not_there_is_named_with_those_that_are(tmp_path):
    made(tmp_path)
    store = LocalStore(Config(qdrant(tmp_path, collection_name="memz")), WordEmbedder())
    with pytest.raises(DreamError, match=r"no collection memz in the qdrant store of the config \(it has mem0\)"):
        store.fetch(ME)
    again = LocalStore(made(tmp_path), WordEmbedder())
    assert again.fetch(ME).memories == []
    names = [found.name for found in again._memory.vector_store.client.get_collections().collections]
    again.close()
    assert names == ["mem0"]


def test_a_chroma_folder_and_collection_that_are_not_there_are_named_and_not_made(tmp_path):
    chromadb = pytest.importorskip("chromadb", reason="chromadb is not installed")
    inner = {"path": str(tmp_path / "chroma"), "collection_name": "memz"}
    whole = {"vector_store": {"provider": "chroma", "config": inner}, "history_db_path": str(tmp_path / "history.db")}
    with pytest.raises(DreamError, match="There is no chroma store in"):
        LocalStore(Config(whole), WordEmbedder()).fetch(ME)
    assert list(tmp_path.iterdir()) == []
    make_collection({"vector_store": {"provider": "chroma", "config": {**inner, "collection_name": "mem0"}}})
    chromadb.api.client.SharedSystemClient.clear_system_cache()
    with pytest.raises(DreamError, match=r"no collection memz .*\(it has mem0\)"):
        LocalStore(Config(whole), WordEmbedder()).fetch(ME)


def test_reading_and_searching_makes_no_history_and_no_collection_of_entities(tmp_path):
    store = LocalStore(made(tmp_path), WordEmbedder())
    store.fetch(ME)
    store.search("The API of Lena Bauer in Berlin", ME, 3)
    names = [found.name for found in store._memory.vector_store.client.get_collections().collections]
    store.close()
    assert (names, (tmp_path / "history.db").exists()) == (["mem0"], False)


# Stores that other programs write to


def inserted(store: LocalStore, *payloads: dict) -> list[str]:
    ids = [f"{number:08d}-0000-4000-8000-000000000000" for number in range(len(payloads))]
    vectors = [WordEmbedder().embed(payload["data"]) for payload in payloads]
    store._memory.vector_store.insert(vectors=vectors, ids=ids, payloads=list(payloads))
    return ids


@pytest.mark.parametrize("owner", ["user_id", "userId"])
def test_what_the_typescript_sdk_wrote_is_read_and_its_dates_stay(store, owner):
    date = "2026-01-01T10:00:00.000Z"
    payload = {"data": "We use pnpm", "hash": "h", "createdAt": date, "updatedAt": date, owner: ME.user, "type": "fact"}
    (id,) = inserted(store, payload)
    (memory,) = store.fetch(ME).memories
    assert (memory.record["created_at"], memory.scope.user, memory.metadata) == (date, ME.user, {"type": "fact"})
    (result,) = store.update([Change(id, metadata={"confidence": 0.9})])
    (new,) = store.add([Draft("We use Node 22", memory.scope, {}, created=memory.created)])
    assert (result.error, new.error) == (None, None)
    changed = store._memory.vector_store.get(id).payload
    assert (changed["createdAt"], changed["confidence"], changed["type"]) == (date, 0.9, None)
    assert changed["updatedAt"] > date
    assert store._memory.vector_store.get(new.id).payload["createdAt"] == "2026-01-01T10:00:00+00:00"
    assert {memory.text: memory.created.month for memory in store.fetch(ME).memories} == {
        "We use pnpm": 1,
        "We use Node 22": 1,
    }


def test_openmemorys_collection_gets_no_memory_that_its_database_does_not_know(store):
    inserted(store, {"data": "We use pnpm", "user_id": ME.user, "source_app": "openmemory", "created_at": "2026-01-01"})
    (memory,) = store.fetch(ME).memories
    new, back = store.add([Draft("Merged", memory.scope, {}), Draft("Deleted before", memory.scope, {}, was="an id")])
    assert "OpenMemory's own database" in (new.error or "") and not new.unsure
    assert back.error is None


def test_every_provider_of_mem0_has_its_packages():
    mem0()
    from mem0.utils.factory import EmbedderFactory, VectorStoreFactory

    assert set(drivers.VECTOR_STORES) == set(VectorStoreFactory.provider_to_class)
    assert set(drivers.EMBEDDERS) == set(EmbedderFactory.provider_to_class)


# Configs of the TypeScript SDK and of OpenClaw

TYPESCRIPT = {
    "vectorStore": {"provider": "qdrant", "config": {"collectionName": "mem", "dimension": 32, "url": "http://q:6333"}},
    "embedder": {"provider": "openai", "config": {"apiKey": "abc", "baseURL": "http://e/v1", "model": "m"}},
    "llm": {"provider": "openai", "config": {"apiKey": "abc"}},
}


@pytest.mark.parametrize("wrap", [lambda c: c, lambda c: {"plugins": {"entries": {"mem0": {"config": {"oss": c}}}}}])
def test_a_config_of_the_typescript_sdk_is_read(tmp_path, wrap):
    config = read_config(written(tmp_path, wrap(TYPESCRIPT)), {})
    assert config.settings == {
        "vector_store": {
            "provider": "qdrant",
            "config": {"collection_name": "mem", "embedding_model_dims": 32, "url": "http://q:6333"},
        },
        "embedder": {
            "provider": "openai",
            "config": {"api_key": "abc", "openai_base_url": "http://e/v1", "model": "m"},
        },
    }


def test_a_store_that_only_the_typescript_sdk_has_is_named(tmp_path):
    text = sentence(written(tmp_path, {"vectorStore": {"provider": "memory", "config": {}}}))
    assert "TypeScript SDK, whose store memory the Python package cannot read" in text


def test_openclaws_config_for_the_platform_says_what_to_set(tmp_path):
    settings = {"plugins": {"entries": {"mem0": {"config": {"mode": "platform", "apiKey": SECRET}}}}}
    text = sentence(written(tmp_path, settings, "openclaw.json"))
    assert "set MEM0_API_KEY" in text and SECRET not in text


def test_neighbours_come_from_the_stored_vectors_and_nothing_is_embedded_again(tmp_path):
    embedder = WordEmbedder()
    opened = LocalStore(made(tmp_path), embedder)
    texts = ["Deploys go out on Mondays", "Deploys go out on Mondays at noon", "The cat sleeps"]
    try:
        opened.add([Draft(text, ME, {"type": "fact"}) for text in texts])
        memories = {memory.text: memory for memory in opened.fetch(ME).memories}
        calls = embedder.calls
        found = [memory.text for memory in opened.nearest(memories[texts[0]], ME, 2)]
    finally:
        opened.close()
    assert found == texts[1:]
    assert embedder.calls == calls
