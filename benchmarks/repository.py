#!/usr/bin/env python3
"""What it costs to hold memories against a repository, on one that this makes: 50,000 commits, 100,000 files.

    python3 benchmarks/repository.py [--commits 50000] [--files 100000] [--memories 500]

Every second memory names a file; a tenth of these was deleted or renamed since. Seconds and MB (the peak of it
and of its git) are of finding the questions, once with these memories and once with memories that name
no file, for which git is not started. POSIX only: it reads the peak with the resource module.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
DAY = 86_400
START = 1_600_000_000  # Unix seconds of the first commit


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=50_000)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--memories", type=int, default=500)
    parser.add_argument("--measure", nargs=2, metavar=("FOLDER", "KIND"), help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.measure:
        _measure(Path(args.measure[0]), args.measure[1], args.files, args.memories)
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        importer = ["git", "-C", folder, "fast-import", "--quiet"]
        with subprocess.Popen(importer, stdin=subprocess.PIPE) as process:
            assert process.stdin
            for part in _history(args.commits, args.files):
                process.stdin.write(part.encode())
        subprocess.run(["git", "-C", folder, "symbolic-ref", "HEAD", "refs/heads/main"], check=True)
        print(f"{args.commits:,} commits, {args.files:,} files, {args.memories:,} memories", flush=True)
        for kind in ("naming files", "naming nothing"):
            sizes = ["--files", str(args.files), "--memories", str(args.memories)]
            subprocess.run([sys.executable, __file__, *sizes, "--measure", folder, kind], check=True)


def _path(number: int) -> str:
    return f"src/part{number % 300}/unit{number % 7}/file{number}.py"


def _history(commits: int, files: int) -> Iterator[str]:
    """The commits: the first adds all files, each later one changes three; some delete one, some rename one."""
    yield "blob\nmark :1\ndata 200\n" + "x" * 199 + "\n\n"
    for n in range(commits):
        who = f"Developer <developer@example.com> {START + n * 600} +0000"
        yield f"commit refs/heads/main\nmark :{n + 10}\nauthor {who}\ncommitter {who}\ndata 5\nstep\n\n"
        if n == 0:
            yield "".join(f"M 100644 :1 {_path(number)}\n" for number in range(files))
            continue
        for k in range(3):
            number = (n * 7919 + k * 104_729) % files
            yield f"M 100644 inline src/part{number % 300}/changed{number % 50}.py\ndata <<E\nchange {n} {k}\nE\n"
        if n % 100 == 50:
            yield f"D {_path(n // 100 * 2)}\n"
        if n % 100 == 99:
            yield f"R {_path(n // 100 * 2 + 1)} src/moved/file{n // 100 * 2 + 1}_new.py\n"


def _measure(folder: Path, kind: str, files: int, memories: int) -> None:
    from mem0_dream.memory import Memory
    from mem0_dream.planning.repository import check

    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + DAY // 2))
    made = []
    for n in range(memories):
        number = n if n % 10 == 0 else files - 1 - n
        if n % 20 == 0:
            number += 1  # renamed, not deleted
        names = kind == "naming files" and n % 2 == 0
        text = f"The rule for case {n} stands in `{_path(number)}`" if names else f"The rule for case {n} is strict"
        made.append(Memory({"id": str(n), "memory": text, "created_at": created}))
    use = resource.getrusage(resource.RUSAGE_SELF)
    before, began = use.ru_utime + use.ru_stime, time.perf_counter()
    found = check(made, folder)
    seconds = time.perf_counter() - began
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    busy = sum(use.ru_utime + use.ru_stime for use in uses) - before
    cost = f"{seconds:6.2f} s ({busy:.2f} s of processor)  {peak:4.0f} MB"
    print(f"{kind:15} {cost}  {len(found.findings)} questions {' '.join(found.notes)}")


if __name__ == "__main__":
    main()
