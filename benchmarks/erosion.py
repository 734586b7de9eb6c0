#!/usr/bin/env python3
"""A year of weekly unattended runs over a store that grows: is any fact lost, do repeats and questions stay bounded?

    python3 benchmarks/erosion.py [--weeks 52] [--agent]

Every week adds new facts, restatements of old ones, one changed fact and some session notes, then runs the whole
unattended pass on a real export, with the calendar moved on; once a quarter a person answers what waits. --agent:
in each weekly run an agent says yes to every drafted merge that loses nothing. Exits with 1 where a planted fact is
gone that no person gave up. Needs benchmarks/requirements.txt.
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
from typing import Any

import time_machine

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))

from mem0_dream.cli import fetch, find, interactive, pipeline, unattended
from mem0_dream.cli.session import Session
from mem0_dream.config.identity import Identity
from mem0_dream.memory import Scope
from mem0_dream.runs import journal
from mem0_dream.runs.run_folder import all_runs, open_run, scope_folder
from mem0_dream.stores.file import FileStore

START = datetime(2025, 12, 1, 3, 0, tzinfo=timezone.utc)
SCOPE = Scope("bench", "shop")
QUARTER = 13  # weeks
SERVICES = (Path(__file__).parent / "services.txt").read_text(encoding="utf-8").split()
FACTS = [
    ("The {s} service listens on port {n}", "The {s} service listens on port {n}.", "{n} is the port of {s}"),
    ("The {s} worker retries {n} times", "the {s} worker retries **{n}** times", "Retries of the {s} worker: {n}"),
    ("Logs of the {s} service are kept for {n} days", "logs of the {s} service are kept for {n} days",
     "Keep the logs of the {s} service for {n} days"),
    ("The {s} cache holds {n} entries", "The {s} cache holds {n} entries.", "At most {n} entries are in the {s} cache"),
    ("The {s} job runs in batches of {n}", "the {s} job runs in batches of {n}", "The {s} job takes {n} at a time"),
    ("Requests to {s} time out after {n} ms", "Requests to {s} time out after {n} ms.", "{s} has a timeout of {n} ms"),
    ("The {s} table has {n} partitions", "the {s} table has **{n}** partitions", "{n} partitions: the {s} table"),
]  # fmt: skip


class Year:
    """What is planted: facts as (shape, service, number), and the memories that say them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.facts: list[tuple[int, str, int]] = []
        self.subjects = [(shape, service) for shape in range(len(FACTS)) for service in SERVICES]
        self.random.shuffle(self.subjects)
        self.rows = 0

    def week(self, now: datetime) -> Iterator[dict[str, Any]]:
        """The memories that one week brings."""
        for _ in range(3):
            shape, service = self.subjects.pop()
            self.facts.append((shape, service, self.random.randrange(10, 9999)))
            yield self.row(self.facts[-1], 0, now)
        for fact in self.random.choices(self.facts, k=4):
            yield self.row(fact, self.random.choice([0, 1, 1, 2]), now)
        shape, service, _ = self.random.choice(self.facts)
        self.facts.append((shape, service, self.random.randrange(10, 9999)))
        yield self.row(self.facts[-1], 0, now)
        for n in range(3):
            yield self.note(
                f"Session of {now:%d %B}, part {n}: went on with the {self.random.choice(SERVICES)} service", now
            )

    def row(self, fact: tuple[int, str, int], wording: int, now: datetime) -> dict[str, Any]:
        shape, service, number = fact
        return self._row(FACTS[shape][wording].format(s=service, n=number), "decision", now)

    def note(self, text: str, now: datetime) -> dict[str, Any]:
        return self._row(text, "session_state", now)

    def _row(self, text: str, kind: str, now: datetime) -> dict[str, Any]:
        self.rows += 1
        made = (now - timedelta(minutes=self.rows % 50)).isoformat()
        id = f"{self.rows:08x}-0000-4000-8000-{self.rows:012x}"
        metadata = {"type": kind, "confidence": 0.7}
        return {"id": id, "memory": text, "user_id": SCOPE.user, "app_id": SCOPE.project, "metadata": metadata,
                "created_at": made, "updated_at": made}  # fmt: skip

    def lost(self, texts: list[str], given_up: set[str]) -> list[tuple[int, str, int]]:
        """The planted facts that no memory says in any of their wordings; what a person gave up does not count."""
        standing = {text.strip(".!").replace("**", "").lower() for text in [*texts, *given_up]}
        return [
            fact
            for fact in self.facts
            if not any(
                w.format(s=fact[1], n=fact[2]).strip(".!").replace("**", "").lower() in standing for w in FACTS[fact[0]]
            )
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
        questions: list[int] = []
        given_up: set[str] = set()
        for week in range(args.weeks):
            with time_machine.travel(START + timedelta(weeks=week), tick=True):
                rows = json.loads(export.read_text(encoding="utf-8"))
                rows += year.week(datetime.now(timezone.utc))
                export.write_text(json.dumps(rows), encoding="utf-8")
                questions.append(one_run(session_on(Path(folder), export), args.agent))
                if week % QUARTER == QUARTER - 1:
                    given_up |= one_person(session_on(Path(folder), export))
        texts = [row["memory"] for row in json.loads(export.read_text(encoding="utf-8"))]
        facts = [text for text in texts if not text.startswith(("Session", "mem0 dream"))]
        planted = len(set(year.facts))
        lost = year.lost(texts, given_up)
        print(f"{args.weeks} weekly runs{' with an agent' if args.agent else ''}, a person once a quarter:"
              f" {year.rows} memories came, {len(texts)} are there")  # fmt: skip
        print(f"planted facts {planted}, given up by the person as outdated {len(given_up)}, lost {len(lost)}")
        print(f"memories for each planted fact at the end {len(facts) / planted:.2f}"
              f" (with no run at all {(year.rows - 3 * args.weeks) / planted:.2f})")  # fmt: skip
        print(f"questions left by a run: at most {max(questions)}, at the end {questions[-1]}")
        print(f"deepest chain of merges with no new text: {deepest(Path(folder))}")
    return 1 if lost else 0


def session_on(folder: Path, export: Path) -> Session:
    store = FileStore(export)
    home = scope_folder(folder / "home", store.identity, SCOPE)
    return Session(store, Identity(SCOPE.user, SCOPE.project, None, "main", {}), home, folder, None)


class Person:
    """Says that the newer of two versions is current, and yes to the rest."""

    attended = True

    def say(self, text: str) -> None:
        self.heard = text

    def edit(self, draft: str) -> str:
        return draft

    def pair(self, a: str, b: str) -> None: ...
    def ask(self, prompt: str) -> str:
        if prompt.startswith("Which"):
            return "B"
        return "" if "Look through" in prompt or "It drops" in self.heard else "y"


def one_person(session: Session) -> set[str]:
    """One asked pass; the texts that the person gave up as outdated."""
    begun = interactive.begin(session, datetime.now(timezone.utc).date(), lambda *lines: None)
    if isinstance(begun, str):
        return set()
    interactive.ask(session, begun, Person())
    done = [op for op in journal.read(begun.run.journal) if op.kind == "conflict"]
    return {member.text for op in done for member in op.members if member.id in op.removes}


def one_run(session: Session, agent: bool) -> int:
    """One unattended pass; how many questions it left to a person."""
    home = session.folder
    if agent:
        run = open_run(fetch.unattended(session).text.removeprefix("Run: "))
        plan = find.planned(find.of_run(run, None), datetime.now(timezone.utc).date())
        answers = {merge.handle: True for merge in plan.merges if merge.tier == "review" and not merge.loses}
        current = pipeline.reopen(run)
        outcome = unattended.by_agent(session, current, current.decide(answers), None)
    else:
        outcome = unattended.alone(session, None, lambda *lines: None)
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
