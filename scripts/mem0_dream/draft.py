"""The draft of a plan: what could be merged, asked and pruned. It depends on the memories and never on their order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from . import progress, retention
from .comparing import Cluster, Findings, Forbids, Likeness, Statement, age_key, compare
from .judge import loses
from .memory import Memory, Scope
from .parallel import spread
from .plan import Conflict, Merge, NearMiss, Plan, Prune
from .policies import Policies
from .snapshot import Snapshot

NEAR_ONE_IN = 25  # near misses shown: one for so many memories
NEAR_LEAST = 3
SAME_TEXT = "word for word the same statement"


def make_plan(
    snapshot: Snapshot,
    policies: Policies,
    kept: Forbids | None,
    today: date,
    neighbours: Iterable[tuple[str, str]] = (),
) -> Plan:
    """What could be done with these memories on this day. `neighbours`: further pairs of ids to judge."""
    plan = Plan(
        store=snapshot.store,
        scope=snapshot.scope,
        branch=snapshot.branch,
        mode=snapshot.mode,
        complete=snapshot.complete,
        total=len(snapshot.memories),
    )
    free, plan.prunes = _sift(snapshot, policies, kept, today)
    named = {id: free.pop(id) for id in (prune.id for prune in plan.prunes)}
    with progress.stage("Finding"):
        found = _compare_all(free, kept, neighbours, plan.total)
    plan.merges, homes = _merges(found, kept)
    plan.conflicts = _conflicts(found, homes)
    plan.near_misses = _near_misses(found, homes, max(NEAR_LEAST, plan.total // NEAR_ONE_IN))
    plan.memories = {id: (named.get(id) or free[id]).record for id in sorted(set(plan.ids()))}
    return plan


def _sift(
    snapshot: Snapshot, policies: Policies, kept: Forbids | None, today: date
) -> tuple[dict[str, Memory], list[Prune]]:
    """Those that may be touched, by id, and which of them to prune, the oldest first.

    Left out is what is protected or empty, and what has no id of its own.
    """
    free: dict[str, Memory] = {}
    prunes = []
    times = Counter(memory.id for memory in snapshot.memories)
    for memory in snapshot.memories:
        if not memory.id or times[memory.id] > 1 or not memory.text.strip() or memory.protection(today):
            continue
        free[memory.id] = memory
        prune = retention.stale(memory, policies, today) or retention.low_confidence(memory, policies, today)
        if prune and not (kept and kept.forbids("prune", [memory.text])):
            prunes.append(prune)
    prunes.sort(key=lambda prune: (prune.reason != "retention", -(prune.age_days or 0), prune.id))
    return free, [replace(prune, handle=f"P{n}") for n, prune in enumerate(prunes, 1)]


def _compare_all(
    free: dict[str, Memory], kept: Forbids | None, neighbours: Iterable[tuple[str, str]], total: int
) -> Findings:
    """What is found among the memories of each scope and type."""
    groups: dict[tuple[Scope, str], list[Memory]] = defaultdict(list)
    beside: dict[tuple[Scope, str], list[tuple[str, str]]] = defaultdict(list)
    for memory in free.values():
        groups[memory.scope, memory.type].append(memory)
    for a, b in neighbours:
        if a in free and b in free and (key := (free[a].scope, free[a].type)) == (free[b].scope, free[b].type):
            beside[key].append((a, b))
    jobs = [(memories, kept, beside[key], total) for key, memories in groups.items() if len(memories) > 1]
    jobs.sort(key=lambda job: -len(job[0]))  # the longest first, so that no core waits for it in the end
    found = Findings()
    for job, part in zip(jobs, spread(_compared, jobs, len(free)), strict=True):
        found.add(part)
        progress.step("Finding", len(job[0]), len(free))
    return found


def _compared(job: tuple[list[Memory], Forbids | None, list[tuple[str, str]], int]) -> Findings:
    return compare(*job)


def _merges(found: Findings, kept: Forbids | None) -> tuple[list[Merge], dict[Statement, Merge]]:
    """The merges, the closest first, and which of them each statement went into."""
    drafts = []
    for cluster in found.clusters:
        members = sorted((memory for statement in cluster.statements for memory in statement.memories), key=age_key)
        if not (kept and kept.forbids("merge", [memory.text for memory in members])):
            drafts.append((-cluster.score, cluster.text, members[0].id, _merge(cluster, members), cluster))
    drafts.sort(key=lambda draft: draft[:3])
    homes: dict[Statement, Merge] = {}
    for n, (*_, merge, cluster) in enumerate(drafts, 1):
        merge.handle = f"M{n}"
        homes.update(dict.fromkeys(cluster.statements, merge))
    return [merge for *_, merge, _ in drafts], homes


def _merge(cluster: Cluster, members: list[Memory]) -> Merge:
    ids = [memory.id for memory in members]
    if cluster.weakest is None or cluster.weakest.judgement.safe:
        return Merge("", ids, "safe", members[-1].text, SAME_TEXT)
    judgement = cluster.weakest.judgement
    lost = loses([memory.text for memory in members], cluster.text)
    return Merge("", ids, "review", cluster.text, judgement.why, judgement.shared, judgement.differs, lost)


def _conflicts(found: Findings, homes: dict[Statement, Merge]) -> list[Conflict]:
    """Each contradiction once, the closest first: between two merges it is one, whichever members it was seen in."""
    conflicts: list[Conflict] = []
    for pair in _once(found.conflicts, homes):
        older, newer = sorted((pair.a.newest, pair.b.newest), key=age_key)
        handle = f"C{len(conflicts) + 1}"
        judgement = pair.judgement
        conflicts.append(Conflict(handle, older.id, newer.id, judgement.topic, _winner(older, newer), judgement.why))
    return conflicts


def _winner(older: Memory, newer: Memory) -> str | None:
    """ "B" where the newer one also has the higher confidence; None where the two disagree or one is missing."""
    if older.created is None or newer.created is None or older.created == newer.created:
        return None
    if older.confidence is None or newer.confidence is None or newer.confidence <= older.confidence:
        return None
    return "B"


def _near_misses(found: Findings, homes: dict[Statement, Merge], most: int) -> list[NearMiss]:
    near = _once(found.near, homes)[:most]
    return [NearMiss([m.id for m in sorted((p.a.newest, p.b.newest), key=age_key)], p.judgement.why) for p in near]


def _once(pairs: Iterable[Likeness], homes: dict[Statement, Merge]) -> list[Likeness]:
    """The closest pair between any two merges or statements outside of one; the closest first."""
    closest: dict[frozenset[object], Likeness] = {}
    for pair in sorted(pairs, key=lambda pair: (-pair.judgement.score, pair.texts, pair.a.newest.id)):
        ends = frozenset(id(homes.get(statement, statement)) for statement in (pair.a, pair.b))
        if len(ends) == 2:
            closest.setdefault(ends, pair)
    return list(closest.values())
