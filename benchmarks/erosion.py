#!/usr/bin/env python3
"""A year of weekly unattended runs over a store that grows: is any fact lost, do repeats and questions stay bounded?

    python3 benchmarks/erosion.py [--weeks 52] [--agent]

Every week adds new facts, restatements of old ones, one changed fact and some session notes, then runs the whole
unattended pass on a real export, with the calendar moved on. --agent: somebody says yes to every drafted merge that
loses nothing. Exits with 1 where a planted fact is gone. Needs benchmarks/requirements.txt.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import time_machine

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))

from mem0_dream import auto, fetching, journal, work  # noqa: E402
from mem0_dream.draft import make_plan  # noqa: E402
from mem0_dream.identity import Identity  # noqa: E402
from mem0_dream.kept import Kept  # noqa: E402
from mem0_dream.memory import Scope  # noqa: E402
from mem0_dream.runs import all_runs, open_run, scope_folder  # noqa: E402
from mem0_dream.session import Session  # noqa: E402
from mem0_dream.stores.file import FileStore  # noqa: E402

START = datetime(2025, 12, 1, 3, 0, tzinfo=timezone.utc)
SCOPE = Scope("bench", "shop")
SERVICES = "checkout billing search catalog mail invoice cart login export import audit report".split()
FACTS = [
    ("The {s} service listens on port {n}", "The {s} service listens on port {n}.", "Port {n} is where {s} listens"),
    ("The {s} worker retries {n} times", "the {s} worker retries **{n}** times", "Retries of the {s} worker: {n}"),
    ("Logs of the {s} service are kept for {n} days", "Logs of the {s} service are kept for {n} days!", "{s} logs: {n} days"),
    ("The {s} cache holds {n} entries", "The {s} cache holds {n} entries.", "At most {n} entries are in the {s} cache"),
    ("The {s} import runs in batches of {n}", "the {s} import runs in batches of {n}", "{s}: import batches of {n}"),
]  # fmt: skip


class Year:
    """What is planted: facts as (shape, service, number), and the memories that say them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.facts: list[tuple[int, str, int]] = []
        self.rows = 0

    def week(self, now: datetime) -> Iterator[dict]:
        """The memories that one week brings."""
        for _ in range(4):
            fact = (self.random.randrange(len(FACTS)), self.random.choice(SERVICES), self.random.randrange(10, 9999))
            self.facts.append(fact)
            yield self.row(fact, 0, now)
        for fact in self.random.choices(self.facts, k=4):
            yield self.row(fact, self.random.choice([0, 1, 1, 2]), now)
        shape, service, _ = self.random.choice(self.facts)
        self.facts.append((shape, service, self.random.randrange(10, 9999)))
        yield self.row(self.facts[-1], 0, now)
        for n in range(3):
            yield self.note(f"Session of {now:%d %B}, part {n}: went on with the {self.random.choice(SERVICES)} service", now)

    def row(self, fact: tuple[int, str, int], wording: int, now: datetime) -> dict:
        shape, service, number = fact
        return self._row(FACTS[shape][wording].format(s=service, n=number), "decision", now)

    def note(self, text: str, now: datetime) -> dict:
        return self._row(text, "session_state", now)

    def _row(self, text: str, kind: str, now: datetime) -> dict:
        self.rows += 1
        made = (now - timedelta(minutes=self.rows % 50)).isoformat()
        id = f"{self.rows:08x}-0000-4000-8000-{self.rows:012x}"
        metadata = {"type": kind, "confidence": 0.7}
        return {"id": id, "memory": text, "user_id": SCOPE.user, "app_id": SCOPE.project, "metadata": metadata,
                "created_at": made, "updated_at": made}  # fmt: skip

    def lost(self, texts: list[str]) -> list[tuple[int, str, int]]:
        """The planted facts that no memory says in any of their wordings."""
        standing = {text.strip(".!").replace("**", "").lower() for text in texts}
        return [
            fact
            for fact in self.facts
            if not any(w.format(s=fact[1], n=fact[2]).strip(".!").replace("**", "").lower() in standing for w in FACTS[fact[0]])
        ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weeks", type=int, default=52)
    parser.add_argument("--agent", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    year = Year(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        export = Path(folder, "export.json")
        export.write_text("[]", encoding="utf-8")
        most_questions = asked = 0
        for week in range(args.weeks):
            with time_machine.travel(START + timedelta(weeks=week), tick=True):
                rows = json.loads(export.read_text(encoding="utf-8"))
                rows += year.week(datetime.now(timezone.utc))
                export.write_text(json.dumps(rows), encoding="utf-8")
                asked = one_run(Path(folder), export, args.agent)
                most_questions = max(most_questions, asked)
        texts = [row["memory"] for row in json.loads(export.read_text(encoding="utf-8"))]
        facts = [text for text in texts if not text.startswith(("Session", "mem0 dream"))]
        lost = year.lost(texts)
        print(f"{args.weeks} weekly runs{' with an agent' if args.agent else ''}: {year.rows} memories came,"
              f" {len(texts)} are there")  # fmt: skip
        print(f"planted facts {len(set(year.facts))}, lost {len(lost)}")
        print(f"memories per planted fact at the end {len(facts) / len(set(year.facts)):.2f}"
              f" (without any run {(year.rows - 3 * args.weeks) / len(set(year.facts)):.2f})")  # fmt: skip
        print(f"open questions: at most {most_questions}, at the end {asked}, with {len(facts)} facts stored")
        print(f"deepest chain of merges with no new text: {deepest(Path(folder))}")
    return 1 if lost else 0


def one_run(folder: Path, export: Path, agent: bool) -> int:
    """One unattended pass; how many questions it left to a person."""
    store = FileStore(export)
    home = scope_folder(folder / "home", store.identity, SCOPE)
    session = Session(store, Identity(SCOPE.user, SCOPE.project, None, "main", {}), home, folder, None)
    if agent:
        fetched = fetching.unattended(session)
        run = open_run(fetched.text.removeprefix("Run: "))
        snapshot, _ = session.fetch("auto")
        plan = make_plan(snapshot, session.policies(), Kept.load(home), datetime.now(timezone.utc).date())
        run.write("plan", plan.to_document())
        answers = {merge.handle: True for merge in plan.merges if merge.tier == "review" and not merge.loses}
        outcome = auto.by_agent(session, run, work.decide(run, plan, answers), None)
    else:
        outcome = auto.alone(session, None, lambda *lines: None)
    if outcome.code not in (0, 3):
        raise SystemExit("\n".join([*outcome.lines, outcome.last]))
    newest = all_runs(home)[-1:]
    if not newest or not newest[0].has("queued"):
        return 0
    return len(newest[0].read("queued")["items"])


def deepest(folder: Path) -> int:
    """How many merges in a row took only what earlier merges had left."""
    depth: dict[str, int] = {}
    for home in (folder / "home").iterdir():
        for run in all_runs(home):
            for op in journal.read(run.journal):
                if op.kind == "merge" and op.state == "done" and op.left:
                    fresh = any(member.id not in depth for member in op.members)
                    known = [depth.get(member.id, 0) for member in op.members]
                    depth[op.left[0]["id"]] = 1 if fresh else 1 + max(known)
    return max(depth.values(), default=0)


if __name__ == "__main__":
    sys.exit(main())
