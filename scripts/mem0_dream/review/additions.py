"""Merges and contradictions that an answer adds ("+"), by the numbers of --list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..memory import Memory
from ..planning.plan import Conflict, Merge, Plan

_SHAPE = '"+" takes a list of {"members": ["#1", "#2"], "text": "…"} or {"conflict": ["#1", "#2"], "topic": "…"}'


def extended(plan: Plan, additions: Any, answers: dict[str, Any], numbers: Sequence[Memory]) -> tuple[Plan, list[str]]:
    """The plan with the additions as items of their own, and what is wrong with each that cannot be taken."""
    if not isinstance(additions, list):
        return plan, [_SHAPE]
    plan = replace(plan, merges=[*plan.merges], conflicts=[*plan.conflicts], memories={**plan.memories})
    faults: list[str] = []
    for place, item in enumerate(additions, 1):
        if fault := _add(plan, item, answers, numbers):
            faults.append(f"addition {place}: {fault}")
    return plan, faults


def _add(plan: Plan, item: Any, answers: dict[str, Any], numbers: Sequence[Memory]) -> str:
    if isinstance(item, dict) and set(item) == {"members", "text"} and isinstance(item["text"], str):
        given = item["members"]
    elif isinstance(item, dict) and {"conflict"} <= set(item) <= {"conflict", "topic"}:
        given = item["conflict"]
    else:
        return _SHAPE
    members, fault = _members(given, numbers)
    if fault:
        return fault
    ids = [member.id for member in members]
    if "members" in item:
        if not item["text"].strip():
            return "its text is empty"
        fault = _asked_already(plan.merges, [set(merge.ids) for merge in plan.merges], set(ids), answers)
        plan.merges.append(Merge(f"M{len(plan.merges) + 1}", ids, "added", item["text"].strip(), "added by an answer"))
    else:
        if len(ids) != 2:
            return "a conflict is between two memories"
        fault = _asked_already(plan.conflicts, [{c.a, c.b} for c in plan.conflicts], set(ids), answers)
        topic = item.get("topic")
        if not isinstance(topic, str) or not topic.strip():
            return "its topic is empty"
        older, newer = _by_age(members)
        handle = f"C{len(plan.conflicts) + 1}"
        plan.conflicts.append(Conflict(handle, older, newer, topic.strip(), None, "added by an answer"))
    plan.memories.update((member.id, member.record) for member in members)
    return fault


def _members(given: Any, numbers: Sequence[Memory]) -> tuple[list[Memory], str]:
    if not isinstance(given, list) or len(given) < 2:
        return [], "it needs two numbers or more"
    found = []
    for number in given:
        match = re.fullmatch(r"#?([0-9]{1,9})", number) if isinstance(number, str) else None
        if match is None or not 1 <= int(match[1]) <= len(numbers):
            return [], f"there is no memory {number if isinstance(number, str) else '#?'}; --list shows the numbers"
        found.append(numbers[int(match[1]) - 1])
    if len({memory.id for memory in found}) < len(found):
        return [], "it names a memory twice"
    return found, ""


def _asked_already(
    items: Sequence[Merge | Conflict], members: Sequence[set[str]], wanted: set[str], answers: dict[str, Any]
) -> str:
    """An addition may not answer what the plan asks already, unless that was left alone."""
    for item, ids in zip(items, members, strict=True):
        if len(ids & wanted) > 1 and answers.get(item.handle) not in ("keep", "both"):
            return f'{item.handle} asks that already; answer it, or give it "keep" first'
    return ""


def _by_age(members: Sequence[Memory]) -> list[str]:
    aged = sorted(members, key=lambda member: (member.created is not None, str(member.created), member.id))
    return [member.id for member in aged]
