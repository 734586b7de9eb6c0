"""An empty collection, as mem0 makes one before it stores its first memory."""

from __future__ import annotations

from typing import Any

from mem0_dream.stores.mem0_engine import mem0


def make_collection(settings: dict[str, Any]) -> None:
    """Make the collection that a mem0 config describes, through mem0's own engine."""
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
