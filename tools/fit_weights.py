#!/usr/bin/env python3
"""Learn matching/data/weights.json from labelled pairs, and say how well it does on sources it has not seen.

    python tools/fit_weights.py PAIRS.jsonl... [--corpus CORPUS.jsonl] [--write]

Needs numpy. One softmax regression for texts in Latin script, one for the rest; what they weigh: evidence.py.
A pair of PAIRS is {"a", "b", "label": dup|contradiction|different, "source"}; lines of CORPUS {"text", "repo"}
serve as further pairs that are different. The figures are cross-validated over sources: no source is in both parts.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import sys
import zlib
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "scripts"))

from mem0_dream.matching import classifier, features, text  # noqa: E402

CLASSES = ("different", "contradiction", "dup")
FOLDS = 6
# How much a pair of a set counts: the sets nearest to what memories look like count most.
SHARE = {"coding": 1.0, "edits": 0.6, "mem0_outputs": 3.0, "handwritten": 2.0, "traps": 0.5, "corpus": 0.2}
FOREIGN_SHARE = {
    "stsb_zh": 1.0, "stsb_ja": 1.0, "stsb_ru": 1.0, "stsb_de": 0.2, "stsb_es": 0.2, "stsb_en": 0.2, "edits": 0.0,
}  # fmt: skip
PENALTY = {"words": 12.0, "scripts": 8.0}


def load(paths: list[str], corpus: str | None) -> list[dict]:
    """Every labelled pair with its readings, set and source."""
    rows = []
    for path in map(Path, paths):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows.append({**row, "set": path.stem, "source": row.get("source", path.stem)})
            if rows[-1]["source"].split("-")[0] in (path.stem, path.stem.split("_")[0]):  # a set of one source: by text
                rows[-1]["source"] = f"{path.stem}{zlib.crc32(row['a'].encode()) % 7}"
    if corpus:
        rows += unlike(Path(corpus))
    for row in rows:
        row["pair"] = text.read(row["a"]), text.read(row["b"])
    return rows


def unlike(corpus: Path) -> list[dict]:
    """Pairs of lines of one repository that share enough words to be looked at."""
    lines: dict[str, dict[str, str]] = collections.defaultdict(dict)
    for line in corpus.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        lines[row["repo"]][text.read(row["text"]).exact] = row["text"]
    found = []
    for repo, texts in lines.items():
        readings = [text.read(line) for line in texts.values()]
        for a, b in itertools.combinations(readings, 2):
            if not classifier.too_little(a, b):
                found.append({"a": a.text, "b": b.text, "label": "different", "set": "corpus", "source": repo})
    return found


def matrix(found: list[dict], names: list[str]) -> np.ndarray:
    """One line of evidence per pair, with a last column of ones."""
    return np.array([[e.get(name, 0.0) for name in names] + [1.0] for e in found])


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def fit(x: np.ndarray, y: np.ndarray, share: np.ndarray, penalty: float) -> np.ndarray:
    """Weights (evidence x classes) by Newton's method; scaled so that the penalty treats all evidence alike."""
    scale = np.sqrt((share[:, None] * (x - np.average(x, axis=0, weights=share)) ** 2).sum(axis=0) / share.sum())
    scale[scale < 1e-6] = np.inf
    scale[-1] = 1.0
    z, classes = x / scale, y.shape[1]
    w = np.zeros((z.shape[1], classes))
    ridge = np.full(z.shape[1], penalty)
    ridge[-1] = 0.01

    def cost(w: np.ndarray) -> float:
        likely = np.log((softmax(z @ w) * y).sum(axis=1) + 1e-12)
        return float(-(share * likely).sum() + (ridge[:, None] * w**2).sum() / 2)

    n = z.shape[1]
    for _ in range(25):
        p = softmax(z @ w)
        gradient = z.T @ (share[:, None] * (p - y)) + ridge[:, None] * w
        hessian = np.zeros((n * classes, n * classes))
        for i in range(classes):
            for j in range(classes):
                curve = share * p[:, i] * ((i == j) - p[:, j])
                hessian[i * n : (i + 1) * n, j * n : (j + 1) * n] = (z * curve[:, None]).T @ z + (i == j) * np.diag(
                    ridge
                )
        hessian += 1e-3 * np.eye(n * classes)
        step = np.linalg.solve(hessian, gradient.T.reshape(-1)).reshape(classes, n).T
        while not cost(w - step) <= cost(w) and abs(step).max() > 1e-6:
            step /= 2
        w -= step
        if abs(step).max() < 1e-5:
            break
    w -= w[:, :1]  # "different" is the ground the others are measured from
    return w / scale[:, None]


