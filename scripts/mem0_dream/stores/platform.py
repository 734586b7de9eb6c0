"""The mem0 Platform, through mem0ai's own MemoryClient."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import progress
from ..errors import DreamError
from ..memory import Memory, Scope, StoreKind
from ..runs import accounts
from .calls import Refusal, address, batches, check_key, each, existing, together
from .pages import PAGE, counts_of, ids_of, walk
from .protocol import UNCHANGED, Change, Draft, Listing, Result
from .scoping import in_scope, owners, without_project

HOST = "https://api.mem0.ai"
WALKS = 3  # how often a listing that moves is read again
EVENT_WAITS = (0.2, 0.4, 0.8, 1.6, 3.0, 5.0, 8.0, 10.0, 15.0, 15.0)  # seconds between looks at a pending add
KEY_HINT = "MEM0_API_KEY, or platform.api_key in mem0's config.json"


class PlatformStore:
    """One account's memories on the Platform. Constructing it needs neither mem0 nor the network."""

    kind: StoreKind = "platform"
    lag_seconds = 60.0
    wave = 100  # about as many reads as fit into two seconds
    page = PAGE

    home: Path | None = None  # remembers which account a key stands for

    def __init__(self, key: str, host: str = HOST, sleep: Callable[[float], None] = time.sleep, **options: Any) -> None:
        """`options` go to the HTTP client (timeout in seconds)."""
        self._key, self._host, self._sleep, self._options = key.strip(), host.strip().rstrip("/"), sleep, options
        where = address(self._host, "MEM0_BASE_URL")
        check_key(self._key, KEY_HINT)
        self._by_key = accounts.named(where, self._key)
        self._counted: set[Scope] = set()  # whose memories without a project were counted
        self.label = f"platform {where}"

    def __repr__(self) -> str:
        return f"PlatformStore({self._by_key!r})"

    @functools.cached_property
    def identity(self) -> str:
        """The account as the service names it, asked once for each key: a key can be replaced."""
        return accounts.identity(self.home, self._by_key, self._account)

    @property
    def former(self) -> tuple[str, ...]:
        return accounts.former(self.home, self._by_key, self.identity)

    def _account(self) -> str:
        names = (self._client.org_id, self._client.project_id)
        return accounts.named(address(self._host, "MEM0_BASE_URL"), *names) if all(names) else ""

    @functools.cached_property
    def _client(self) -> Any:
        from .http_client import WebClient
        from .mem0_engine import mem0

        package = mem0()
        web = WebClient(
            self._host, f"The mem0 Platform at {address(self._host)}", self._key, KEY_HINT, self._sleep, **self._options
        )
        try:
            return package.MemoryClient(api_key=self._key, host=self._host, client=web)
        except (AttributeError, ValueError):
            web.close()
            raise DreamError(f"{web.name} does not answer as the mem0 Platform does; check MEM0_BASE_URL.") from None

    def close(self) -> None:
        """Give the connections back."""
        if "_client" in self.__dict__:
            self._client.client.close()
            del self._client

    # Reading

    def fetch(self, scope: Scope) -> Listing:
        """Every memory of the scope, read again while rows shift between pages."""
        before: set[str] = set()
        for _ in range(WALKS):
            rows, counts, stuck = walk(functools.partial(self._page, _filters(scope)))
            ids = ids_of(rows)
            listing = in_scope(_memories(rows), scope)
            if listing.dropped:
                listing.notes.append(f"{listing.dropped} rows of other users or projects came too and were left out.")
            if stuck:
                listing.complete = False
                listing.notes.append(f"The Platform sends the same page again and again; {len(ids)} memories arrived.")
                return listing
            if not counts or counts == {len(ids)}:
                listing.notes += self._without_project(scope, len(ids))
                return listing
            if ids == before and len(counts) == 1:  # nothing moves: the Platform counts what it does not show
                listing.notes.append(f"The Platform counts {counts.pop()} memories here and shows {len(ids)}.")
                return listing
            before = ids
        listing.complete = False
        listing.notes.append(
            f"The list kept changing while it was read (the Platform counts {max(counts)}, {len(ids)} arrived);"
            " run again when nothing writes to it."
        )
        return listing

    def _without_project(self, scope: Scope, shown: int) -> list[str]:
        """What to say of memories that have no project, beside those that have this one; nothing if it is not sure."""
        if scope.project is None or not shown or scope in self._counted:
            return []
        self._counted.add(scope)
        try:
            every, named = (
                max(counts_of([self._rows(_filters(scope._replace(project=project)), 1, 1)]), default=0)
                for project in (None, "*")
            )
        except Refusal:
            return []
        return [without_project(every - named)] if every > named >= shown else []

    def get(self, ids: Sequence[str], scope: Scope) -> list[Memory]:
        """The memories of these ids that exist, whoever they belong to by now; only this read knows lifecycle_state."""
        return _memories(existing(self._client.get, ids))

    def _page(self, filters: dict[str, Any], page: int) -> dict[str, Any]:
        try:
            found = self._rows(filters, page)
            progress.step("Fetching", len(found["results"]), max(counts_of([found]), default=None))
            return found
        except Refusal as refusal:
            if refusal.status == 404 and page > 1:  # the list became shorter meanwhile
                return {"results": []}
            raise

    def _rows(self, filters: dict[str, Any], page: int, size: int = PAGE) -> dict[str, Any]:
        return _listing(self._client.get_all(filters=filters, page=page, page_size=size, show_expired=True))

    def search(self, query: str, scope: Scope, limit: int) -> list[Memory]:
        """The scope's memories nearest to a text, nearest first."""
        if not query.strip():
            return []
        answer = self._client.search(query, filters=_filters(scope), top_k=max(1, min(limit, 1000)))
        return in_scope(_memories(_listing(answer)["results"]), scope).memories[:limit]

    def nearest(self, memory: Memory, scope: Scope, limit: int) -> list[Memory]:
        return self.search(memory.text, scope, limit)

    def owners(self) -> list[tuple[Scope, int]]:
        """For the account's first users, how many of their first memories are in which project; most first."""
        entities = [row for row in _listing(self._client.users())["results"] if isinstance(row, dict)]
        users = [str(row.get("name")) for row in entities if row.get("type") == "user"][:20]
        pages = together(lambda user: self._page({"AND": [{"user_id": user}]}, 1), users)
        return owners(memory for page in pages for memory in _memories(page["results"]))

    # Writing

    def add(self, drafts: Sequence[Draft]) -> list[Result]:
        """Store each text as it stands. An add whose fate is unknown is not repeated: its result is unsure."""
        client = self._client  # made before the threads start
        return each(lambda draft: self._stored(client.add(**_addition(draft))), drafts)

    def _stored(self, answer: Any) -> Result:
        """What became of an add, waiting for its event where the Platform answers before it is done."""
        waits = iter(EVENT_WAITS)
        event = None
        while True:
            answer = answer if isinstance(answer, dict) else {"results": answer}
            item = next((row for row in answer.get("results") or [] if isinstance(row, dict)), {})
            if item.get("id"):
                return Result(str(item["id"]))
            status = str(answer.get("status") or item.get("status")).upper()
            event = event or answer.get("event_id") or item.get("event_id")
            if status == "FAILED":
                return Result(error=f"The Platform could not store it ({answer.get('error') or 'it gives no reason'}).")
            if status not in ("PENDING", "RUNNING") or not event:
                said = "The Platform stored nothing new; it may have this text already."
                return Result(error=said, unsure=True, repeats=status == "SUCCEEDED")
            wait = next(waits, None)
            if wait is None:
                return Result(error="The Platform has not stored it yet; it may still do so.", unsure=True)
            self._sleep(wait)
            try:
                answer = self._client.client.get(f"/v1/event/{event}/").json()
            except Refusal as refusal:
                return Result(error=str(refusal), unsure=True)

    def update(self, changes: Sequence[Change]) -> list[Result]:
        """Change memories in place, whole: metadata that is given replaces what was there."""
        single = [change.created is not None or change.expiration_date is not UNCHANGED for change in changes]
        batch = [change for change, alone in zip(changes, single, strict=True) if not alone]
        rest = [change for change, alone in zip(changes, single, strict=True) if alone]
        batched = iter(batches(self._client.batch_update, batch, _fields, self._update))
        try:
            rested = iter(each(self._update, rest))
        except Refusal as refusal:
            if not batch:
                raise
            rested = iter([Result(error=str(refusal))] * len(rest))
        return [next(rested) if alone else next(batched) for alone in single]

    def _update(self, change: Change) -> Result:
        fields = _fields(change)
        if change.expiration_date is not UNCHANGED:
            fields["expiration_date"] = change.expiration_date
        if change.created is not None:
            fields["timestamp"] = int(change.created.timestamp())
        self._client.update(**fields)
        return Result(change.id)

    def delete(self, ids: Sequence[str]) -> list[Result]:
        """Delete for good; what is not there is deleted already."""
        return batches(self._client.batch_delete, ids, lambda id: {"memory_id": id}, self._delete)

    def _delete(self, id: str) -> Result:
        try:
            self._client.delete(id)
        except Refusal as refusal:
            if refusal.status != 404:
                raise
        return Result(id)


