#!/usr/bin/env python3
"""One unattended pass over a whole store: seconds and calls of fetching, finding and applying.

`platform` and `server` are the stand-ins of the tests, each call answered after --latency seconds; `pgvector` is mem0's
own engine on a real PostgreSQL (from the package pgserver), with an embedder that costs nothing.

    python3 benchmarks/stores.py [platform server pgvector] [--size 5000] [--latency 0.05]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

from mem0_dream.cli.session import Session  # noqa: E402
from mem0_dream.config.identity import Identity  # noqa: E402
from mem0_dream.config.policies import Policies  # noqa: E402
from mem0_dream.execution.apply import apply  # noqa: E402
from mem0_dream.memory import Scope  # noqa: E402
from mem0_dream.planning.planner import make_plan  # noqa: E402
from mem0_dream.review.answers import decide  # noqa: E402
from mem0_dream.runs.lock import Lock  # noqa: E402
from mem0_dream.stores.local import LocalStore  # noqa: E402
from mem0_dream.stores.mem0_config import Config  # noqa: E402
from mem0_dream.stores.mem0_engine import mem0  # noqa: E402
from mem0_dream.stores.platform import PlatformStore  # noqa: E402
from mem0_dream.stores.protocol import Store  # noqa: E402
from mem0_dream.stores.server import ServerStore  # noqa: E402

from tests.standins.collection import make_collection  # noqa: E402
from tests.standins.embedder import WordEmbedder  # noqa: E402
from tests.standins.platform_api import PlatformApi  # noqa: E402
from tests.standins.server_api import ServerApi  # noqa: E402

ME = Scope("developer", "web-shop")
NOW = datetime.now(timezone.utc)
WORDS = "cache queue index parser mailer router ledger scheduler gateway importer exporter renderer".split()  # noqa: SIM905


def records(size: int) -> list[dict[str, Any]]:
    """`size` memories: one in 20 says what another says, in other case; one in 25 is a session note past its time."""
    luck = random.Random(5)
    made: list[dict[str, Any]] = []
    while len(made) < size:
        first, second = luck.sample(WORDS, 2)
        name = f"{first}-{luck.randrange(10**6)}"
        text = f"The {name} writes to the {second} of region {luck.randrange(10**6)} before it answers"
        kind = "session_state" if luck.random() < 0.04 else "decision"
        made.append(_record(text, kind, luck))
        if kind == "decision" and luck.random() < 0.05:
            made.append(_record(f"{text[0].lower()}{text[1:]}.", kind, luck))
    return made[:size]


def _record(text: str, kind: str, luck: random.Random) -> dict[str, Any]:
    days = luck.randint(100, 400) if kind == "session_state" else luck.randint(0, 400)
    created = (NOW - timedelta(days=days)).isoformat(timespec="seconds")
    metadata = {"type": kind, "branch": "main", "confidence": 0.7, "files": [f"src/{luck.choice(WORDS)}.py"]}
    return {"id": str(uuid.uuid4()), "memory": text, "metadata": metadata, "created_at": created}


@contextmanager
def stand_in(
    api: Any, opened: Callable[[Any], Store], rows: list[dict[str, Any]], latency: float
) -> Iterator[tuple[Store, Counter[str]]]:
    calls: Counter[str] = Counter()
    with api:
        api.seed(ME.user, ME.project, rows)
        api.latency = latency
        api.before = lambda call: calls.update(["calls"])
        yield opened(api), calls


@contextmanager
def pgvector(rows: list[dict[str, Any]], latency: float) -> Iterator[tuple[Store, Counter[str]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pgserver

    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        database = pgserver.get_server(folder, cleanup_mode="stop")
        embedder = WordEmbedder()
        collection = {
            "connection_string": database.get_uri(),
            "collection_name": "mem0",
            "embedding_model_dims": embedder.dimensions,
        }
        history = str(Path(folder) / "history.db")
        config = Config({"vector_store": {"provider": "pgvector", "config": collection}, "history_db_path": history})
        make_collection(config.settings)
        store = LocalStore(config, embedder)
        payloads = [
            {**row["metadata"], "data": row["memory"], "user_id": ME.user, "app_id": ME.project,
             "created_at": row["created_at"]}
            for row in rows
        ]  # fmt: skip
        store._memory.vector_store.insert(
            vectors=[embedder.embed(row["memory"]) for row in rows], ids=[row["id"] for row in rows], payloads=payloads
        )
        calls: Counter[str] = Counter()
        statement = store._memory.vector_store.__class__
        for name in ("list", "get", "insert", "update", "delete", "search"):
            setattr(statement, name, _tally(getattr(statement, name), calls))
        yield store, calls
        database.cleanup()


def _tally(method: Any, calls: Counter[str]) -> Any:
    def counted(*arguments: Any, **named: Any) -> Any:
        calls["calls"] += 1
        return method(*arguments, **named)

    return counted


def measure(store: Store, calls: Counter[str], home: Path) -> None:
    """Print what each part of the pass took."""
    session = Session(store, Identity(ME.user, ME.project, None, "main", {}), home / "scope", home, None)
    policies = Policies(retention={"session_state": 90})
    parts: list[tuple[str, float, int]] = []

    def part(name: str, started: float) -> None:
        parts.append((name, time.perf_counter() - started, calls["calls"]))
        calls.clear()

    started = time.perf_counter()
    snapshot, _ = session.fetch("auto")
    run = session.keep(snapshot, policies)
    part("fetch", started)
    started = time.perf_counter()
    decisions = decide(make_plan(snapshot, policies, None, NOW.date()), {})
    part("find", started)
    started = time.perf_counter()
    with Lock(session.folder, published=home / "published.lock") as lock:
        summary = apply(run, store, decisions, policies, lock)
    part("apply", started)
    store.close()
    print(f"{store.kind}: {summary.before} memories, {summary.after} afterwards", end=" ")
    print(f"({summary.merged} merged, {summary.pruned} pruned, {len(summary.unfinished)} unfinished)")
    for name, seconds, count in parts:
        print(f"    {name:<6} {seconds:6.1f} s  {count:5} calls")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("stores", nargs="*", default=["platform", "pgvector"], choices=PLACES)
    options.add_argument("--size", type=int, default=5000)
    options.add_argument("--latency", type=float, default=0.05)
    given = options.parse_args()
    mem0()  # a second of its own, or more; not the stores'
    for name in given.stores:
        with (
            PLACES[name](records(given.size), given.latency) as (store, calls),
            tempfile.TemporaryDirectory() as home,
        ):
            measure(store, calls, Path(home))


PLACES = {
    "platform": lambda rows, latency: stand_in(
        PlatformApi(), lambda api: PlatformStore(api.key, api.url), rows, latency
    ),
    "server": lambda rows, latency: stand_in(ServerApi(), lambda api: ServerStore(api.url, api.key), rows, latency),
    "pgvector": pgvector,
}

if __name__ == "__main__":
    main()
