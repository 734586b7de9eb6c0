"""mem0's Memory made from a config, and what to do where it cannot be made."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import warnings
from typing import Any

from ..errors import DreamError
from .mem0_config import Config
from .mem0_engine import mem0

_LOUD = ("qdrant_client", "chromadb", "psycopg", "openai")
_DRIVERS = {  # what to install, where it is not called as mem0 calls the engine or the embedder
    "aws_bedrock": "boto3",
    "azure_ai_search": "azure-search-documents",
    "baidu": "pymochow",
    "cassandra": "cassandra-driver",
    "chroma": "chromadb",
    "faiss": "faiss-cpu",
    "gemini": "google-genai",
    "huggingface": "sentence-transformers",
    "milvus": "pymilvus",
    "mongodb": "pymongo",
    "opensearch": "opensearch-py",
    "pgvector": "psycopg[binary,pool]",
    "redis": "redisvl",
    "s3_vectors": "boto3",
    "supabase": "vecs",
    "upstash_vector": "upstash-vector",
    "weaviate": "weaviate-client",
}


class NoVector(DreamError):
    """The embedder failed, so nothing was written."""


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


def open_memory(config: Config, embedder: Any) -> Any:
    """mem0's Memory; DreamError in one sentence that names what does not open, and no secret.

    The embedder is made apart from the rest, so that what fails can be told from the rest.
    """
    package = mem0()
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module="qdrant_client|chromadb|mem0|psycopg|pydantic")
    idle = {"provider": "openai", "config": {"api_key": "unused"}}
    try:
        from mem0.configs.base import MemoryConfig

        whole = MemoryConfig(**{**config.settings, "llm": idle})
        made = embedder or _embedder(config, whole)
        whole.embedder = type(whole.embedder)(**idle)
        with contextlib.closing(sqlite3.connect(whole.history_db_path)):
            pass  # mem0 itself would fail halfway, and leave a traceback on the screen
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            memory = package.Memory(whole)
        _knock(memory.vector_store)
    except DreamError:
        raise
    except Exception as error:
        raise _refused(config, error) from None
    memory.embedding_model = _Embedder(made, config)
    return memory


def _embedder(config: Config, whole: Any) -> Any:
    from mem0.utils.factory import EmbedderFactory

    wanted = whole.embedder
    try:
        return EmbedderFactory.create(wanted.provider, wanted.config, whole.vector_store.config)
    except ImportError as error:
        raise _missing(config, wanted.provider, error) from None
    except Exception as error:
        raise DreamError(
            f"The embedder {wanted.provider} of {config.name} cannot be made ({config.tell(error)});"
            " set the key or the address it needs."
        ) from None


def _knock(engine: Any) -> None:
    """A pool of connections opens in silence and waits long: try one connection, which says at once what is wrong."""
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
        return _missing(config, provider, error)
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


def _missing(config: Config, provider: str, error: ImportError) -> DreamError:
    package = _DRIVERS.get(provider) or (error.name or provider).split(".")[0]
    return DreamError(
        f'{config.name} uses {provider}, whose driver this Python lacks: pip install mem0ai "{package}" into a Python'
        " of yours and name that Python in MEM0_DREAM_PYTHON."
    )
