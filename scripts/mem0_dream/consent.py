"""Who may apply what: a report of exactly this plan and these answers comes first, and nobody unattended says yes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone

from .errors import AttentionNeeded
from .runs import Run
from .verdicts import Settled

_NAME = "reported"


def reported(run: Run, settled: Settled) -> None:
    """Record that a person was shown the report of this plan with these answers."""
    at = datetime.now(timezone.utc).isoformat(timespec="seconds")
    run.write(_NAME, {"digest": settled.digest(), "at": at})


def require(run: Run, settled: Settled, env: Mapping[str, str]) -> None:
    """AttentionNeeded where --apply has not the consent it needs."""
    if settled.plan.mode == "auto":
        raise AttentionNeeded("This run was fetched with --auto, so nobody was asked; run fetch_all.py without --auto.")
    if env.get("CLAUDE_CODE_SESSION_ATTENDED") == "0":
        raise AttentionNeeded("Nobody attends this session, so --apply is refused; use --auto, or apply it yourself.")
    shown = run.read(_NAME).get("digest") if run.has(_NAME) else None
    if shown is None:
        raise AttentionNeeded("No report of this run was printed yet; run apply_plan.py --report and show it first.")
    if shown != settled.digest():
        raise AttentionNeeded(
            "The plan or the answers changed after the report was printed; print it again with --report."
        )


def require_auto(settled: Settled) -> None:
    """AttentionNeeded where --auto would apply a run that somebody is to be asked about."""
    if settled.plan.mode != "auto":
        raise AttentionNeeded("This run was fetched to be asked about; --auto needs one fetched with --auto.")
