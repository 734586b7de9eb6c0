"""mem0 itself: imported once and quietly, and its Memory made from a config, on a store that is there."""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import logging
import os
import shutil
import sqlite3
import tempfile
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import DreamError
from . import drivers
from .mem0_config import Config

_LOUD = (
    "mem0",
    "httpx",
    "httpcore",
    "posthog",
    "urllib3",
    "qdrant_client",
    "chromadb",
    "psycopg",
    "openai",
    "pymilvus",
)
# What an engine that keeps its memories in a folder or file has there.
_ON_DISK = {
    "qdrant": ("path", "meta.json"),
    "chroma": ("path", "chroma.sqlite3"),
    "faiss": ("path", "{}.faiss"),
    "milvus": ("url", ""),
}


class NoVector(DreamError):
    """The embedder failed, so nothing was written."""


class NoCollection(DreamError):
    """The store that the config names is not there, and reading must not make it."""


@functools.cache
def mem0() -> ModuleType:
    """The package mem0. Raises DreamError if it is not installed or cannot be loaded."""
    os.environ["MEM0_TELEMETRY"] = "False"  # read once, when mem0 is imported
    _make_folder()
    _silence()
    try:
        with warnings.catch_warnings():  # mem0 turns all deprecation warnings on
            warnings.simplefilter("ignore")
            return importlib.import_module("mem0")
    except ImportError as error:
        raise DreamError(
            f"The package mem0ai cannot be loaded ({error}); run dream.py --setup, or install mem0ai for this Python."
        ) from None


def open_memory(config: Config, embedder: Any) -> Any:
    """mem0's Memory. Raises DreamError, in one sentence without a secret, that names what cannot be opened.

    `embedder`, if given, stands in for the config's own. Nothing is made on disk or in a database.
    """
    package = mem0()
    warnings.filterwarnings("ignore", module="qdrant_client|chromadb|mem0|psycopg|pydantic")
    idle = {"provider": "openai", "config": {"api_key": "unused"}}
    try:
        from mem0.configs.base import MemoryConfig

        whole = MemoryConfig(**{**config.settings, "llm": idle})
        made = embedder or _embedder(config, whole)
        _require_files(config, whole)
        whole.embedder = type(whole.embedder)(**idle)
        whole.history_db_path = _history(whole.history_db_path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memory = _made(package, whole, config)
        _knock(memory.vector_store)
    except DreamError:
        raise
    except Exception as error:
        raise _refused(config, error) from None
    finally:
        _silence()  # some drivers set their loggers up when they are imported
    memory.embedding_model = _Embedder(made, config)
    return memory


def keep_history(memory: Any, config: Config) -> None:
    """From now on mem0's history is written to its file. Before the first change it need not exist."""
    if memory.config.history_db_path == ":memory:":
        from mem0.configs.base import MemoryConfig
        from mem0.memory.storage import SQLiteManager

        path = config.settings.get("history_db_path") or MemoryConfig().history_db_path
        if path != ":memory:":
            memory.db.close()
            memory.db = SQLiteManager(path)
            memory.config.history_db_path = path


def _made(package: Any, whole: Any, config: Config) -> Any:
    """mem0's Memory on a collection that exists; by itself mem0 makes one that is not there as soon as it looks."""
    from mem0.utils.factory import VectorStoreFactory, load_class

    engine = load_class(VectorStoreFactory.provider_to_class[config.provider])
    real = engine.create_col

    def existing_only(store: Any, *given: Any, **named: Any) -> Any:
        wanted, names = getattr(store, "collection_name", None), _collections(store)
        if wanted and names is not None and wanted not in names:
            there = f"it has {', '.join(names[:10])}" if names else "it has none"
            raise NoCollection(
                f"There is no collection {wanted} in the {config.provider} store of {config.name} ({there});"
                " correct collection_name, or store a memory with mem0 first."
            )
        return real(store, *given, **named)

    engine.create_col = existing_only
    try:
        memory = package.Memory(whole)
    finally:
        engine.create_col = real
    # pgvector looks for its table only when it is first asked for something.
    memory.vector_store.create_col = functools.partial(existing_only, memory.vector_store)
    return memory


def _collections(engine: Any) -> list[str] | None:
    """The names of an engine's collections; None if it cannot tell."""
    if type(engine).__name__ == "FAISS":  # it lists another folder than its own
        return None
    try:
        listed = engine.list_cols()
    except Exception:
        return None
    rows = getattr(listed, "collections", listed)
    if not isinstance(rows, (list, tuple)):
        return None
    return sorted(str(getattr(row, "name", row)) for row in rows)


def _require_files(config: Config, whole: Any) -> None:
    """NoCollection if a store on disk is not there: its driver would make it."""
    store = whole.vector_store.config
    key, inside = _ON_DISK.get(config.provider, ("", ""))
    path = str(getattr(store, key, None) or "")
    remote = any(getattr(store, name, None) for name in ("host", "api_key", *(["url"] if key == "path" else [])))
    if path and not remote and "://" not in path and not (Path(path) / inside.format(store.collection_name)).exists():
        raise NoCollection(
            f"There is no {config.provider} store in {path}; correct {key} in {config.name}, or store a memory with"
            " mem0 first."
        )


def _history(path: str) -> str:
    """The history's file if it is there, else none yet; sqlite3.Error if it could not be written."""
    if path == ":memory:" or not Path(path).exists():
        if path != ":memory:" and not os.access(Path(path).parent, os.W_OK):
            raise sqlite3.OperationalError("unable to open database file")
        return ":memory:"
    with contextlib.closing(sqlite3.connect(path)):
        return path  # mem0 itself would fail halfway, and leave a traceback on the screen


class _Embedder:
    """An embedder whose failures can be told from the store's."""

    def __init__(self, made: Any, config: Config) -> None:
        self._made, self._config = made, config

    def embed(self, text: str, memory_action: str | None = None) -> Any:
        try:
            return self._made.embed(text, memory_action)
        except Exception as error:
            raise NoVector(
                f"The embedder of {self._config.name} gives no vector ({self._config.tell(error)});"
                " see that it answers and run again."
            ) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)


