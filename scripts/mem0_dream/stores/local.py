"""mem0's own engine on this machine or in a database of the user's: mem0ai's Memory, made from a config."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

from ..errors import DreamError
from ..memory import CAMEL, Memory, Scope, StoreKind
from .mem0_config import Config, read_config
from .mem0_engine import NoVector, keep_history, open_memory
from .protocol import UNCHANGED, Change, Draft, Listing, Result
from .scoping import in_scope, loosened, owners
from .spelling import to_record

# As mem0's own listing puts a payload: these beside the metadata, those nowhere.
_BESIDE = ("user_id", "agent_id", "run_id", "actor_id", "role", "attributed_to", "expiration_date")
_TYPESCRIPT = {*CAMEL.values(), "textLemmatized", "attributedTo"}
_HIDDEN = {"data", "hash", "created_at", "updated_at", "id", "text_lemmatized", *_BESIDE, *_TYPESCRIPT}
_WHOLE = {"qdrant", "pgvector", "chroma", "faiss"}  # engines that give as many rows as they are asked for
_GIVE_UP = 3  # failures in a row after which the rest of a batch is not tried
_Item = TypeVar("_Item")


class LocalStore:
    """One collection of mem0's engine. An on-disk one is this process's alone until close()."""

    kind: StoreKind = "local"
    former: tuple[str, ...] = ()
    lag_seconds = 4.0  # its database may be a cluster
    wave = 500
    page = 0

    def __init__(self, config: Config, embedder: Any = None) -> None:
        """Opens nothing yet. `embedder`, an object with mem0's embed(), stands in for the config's own."""
        self._config, self._embedder = config, embedder
        self.identity = config.place
        self.label = f"local {config.provider}"
        self._loosened: dict[Scope, Scope] = {}
        self._typescript = self._openmemory = False  # who else writes to it, as its rows tell

    @classmethod
    def from_config(cls, path: Path, env: Mapping[str, str], cwd: Path | None = None) -> LocalStore:
        """The store that mem0's config file describes."""
        return cls(read_config(path, env, cwd))

    @functools.cached_property
    def _memory(self) -> Any:
        return open_memory(self._config, self._embedder)

    def fetch(self, scope: Scope) -> Listing:
        whose = ("user_id", scope.user) if scope.user else ("agent_id", scope.agent or "")
        everything, whole = self._list(dict([whose]))
        if not everything or self._typescript:  # early releases of that SDK spell the owner, too, in their way
            more, complete = self._list({CAMEL[whose[0]]: whose[1]})
            everything, whole = everything + more, whole and complete
        wanted, notes = loosened(everything, scope)
        self._loosened[scope] = wanted
        listing = in_scope([m for m in everything if wanted.project in (None, m.scope.project)], wanted)
        listing.complete = whole
        listing.notes += notes
        if not whole:
            listing.notes.append(f"The engine may have cut its list off at {len(everything)} memories.")
        return listing

    def get(self, ids: Sequence[str], scope: Scope) -> list[Memory]:
        """The memories of these ids that exist, whoever they belong to by now."""
        engine = self._memory.vector_store
        try:
            rows = [engine.get(vector_id=id) for id in ids]
        except Exception as error:
            raise self._failure("read", error) from None
        return [Memory(_record(row)) for row in rows if row is not None]

    def add(self, drafts: Sequence[Draft]) -> list[Result]:
        return self._each(drafts, self._add)

    def update(self, changes: Sequence[Change]) -> list[Result]:
        return self._each(changes, self._update)

    def delete(self, ids: Sequence[str]) -> list[Result]:
        return self._each(ids, self._delete)

    def search(self, query: str, scope: Scope, limit: int) -> list[Memory]:
        wanted, filters = self._narrowed(scope)
        try:
            vector = self._memory.embedding_model.embed(query, "search")
            # mem0's own search would make a collection for entities.
            found = self._memory.vector_store.search(query=query, vectors=vector, top_k=limit, filters=filters)
        except NoVector:
            raise
        except Exception as error:
            raise self._failure("searched", error) from None
        return in_scope((Memory(_record(row)) for row in _unwrapped(found)), wanted).memories

    def nearest(self, memory: Memory, scope: Scope, limit: int) -> list[Memory]:
        """From the stored vector, if the engine can say what is near to a row of its own; else by a search."""
        engine = self._memory.vector_store
        if self._config.provider != "qdrant":
            return self.search(memory.text, scope, limit)
        wanted, filters = self._narrowed(scope)
        try:
            where = engine._create_filter(filters)
            found = engine.client.query_points(engine.collection_name, memory.id, query_filter=where, limit=limit)
        except Exception as error:
            raise self._failure("searched", error) from None
        return in_scope((Memory(_record(row)) for row in found.points), wanted).memories

    def _narrowed(self, scope: Scope) -> tuple[Scope, dict[str, str]]:
        """The scope as far as this store knows it, and the filters for it."""
        if scope not in self._loosened:
            self.fetch(scope)
        wanted = self._loosened[scope]
        parts = {"user_id": wanted.user, "app_id": wanted.project, "agent_id": wanted.agent}
        return wanted, {key: value for key, value in parts.items() if value}

    def owners(self) -> list[tuple[Scope, int]]:
        return owners(self._list(None)[0])

    def close(self) -> None:
        """Let go of the folder and of every connection."""
        memory = self.__dict__.pop("_memory", None)
        engine = getattr(memory, "vector_store", None)
        held: list[Any] = [memory, getattr(engine, "client", None), getattr(engine, "connection_pool", None)]
        for each in held:
            if hasattr(each, "close"):
                each.close()

    def _list(self, filters: dict[str, str] | None) -> tuple[list[Memory], bool]:
        """All memories that fit and whether they are surely all: the engine is asked for more until fewer come.

        mem0's own get_all would fail for all of a user's memories where one has a date that is no text.
        """
        limit = 500
        engine = self._memory.vector_store
        try:
            while len(rows := _unwrapped(engine.list(filters=filters, top_k=limit))) >= limit:
                limit *= 2
        except DreamError:
            raise
        except Exception as error:
            raise self._failure("read", error) from None
        payloads = [row.payload or {} for row in rows]
        self._typescript = self._typescript or any("createdAt" in payload for payload in payloads)
        self._openmemory = self._openmemory or any(p.get("source_app") == "openmemory" for p in payloads)
        round_number = len(rows) > 0 and len(rows) % 1000 == 0  # where other engines stop
        whole = self._config.provider in _WHOLE or not round_number
        return [Memory(_record(row)) for row in rows], whole

    def _add(self, draft: Draft) -> Result:
        if self._openmemory and draft.was is None:
            return Result(error="OpenMemory's own database would not know a new memory; choose a text that one has.")
        metadata = {key: value for key, value in self._fitting(draft.metadata).items() if value is not None}
        if draft.scope.project:
            metadata["app_id"] = draft.scope.project
        if draft.created:
            metadata["created_at"] = draft.created.isoformat()
        if self._typescript:
            metadata["createdAt"] = metadata["updatedAt"] = (draft.created or datetime.now(timezone.utc)).isoformat()
        answer = self._memory.add(
            draft.text,
            user_id=draft.scope.user or None,
            agent_id=draft.scope.agent,
            run_id=draft.run_id,
            metadata=metadata,
            expiration_date=draft.expiration_date,
            infer=False,
        )
        return Result(str(answer["results"][0]["id"]))

    def _update(self, change: Change) -> Result:
        found = self._memory.vector_store.get(vector_id=change.id)
        if found is None:
            return Result(change.id, f"Memory {change.id} is not there any more.")
        wanted: dict[str, Any] = {}
        if change.text is not UNCHANGED:
            wanted["text"] = change.text
        if change.expiration_date is not UNCHANGED:
            wanted["expiration_date"] = change.expiration_date
        if change.metadata is not UNCHANGED:  # mem0 merges metadata; the project is part of it and stays
            dropped = dict.fromkeys(set(found.payload) - _HIDDEN - {"app_id"})
            wanted["metadata"] = dropped | self._fitting(change.metadata)
        if "createdAt" in found.payload:
            wanted["metadata"] = {"updatedAt": datetime.now(timezone.utc).isoformat(), **wanted.get("metadata", {})}
        self._memory.update(change.id, **wanted)
        return Result(change.id)

    def _delete(self, id: str) -> Result:
        engine = self._memory.vector_store
        found = engine.get(vector_id=id)
        if found is not None and isinstance(found.payload.get("created_at"), (int, float)):
            engine.delete(vector_id=id)  # mem0's own way stumbles over a date that is no text
        elif found is not None:
            self._memory.delete(id)
        return Result(id)

    def _each(self, items: Sequence[_Item], act: Callable[[_Item], Result]) -> list[Result]:
        if items:
            keep_history(self._memory, self._config)  # if the store cannot be opened, the call fails whole
        results: list[Result] = []
        failures = 0
        for item in items:
            id = item if isinstance(item, str) else getattr(item, "id", None)
            if failures == _GIVE_UP:
                results.append(Result(id, "Not tried, because the store failed several times in a row."))
                continue
            try:
                results.append(act(item))
                failures = 0
            except NoVector as error:
                results.append(Result(id, str(error)))
                failures += 1
            except Exception as error:
                failure = self._failure("changed", error)
                results.append(Result(id, str(failure), unsure=not isinstance(failure, NoVector)))
                failures += 1
        return results

    def _fitting(self, metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Metadata as the engine can keep it: Chroma knows no empty list, no mapping and no list of mixed things."""
        if self._config.provider != "chroma":
            return dict(metadata)
        kept = {key: None if value == [] else value for key, value in metadata.items()}
        return {key: value if _flat(value) else json.dumps(value, ensure_ascii=False) for key, value in kept.items()}

    def _failure(self, what: str, error: Exception) -> DreamError:
        text = self._config.tell(error)
        if "dimension" in text.lower() or "broadcast" in text.lower():
            return NoVector(
                f"The embedder of {self._config.name} gives vectors of another length than the collection holds"
                f" ({text}); use the embedder that the collection was made with."
            )
        return DreamError(f"The store of {self._config.name} could not be {what} ({text}); check it and run again.")


def _unwrapped(listed: Any) -> list[Any]:
    """The rows of a listing: engines give them bare, in a list, or in a pair with a cursor."""
    if isinstance(listed, (list, tuple)) and listed and isinstance(listed[0], (list, tuple)):
        return list(listed[0])
    return list(listed or [])


def _record(row: Any) -> dict[str, Any]:
    payload = row.payload or {}
    metadata = {key: value for key, value in payload.items() if key not in _HIDDEN} or None
    beside = {key: payload[key] for key in (*_BESIDE, *CAMEL.values()) if key in payload}
    dates = {key: payload.get(key) for key in ("hash", "created_at", "updated_at")}
    return to_record({"id": row.id, "memory": payload.get("data"), **dates, "metadata": metadata, **beside})


def _flat(value: Any) -> bool:
    if isinstance(value, list):
        return len({type(item) for item in value}) == 1 and isinstance(value[0], (str, int, float, bool))
    return value is None or isinstance(value, (str, int, float, bool))
