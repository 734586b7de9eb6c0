"""Pages of a run: one to pass on, read-only and whole in one file, and those that `dream.py --review` serves.

Memory text reaches a page only through the templates, which escape markup, and the filter `shown`, which escapes what
could hide text or turn it round.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..memory import Memory, Scope
from ..planning.decisions import Decisions
from ..safe_text import shown
from . import report
from .cards import WAITING, alike, cards, fates

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).parent / "page"
FATES = ("stays", "merged away", "pruned", "protected")
STATES = {
    "open": "not answered",
    "accepted": "will be done",
    "dismissed": "left alone",
    "skipped": "asked again later",
    "held": "needs your yes",
}


def snapshot_page(decisions: Decisions, memories: Sequence[Memory], today: date) -> str:
    """The run as one file to pass on: nothing on it can be clicked, and nothing is loaded."""
    style = asset("page.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    about = {"style": style, "style_hash": f"sha256-{digest}", "summary": foot(decisions)}
    return _render("snapshot.html", **about, **_run(decisions, memories, today))


def review_page(decisions: Decisions, memories: Sequence[Memory], today: date) -> str:
    """The page on which a run is answered and applied."""
    fields = _run(decisions, memories, today)
    found = fields["cards"]
    return _render(
        "review.html",
        **fields,
        groups=alike(found),
        kinds=sorted({card.kind for card in found}),
        types=sorted({card.type for card in found}),
    )


def history_page(label: str, scope: Scope, runs: Sequence[dict[str, Any]], asking: bool) -> str:
    """Every run of a scope with what it did; `asking` says whether there is a page of questions to go back to."""
    return _render("history.html", title=_title(scope), scope=_about(label, scope), runs=runs, asking=asking)


def foot(decisions: Decisions) -> str:
    """What would be done, in one line."""
    merges = sum(item.state == "accepted" for item in decisions.merges)
    prunes = sum(item.state == "accepted" for item in decisions.prunes)
    updates = sum(item.state == "accepted" for item in decisions.updates)
    resolved = sum(item.state == "accepted" for item in decisions.conflicts)
    counts = [(merges, "merge"), (updates, "update"), (resolved, "resolved contradiction"), (prunes, "prune")]
    done = ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count) or "no change"
    waiting = sum(item.state in WAITING for item in decisions.items)
    return f"Would be done: {done}; {waiting} {'question is' if waiting == 1 else 'questions are'} open."


def asset(name: str) -> str:
    """The page's style or script."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def _run(decisions: Decisions, memories: Sequence[Memory], today: date) -> dict[str, Any]:
    plan = decisions.plan
    label = f"{plan.store.kind} · {len(memories)} memories · {today}"
    return {
        "title": _title(plan.scope),
        "scope": _about(label, plan.scope),
        "cards": cards(decisions),
        "fates": fates(decisions, memories, today),
        "fate_names": FATES,
        "states": STATES,
        "nothing": report.NOTHING_FOUND,
    }


def _title(scope: Scope) -> str:
    return f"mem0 dream · {shown(scope.project or 'all projects')}"


def _about(label: str, scope: Scope) -> str:
    return f"user {shown(scope.user)} · project {shown(scope.project or 'none')} · {label}"


def _render(template: str, **fields: Any) -> str:
    return _templates().get_template(template).render(**fields)


@cache
def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = lambda text: "\n".join(map(shown, text.replace("\r\n", "\n").split("\n")))
    made.filters["total"] = lambda counts: sum(counts.values())
    return made
