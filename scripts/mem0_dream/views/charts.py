"""Small pictures of a store as inline SVG, each with its figures as a table for whoever does not see it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from html import escape
from typing import Any

from ..memory import Memory
from ..planning.plan import Plan
from ..safe_text import shown

_TICKS = ((0, "today"), (7, "1 week"), (30, "1 month"), (90, "3 months"), (365, "1 year"), (1095, "3 years"))
_TYPES = 8  # rows; further types share one
_BINS = 44
_RUNS = 24


def ages(memories: Sequence[Memory], retention: Mapping[str, int | None], today: date) -> str:
    """How old the memories of each type are, and which of them are past their type's retention (hatched)."""
    found: dict[str, list[int]] = {}
    for memory in memories:
        if (created := memory.created) is not None:
            found.setdefault(memory.type, []).append(max(0, (today - created.date()).days))
    rows = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    rest = [age for _, list_of in rows[_TYPES:] for age in list_of]
    shown = rows if len(rows) <= _TYPES + 1 else [*rows[:_TYPES], (f"{len(rows) - _TYPES} more types", rest)]
    limits = [retention.get(kind) for kind, _ in shown]
    oldest = max(
        [90, *(age for _, list_of in shown for age in list_of), *(limit for limit in limits if limit is not None)]
    )
    undated = len(memories) - sum(len(list_of) for _, list_of in rows)
    past = [
        0 if limit is None else sum(age > limit for age in list_of)
        for (_, list_of), limit in zip(shown, limits, strict=True)
    ]
    note = f"{sum(past)} of {len(memories)} memories are past their type's retention (hatched)."
    if undated:
        note += f" {undated} have no readable date and are not shown."
    table = [
        (kind, len(list_of), f"{max(list_of):,} days", "kept" if limit is None else f"{limit} days", over)
        for (kind, list_of), limit, over in zip(shown, limits, past, strict=True)
    ]
    picture = _strips(shown, limits, oldest) if shown else ""
    heads = ("Type", "Memories", "Oldest", "Retention", "Past it")
    return _figure("ages", "Memories by type and age", note, picture, heads, table)


def clusters(plan: Plan) -> str:
    """How many memories say the same thing: clusters by their size, safe and to be reviewed."""
    sizes = Counter((min(len(merge.ids), 6), merge.tier == "safe") for merge in plan.merges)
    top = max((size for size, _ in sizes), default=1)
    rows = [
        ("6 or more" if size == 6 else str(size), sizes[size, True], sizes[size, False]) for size in range(2, top + 1)
    ]
    spare = sum(len(merge.ids) - 1 for merge in plan.merges)
    note = f"{len(plan.merges)} clusters of duplicates; merged, {spare} memories fewer; hatched are to be reviewed."
    picture = _columns("clusters", [(f"of {size}", safe, review) for size, safe, review in rows])
    return _figure("clusters", "Duplicates by cluster size", note, picture, ("Memories", "Safe", "To review"), rows)


def growth(history: Sequence[Mapping[str, Any]]) -> str:
    """What earlier runs found and what they took away, oldest first; runs without both counts are left out."""
    runs = [run for run in history if isinstance(run.get("before"), int) and isinstance(run.get("after"), int)][-_RUNS:]
    rows = [(_day(run), run["after"], max(0, run["before"] - run["after"])) for run in runs]
    removed = sum(row[2] for row in rows)
    note = (
        f"{removed} memories taken away (hatched) in {len(rows)} runs." if rows else "No earlier run of this project."
    )
    ends = {0, len(rows) - 1}
    labels = [(name if number in ends else "", kept, gone) for number, (name, kept, gone) in enumerate(rows)]
    picture = _columns("growth", labels)
    return _figure("growth", "The store over past runs", note, picture, ("Run", "Kept", "Taken away"), rows)


def _day(run: Mapping[str, Any]) -> str:
    """The day of a run, from the name of its folder."""
    name = str(run.get("run", ""))
    return f"{name[:4]}-{name[4:6]}-{name[6:8]}" if name[:8].isdigit() else name


def _figure(
    name: str, title: str, note: str, picture: str, heads: Iterable[str], rows: Sequence[tuple[Any, ...]]
) -> str:
    head = "".join(f'<th scope="col">{_text(text)}</th>' for text in heads)
    body = "".join(
        f'<tr><th scope="row">{_text(first)}</th>{"".join(f"<td>{_text(cell)}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return (
        f'<figure class="{name}"><figcaption><h3 id="{name}-title">{_text(title)}</h3>'
        f'<p id="{name}-note">{_text(note)}</p></figcaption>{picture}'
        f"{f'<details><summary>The figures</summary>{table}</details>' if rows else ''}</figure>"
    )


