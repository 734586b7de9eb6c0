#!/usr/bin/env python3
"""How well pairs are judged, set by set: what would be merged unasked, proposed, asked and left alone.

    python benchmarks/accuracy.py PAIRS.jsonl... [--show safe|merged|missed]

A line of PAIRS is {"a", "b", "label": dup|contradiction|different}. Every pair is judged by itself, without a store.
    wrong   merged with nobody asked, though no duplicate       safe    share of the duplicates merged with nobody asked
    F1      merges, asked and unasked, as a finder of duplicates
    as dup, as conflict, seen   shares of the contradictions proposed as a merge, asked as a conflict, either of both
    asked   share of the different pairs that cost a question
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))

from mem0_dream.matching.classifier import judge
from mem0_dream.matching.text import read

COLUMNS = ("pairs", "wrong", "safe", "F1", "as dup", "as conflict", "seen", "asked")


def judged(path: Path) -> list[dict[str, Any]]:
    """The pairs of a file with where each would end: safe, merge, conflict, near or alone."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        found = judge(read(row["a"]), read(row["b"]))
        merged = found.kind in ("duplicate", "covers")
        alone = "near" if found.near else "alone"
        row["place"] = (
            "safe" if found.safe else "merge" if merged else "conflict" if found.kind == "conflict" else alone
        )
    return rows


def figures(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The columns of a set; None where it has no such pair."""
    count = Counter((row["label"], row["place"]) for row in rows)
    total = Counter[str]()
    for (label, _), number in count.items():
        total[label] += number

    def share(label: str, *places: str) -> float | None:
        return sum(count[label, place] for place in places) / total[label] if total[label] else None

    merged = {label: count[label, "safe"] + count[label, "merge"] for label in total}
    right = merged.get("dup", 0)
    f1 = 2 * right / (sum(merged.values()) + total["dup"]) if right else None
    wrong = sum(count[label, "safe"] for label in total if label != "dup")
    return {
        "pairs": sum(total.values()),
        "wrong": wrong,
        "safe": share("dup", "safe"),
        "F1": f1,
        "as dup": share("contradiction", "safe", "merge"),
        "as conflict": share("contradiction", "conflict"),
        "seen": share("contradiction", "safe", "merge", "conflict"),
        "asked": share("different", "safe", "merge", "conflict"),
    }


def cell(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", type=Path)
    parser.add_argument("--show", choices=("safe", "merged", "missed"), help="print wrong or missed pairs")
    args = parser.parse_args()
    sets = {path.stem: judged(path) for path in args.pairs}
    sets["all"] = [row for rows in sets.values() for row in rows]
    print(f"{'set':14}" + "".join(f"{name:>12}" for name in COLUMNS))
    for name, rows in sets.items():
        print(f"{name:14}" + "".join(f"{cell(value):>12}" for value in figures(rows).values()))
    shown = {"safe": ("safe",), "merged": ("safe", "merge"), "missed": ("conflict", "near", "alone"), None: ()}[
        args.show
    ]
    for row in sets["all"]:
        if row["place"] in shown and (row["label"] == "dup") == (args.show == "missed"):
            print(f"{row['place']}\t{row['label']}\n  {row['a']}\n  {row['b']}")


if __name__ == "__main__":
    main()
