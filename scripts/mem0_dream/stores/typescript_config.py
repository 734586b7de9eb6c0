"""A config of mem0's TypeScript SDK, or OpenClaw's, in the words of the Python package."""

from __future__ import annotations

from typing import Any

from ..errors import DreamError

_READABLE = ("qdrant", "pgvector", "redis", "supabase")  # stores that both SDKs have
_STORE_KEYS = {"collectionName": "collection_name", "dimension": "embedding_model_dims", "apiKey": "api_key"}
_STORE_KEYS |= {"onDisk": "on_disk", "dbName": "dbname"}
_EMBEDDER_KEYS = {"apiKey": "api_key", "embeddingDims": "embedding_dims"}
_ADDRESS = {"openai": "openai_base_url", "ollama": "ollama_base_url", "lmstudio": "lmstudio_base_url"}


def to_python(found: Any, name: str) -> Any:
    """The config if it is Python's, else what it means there. Raises DreamError if Python cannot read that store."""
    if not isinstance(found, dict):
        return found
    entries = found.get("plugins", {}).get("entries", {}) if isinstance(found.get("plugins"), dict) else {}
    for plugin in entries.values() if isinstance(entries, dict) else ():
        settings = plugin.get("config") if isinstance(plugin, dict) else None
        if isinstance(settings, dict) and isinstance(settings.get("oss"), dict):
            return to_python(settings["oss"], name)
        if isinstance(settings, dict) and settings.get("mode") == "platform":
            raise DreamError(f"{name} is OpenClaw's, for the mem0 Platform; set MEM0_API_KEY and leave --config out.")
    store, embedder = found.get("vectorStore"), found.get("embedder")
    if not isinstance(store, dict):
        return found
    provider = str(store.get("provider"))
    if provider not in _READABLE:
        raise DreamError(
            f"{name} is a config of mem0's TypeScript SDK, whose store {provider} the Python package cannot read;"
            " dump it with getAll() and rehearse with --store file."
        )
    made: dict[str, Any] = {"vector_store": {"provider": provider, "config": _renamed(store, _STORE_KEYS)}}
    if isinstance(embedder, dict):
        address = _ADDRESS.get(str(embedder.get("provider")), "url")
        keys: dict[str, str] = {**_EMBEDDER_KEYS, "baseURL": address, "url": address}
        made["embedder"] = {"provider": embedder.get("provider"), "config": _renamed(embedder, keys)}
    return made


def _renamed(part: dict[str, Any], keys: dict[str, str]) -> dict[str, Any]:
    settings = part.get("config")
    if not isinstance(settings, dict):
        return {}
    return {keys.get(str(key), str(key)): value for key, value in settings.items()}