def _text(value: object) -> str:
    return escape(shown(str(value)))


def _svg(name: str, width: int, height: int, inner: Iterable[str]) -> str:
    hatch = (
        f'<defs><pattern id="{name}-hatch" width="5" height="5" patternUnits="userSpaceOnUse"'
        ' patternTransform="rotate(45)"><rect class="hatch-ground" width="5" height="5"/>'
        '<rect class="hatch-line" width="2.5" height="5"/></pattern></defs>'
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{name}-title" aria-describedby="{name}-note">'
        f"{hatch}{''.join(inner)}</svg>"
    )


def _bar(x: float, y: float, width: float, height: float, hatch: str = "") -> str:
    look = f'fill="url(#{hatch}-hatch)"' if hatch else 'class="bar"'
    return f'<rect {look} x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _label(x: float, y: float, text: object, anchor: str = "start", look: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{look}">{_text(text)}</text>'


def _strips(rows: Sequence[tuple[str, list[int]]], limits: Sequence[int | None], oldest: int) -> str:
    """One strip a type: ages on a logarithmic axis, the retention as a line, what is past it hatched."""
    left, wide, high = 165, 540, min(56, 320 // len(rows))
    place = _axis(oldest, left, wide)
    step = wide / _BINS
    counts = [Counter(min(_BINS - 1, int((place(age) - left) / step)) for age in list_of) for _, list_of in rows]
    most = max(max(row.values()) for row in counts)
    floor = 14 + high * len(rows)
    parts = []
    for days, name in _TICKS:
        if days <= oldest:
            x = place(days)
            parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="10" y2="{floor}"/>')
            parts.append(_label(x, floor + 16, name, "middle", "tick"))
    for number, ((kind, list_of), limit, row) in enumerate(zip(rows, limits, counts, strict=True)):
        ground = 14 + high * (number + 1)
        name = kind if len(kind) <= 22 else f"{kind[:21]}…"
        parts.append(_label(left - 12, ground - 5, name, "end"))
        parts.append(_label(left + wide + 10, ground - 5, f"{len(list_of):,}", "start", "count"))
        parts.append(f'<line class="base" x1="{left}" x2="{left + wide}" y1="{ground}" y2="{ground}"/>')
        for bin_number, count in sorted(row.items()):
            height = max(3, (high - 14) * math.sqrt(count / most))
            x = left + bin_number * step
            over = limit is not None and x + step / 2 > place(limit)
            parts.append(_bar(x + 0.5, ground - height, step - 1, height, "ages" if over else ""))
        if limit is not None:
            x = place(limit)
            parts.append(f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="{ground - high + 5}" y2="{ground}"/>')
            parts.append(_label(x + 4, ground - high + 13, f"{limit}d", "start", "limit-name"))
    return _svg("ages", left + wide + 50, floor + 24, parts)


def _axis(oldest: int, left: int, wide: int) -> Callable[[int], float]:
    return lambda days: left + wide * math.log1p(min(days, oldest)) / math.log1p(oldest)


def _columns(name: str, rows: Sequence[tuple[str, int, int]]) -> str:
    """One column a row: a solid part, and a hatched part on it."""
    if not rows:
        return ""
    wide, high, top = 400, 80, 20
    step = min(64.0, wide / len(rows))
    most = max(solid + hatched for _, solid, hatched in rows) or 1
    parts = [f'<line class="base" x1="0" x2="{wide}" y1="{top + high}" y2="{top + high}"/>']
    for number, (label, solid, hatched) in enumerate(rows):
        x, width = number * step + step * 0.15, step * 0.7
        low, up = high * solid / most, high * hatched / most
        parts.append(_bar(x, top + high - low, width, low))
        parts.append(_bar(x, top + high - low - up, width, up, name))
        if len(rows) <= 10:
            parts.append(_label(x + width / 2, top + high - low - up - 5, f"{solid + hatched:,}", "middle", "count"))
        # The two dates at the ends of a long row stand inside it.
        anchor = "middle" if len(label) < 8 else "end" if number else "start"
        at = {"start": x, "middle": x + width / 2, "end": x + width}[anchor]
        parts.append(_label(at, top + high + 16, label, anchor, "tick"))
    return _svg(name, wide, top + high + 24, parts)
