#!/usr/bin/env python3
"""Whether the first questions of a store are worth asking, held against labelled pairs.

    python3 benchmarks/questions.py CORPUS.jsonl LABELS.jsonl [--first 20]

CORPUS holds {"text", "repo", "when"} a line, and each repo is a store; LABELS holds {"a", "b", "label", "repo"} a line,
the label being dup, contradiction or different. A question is useful if it asks about a contradiction as one, or about
a dup, and no pair of it is different. Questions about pairs that no label speaks of are not counted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from mem0_dream.config.policies import Policies
from mem0_dream.memory import Memory, Scope, StoreRef
from mem0_dream.planning.plan import Conflict, Merge, Plan
from mem0_dream.planning.planner import make_plan
from mem0_dream.runs.snapshot import Snapshot


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--first", type=int, default=20, metavar="N", help="questions of each store")
    args = parser.parse_args(argv)
    stores: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(args.corpus):
        stores[row["repo"]].append(row)
    labels = {(row["repo"], frozenset((row["a"], row["b"]))): row["label"] for row in _rows(args.labels)}
    useful = known = 0
    for repo, rows in stores.items():
        plan = _plan(repo, rows)
        items: dict[str, Merge | Conflict] = {merge.handle: merge for merge in plan.merges}
        items.update((conflict.handle, conflict) for conflict in plan.conflicts)
        for item in (items[handle] for handle in plan.order[: args.first]):
            found = {labels.get((repo, frozenset(plan.memory(id).text for id in pair))) for pair in _pairs(item)} - {
                None
            }
            known += bool(found)
            wanted = {"dup"} if isinstance(item, Merge) else {"dup", "contradiction"}
            useful += bool(found) and found <= wanted
    print(f"{useful} of {known} labelled questions among the first {args.first} of a store are useful: "
          f"{useful / max(known, 1):.3f}")  # fmt: skip


def _pairs(item: Merge | Conflict) -> Iterator[tuple[str, ...]]:
    if isinstance(item, Merge):
        yield from combinations(item.ids, 2)
    else:
        yield from combinations(item.ids or [item.a, item.b], 2)
        yield from map(tuple, item.also)


def _plan(repo: str, rows: Sequence[dict[str, Any]]) -> Plan:
    common = {"user_id": "me", "app_id": repo, "metadata": {"type": "convention"}}
    memories = [
        Memory({"id": f"{n:08d}", "memory": row["text"], "created_at": row["when"], **common})
        for n, row in enumerate(rows)
    ]
    store = StoreRef("file", "benchmark")
    snapshot = Snapshot(store, Scope("me", repo), None, "", "asked", True, memories)
    return make_plan(snapshot, Policies({}), None, date.today())


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
