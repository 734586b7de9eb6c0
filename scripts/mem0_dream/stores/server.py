"""A self-hosted mem0 REST server."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from ..errors import DreamError
from ..memory import Memory, Scope, StoreKind
from .calls import Refusal, address, check_key, each, existing, together
from .protocol import UNCHANGED, Change, Draft, Listing, Result
from .scoping import in_scope, loosened, owners

MOST = 1000  # rows of one listing, the server's limit; it has no pages
CUT = (20, 100)  # rows that servers send which know no top_k
HINT = "MEM0_SERVER_API_KEY"
KEPT = ("app_id", "user_id", "agent_id", "run_id", "created_at")  # metadata that no update takes away


class ServerStore:
    """The memories of one server. Constructing it needs no network; a project is the metadata key app_id there."""

    kind: StoreKind = "server"
    former: tuple[str, ...] = ()
    lag_seconds = 4.0
    wave = 100
    page = MOST

    def __init__(
        self, url: str, key: str | None = None, sleep: Callable[[float], None] = time.sleep, **options: Any
    ) -> None:
        """`key` is an API key or a login's token (JWT); `options` go to the HTTP client (timeout in seconds)."""
        self._url, self._key, self._sleep, self._options = url.strip(), (key or "").strip(), sleep, options
        self._seen: set[str] = set()  # ids of the last listing, and what was added since
        where = address(self._url, "MEM0_SERVER_URL")
        check_key(self._key, HINT)
        self.identity = f"server {where}"
        self.label = f"server {where}"

    def __repr__(self) -> str:
        return f"ServerStore({self.identity!r})"

    @functools.cached_property
    def _web(self) -> Any:
        from .http_client import WebClient

        login = self._key.startswith("eyJ") and self._key.count(".") == 2
        headers = {"Authorization": f"Bearer {self._key}"} if login else {"X-API-Key": self._key} if self._key else {}
        name = f"The mem0 server at {address(self._url)}"
        return WebClient(self._url, name, self._key, HINT, self._sleep, headers=headers, **self._options)

    def close(self) -> None:
        """Give the connections back."""
        if "_web" in self.__dict__:
            self._web.close()
            del self._web

    # Reading

    def fetch(self, scope: Scope) -> Listing:
        """The scope's memories among the first 1,000 of the user; `complete` is False where there may be more."""
        rows = self._list(scope, MOST)
        cut = ""
        if len(rows) >= MOST:
            cut = f"The server lists at most {MOST} memories of a user; there may be more."
        elif len(rows) in CUT and len(self._list(scope, 1)) > 1:
            cut = f"This server sends at most {len(rows)} memories, whatever is asked; update it."
        memories = _memories(rows)
        missing = self._seen - {memory.id for memory in memories}
        if cut:  # a written row moves to the end of the server's list, and so out of what it sends
            memories += _memories(together(lambda id: self._web.get(_place(id)).json(), sorted(missing)))
        self._seen = {memory.id for memory in memories}
        narrowed, notes = (scope, []) if cut else loosened(memories, scope)
        listing = in_scope(memories, narrowed)
        if cut and memories and not listing.memories:
            notes = [f"None of the {len(memories)} memories that came is of this project; --project none takes all."]
        listing.complete = not cut
        listing.notes += [*notes, *([cut] if cut else [])]
        return listing

    def get(self, ids: Sequence[str], scope: Scope) -> list[Memory]:
        """The memories of these ids that exist, whoever they belong to by now."""
        web = self._web
        return _memories(existing(lambda id: web.get(_place(id)).json(), ids))

    def _list(self, scope: Scope, most: int) -> list[Any]:
        who = {"user_id": scope.user, "agent_id": scope.agent}
        query = {name: value for name, value in who.items() if value}
        answer = self._web.get("memories", params={**query, "top_k": most, "show_expired": "true"}).json()
        return _rows(answer)

    def search(self, query: str, scope: Scope, limit: int) -> list[Memory]:
        """The scope's memories nearest to a text, nearest first."""
        if not query.strip():
            return []
        who = {"user_id": scope.user, "app_id": scope.project, "agent_id": scope.agent}
        filters = {name: value for name, value in who.items() if value}
        answer = self._web.post("search", json={"query": query, "filters": filters, "top_k": max(1, limit)}).json()
        return in_scope(_memories(_rows(answer)), scope).memories[:limit]

    def nearest(self, memory: Memory, scope: Scope, limit: int) -> list[Memory]:
        return self.search(memory.text, scope, limit)

    def owners(self) -> list[tuple[Scope, int]]:
        """Who has memories among the first 1,000 of all; nobody where the key may not list them."""
        try:
            return owners(_memories(_rows(self._web.get("memories").json())))
        except Refusal as refusal:
            if refusal.status == 403:
                return []
            raise

    # Writing

    def add(self, drafts: Sequence[Draft]) -> list[Result]:
        """Store each text as it stands. An add whose fate is unknown is not repeated: its result is unsure."""
        web = self._web  # made before the threads start
        results = each(lambda draft: _stored(web.post("memories", json=_addition(draft)).json()), drafts)
        self._seen |= {result.id for result in results if result.id}
        return results

    def update(self, changes: Sequence[Change]) -> list[Result]:
        """Change memories in place. Metadata keys that are to go stay as null; a date cannot be changed there."""
        web = self._web
        return each(lambda change: self._update(web, change), changes)

    def _update(self, web: Any, change: Change) -> Result:
        place = _place(change.id)
        body = {
            name: value
            for name, value in (("text", change.text), ("expiration_date", change.expiration_date))
            if value is not UNCHANGED
        }
        if change.metadata is not UNCHANGED:
            found = web.get(place).json()
            if found is None:
                return Result(error=f"Memory {change.id} is no longer there.")
            dropped = {key: None for key in Memory(found).metadata if key not in KEPT}
            body["metadata"] = {**dropped, **(change.metadata or {})}
        if body:
            web.put(place, json=body)
        return Result(change.id)

    def delete(self, ids: Sequence[str]) -> list[Result]:
        """Delete for good; what is not there is deleted already."""
        web = self._web

        def one(id: str) -> Result:
            try:
                web.delete(_place(id))
            except Refusal as refusal:
                if refusal.status != 404:
                    raise
            return Result(id)

        return each(one, ids)


