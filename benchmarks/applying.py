#!/usr/bin/env python3
"""Many merges and prunes on the Platform's stand-in: calls and seconds, against the published one-by-one order.

Half of the merges keep the newest member's text, a quarter an older one's, a quarter get a new text. The published
skill deletes both originals and adds, one call after the other, and deletes each prune. Also what the journal costs.

    python3 benchmarks/applying.py [--merges 500] [--prunes 500] [--latency 0.1]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

from mem0_dream.config.policies import Policies  # noqa: E402
from mem0_dream.execution.apply import Summary, apply  # noqa: E402
from mem0_dream.execution.undo import undo  # noqa: E402
from mem0_dream.memory import Scope, StoreRef  # noqa: E402
from mem0_dream.planning.plan import Merge, Plan, Prune  # noqa: E402
from mem0_dream.review.answers import decide  # noqa: E402
from mem0_dream.runs import journal  # noqa: E402
from mem0_dream.runs.lock import Lock  # noqa: E402
from mem0_dream.runs.run_folder import new_run  # noqa: E402
from mem0_dream.stores.platform import PlatformStore  # noqa: E402

from tests.standins.platform_api import PlatformApi  # noqa: E402

ME = Scope("developer", "web-shop")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--merges", type=int, default=500)
    parser.add_argument("--prunes", type=int, default=500)
    parser.add_argument("--latency", type=float, default=0.1, help="seconds before every answer")
    args = parser.parse_args()
    ours, calls = waves(args.merges, args.prunes, args.latency)
    theirs, their_calls = one_by_one(args.merges, args.prunes, args.latency)
    print(f"in waves     {calls:6} calls {ours:8.1f} s")
    print(f"one by one   {their_calls:6} calls {theirs:8.1f} s")
    print(f"time: 1/{theirs / ours:.1f} of one by one")


def waves(merges: int, prunes: int, latency: float) -> tuple[float, int]:
    """Seconds and calls of applying the plan as this plugin does, read back included."""
    with PlatformApi() as api, tempfile.TemporaryDirectory() as folder:
        store, plan = planned(api, merges, prunes)
        decisions = decide(plan, {})
        for merge in decisions.merges:
            merge.state = "accepted"
        scope_folder = Path(folder) / "scope"
        run = new_run(scope_folder)
        journal_time, real = [0.0], journal.Journal._append

        def timed(self: Any, *arguments: Any) -> None:
            start = time.perf_counter()
            real(self, *arguments)
            journal_time[0] += time.perf_counter() - start

        journal.Journal._append = timed  # type: ignore[method-assign,assignment]
        api.latency, before, start = latency, len(api.calls), time.perf_counter()
        with Lock(scope_folder, published=scope_folder / "published.lock") as lock:
            summary = apply(run, store, decisions, Policies(), lock)
            seconds, calls = time.perf_counter() - start, len(api.calls) - before
            check(summary, merges, prunes)
            operations = merges + prunes
            size = run.journal.stat().st_size
            print(
                f"journal: {journal_time[0] / operations * 1e3:.2f} ms and {size / operations:.0f} bytes an operation"
            )
            before, start = len(api.calls), time.perf_counter()
            undone = undo(run, store, (), lock)
            assert undone.undone == operations and undone.after == 2 * merges + prunes, undone
            print(f"undo         {len(api.calls) - before:6} calls {time.perf_counter() - start:8.1f} s")
        return seconds, calls


def one_by_one(merges: int, prunes: int, latency: float) -> tuple[float, int]:
    """Seconds and calls of the published order: delete, delete, add for a merge, delete for a prune."""
    with PlatformApi() as api:
        store, plan = planned(api, merges, prunes)
        api.latency, before, start = latency, len(api.calls), time.perf_counter()
        client = store._client
        for merge in plan.merges:
            for id in merge.ids:
                client.delete(id)
            client.add(merge.text, user_id=ME.user, app_id=ME.project, infer=False, metadata={"source": "mem0-dream"})
        for prune in plan.prunes:
            client.delete(prune.id)
        return time.perf_counter() - start, len(api.calls) - before


def planned(api: PlatformApi, merges: int, prunes: int) -> tuple[PlatformStore, Plan]:
    """A seeded store, already connected to, and the plan over it."""
    facts = [f"{how} number {n} of the shop" for n in range(merges) for how in ("Fact", "The fact")]
    ids = api.seed(ME.user, ME.project, [*facts, *(f"Old note {n}" for n in range(prunes))])
    store = PlatformStore(api.key, api.url)
    found = store.fetch(ME)
    plan = Plan(StoreRef(store.kind, store.identity), ME, total=len(found.memories))
    plan.memories = {memory.id: memory.record for memory in found.memories}
    for n in range(merges):
        older, newer = 2 * n, 2 * n + 1
        text = (facts[newer], facts[newer], facts[older], f"Fact and the fact {n}")[n % 4]
        plan.merges.append(Merge(f"M{n + 1}", [ids[older], ids[newer]], "review", text, ""))
    for n, id in enumerate(ids[2 * merges :]):
        plan.prunes.append(Prune(f"P{n + 1}", id, "unknown", "retention", 100, 90))
    return store, plan


def check(summary: Summary, merges: int, prunes: int) -> None:
    done = (summary.merged, summary.pruned, summary.before, summary.after)
    assert done == (merges, prunes, 2 * merges + prunes, merges), summary


if __name__ == "__main__":
    main()
