"""Merges and contradictions that an answer adds ("+"), by the numbers of --list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..memory import Memory
from ..planning.decisions import ConflictDecision
from ..planning.plan import Conflict, Merge, NearMiss, Plan
from ..runs.dismissals import kind_of
from . import rails
from .rails import Dismissed, by_age
from .verdicts import read

_SHAPE = '"+" takes a list of {"members": ["#1", "#2"], "text": "…"} or {"conflict": ["#1", "#2"], "topic": "…"}'
ADDED = "added by an answer"


def extended(
    plan: Plan, answers: dict[str, Any], memories: Sequence[Memory], dismissed: Dismissed | None, faults: list[str]
) -> Plan:
    """The plan with the additions ("+") as questions of their own."""
    additions = answers.get("+", [])
    if not isinstance(additions, list):
        faults.append(_SHAPE)
        return plan
    plan = replace(plan, merges=[*plan.merges], conflicts=[*plan.conflicts], memories={**plan.memories})
    for n, item in enumerate(additions, 1):
        if fault := _add(plan, item, answers, memories, dismissed):
            faults.append(f"addition {n}: {fault}")
    return plan


def _add(
    plan: Plan, item: Any, answers: dict[str, Any], memories: Sequence[Memory], dismissed: Dismissed | None
) -> str:
    """Put an addition into the plan; what is wrong with it, if anything is."""
    text: Any
    if isinstance(item, dict) and set(item) == {"members", "text"} and isinstance(item["text"], str):
        given, text, among = item["members"], item["text"].strip(), "members"
    elif isinstance(item, dict) and {"conflict"} <= set(item) <= {"conflict", "topic"}:
        given, text, among = item["conflict"], item.get("topic"), "conflict"
    else:
        return _SHAPE
    members, fault = _members(given, memories)
    if fault:
        return fault
    if not isinstance(text, str) or not text.strip():
        return f"its {'text' if among == 'members' else 'topic'} is empty"
    if among == "conflict" and len(members) != 2:
        return "a conflict is between two memories"
    plan.memories.update((member.id, member.record) for member in members)
    items: Sequence[Merge | Conflict | NearMiss] = [*plan.merges, *plan.conflicts, *plan.near_misses]
    asked = _asked_already(items, {member.id for member in members}, answers)
    if among == "members":
        made = Merge(f"M{len(plan.merges) + 1}", [m.id for m in members], "added", text, ADDED)
        plan.merges.append(made)
    else:
        older, newer = (memory.id for memory in by_age(members))
        plan.conflicts.append(Conflict(f"C{len(plan.conflicts) + 1}", older, newer, text.strip(), None, ADDED))
    handle = (plan.merges if among == "members" else plan.conflicts)[-1].handle
    if asked is not None or ((said := read(answers.get(handle))) and said.word == "keep"):
        return asked or ""
    return rails.addition_fault([m.text for m in members], kind_of(handle), plan.mode, dismissed)


def _members(given: Any, memories: Sequence[Memory]) -> tuple[list[Memory], str]:
    if not isinstance(given, list) or len(given) < 2:
        return [], "it needs two numbers or more"
    found = []
    for number in given:
        match = re.fullmatch(r"#?([0-9]{1,9})", number) if isinstance(number, str) else None
        if match is None or not 1 <= int(match[1]) <= len(memories):
            return [], f"there is no memory {number if isinstance(number, str) else '#?'}; --list shows the numbers"
        found.append(memories[int(match[1]) - 1])
    if len({memory.id for memory in found}) < len(found):
        return [], "it names a memory twice"
    return found, ""


def _asked_already(
    items: Sequence[Merge | Conflict | NearMiss], wanted: set[str], answers: dict[str, Any]
) -> str | None:
    """The fault if a question of the plan asks it already; "" if that one was left alone, None if none asks it."""
    found = None
    for item in items:
        ids = ConflictDecision(item, "open").ids() if isinstance(item, Conflict) else item.ids
        if len(wanted.intersection(ids)) > 1:
            said = read(answers.get(item.handle))
            if said is None or said.word != "keep":
                return f'{item.handle} asks that already; answer it, or give it "keep" first'
            found = ""
    return found