def _addition(draft: Draft) -> dict[str, Any]:
    extra = {"app_id": draft.scope.project, "created_at": draft.created.isoformat() if draft.created else None}
    body = {
        "messages": [{"role": "user", "content": draft.text}],
        "user_id": draft.scope.user or None,
        "agent_id": draft.scope.agent,
        "run_id": draft.run_id,
        "metadata": {**draft.metadata, **{key: value for key, value in extra.items() if value}},
        "expiration_date": draft.expiration_date,
        "infer": False,
    }
    return {key: value for key, value in body.items() if value is not None}


def _stored(answer: Any) -> Result:
    results = answer.get("results") if isinstance(answer, dict) else answer
    for row in results if isinstance(results, list) else []:
        if isinstance(row, dict) and row.get("id"):
            return Result(str(row["id"]))
    return Result(error="The server stored nothing new; it may have this text already.", unsure=True)


def _place(id: str) -> str:
    return f"memories/{quote(id, safe='')}"


def _memories(rows: Sequence[Any]) -> list[Memory]:
    return [Memory(row) for row in rows if isinstance(row, dict)]


def _rows(answer: Any) -> list[Any]:
    """The rows of a listing; what lists nothing is no empty list."""
    rows = answer.get("results") if isinstance(answer, dict) else answer
    if isinstance(rows, list):
        return rows
    raise DreamError("The mem0 server answered a listing with something that is none; check MEM0_SERVER_URL.")
