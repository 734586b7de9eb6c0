#!/usr/bin/env python3
"""Learn matching/data/weights.json from labelled pairs, and say how well it does on sources that it has not seen.

    python tools/fit_weights.py PAIRS.jsonl... [--costs] [--write]

Needs scikit-learn. A line of PAIRS is {"a", "b", "label": dup|contradiction|different, "repo" or "source"}. The
figures are cross-validated over sources: no source is in both parts. `--costs` prints what leaving out each feature
costs; `--write` writes the weights.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "scripts"))

from mem0_dream.matching import classifier, features, guards, tokenizer  # noqa: E402

CLASSES = ["different", "contradiction", "dup"]  # the first is the ground that the others are measured from
FOLDS = 8
PENALTY = 0.3
# How much a pair of a set counts: the sets nearest to what memories look like count most.
SHARE = {
    **dict.fromkeys(["mem0_outputs", "handwritten"], 2.0),
    **dict.fromkeys(["coding", "parallel", "changed", "restated", "asked_lines"], 1.0),
    **dict.fromkeys(["stsb_de", "stsb_en", "stsb_es", "stsb_ja", "stsb_ru", "stsb_zh"], 0.7),
}
REST = 0.03
TARGETS = ("coding", "stsb_de", "stsb_es", "stsb_zh", "stsb_ja", "stsb_ru")


class Pairs:
    """Labelled pairs as a matrix of what they show, with the set, source and share of each."""

    def __init__(self, paths: list[str]) -> None:
        rows = [(path.stem, json.loads(line)) for path in map(Path, paths) for line in path.open(encoding="utf-8")]
        self.sets = np.array([name for name, _ in rows])
        self.labels = np.array([CLASSES.index(row["label"]) for _, row in rows])
        self.folds = np.array([zlib.crc32(source(name, row).encode()) % FOLDS for name, row in rows])
        self.share = np.array([SHARE.get(name, REST) for name in self.sets])
        pairs = [(tokenizer.read(row["a"]), tokenizer.read(row["b"])) for _, row in rows]
        found = [features.evidence(a, b) for a, b in pairs]
        self.names = list(found[0])
        self.matrix = np.array([list(evidence.values()) for evidence in found])
        least = classifier.MERGE
        self.least = np.array([least["scripts" if features.foreign(a, b) else "words"] for a, b in pairs])
        self.compared = np.array([not (classifier.too_little(a, b) or guards.exchanges(a, b)) for a, b in pairs])


def source(name: str, row: dict[str, str]) -> str:
    """Where a pair is from: its repository, or one part in seven of a set that has one source."""
    found = row.get("repo") or row.get("source", "")
    return found if "/" in found else f"{name}{zlib.crc32(row['a'].encode()) % 7}"


def fit(x: np.ndarray, labels: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The weights of the features and the bias, a column for each class."""
    scaler = StandardScaler().fit(x)
    model = LogisticRegression(C=PENALTY, max_iter=5000).fit(scaler.transform(x), labels, sample_weight=share)
    weights = model.coef_ / scaler.scale_
    bias = model.intercept_ - weights @ scaler.mean_
    return (weights - weights[0]).T, bias - bias[0]


def probabilities(x: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    said = np.exp(np.clip(x @ weights + bias, None, 30.0))
    return said / said.sum(axis=1, keepdims=True)


def held_out(pairs: Pairs, columns: list[int]) -> np.ndarray:
    """The probabilities of every pair by weights that have not seen its source."""
    x, found = pairs.matrix[:, columns], np.zeros((len(pairs.labels), 3))
    for fold in range(FOLDS):
        seen = pairs.folds != fold
        found[~seen] = probabilities(x[~seen], *fit(x[seen], pairs.labels[seen], pairs.share[seen]))
    return found


def merged(pairs: Pairs, found: np.ndarray) -> np.ndarray:
    """Which pairs are proposed as a merge, by the thresholds and what is exchanged."""
    return pairs.compared & (found[:, 2] >= pairs.least) & (found[:, 1] < classifier.UNLESS)


def f1(pairs: Pairs, found: np.ndarray, name: str) -> float:
    """How well duplicates of a set are found."""
    mine = pairs.sets == name
    proposed, dup = merged(pairs, found)[mine], (pairs.labels == 2)[mine]
    return 2 * float((proposed & dup).sum()) / max(float(proposed.sum() + dup.sum()), 1.0)


def contradictions(pairs: Pairs, found: np.ndarray) -> float:
    """How well contradictions are told from other things, over the sets that have both: area under the curve."""
    from sklearn.metrics import roc_auc_score

    mine = np.isin(pairs.sets, ["coding", "parallel", "changed"]) & (pairs.labels < 2)
    return float(roc_auc_score(pairs.labels[mine], found[mine, 1]))


def apart(pairs: Pairs, found: np.ndarray) -> float:
    """The share of the contradictions among notes that are not proposed as a merge."""
    mine = np.isin(pairs.sets, ["coding", "changed"]) & (pairs.labels == 1)
    return 1 - float(merged(pairs, found)[mine].mean())


def figures(pairs: Pairs, found: np.ndarray) -> list[float]:
    return [*(f1(pairs, found, name) for name in TARGETS), apart(pairs, found), contradictions(pairs, found)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--costs", action="store_true", help="print what leaving out each feature costs")
    parser.add_argument("--write", action="store_true", help="write the weights")
    args = parser.parse_args()
    pairs = Pairs(args.pairs)
    every = list(range(len(pairs.names)))
    whole = figures(pairs, held_out(pairs, every))
    print("| left out | " + " | ".join(f"F1 {name}" for name in TARGETS) + " | kept apart | contradictions | mean |")
    print("| --- |" + " ---: |" * (len(whole) + 1))
    print("| (nothing) | " + " | ".join(f"{value:.3f}" for value in (*whole, np.mean(whole))) + " |")
    for column, name in enumerate(pairs.names) if args.costs else ():
        without = figures(pairs, held_out(pairs, [i for i in every if i != column]))
        costs = [a - b for a, b in zip(whole, without, strict=True)]
        print(f"| {name} | " + " | ".join(f"{cost:+.3f}" for cost in (*costs, float(np.mean(costs)))) + " |")
    if args.write:
        weights, bias = fit(pairs.matrix, pairs.labels, pairs.share)
        rows = {name: weights[i] for i, name in enumerate(pairs.names)} | {"bias": bias}
        body = ",\n".join(f' "{name}": {[round(float(v), 3) for v in row[1:]]}' for name, row in rows.items())
        target = HERE / "scripts" / "mem0_dream" / "matching" / "data" / "weights.json"
        target.write_text("{\n" + body + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