def _embedder(config: Config, whole: Any) -> Any:
    from mem0.utils.factory import EmbedderFactory

    wanted = whole.embedder
    try:
        return EmbedderFactory.create(wanted.provider, wanted.config, whole.vector_store.config)
    except ImportError:
        raise _missing(config, wanted.provider, drivers.EMBEDDERS) from None
    except Exception as error:
        raise DreamError(
            f"The embedder {wanted.provider} of {config.name} cannot be made ({config.tell(error)});"
            " set the key or the address it needs."
        ) from None


def _knock(engine: Any) -> None:
    """Make sure that it answers: a pool waits long for a connection, Milvus Lite forgets to load its collection."""
    load = getattr(getattr(engine, "client", None), "load_collection", None)
    if load:
        load(engine.collection_name)
    pool: Any = getattr(engine, "connection_pool", None)
    if hasattr(pool, "conninfo"):
        import psycopg

        try:
            psycopg.connect(pool.conninfo, connect_timeout=10).close()
        except psycopg.Error:
            pool.close()
            raise


def _refused(config: Config, error: Exception) -> DreamError:
    provider = config.provider
    if isinstance(error, ImportError):
        return _missing(config, provider, drivers.VECTOR_STORES)
    if "already accessed by another instance" in str(error):
        folder = config.settings["vector_store"].get("config", {}).get("path", "the folder")
        return DreamError(
            f"The {provider} folder {folder} is in use by another process, and only one may open it at a time;"
            " stop that process (or use a Qdrant server) and run again."
        )
    problems = getattr(error, "errors", None)  # pydantic repeats the whole input, secrets and all: its message only
    if callable(problems):
        error = ValueError(problems()[0]["msg"].removeprefix("Value error, ").split(". ")[0])
        return DreamError(f"{config.name} is not a config mem0 accepts ({config.tell(error)}); correct it.")
    if isinstance(error, sqlite3.Error):
        return DreamError(
            f"mem0's history database of {config.name} cannot be opened ({config.tell(error)});"
            " set history_db_path to a file you may write."
        )
    return DreamError(
        f"The {provider} store of {config.name} cannot be opened ({config.tell(error)});"
        " start it, or correct its address, name and password."
    )


def _missing(config: Config, provider: str, table: dict[str, str]) -> DreamError:
    return DreamError(
        f"{config.name} uses {provider}, whose driver this Python lacks: pip install mem0ai"
        f" {drivers.command(provider, table)} into a Python of yours and name that Python in MEM0_DREAM_PYTHON."
    )


def _silence() -> None:
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _make_folder() -> None:
    """mem0 makes its folder when imported and fails where it may not; then it gets one for this process alone."""
    folder = Path(os.environ.get("MEM0_DIR") or Path.home() / ".mem0")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        os.environ["MEM0_DIR"] = tempfile.mkdtemp(prefix="mem0-")
        atexit.register(shutil.rmtree, os.environ["MEM0_DIR"], ignore_errors=True)


def make_collection(settings: dict[str, Any]) -> None:
    """The empty collection that a config describes, as mem0 makes one before it stores its first memory."""
    mem0()
    from mem0.utils.factory import VectorStoreFactory
    from mem0.vector_stores.configs import VectorStoreConfig

    wanted = VectorStoreConfig(**settings["vector_store"])
    engine = VectorStoreFactory.create(wanted.provider, wanted.config)
    if hasattr(engine, "_ensure_collection"):
        engine._ensure_collection()
    for held in (getattr(engine, "client", None), getattr(engine, "connection_pool", None)):
        if held is not None and hasattr(held, "close"):
            held.close()
