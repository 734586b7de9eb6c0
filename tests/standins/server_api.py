"""A stand-in for the self-hosted mem0 REST server: the endpoints that a dream calls, with their limits and oddities."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.standins.web import Call, WebService

IDENTITY = ("user_id", "agent_id", "run_id")
TOP = {"data", "hash", "created_at", "updated_at", "expiration_date", *IDENTITY}  # the rest is metadata


class ServerApi(WebService):
    """One server. `payloads` is what it keeps; a project is a key of the payload like any other."""

    def __init__(self, key: str = "m0sk_stand-in-key", admin: bool = True, knows_top_k: bool = True) -> None:
        super().__init__()
        self.key, self.admin, self.knows_top_k = key, admin, knows_top_k
        self.payloads: dict[str, dict[str, Any]] = {}

    def seed(self, user: str, project: str | None, memories: Iterable[Any]) -> list[str]:
        """Keep memories given as texts or as records of mem0's shape; their ids."""
        ids = []
        for number, given in enumerate(memories):
            record: dict[str, Any] = {"memory": given} if isinstance(given, str) else dict(given)
            moment = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=number)
            payload = {"user_id": user, "created_at": moment.isoformat(), **(record.pop("metadata", None) or {})}
            payload |= {"app_id": project} if project else {}
            id = str(record.pop("id", uuid.uuid4()))
            text = record.pop("memory", "")
            self.payloads[id] = {"updated_at": payload["created_at"], **payload, **record, "data": text}
            ids.append(id)
        return ids

    def rows(self) -> list[dict[str, Any]]:
        return [_item(id, payload) for id, payload in self.payloads.items()]

    def answer(self, call: Call) -> tuple[int, Any]:
        given = call.headers.get("x-api-key") or call.headers.get("authorization", "").removeprefix("Bearer ")
        if self.key and given != self.key:
            return 401, {"detail": "Invalid API key."}
        match (call.method, call.path.strip("/").split("/")):
            case _ if call.path.endswith("/"):
                return 404, {"detail": "Not Found"}
            case "GET", ["memories"]:
                return self._list(call.query)
            case "POST", ["memories"]:
                return self._add(call.body)
            case "POST", ["search"]:
                return self._search(call.body)
            case "GET", ["memories", id]:
                return 200, _item(id, self.payloads[id]) if id in self.payloads else None
            case (("PUT" | "DELETE"), ["memories", str(id)]):
                if id not in self.payloads:
                    return 404, {"detail": f"Memory with id {id} not found. Please provide a valid 'memory_id'"}
                return self._update(id, call.body) if call.method == "PUT" else self._delete(id)
        return 404, {"detail": "Not Found"}

    def _list(self, query: dict[str, str]) -> tuple[int, Any]:
        top = int(query.get("top_k", 20)) if self.knows_top_k else 100
        if top > 1000:
            return 422, {"detail": [{"loc": ["query", "top_k"], "msg": "Input should be less than or equal to 1000"}]}
        who = {name: query[name] for name in IDENTITY if name in query}
        if not who:
            if not self.admin:
                return 403, {"detail": "Admin role required to list all memories."}
            return 200, {"results": self.rows()[: int(query.get("top_k", 1000))]}
        return 200, {"results": self._matching(who, query.get("show_expired") == "true")[:top]}

    def _search(self, body: dict[str, Any]) -> tuple[int, Any]:
        filters = body.get("filters") or {}
        if not any(filters.get(name) for name in IDENTITY):
            return 400, {"detail": "filters must contain at least one of: user_id, agent_id, run_id"}
        wanted = set(body["query"].lower().split())
        found = [(len(wanted & set(str(row["memory"]).lower().split())), row) for row in self._matching(filters, False)]
        ranked = sorted((pair for pair in found if pair[0]), key=lambda pair: -pair[0])
        return 200, {"results": [{**row, "score": score} for score, row in ranked[: body.get("top_k") or 20]]}

    def _matching(self, wanted: dict[str, Any], expired: bool) -> list[dict[str, Any]]:
        today = datetime.now(timezone.utc).date().isoformat()
        return [
            _item(id, payload)
            for id, payload in self.payloads.items()
            if all(payload.get(name) == value for name, value in wanted.items())
            and (expired or not payload.get("expiration_date") or payload["expiration_date"] >= today)
        ]

    def _add(self, body: dict[str, Any]) -> tuple[int, Any]:
        if not any(body.get(name) for name in IDENTITY):
            return 400, {"detail": "At least one identifier (user_id, agent_id, run_id) is required."}
        now = datetime.now(timezone.utc).isoformat()
        results = []
        for message in body["messages"]:
            id = str(uuid.uuid4())
            payload = {"created_at": now, **(body.get("metadata") or {})}
            payload |= {name: body[name] for name in IDENTITY if body.get(name)}
            payload |= {"updated_at": payload["created_at"], "data": message["content"], "role": message["role"]}
            if body.get("expiration_date"):
                payload["expiration_date"] = body["expiration_date"]
            self.payloads[id] = payload
            results.append({"id": id, "memory": message["content"], "event": "ADD", "role": message["role"]})
        return 200, {"results": results}

    def _update(self, id: str, body: dict[str, Any]) -> tuple[int, Any]:
        payload = self.payloads[id] = self.payloads.pop(id)  # as in PostgreSQL, it moves to the end
        metadata = {key: value for key, value in (body.get("metadata") or {}).items() if key not in TOP}
        payload.update(metadata)
        if body.get("text") is not None:
            payload["data"] = body["text"]
        if "expiration_date" in body:
            payload["expiration_date"] = body["expiration_date"]
        payload["updated_at"] = datetime.now(timezone.utc).isoformat()
        return 200, {"message": "Memory updated successfully!"}

    def _delete(self, id: str) -> tuple[int, Any]:
        del self.payloads[id]
        return 200, {"message": "Memory deleted successfully"}


def _item(id: str, payload: dict[str, Any]) -> dict[str, Any]:
    text = payload.get("data")
    metadata = {key: value for key, value in payload.items() if key not in TOP and key != "role"}
    item = {
        "id": id,
        "memory": text,
        "hash": hashlib.md5(str(text).encode()).hexdigest(),
        "metadata": metadata or None,
        "created_at": payload.get("created_at"),
        "updated_at": payload.get("updated_at"),
    }
    promoted = {name: payload[name] for name in (*IDENTITY, "role", "expiration_date") if name in payload}
    return {**item, **promoted}
