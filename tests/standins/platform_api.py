"""A stand-in for the mem0 Platform's API: the endpoints that a dream calls, with their limits and oddities."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.standins.web import Call, WebService

ENTITIES = ("user_id", "agent_id", "app_id", "run_id")
FILTERS = {
    *ENTITIES, "AND", "OR", "NOT", "created_at", "updated_at", "timestamp", "expiration_date", "text", "categories",
    "metadata", "keywords_search", "memory_ids", "keywords",
}  # fmt: skip
WEST = timezone(timedelta(hours=-7))  # the Platform writes its dates in Pacific time
LISTED = {
    "id", "memory", "user_id", "agent_id", "app_id", "session_id", "metadata", "categories", "structured_attributes",
    "replaced_by", "synthesized", "expiration_date", "created_at", "updated_at",
}  # fmt: skip


class Rejected(Exception):
    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(body)
        self.status, self.body = status, body


class PlatformApi(WebService):
    """One account. `rows` is what it keeps, newest last; tests may change it at any time.

    Its replicas may lag: a listing shows the account as it was `lag()` seconds ago, a read of one memory as it was
    `read_lag()` seconds ago. Nothing published says that either never happens. The time is `now`, which only `sleep`
    moves on.
    """

    def __init__(self, key: str = "m0-stand-in-key-for-tests") -> None:
        super().__init__()
        self.key = key
        self.rows: dict[str, dict[str, Any]] = {}
        self.history: dict[str, list[dict[str, Any]]] = {}
        self.polls_to_finish: int | None = None  # None: an add is done at once; 2: PENDING until the second look
        self.event_ends_in = "SUCCEEDED"
        self._events: dict[str, dict[str, Any]] = {}
        self.now = 0.0
        self.lag: Callable[[], float] = lambda: 0.0
        self.read_lag: Callable[[], float] = lambda: 0.0
        self._writes: list[tuple[float, str, dict[str, Any] | None]] = []  # when, which, and what it was before

    def seed(self, user: str, project: str | None, memories: Iterable[Any]) -> list[str]:
        """Keep memories given as texts or as records; their ids."""
        ids = []
        for number, given in enumerate(memories):
            record: dict[str, Any] = {"memory": given} if isinstance(given, str) else dict(given)
            moment = datetime(2026, 1, 1, tzinfo=WEST) + timedelta(minutes=number)
            row = self._row(record.pop("memory", ""), {"user_id": user, "app_id": project}, moment)
            row.update(record)
            self.rows[row["id"]] = row
            ids.append(row["id"])
        return ids

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def answer(self, call: Call) -> tuple[int, Any]:
        if call.headers.get("authorization") != f"Token {self.key}":
            return 401, {"detail": "Invalid API key. You can find your API key on the dashboard."}
        try:
            return 200, self._route(call)
        except Rejected as rejected:
            return rejected.status, rejected.body

    def _route(self, call: Call) -> Any:
        match (call.method, call.path.strip("/").split("/")):
            case "GET", ["v1", "ping"]:
                return {"status": "ok", "org_id": "org-1", "project_id": "proj-1", "user_email": "owner@example.com"}
            case "POST", ["v3", "memories"]:
                return self._list(call)
            case "POST", ["v3", "memories", "add"]:
                return self._add(call.body or {})
            case "POST", ["v3", "memories", "search"]:
                return self._search(call.body or {})
            case "GET", ["v1", "memories", id, "history"]:
                return self.history.get(self._known(id)["id"], [])
            case "GET", ["v1", "memories", id]:
                row = self._known(id, self._rows_before(self.read_lag()))
                return {**_listed(row), "lifecycle_state": row["lifecycle_state"]}
            case "PUT", ["v1", "memories", id]:
                return _listed(self._change(self._known(id), call.body or {}))
            case "DELETE", ["v1", "memories", id]:
                self._remove(self._known(id))
                return {"message": "Memory deleted successfully!"}
            case (("PUT" | "DELETE"), ["v1", "batch"]):
                return self._batch(call)
            case "GET", ["v1", "event", id]:
                return self._event(id)
            case "GET", ["v1", "entities"]:
                return self._entities()
        raise Rejected(404, {"detail": "Not found."})

    # Reading

    def _rows_before(self, seconds: float) -> dict[str, dict[str, Any]]:
        """The rows as they were so long ago."""
        rows = dict(self.rows)
        for moment, id, was in reversed(self._writes):
            if moment <= self.now - seconds:
                break
            if was is None:
                rows.pop(id, None)
            else:
                rows[id] = was
        return rows

    def _before_write(self, id: str) -> None:
        self._writes.append((self.now, id, copy.deepcopy(self.rows.get(id))))

    def _list(self, call: Call) -> dict[str, Any]:
        page, size = int(call.query.get("page", 1)), int(call.query.get("page_size", 100))
        if page < 1 or not 1 <= size <= 200:
            raise Rejected(400, {"page_size": ["Ensure this value is less than or equal to 200."]})
        rows = self._matching(call.body or {})
        if page > 1 and (page - 1) * size >= len(rows):
            raise Rejected(404, {"detail": "Invalid page."})
        link = f"{self.url}/v3/memories/?page={{}}&page_size={size}"
        return {
            "count": len(rows),
            "next": link.format(page + 1) if page * size < len(rows) else None,
            "previous": link.format(page - 1) if page > 1 else None,
            "results": [_listed(row) for row in rows[(page - 1) * size : page * size]],
        }

    def _search(self, body: dict[str, Any]) -> dict[str, Any]:
        top = body.get("top_k", 10)
        if not body.get("query") or not 1 <= top <= 1000:
            raise Rejected(400, {"error": "query and a top_k between 1 and 1000 are required"})
        wanted = set(body["query"].lower().split())
        scored = [(len(wanted & set(row["memory"].lower().split())) / len(wanted), row) for row in self._matching(body)]
        found = sorted(((score, row) for score, row in scored if score >= 0.1), key=lambda pair: -pair[0])[:top]
        results = []
        for score, row in found:
            item = {**_listed(row), "run_id": row["session_id"], "score": score}
            item.pop("session_id")
            results.append(item)
        return {"results": results}

    def _matching(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The visible rows that the filters let through, newest first."""
        filters = body.get("filters")
        if not isinstance(filters, dict) or not _names_somebody(filters):
            raise Rejected(400, {"error": "At least one of user_id, agent_id, app_id, run_id is required in filters."})
        today = datetime.now(timezone.utc).date().isoformat()
        return [
            row
            for row in reversed(self._rows_before(self.lag()).values())
            if row["lifecycle_state"] != "merged"
            and (body.get("show_expired") or not row["expiration_date"] or row["expiration_date"] >= today)
            and _passes(row, filters)
        ]

    def _entities(self) -> dict[str, Any]:
        named = {(kind, row[f"{kind}_id"]) for row in self.rows.values() for kind in ("user", "agent", "app")}
        results = [
            {"id": str(i), "name": name, "type": kind, "owner": "org-1"}
            for i, (kind, name) in enumerate(sorted((kind, name) for kind, name in named if name))
        ]
        return {"count": len(results), "next": None, "previous": None, "results": results}

    # Writing

    def _add(self, body: dict[str, Any]) -> dict[str, Any]:
        who = {name: body.get(name) for name in ENTITIES}
        if not body.get("messages") or not any(who.values()):
            raise Rejected(400, {"error": "messages and one of user_id, agent_id, app_id, run_id are required."})
        if body.get("infer") is not False:
            raise Rejected(400, {"error": "The stand-in extracts nothing: pass infer false."})
        _check(body)
        if not isinstance(body.get("timestamp", 0), int):
            raise Rejected(400, {"timestamp": ["A valid integer is required."]})
        event: dict[str, Any] = {
            "id": str(uuid.uuid4()),
            "event_type": "ADD",
            "status": "PENDING",
            "results": [],
            "body": body,
            "looks": 0,
        }
        self._events[event["id"]] = event
        if self.polls_to_finish is not None:
            return {"event_id": event["id"], "status": "PENDING"}
        self._store(event)
        return {
            "message": "Memories stored successfully",
            "status": "SUCCEEDED",
            "event_id": event["id"],
            "results": event["results"],
        }

    def _store(self, event: dict[str, Any]) -> None:
        body = event["body"]
        who = {name: body.get(name) for name in ENTITIES}
        moment = datetime.fromtimestamp(body["timestamp"], WEST) if body.get("timestamp") is not None else None
        for message in body["messages"]:
            if message["role"] == "system" or any(_repeats(row, message["content"], who) for row in self.rows.values()):
                continue
            row = self._row(message["content"], who, moment, body.get("metadata"))
            row["expiration_date"] = body.get("expiration_date")
            self._before_write(row["id"])
            self.rows[row["id"]] = row
            self._remember(row, "ADD", None)
            event["results"].append({"id": row["id"], "data": {"memory": row["memory"]}, "event": "ADD"})
        event["status"] = "SUCCEEDED"

    def _event(self, id: str) -> dict[str, Any]:
        event = self._events.get(id)
        if event is None:
            raise Rejected(404, {"error": "Event not found or you don't have permission to access it."})
        event["looks"] += 1
        if event["status"] == "PENDING" and event["looks"] >= (self.polls_to_finish or 0):
            if self.event_ends_in == "FAILED":
                event.update(status="FAILED", error="storage is out of order")
            else:
                self._store(event)
        return {key: value for key, value in event.items() if key not in ("body", "looks")}

    def _change(self, row: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        _check(body)
        self._before_write(row["id"])
        old = row["memory"]
        row["memory"] = body.get("text", old)
        for name in ("metadata", "expiration_date"):
            if name in body:
                row[name] = body[name]
        if body.get("timestamp") is not None:
            row["created_at"] = datetime.fromtimestamp(body["timestamp"], WEST).isoformat()
        row["updated_at"] = datetime.now(WEST).isoformat()
        self._remember(row, "UPDATE", old)
        return row

    def _batch(self, call: Call) -> dict[str, Any]:
        entries = (call.body or {}).get("memories") or []
        verb = "updated" if call.method == "PUT" else "deleted"
        if len(entries) > 1000:
            raise Rejected(400, {"error": f"Maximum of 1000 memories can be {verb} in a single request"})
        for entry in entries:
            _uuid(entry["memory_id"])
            _check(entry)
            if {"timestamp", "expiration_date"} & entry.keys():
                raise Rejected(400, {"error": "A batch changes text and metadata only."})
        known = [entry for entry in entries if entry["memory_id"] in self.rows]
        for entry in known:
            row = self.rows[entry["memory_id"]]
            if call.method == "PUT":
                self._change(row, {key: value for key, value in entry.items() if key != "memory_id"})
            else:
                self._remove(row)
        return {"message": f"Successfully {verb} {len(known)} memories"}

    def _remove(self, row: dict[str, Any]) -> None:
        self._before_write(row["id"])
        del self.rows[row["id"]]
        self._remember(row, "DELETE", row["memory"])

    def _known(self, id: str, rows: dict[str, dict[str, Any]] | None = None) -> dict[str, Any]:
        _uuid(id)
        found = (self.rows if rows is None else rows).get(id)
        if found is None:
            raise Rejected(404, {"error": "Memory not found!"})
        return found

    def _remember(self, row: dict[str, Any], event: str, old: str | None) -> None:
        self.history.setdefault(row["id"], []).append(
            {"memory_id": row["id"], "event": event, "old_memory": old, "new_memory": row["memory"]}
        )

    def _row(
        self, text: str, who: dict[str, Any], moment: datetime | None, metadata: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        now = datetime.now(WEST).isoformat()
        return {
            "id": str(uuid.uuid4()),
            "memory": text,
            "user_id": who.get("user_id"),
            "agent_id": who.get("agent_id"),
            "app_id": who.get("app_id"),
            "session_id": who.get("run_id"),
            "metadata": metadata,
            "categories": None,
            "structured_attributes": {"day_of_week": "monday"},
            "replaced_by": None,
            "synthesized": False,
            "expiration_date": None,
            "created_at": moment.isoformat() if moment else now,
            "updated_at": now,
            "lifecycle_state": "active",
        }


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name in LISTED}


def _names_somebody(filters: dict[str, Any]) -> bool:
    """Whether a filter asks for somebody's memories, not only for those of nobody in particular."""
    for name, value in filters.items():
        if name not in FILTERS:
            raise Rejected(400, {"error": f"Unknown filter {name}."})
        if name in ENTITIES and value not in (None, ""):
            return True
        if name in ("AND", "OR") and any(_names_somebody(part) for part in value):
            return True
    return False


def _passes(row: dict[str, Any], filters: dict[str, Any]) -> bool:
    """The conditions of a filter, all of them; beside AND an OR is not looked at."""
    for name, value in filters.items():
        if name == "AND":
            good = all(_passes(row, part) for part in value)
        elif name == "OR":
            good = "AND" in filters or any(_passes(row, part) for part in value)
        elif name == "NOT":
            good = not any(_passes(row, part) for part in value)
        elif name == "metadata":
            good = all((row["metadata"] or {}).get(key) == wanted for key, wanted in value.items())
        elif name == "memory_ids":
            good = row["id"] in value
        else:
            have = row["session_id" if name == "run_id" else name]
            good = have is not None if value == "*" else have == value
        if not good:
            return False
    return True


def _check(body: dict[str, Any]) -> None:
    if len(json.dumps(body.get("metadata"), ensure_ascii=False)) > 2000:
        raise Rejected(400, {"metadata": ["Metadata must not exceed 2000 characters."]})


def _uuid(id: str) -> None:
    try:
        uuid.UUID(id)
    except ValueError:
        raise Rejected(400, {"error": "memory_id should be a valid UUID"}) from None


def _repeats(row: dict[str, Any], text: str, who: dict[str, Any]) -> bool:
    scope = [row["user_id"], row["agent_id"], row["app_id"], row["session_id"]]
    return row["memory"] == text and scope == [who["user_id"], who["agent_id"], who["app_id"], who["run_id"]]
