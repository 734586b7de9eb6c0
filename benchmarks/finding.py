#!/usr/bin/env python3
"""Finding at scale, beside its peers, each in a process of its own on the same stores.

    pip install -r benchmarks/requirements.txt
    python3 benchmarks/finding.py [--sizes 1000 10000 100000 1000000] [--peers-up-to 100000]

`dream` is the whole of find_dupes.py, judging and writing the plan included. `tfidf` is scikit-learn's TF-IDF of words,
joined by sparse_dot_topn at cosine 0.6; `minhash` is datasketch's MinHash LSH at 0.6. Both read that file, join each
type on its own, judge nothing, write nothing. Seconds are wall time with Python's start. MB is the peak of the largest
process: of a large store dream compares the types on several cores, each with some 200 MB of its own at 1,000,000.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import synthetic

if TYPE_CHECKING:
    from mem0_dream.matching.text import Reading

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
THRESHOLD = 0.6


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="*", type=int, default=[1_000, 10_000, 100_000, 1_000_000], metavar="N")
    parser.add_argument("--peers-up-to", type=int, default=100_000, metavar="N", help="larger stores without the peers")
    parser.add_argument("--peer", nargs=2, metavar=("NAME", "STORE"), help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.peer:
        print(PEERS[args.peer[0]](_by_type(Path(args.peer[1]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "store.json")
        print(
            "store                    dream s    MB | tfidf s    MB  dream/tfidf | minhash s    MB  dream/minhash",
            flush=True,
        )
        before = None
        for size in args.sizes:
            synthetic.write(store, size)
            seconds = _row(f"{size:,}, {synthetic.TYPES} types", store, size <= args.peers_up_to)
            if before:
                print(f"{'':22} {size / before[0]:.0f} times the memories: {seconds / before[1]:.1f} times the seconds")
            before = size, seconds
        largest = max((size for size in args.sizes if size <= args.peers_up_to), default=0)
        if largest:
            synthetic.write(store, largest, types=1)
            _row(f"{largest:,}, one type", store, True)
        synthetic.write_texts(store, iter([("note", "The nightly export writes two files to the archive")] * 10_000))
        _row("10,000 copies", store, False)
        synthetic.write(store, 500)
        seconds = _row("500, the usual case", store, False)
        bare, _ = _measured([sys.executable, "-c", "pass"])
        print(f"{'':22} {seconds - bare:.2f} s over the start of Python")
        synthetic.write(store, 10_000)
        _exactness(_by_type(store))
        _judging(_by_type(store))


def _row(name: str, store: Path, peers: bool) -> float:
    find = [sys.executable, str(ROOT / "scripts" / "find_dupes.py"), str(store), "--today", "2026-06-01"]
    seconds, peak = _measured([*find, "--out", str(store.with_name("plan.json"))])
    cells = [f"{name:22} {seconds:9.2f} {peak:5.0f}"]
    for peer in PEERS if peers else ():
        other, memory = _measured([sys.executable, __file__, "--peer", peer, str(store)])
        cells.append(f"{other:9.2f} {memory:5.0f}  {seconds / other:10.2f}")
    print(" | ".join(cells), flush=True)
    return seconds


def _measured(command: list[str]) -> tuple[float, float]:
    """Wall seconds and peak megabytes of a command that must succeed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(command)} failed with status {status}.")
    return seconds, usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def _by_type(store: Path) -> dict[str, list[str]]:
    texts = defaultdict(list)
    for memory in json.loads(store.read_text("utf-8"))["memories"]:
        texts[memory["metadata"]["type"]].append(memory["memory"])
    return texts


def _tfidf(types: dict[str, list[str]]) -> int:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sparse_dot_topn import sp_matmul_topn

    found = 0
    for texts in types.values():
        matrix = TfidfVectorizer().fit_transform(texts)
        found += sp_matmul_topn(matrix, matrix.T.tocsr(), top_n=20, threshold=THRESHOLD).nnz - len(texts)
    return found // 2


def _minhash(types: dict[str, list[str]]) -> int:
    from datasketch import MinHash, MinHashLSH

    found = 0
    for texts in types.values():
        index = MinHashLSH(threshold=THRESHOLD, num_perm=128)
        words = ([word.encode() for word in set(text.lower().split())] for text in texts)
        for i, sketch in enumerate(MinHash.generator(words, num_perm=128)):
            found += len(index.query(sketch))
            index.insert(i, sketch)
    return found


PEERS = {"tfidf": _tfidf, "minhash": _minhash}


def _exactness(types: dict[str, list[str]]) -> None:
    """How many of the pairs that trying all pairs finds, by the same measure and threshold, the index finds."""
    import numpy as np
    from mem0_dream.matching import text
    from mem0_dream.planning import blocking
    from scipy.sparse import csr_matrix

    total = sum(map(len, types.values()))
    least, wanted, got = blocking.enough(total), 0, 0
    for texts in types.values():
        words = list({text.read(line).words: None for line in texts})
        names = {word: i for i, word in enumerate(sorted(set().union(*words)))}
        rows = [(i, names[word]) for i, line in enumerate(words) for word in line]
        has = csr_matrix((np.ones(len(rows)), np.array(rows).T), shape=(len(words), len(names)))
        weighed = has.multiply(np.sqrt(np.log(1 + len(words) / has.sum(axis=0)))).tocsr()
        norms = np.sqrt(weighed.multiply(weighed).sum(axis=1)).A1
        product = (weighed @ weighed.T).tocoo()
        keep = (product.row < product.col) & (product.data >= least * norms[product.row] * norms[product.col] + 1e-9)
        exact = set(zip(product.row[keep].tolist(), product.col[keep].tolist(), strict=True))
        wanted += len(exact)
        got += len(exact & set(blocking.candidates(words, total)))
    print(f"exact join of {total:,} at {least:.2f}: {wanted} pairs, the index finds {got} of them ({got / wanted:.2%})")


def _judging(types: dict[str, list[str]]) -> None:
    """Pairs judged in a second: the candidates of a store, as their texts are met first and again, and any two."""
    from mem0_dream.matching.text import read
    from mem0_dream.planning import blocking

    total = sum(map(len, types.values()))
    readings = [[read(line) for line in dict.fromkeys(texts)] for texts in types.values()]
    jobs = [(group, list(blocking.candidates([reading.words for reading in group], total))) for group in readings]
    name = f"candidates of {total:,} memories"
    print(f"judging: {_pairs_a_second(jobs):,.0f} pairs a second ({name}, whose texts are made comparable on the way)")
    print(f"judging: {_pairs_a_second(jobs):,.0f} pairs a second (the same again: judging alone)")
    readings = [[read(line) for line in group[:200]] for group in map(list, types.values())]
    jobs = [(group, list(combinations(range(len(group)), 2))) for group in readings]
    print(f"judging: {_pairs_a_second(jobs):,.0f} pairs a second (any two memories)")


def _pairs_a_second(jobs: list[tuple[list[Reading], list[tuple[int, int]]]]) -> float:
    from mem0_dream.matching.classifier import judge

    start = time.perf_counter()
    for group, found in jobs:
        for a, b in found:
            judge(group[a], group[b])
    return sum(len(found) for _, found in jobs) / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
