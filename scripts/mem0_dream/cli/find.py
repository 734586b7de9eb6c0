"""What find_dupes.py works on: a run folder with its policies and earlier verdicts, or a bare snapshot alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from ..config.policies import DEFAULTS, Policies
from ..errors import DreamError, UsageError
from ..matching.classifier import explain as explained
from ..matching.classifier import weighed
from ..matching.text import read
from ..memory import Memory
from ..planning import neighbours
from ..planning.listing import listing
from ..planning.plan import Plan
from ..review import queue
from ..runs import documents, run_folder
from ..runs.dismissals import Dismissals, hash_of
from ..runs.snapshot import Snapshot, read_snapshot
from ..safe_text import SHORT, shown
from ..views import questions
from . import pipeline, session
from .options import Target
from .pipeline import Fetched

_LISTED = 80  # characters of a memory in --list


@dataclass
class Given(Fetched):
    """What a plan is made from, out of a run folder; `run` is None for a bare snapshot."""

    run: run_folder.Run | None = None
    queue: list[str] = field(default_factory=list)  # what the last unattended run left to a person

    @property
    def first_line(self) -> str:
        found = self.snapshot
        return session.line_of(found.store, found.scope, len(found.memories))


def bare(snapshot: str, policies: str | None) -> Given:
    """A snapshot by itself; nothing else is read but the policies, if they are named."""
    return Given(read_snapshot(snapshot), _policies(policies) or Policies(dict(DEFAULTS)))


def of_run(run: run_folder.Run, policies: str | None, folder: Path | None = None) -> Given:
    """A run folder with the policies it was fetched under, and the scope's earlier decisions.

    Its memories are held against the repository of `folder`.
    """
    snapshot = read_snapshot(run.folder / "snapshot.json")
    waiting = queue.left(run.scope_folder, snapshot.memories) if snapshot.mode == "asked" else []
    found = _policies(policies) or Policies.from_document(run.read("policies"))
    return Given(snapshot, found, Dismissals.load(run.scope_folder), folder=folder, run=run, queue=waiting)


def planned(given: Given, today: date, target: Target | None = None) -> Plan:
    """The plan; a run keeps it as its plan.json. With a target its store says which memories are alike by meaning."""
    if target is not None and given.run is None:
        raise UsageError("--semantic needs a run folder: a bare snapshot names no store to search.")
    if given.run is None:
        return given.plan(today)
    known = given.run.folder / "neighbours.json"
    if target is None or known.exists():  # every page of a run is of one plan
        pairs = documents.read(known, "neighbours")["pairs"] if known.exists() else []
        plan = given.plan(today, [(a, b) for a, b in pairs])
    else:
        plan = _with_neighbours(given, given.run, today, target)
    given.run.write("plan", plan.to_document())
    return plan


def _with_neighbours(given: Given, run: run_folder.Run, today: date, target: Target) -> Plan:
    """The plan with the neighbours of the memories that no earlier run looked up; one search for each of these."""
    path = run.scope_folder / "looked_up.json"
    before = set(documents.read(path, "looked_up")["texts"]) if path.exists() else set()
    scope, memories = given.snapshot.scope, given.snapshot.memories
    fresh = [memory for memory in memories if memory.text.strip() and hash_of(memory.text) not in before]
    fresh = fresh[: neighbours.SEARCHED]
    store = session.of_run(given.snapshot.store, scope, target).store
    try:
        pairs = neighbours.pairs(fresh, lambda memory: store.nearest(memory, scope, neighbours.CLOSE + 1))
    finally:
        store.close()
    plan = given.plan(today, pairs)
    again = neighbours.unseen(plan, pairs)
    standing = {hash_of(memory.text) for memory in memories}
    done = before & standing | {hash_of(memory.text) for memory in fresh if memory.id not in again}
    run.write("neighbours", {"pairs": pairs})
    documents.write(path, "looked_up", {"texts": sorted(done)})
    return plan


def page(plan: Plan, number: int, queue: list[str]) -> str:
    """One page of what the agent reads."""
    if number < 1:
        raise UsageError("Pages are numbered from 1.")
    if (sentence := pipeline.nothing(plan)) and not (plan.total and queue):
        misses = questions.page(plan, queue, number) if plan.near_misses else ""
        return f"{sentence}\n{misses}"
    return questions.page(plan, queue, number)


def listed(given: Given) -> str:
    """Every memory on one numbered line, similar ones together; without its text if a question shows that."""
    memories = listing(given.snapshot)
    run = given.run
    asked = questions.shown_in(Plan.from_document(run.read("plan"))) if run and run.has("plan") else {}
    width = len(str(len(memories)))

    rows, type = [], ""
    for n, memory in enumerate(memories, 1):
        if memory.type != type:
            type = memory.type
            rows.append(f"[{shown(type)}]")
        rows.append(f"#{n:<{width}} {f'in {asked[memory.id]}' if memory.id in asked else shown(memory.text, _LISTED)}")
    return "\n".join(rows)


def explain(snapshot: Snapshot, one: str, other: str, today: date) -> str:
    """What two memories (numbers of --list, or ids) are to each other, and why."""
    memories = listing(snapshot)
    a, b = _named(memories, one), _named(memories, other)
    lines = [f'{name} "{shown(memory.text)}"' for name, memory in ((one, a), (other, b))]
    for name, memory in ((one, a), (other, b)):
        protection = memory.protection(today)
        if protection:
            lines.append(f"{name} is {protection} and never touched.")
    if a.scope != b.scope or a.type != b.type:
        lines.append(f"They are never compared: {_apart(a, b)}.")
        return "\n".join(lines)
    readings = read(a.text), read(b.text)
    found = explained(*readings)
    lines.append(f"{found.kind}{' (safe)' if found.safe else ''}: {shown(found.why)}")
    for label, parts in (("shared", found.shared), ("differs", found.differs)):
        if parts:
            lines.append(f"{label}: {', '.join(shown(part) for part in parts)}")
    if not found.safe:
        lines.append(f"weighed for and against {weighed(*readings)}")
    return "\n".join(lines)


def _apart(a: Memory, b: Memory) -> str:
    if a.type != b.type:
        return f"type {a.type} and type {b.type}"
    return "another user, project or agent"


def _named(memories: list[Memory], name: str) -> Memory:
    """The memory that a person names: "#12", "12", an id or its beginning, bare or as printed ("[mem0:247b7de6]")."""
    bare = name.strip().strip("[]").removeprefix("mem0:")
    number = bare.removeprefix("#")
    exact = [memory for memory in memories if memory.id == bare]
    found = exact or [memory for memory in memories if bare and memory.id.startswith(bare)]
    is_id = exact or (len(found) == 1 and len(bare) >= SHORT)  # ids can be all digits
    if not is_id and number.isdecimal() and 1 <= int(number) <= len(memories):
        return memories[int(number) - 1]
    if len(found) != 1:
        raise DreamError(f"{shown(name)} names {len(found)} memories; use a number of --list or a longer id.")
    return found[0]


def _policies(path: str | None) -> Policies | None:
    return Policies.from_document(documents.read(Path(path).expanduser(), "policies")) if path else None
