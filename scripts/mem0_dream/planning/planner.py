"""The draft of a plan: what could be merged, asked and pruned. It depends on the memories and never on their order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from .. import progress
from ..config.policies import Policies
from ..matching.classifier import explain
from ..matching.differences import together
from ..matching.text import moves, read
from ..memory import Memory, Scope
from ..runs.snapshot import Snapshot
from .clustering import Cluster, Findings, Forbids, Likeness, Statement, age_key, compare
from .false_conflicts import other_things
from .parallel import spread
from .plan import Conflict, Merge, NearMiss, Plan, Prune, Side
from .retention import low_confidence, stale

NEAR_ONE_IN = 25  # near misses shown: one for so many memories
NEAR_LEAST = 3
MOST_ASKED = 3  # contradictions of one memory in one run; an answer may settle the rest
OTHER = "other things of one kind"
OTHER_DAY = "the same words of another day"
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
    times = Counter(memory.id for memory in snapshot.memories)
    own = {memory.id: memory for memory in snapshot.memories if memory.id and times[memory.id] == 1}
    jobs = [_Job(*group, policies, kept, today, plan.total) for group in _groups(own, neighbours)]
    found = Findings()
    with progress.stage("Finding"):
        for job, (prunes, part) in zip(jobs, spread(_find, jobs, len(own)), strict=True):
            plan.prunes += prunes
            found.add(part)
            progress.step("Finding", len(job.memories), len(own))
    plan.prunes.sort(key=lambda prune: (prune.reason != "retention", -(prune.age_days or 0), prune.id))
    for n, prune in enumerate(plan.prunes, 1):
        prune.handle = f"P{n}"
    plan.merges, homes = _merges(found, kept)
    plan.conflicts = _conflicts(found, homes)
    plan.near_misses = _near_misses(found, homes, kept, max(NEAR_LEAST, plan.total // NEAR_ONE_IN))
    plan.memories = {id: own[id].record for id in sorted(set(plan.ids()))}
    return plan


class _Job(NamedTuple):
    """The memories of one scope and type, and what it takes to look through them."""

    memories: list[Memory]
    neighbours: list[tuple[str, str]]
    policies: Policies
    kept: Forbids | None
    today: date
    total: int


def _groups(
    own: dict[str, Memory], neighbours: Iterable[tuple[str, str]]
) -> list[tuple[list[Memory], list[tuple[str, str]]]]:
    """The memories of each scope and type with the neighbours among them, the largest group first."""
    groups: dict[tuple[Scope, str], tuple[list[Memory], list[tuple[str, str]]]] = defaultdict(lambda: ([], []))
    for memory in own.values():
        groups[memory.scope, memory.type][0].append(memory)
    for a, b in neighbours:
        if a in own and b in own and (key := (own[a].scope, own[a].type)) == (own[b].scope, own[b].type):
            groups[key][1].append((a, b))
    return sorted(groups.values(), key=lambda group: -len(group[0]))


def _find(job: _Job) -> tuple[list[Prune], Findings]:
    """What to prune, and what is alike among the rest. What is protected or empty is looked at by nobody."""
    free, prunes = {}, []
    for memory in job.memories:
        if not memory.text.strip() or memory.protection(job.today):
            continue
        prune = stale(memory, job.policies, job.today) or low_confidence(memory, job.policies, job.today)
        if prune and not (job.kept and job.kept.forbids("prune", [memory.text])):
            prunes.append(prune)
        else:
            free[memory.id] = memory
    beside = [(a, b) for a, b in job.neighbours if a in free and b in free]
    return prunes, compare(list(free.values()), job.kept, beside, job.total)


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
        days = {memory.created.date() if memory.created else None for memory in members}
        if len(days) > 1 and any(moves(memory.text) for memory in members):
            return Merge("", ids, "review", members[-1].text, OTHER_DAY, [], [OTHER_DAY])
        return Merge("", ids, "safe", members[-1].text, SAME_TEXT)
    judgement = cluster.weakest.judgement
    return Merge("", ids, "review", cluster.text, judgement.why, judgement.shared, judgement.differs, cluster.loses)


def _conflicts(found: Findings, homes: dict[Statement, Merge]) -> list[Conflict]:
    """Each contradiction once, the closest first: between two merges it is one, whichever members it was seen in."""
    pairs = _once(found.conflicts, homes)
    ages = [_by_age(pair) for pair in pairs]
    others = other_things([(older.text, newer.text) for older, newer in ages])
    asked: Counter[str] = Counter()
    conflicts: list[Conflict] = []
    for pair, (older, newer), is_other in zip(pairs, ages, others, strict=True):
        if is_other:
            found.near.append(pair._replace(judgement=pair.judgement._replace(why=f"{OTHER}: {pair.judgement.why}")))
            continue
        if max(asked[older.id], asked[newer.id]) >= MOST_ASKED:
            continue
        asked.update((older.id, newer.id))
        handle = f"C{len(conflicts) + 1}"
        same_order = pair.texts == (older.text, newer.text)
        why = pair.judgement.why if same_order else explain(read(older.text), read(newer.text)).why
        topic = together(older.text, newer.text)
        conflicts.append(Conflict(handle, older.id, newer.id, topic, _winner(older, newer), why))
    return conflicts


def _by_age(pair: Likeness) -> tuple[Memory, Memory]:
    older, newer = sorted((pair.a.newest, pair.b.newest), key=age_key)
    return older, newer


def _winner(older: Memory, newer: Memory) -> Side | None:
    """ "B" where the newer one also has the higher confidence; None where the two disagree or one is missing."""
    if older.created is None or newer.created is None or older.created == newer.created:
        return None
    if older.confidence is None or newer.confidence is None or newer.confidence <= older.confidence:
        return None
    return "B"


def _near_misses(found: Findings, homes: dict[Statement, Merge], kept: Forbids | None, most: int) -> list[NearMiss]:
    near = [(_by_age(pair), pair.judgement.why) for pair in _once(found.near, homes)]
    asked = [pair for pair in near if not (kept and kept.forbids("near miss", [memory.text for memory in pair[0]]))]
    return [NearMiss([m.id for m in pair], why, f"N{n}") for n, (pair, why) in enumerate(asked[:most], 1)]


def _once(pairs: Iterable[Likeness], homes: dict[Statement, Merge]) -> list[Likeness]:
    """The closest pair between any two merges or statements outside of one; the closest first."""
    closest: dict[frozenset[object], Likeness] = {}
    for pair in sorted(pairs, key=lambda pair: (-pair.judgement.score, pair.texts, pair.a.newest.id)):
        ends = frozenset(id(homes.get(statement, statement)) for statement in (pair.a, pair.b))
        if len(ends) == 2:
            closest.setdefault(ends, pair)
    return list(closest.values())
