"""One self-contained page of a run: the questions side by side, and the line that carries out what was ticked.

Nothing on it comes from elsewhere or can: a Content-Security-Policy allows this page's own style and script by their
hashes and nothing more. Memory text only ever stands in it escaped.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from ..config.policies import Policies
from ..matching.differences import Part, brought, differences, only
from ..memory import Memory
from ..planning.decisions import Decisions, MergeDecision
from ..planning.plan import Conflict, Plan, Prune
from ..review.answers import decide
from ..safe_text import short_ids, shown
from . import charts, report

_DATA = Path(__file__).parent / "page"
_STEP = Path(__file__).resolve().parents[2] / "apply_plan.py"
_STATES = {"open": "to be answered", "accepted": "will be applied", "dismissed": "left alone"}
_SHORT = 30  # characters of what a side alone says that still fit its choice
_SHOWN = {"held": "open", "skipped": "open"}  # a text held back waits for a yes like any other open question


@dataclass
class _Question:
    """One question as the page shows it."""

    handle: str
    kind: str
    type: str
    state: str
    title: str
    body: str
    facts: list[tuple[str, str]]
    legend: str
    choices: list[tuple[str, str]]  # value of the verdict, and its name
    chosen: str | None
    text: str | None = None  # a merge's draft, to be rewritten


def page(
    plan: Plan,
    decisions: Decisions | None,
    history: Sequence[Mapping[str, Any]],
    policies: Policies,
    memories: Sequence[Memory],
    run: str,
    today: date,
) -> str:
    """The whole page as text. `run` is the run's folder; `history` the scope's applied runs, oldest first."""
    decisions = decisions or decide(plan, {}, memories, today)
    plan = decisions.plan  # with what the answers added to it
    asked = sorted(_questions(plan, decisions), key=lambda question: question.state != "open")
    style, script = _data("page.css"), _data("page.js")
    project = plan.scope.project or "all projects"
    fields = {
        "title": _text(f"mem0 dream · {project}"),
        "scope": _text(
            f"{plan.store['kind']} · user {plan.scope.user} · project {project} · {len(memories)} memories · {today}"
        ),
        "summary": _text(_summary(asked)),
        "pictures": charts.ages(memories, policies.retention, today) + charts.clusters(plan) + charts.growth(history),
        "kinds": _options({question.kind: f"{question.kind}s" for question in asked}),
        "types": _options({question.type: question.type for question in asked}),
        "states": _options({question.state: _STATES[question.state] for question in asked}),
        "questions": "".join(map(_article, asked)) or f'<p class="summary">{_text(report.NOTHING_FOUND)}</p>',
        "left_alone": _left_alone(plan, decisions),
        "posix": _text(f"python3 {shlex.quote(str(_STEP))} --run {shlex.quote(run)} --decide "),
        "powershell": _text(f"py -3 {_powershell(str(_STEP))} --run {_powershell(run)} --decide "),
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
    }
    return _filled("page.html", fields)


def _summary(asked: list[_Question]) -> str:
    counts = Counter(question.state for question in asked)
    told = ", ".join(f"{counts[state]} {name}" for state, name in _STATES.items() if counts[state])
    return f"{told}. Nothing moves before the report is applied." if told else ""


def _questions(plan: Plan, decisions: Decisions) -> Iterable[_Question]:
    merged = {id: merge for merge in decisions.merges if merge.state == "accepted" for id in merge.ids}
    names = short_ids(plan.memories)
    for found in decisions.conflicts:
        yield _conflict(plan, names, found.conflict, found.state, found.winner, merged)
    for merge in decisions.merges:
        yield _merge(plan, names, merge)
    for decided in decisions.prunes:
        yield _prune(plan, names, decided.prune, decided.state)


def _conflict(
    plan: Plan, names: dict[str, str], item: Conflict, state: str, winner: str | None, merged: dict[str, MergeDecision]
) -> _Question:
    texts = [merged[id].text if id in merged else plan.memory(id).text for id in (item.a, item.b)]
    parts = differences(*texts)
    sides = [
        _quote(f"{side} · {_known(plan, names, id)}{_within(merged.get(id))}", _marked(part, look))
        for side, id, part, look in zip("AB", (item.a, item.b), parts, ("old", "new"), strict=True)
    ]
    facts = [*_unnamed("A", parts[0]), *_unnamed("B", parts[1]), ("Why", item.why)]
    if item.winner:
        facts.append(("Likely", f"{item.winner}, the newer with the higher confidence"))
    choices = [_named("A", parts[0]), _named("B", parts[1]), ("both", "both are true"), ("skip", "ask again")]
    chosen = {"accepted": winner, "dismissed": "both", "skipped": "skip"}.get(state)
    kind = plan.memory(item.a).type
    title = f"“{item.topic}”" if item.topic else "two versions"
    return _Question(
        item.handle,
        "conflict",
        kind,
        _SHOWN.get(state, state),
        title,
        _sides(sides),
        facts,
        "Which is current?",
        choices,
        chosen,
    )


def _merge(plan: Plan, names: dict[str, str], merge: MergeDecision) -> _Question:
    texts = [plan.memory(id).text for id in merge.ids]
    parts = [differences(text, merge.text)[0] for text in texts]
    members = "".join(
        _quote(_known(plan, names, id), _marked(part, "old")) for id, part in zip(merge.ids, parts, strict=True)
    )
    result = _quote("Merged", _marked(brought(merge.text, texts), "new"), "result")
    facts = _only("Said differently", [part for of_member in parts for part in of_member])
    if merge.loses:
        facts.append(("Drops", ", ".join(merge.loses)))
    if merge.brings:
        facts.append(("Brings", ", ".join(merge.brings)))
    facts.append(("Why", merge.why))
    choices = [("true", "merge so"), ("text", "merge with my text"), ("keep", "leave as they are")]
    chosen = {"accepted": "true", "dismissed": "keep"}.get(merge.state)
    state = _SHOWN.get(merge.state, merge.state)
    body = _sides([f'<div class="column">{members}</div>', f'<div class="column">{result}</div>'])
    title = f"{len(merge.ids)} memories, {'safe' if merge.tier == 'safe' else 'to review'}"
    kind = plan.memory(merge.ids[0]).type
    return _Question(merge.handle, "merge", kind, state, title, body, facts, "Merge them?", choices, chosen, merge.text)


def _prune(plan: Plan, names: dict[str, str], prune: Prune, state: str) -> _Question:
    body = _sides([_quote(_known(plan, names, prune.id), _text(plan.memory(prune.id).text))], " one")
    age = "of unknown age" if prune.age_days is None else f"{prune.age_days} days old"
    why = (
        f"older than the {prune.policy_days} days of its type"
        if prune.reason == "retention"
        else "low confidence, and nothing specific"
    )
    choices = [("true", "remove it"), ("keep", "leave it")]
    chosen = {"accepted": "true", "dismissed": "keep"}.get(state)
    return _Question(
        prune.handle,
        "prune",
        prune.type,
        _SHOWN.get(state, state),
        age,
        body,
        [("Why", why)],
        "Remove it?",
        choices,
        chosen,
    )


def _article(question: _Question) -> str:
    handle = _text(question.handle)
    radios = (
        f'<label><input type="radio" name="{handle}" value="{value}" autocomplete="off"'
        f"{' checked' if value == question.chosen else ''}>{_text(name)}</label>"
        for value, name in question.choices
    )
    own = f'<textarea class="own" rows="3" aria-label="Your text for {handle}" autocomplete="off" hidden>\n'
    return _filled(
        "page.question.html",
        {
            "handle": handle,
            "kind": question.kind,
            "type": _text(question.type),
            "state": question.state,
            "state_name": _STATES[question.state],
            "title": _text(f"{question.kind.capitalize()}: {question.title}"),
            "body": question.body,
            "facts": "".join(f"<dt>{name}</dt><dd>{_text(value)}</dd>" for name, value in question.facts if value),
            "legend": question.legend,
            "choices": "\n".join(radios),
            "own": "" if question.text is None else f"{own}{_text(question.text)}</textarea>",
        },
    )


def _left_alone(plan: Plan, decisions: Decisions) -> str:
    names = short_ids([*plan.memories, *plan.ids()])
    rows = [f"{names.get(held.handle, held.handle)}: {held.why}" for held in decisions.held_back]
    rows += [f"{' ~ '.join(names[id] for id in miss.ids)}: {miss.why}" for miss in plan.near_misses]
    if not rows:
        return ""
    items = "".join(f"<li>{_text(row)}</li>" for row in rows)
    return (
        f'<details><summary>Left alone, with the reason ({len(rows)})</summary><ul class="alone">{items}</ul></details>'
    )


def _known(plan: Plan, names: dict[str, str], id: str) -> str:
    memory = plan.memory(id)
    day = memory.created.date().isoformat() if memory.created else "no date"
    sure = "none" if memory.confidence is None else f"{memory.confidence:g}"
    return f"{names[id]} · {day} · confidence {sure}"


def _within(merge: MergeDecision | None) -> str:
    return f" · as merged in {merge.handle}" if merge else ""


def _only(name: str, parts: Iterable[Part]) -> list[tuple[str, str]]:
    found = [piece for piece in only(list(parts)) if any(map(str.isalnum, piece))]
    return [(name, " · ".join(found))] if found else []


def _named(side: str, parts: Iterable[Part]) -> tuple[str, str]:
    """A side as a choice, with what it alone says where that is short."""
    found = " · ".join(only(list(parts)))
    return side, f"{side}: {found}" if 0 < len(found) <= _SHORT else side


def _unnamed(side: str, parts: list[Part]) -> list[tuple[str, str]]:
    """What one side alone says, where that is too long for its choice."""
    return [(name, found) for name, found in _only(f"Only in {side}", parts) if len(found) > _SHORT]


def _sides(blocks: list[str], look: str = "") -> str:
    return f'<div class="sides{look}">{"".join(blocks)}</div>'


def _quote(head: str, body: str, look: str = "") -> str:
    return f'<div class="side"><h4>{_text(head)}</h4><blockquote class="{look}" dir="auto">{body}</blockquote></div>'


def _marked(parts: Iterable[Part], look: str) -> str:
    return "".join(
        f'<mark class="{look}">{_text(part.text)}</mark>' if part.differs else _text(part.text) for part in parts
    )


def _options(names: Mapping[str, str]) -> str:
    return "".join(f'<option value="{_text(value)}">{_text(names[value])}</option>' for value in sorted(names))


def _text(text: str) -> str:
    """Text for the page: markup escaped, and what could hide or turn it round shown; line breaks stay."""
    return escape("\n".join(shown(line) for line in text.replace("\r\n", "\n").split("\n")))


def _powershell(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _filled(name: str, fields: Mapping[str, str]) -> str:
    """The data file with its {{fields}} in place; what a field brings in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fields[found[1]], _data(name))


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _data(name: str) -> str:
    return (_DATA / name).read_text(encoding="utf-8")
