"""Who may apply what: a report of exactly this plan, its policies and these answers comes first, seen by a person."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from datetime import datetime, timezone

from ..errors import AttentionNeeded
from ..planning.decisions import Decisions
from ..runs.run_folder import Run

_NAME = "reported"


def attended(env: Mapping[str, str]) -> bool:
    """Whether a person surely sees what is printed: on a terminal, or in a session that says a person attends it."""
    return sys.stdout.isatty() or env.get("CLAUDE_CODE_SESSION_ATTENDED", "0") != "0"


def reported(run: Run, decisions: Decisions, page: int = 1, pages: int = 1) -> None:
    """Record that a person was shown the report of this plan with these answers, or its next page of so many."""
    report = {"digest": _digest(run, decisions), "pages": pages}
    before = run.read(_NAME) if run.has(_NAME) else {}
    read = before["page"] if all(before.get(key) == value for key, value in report.items()) else 0
    at = datetime.now(timezone.utc).isoformat(timespec="seconds")
    run.write(_NAME, {**report, "page": max(read, page) if page <= read + 1 else read, "at": at})


def require(run: Run, decisions: Decisions, env: Mapping[str, str]) -> None:
    """AttentionNeeded where --apply has not the consent it needs."""
    if decisions.plan.mode == "auto":
        raise AttentionNeeded("This run was fetched with --auto, so nobody was asked; run fetch_all.py without --auto.")
    if env.get("CLAUDE_CODE_SESSION_ATTENDED") == "0":
        raise AttentionNeeded("Nobody attends this session, so --apply is refused; use --auto, or apply it yourself.")
    shown = run.read(_NAME) if run.has(_NAME) else {"page": 0}
    if not shown["page"]:
        raise AttentionNeeded("No report of this run was printed yet; run apply_plan.py --report and show it first.")
    if shown["digest"] != _digest(run, decisions):
        raise AttentionNeeded(
            "The plan or the answers changed after the report was printed; print it again with --report."
        )
    if shown["page"] < shown["pages"]:
        raise AttentionNeeded(
            f"Of this report {shown['page']} of {shown['pages']} pages were printed; print the next one with"
            f" --report --page {shown['page'] + 1}."
        )


def require_auto(decisions: Decisions) -> None:
    """AttentionNeeded where --auto would apply a run that somebody is to be asked about."""
    if decisions.plan.mode != "auto":
        raise AttentionNeeded("This run was fetched to be asked about; --auto needs one fetched with --auto.")


def _digest(run: Run, decisions: Decisions) -> str:
    """Names what a report showed: the plan with its texts and topics, the answers, and the policies."""
    policies = run.read("policies") if run.has("policies") else {}
    whole = json.dumps([decisions.digest(), policies], sort_keys=True)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