def _filters(scope: Scope) -> dict[str, Any]:
    parts = [("user_id", scope.user), ("app_id", scope.project), ("agent_id", scope.agent)]
    return {"AND": [{name: value} for name, value in parts if value]}


def _addition(draft: Draft) -> dict[str, Any]:
    return {
        "messages": [{"role": "user", "content": draft.text}],
        "user_id": draft.scope.user or None,
        "app_id": draft.scope.project,
        "agent_id": draft.scope.agent,
        "run_id": draft.run_id,
        "metadata": draft.metadata,
        "infer": False,
        "timestamp": int(draft.created.timestamp()) if draft.created else None,
        "expiration_date": draft.expiration_date,
    }


def _fields(change: Change) -> dict[str, Any]:
    fields: dict[str, Any] = {"memory_id": change.id}
    if change.text is not UNCHANGED:
        fields["text"] = change.text
    if change.metadata is not UNCHANGED:
        fields["metadata"] = change.metadata or {}
    return fields


def _listing(answer: Any) -> dict[str, Any]:
    """An answer that lists something; what lists nothing is no empty list."""
    if isinstance(answer, list):
        return {"results": answer}
    if isinstance(answer, dict) and isinstance(answer.get("results"), list):
        return answer
    raise DreamError("The mem0 Platform answered a listing with something that is none; check MEM0_BASE_URL.")


def _memories(rows: Sequence[Any]) -> list[Memory]:
    return [Memory(row) for row in rows if isinstance(row, dict)]
