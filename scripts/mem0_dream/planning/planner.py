"""The draft of a plan: what could be merged, asked and pruned. It depends on the memories and never on their order."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from .. import progress
from ..config.policies import Policies
from ..matching.classifier import explain
from ..matching.text import read
from ..memory import Memory, Scope
from ..runs.snapshot import Snapshot
from .comparing import Cluster, Dispute, Findings, Forbids, Likeness, compare
from .named import dropped
from .parallel import spread
from .plan import Conflict, Merge, NearMiss, Plan, Prune, Side
from .quotation import quotation
from .retention import low_confidence, stale
from .wording import Wording, age_key

NEAR_ONE_IN = 25  # near misses shown: one for so many memories
NEAR_LEAST, NEAR_MOST = 3, 40
MOST_ASKED = 3  # contradictions of one memory in one run; an answer may settle the rest
_TYPES = 4  # named where texts stand under several
SAME_TEXT = "word for word the same"


def make_plan(
    snapshot: Snapshot,
    policies: Policies,
    dismissed: Forbids | None,
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
    jobs = [_Job(*group, policies, dismissed, today, plan.total) for group in _groups(own, neighbours)]
    found = Findings()
    with progress.stage("Finding"):
        for job, (prunes, part) in zip(jobs, spread(_find, jobs, len(own)), strict=True):
            plan.prunes += prunes
            found.add(part)
            progress.step("Finding", len(job.memories), len(own))
    plan.prunes.sort(key=lambda prune: (prune.reason != "retention", -(prune.age_days or 0), prune.id))
    for n, prune in enumerate(plan.prunes, 1):
        prune.handle = f"P{n}"
    worth: dict[str, float] = {}
    plan.merges, homes = _merges(found, dismissed, worth)
    plan.conflicts = _conflicts(found, homes, worth)
    most = min(max(NEAR_LEAST, plan.total // NEAR_ONE_IN), NEAR_MOST)
    plan.near_misses = _near_misses(found, homes, dismissed, most)
    plan.order = sorted(worth, key=lambda handle: (-worth[handle], handle))
    plan.notes += _under_types(own.values())
    plan.memories = {id: own[id].record for id in sorted(set(plan.ids()))}
    return plan


class _Job(NamedTuple):
    """The memories of one scope and type, and what it takes to look through them."""

    memories: list[Memory]
    neighbours: list[tuple[str, str]]
    policies: Policies
    dismissed: Forbids | None
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
        if prune and not (job.dismissed and job.dismissed.forbids("prune", [memory.text])):
            prunes.append(prune)
        else:
            free[memory.id] = memory
    prunes = _one_copy_stays(prunes, {memory.id: memory for memory in job.memories}, free)
    beside = [(a, b) for a, b in job.neighbours if a in free and b in free]
    return prunes, compare(list(free.values()), job.dismissed, beside, job.total)


def _one_copy_stays(prunes: list[Prune], own: dict[str, Memory], free: dict[str, Memory]) -> list[Prune]:
    """The prunes without doubtful memories that are all copies of each other: those are merged instead."""
    standing = {memory.text for memory in free.values()}
    copies = Counter(own[prune.id].text for prune in prunes if prune.reason == "low_confidence")
    merged = [
        prune.id
        for prune in prunes
        if prune.reason == "low_confidence" and copies[own[prune.id].text] > 1 and own[prune.id].text not in standing
    ]
    free.update((id, own[id]) for id in merged)
    return [prune for prune in prunes if prune.id not in free]


def _under_types(memories: Iterable[Memory]) -> list[str]:
    """How many texts stand under more than one type: those are never compared."""
    first: dict[tuple[Scope, str], str] = {}
    several: dict[tuple[Scope, str], set[str]] = {}
    for memory in memories:
        text = memory.scope, memory.text.strip()
        if (known := first.setdefault(text, memory.type)) != memory.type and text[1]:
            several.setdefault(text, {known}).add(memory.type)
    if not several:
        return []
    names = " and ".join(sorted(set().union(*several.values()))[:_TYPES])
    count = f"{len(several)} text{'s stand' if len(several) > 1 else ' stands'}"
    return [f"{count} word for word under several types, which are never compared: {names}."]


def _merges(
    found: Findings, dismissed: Forbids | None, worth: dict[str, float]
) -> tuple[list[Merge], dict[Wording, Merge]]:
    """The merges, the closest first, and which of those that are asked each wording went into."""
    drafts: list[tuple[float, Merge, list[Wording]]] = []
    same = [cluster.wordings for cluster in found.clusters if cluster.weakest.judgement.safe]
    inside = {wording for wordings in same for wording in wordings}
    for wordings in [*same, *([wording] for wording in found.copies if wording not in inside)]:
        members = sorted((memory for wording in wordings for memory in wording.memories), key=age_key)
        if not (dismissed and dismissed.forbids("merge", [memory.text for memory in members])):
            merge = Merge("", [memory.id for memory in members], "safe", members[-1].text, SAME_TEXT)
            drafts.append((2.0, merge, wordings if len(wordings) > 1 else []))
    for cluster in found.clusters:
        members = sorted((wording.newest for wording in cluster.wordings), key=age_key)
        refused = dismissed and dismissed.forbids("merge", [memory.text for memory in members])
        if not (refused or cluster.weakest.judgement.safe):
            drafts.append((cluster.weakest.judgement.score, _merge(cluster, members), cluster.wordings))
    drafts.sort(key=lambda each: (-each[0], each[1].text, each[1].ids))
    homes: dict[Wording, Merge] = {}
    for n, (score, merge, wordings) in enumerate(drafts, 1):
        merge.handle = f"M{n}"
        if merge.tier == "review":
            worth[merge.handle] = _worth(score, len(merge.ids))
        homes.update(dict.fromkeys(wordings, merge))
    return [merge for _, merge, _ in drafts], homes


def _merge(cluster: Cluster, members: list[Memory]) -> Merge:
    ids, judgement = [memory.id for memory in members], cluster.weakest.judgement
    loses = [*cluster.loses, *dropped(members)]
    return Merge("", ids, "review", cluster.text, judgement.why, judgement.shared, judgement.differs, loses)


def _conflicts(found: Findings, homes: dict[Wording, Merge], worth: dict[str, float]) -> list[Conflict]:
    """Each contradiction once, the closest first: between two merges it is one, whichever members it was seen in."""
    first = {id(dispute.pair): dispute for dispute in found.disputes}
    asked: Counter[str] = Counter()
    conflicts: list[Conflict] = []
    for pair in _once([dispute.pair for dispute in found.disputes], homes):
        dispute = first[id(pair)]
        members = dispute.versions or pair.memories
        if max(asked[memory.id] for memory in members) >= MOST_ASKED:
            continue
        asked.update(memory.id for memory in members)
        conflict = _conflict(f"C{len(conflicts) + 1}", dispute)
        conflicts.append(conflict)
        worth[conflict.handle] = _worth(pair.judgement.score, len(members) + len(conflict.also))
    return conflicts


def _worth(score: float, memories: int) -> float:
    """What a question is worth: how sure it is that something is wrong or double, and how many memories it settles."""
    return score * math.log2(memories)


def _conflict(handle: str, dispute: Dispute) -> Conflict:
    newer, older = dispute.versions[:2] if dispute.versions else reversed(dispute.pair.memories)
    told = dispute.pair.judgement.why
    if dispute.versions or older.text > newer.text:
        told = explain(read(older.text), read(newer.text)).why
    return Conflict(
        handle,
        older.id,
        newer.id,
        quotation([older.text, newer.text]),
        _winner(older, newer, dispute.pair.judgement.winner == "b" and dispute.pair.b.newest is newer),
        told,
        [memory.id for memory in dispute.versions],
        [[memory.id for memory in pair.memories] for pair in dispute.also],
    )


def _winner(older: Memory, newer: Memory, changed: bool) -> Side | None:
    """ "B" if the newer one has the higher confidence, or tells of the change and has no lower one."""
    if older.created is None or newer.created is None or older.created == newer.created:
        return None
    known = older.confidence is not None and newer.confidence is not None
    more = (newer.confidence or 0) - (older.confidence or 0) if known else 0
    return "B" if more > 0 or (changed and more == 0) else None


def _near_misses(found: Findings, homes: dict[Wording, Merge], dismissed: Forbids | None, most: int) -> list[NearMiss]:
    near = _once(found.near, homes)
    if dismissed:
        near = [pair for pair in near if not dismissed.forbids("near miss", [memory.text for memory in pair.memories])]
    return [
        NearMiss([memory.id for memory in pair.memories], pair.judgement.why, f"N{n}")
        for n, pair in enumerate(near[:most], 1)
    ]


def _once(pairs: Iterable[Likeness], homes: dict[Wording, Merge]) -> list[Likeness]:
    """The closest pair between any two merges or wordings outside of one; the closest first."""
    closest: dict[frozenset[object], Likeness] = {}
    for pair in sorted(pairs, key=lambda pair: (-pair.judgement.score, pair.texts, [m.id for m in pair.memories])):
        ends = frozenset(id(homes.get(wording, wording)) for wording in (pair.a, pair.b))
        if len(ends) == 2:
            closest.setdefault(ends, pair)
    return list(closest.values())