def held_out(rows: list[dict], x: np.ndarray, y: np.ndarray, share: np.ndarray, penalty: float) -> np.ndarray:
    """The probabilities of every pair by weights that have not seen its source."""
    fold = np.array([zlib.crc32(row["source"].encode()) % FOLDS for row in rows])
    found = np.zeros(y.shape)
    for number in range(FOLDS):
        seen = (fold != number) & (share > 0)
        found[fold == number] = softmax(x[fold == number] @ fit(x[seen], y[seen], share[seen], penalty))
    return found


def figures(rows: list[dict], p: np.ndarray, merge: float, conflict: float, name: str) -> str:
    """The figures of one set at these thresholds."""
    kinds = ["dup" if q[2] >= merge else "contradiction" if q[1] >= conflict else "different" for q in p]
    n = collections.Counter((r["label"], k) for r, k in zip(rows, kinds, strict=True) if r["set"] == name)
    total = collections.Counter(r["label"] for r in rows if r["set"] == name)
    share = lambda label, *kinds: sum(n[label, k] for k in kinds) / total[label] if total[label] else 0.0  # noqa: E731
    merged = sum(n[label, "dup"] for label in CLASSES)
    right, found = n["dup", "dup"] / max(merged, 1), share("dup", "dup")
    f1 = 2 * right * found / max(right + found, 1e-9)
    return (
        f"{name:13} {sum(total.values()):5}  F1 {f1:.3f} (P {right:.3f} R {found:.3f})"
        f"  contradictions merged {share('contradiction', 'dup'):.3f}"
        f" asked as such {share('contradiction', 'contradiction'):.3f}"
        f" seen {share('contradiction', 'dup', 'contradiction'):.3f}"
        f"  different asked {share('different', 'dup', 'contradiction'):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+")
    parser.add_argument("--corpus")
    parser.add_argument("--write", action="store_true", help="write the weights; else only the figures are printed")
    args = parser.parse_args()
    rows = load(args.pairs, args.corpus)
    weights = {}
    for name, shares, rest in (("words", SHARE, 0.02), ("scripts", FOREIGN_SHARE, 0.02)):
        mine = [r for r in rows if features.foreign(*r["pair"]) == (name == "scripts") or name == "scripts"]
        evidences = [features.evidence(*row["pair"]) for row in mine]
        names = sorted(set().union(*evidences))
        x = matrix(evidences, names)
        y = np.array([[float(r["label"] == label) for label in CLASSES] for r in mine])
        share = np.array([shares.get(r["set"], rest) for r in mine])
        p = held_out(mine, x, y, share, PENALTY[name])
        w = fit(x[share > 0], y[share > 0], share[share > 0], PENALTY[name])
        merge, conflict = classifier.MERGE[name], classifier.CONFLICT[name]
        for title, q in (("sources not seen", p), ("sources seen", softmax(x @ w))):
            print(f"{name}, {title}:")
            for s in sorted({r["set"] for r in mine if name == "words" or r["set"] in FOREIGN_SHARE}):
                print("  " + figures(mine, q, merge, conflict, s))
        weights[name] = {
            key: [round(float(v), 3) for v in row[1:]]
            for key, row in zip([*names, "bias"], w, strict=True)
            if abs(row[1:]).max() >= 0.0005
        }
    if args.write:
        body = ",\n".join(
            f' "{name}": {{\n' + ",\n".join(f'  "{k}": {json.dumps(v)}' for k, v in table.items()) + "\n }"
            for name, table in weights.items()
        )
        target = HERE / "scripts" / "mem0_dream" / "matching" / "data" / "weights.json"
        target.write_text("{\n" + body + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
