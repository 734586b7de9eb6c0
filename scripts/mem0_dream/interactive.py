"""Asking a person in a terminal: contradictions, merges that lose a detail, and the last yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from . import report
from .memory import Memory
from .plan import Plan
from .verdicts import Settled, SettledConflict, SettledMerge, settle

_SIDES = {"a": "A", "b": "B", "both": "both", "skip": "skip", "": "skip"}


class Cancelled(Exception):
    """The person said no or left: the answers given so far stand, nothing is applied. `code` is the exit code."""

    def __init__(self, code: int = 0) -> None:
        super().__init__()
        self.code = code


class Console(Protocol):
    """Where the questions go. `ask` raises EOFError or KeyboardInterrupt where the person leaves."""

    def say(self, text: str) -> None: ...
    def ask(self, prompt: str) -> str: ...
    def pair(self, a: str, b: str) -> None: ...


def drafted(plan: Plan, answers: dict[str, Any]) -> dict[str, Any]:
    """The answers, with every unanswered merge taken as drafted where its draft loses nothing."""
    taken = {merge.handle: True for merge in plan.merges if merge.tier == "review" and not merge.loses}
    return {**taken, **answers}


def consult(
    plan: Plan,
    answers: dict[str, Any],
    numbers: Sequence[Memory],
    most: int,
    console: Console,
    keep: Callable[[Settled], None],
) -> Settled:
    """Show the report, ask at most `most` questions and the last yes; `keep` is called after every answer.

    Raises Cancelled where the answer is no or the person leaves.
    """
    settled = settle(plan, answers, numbers)
    console.say(report.body(plan, settled))
    try:
        for item in _open_questions(settled)[:most]:
            answer = (
                _conflict(plan, settled, item, console)
                if isinstance(item, SettledConflict)
                else _loss(settled.plan, item, console)
            )
            if answer is not None:
                answers[item.handle] = answer
                settled = settle(plan, answers, numbers)
                keep(settled)
        _confirm(plan, settled, console)
    except EOFError:  # nobody was there to decide
        raise Cancelled(3) from None
    except KeyboardInterrupt:
        raise Cancelled from None
    return settled


def _open_questions(settled: Settled) -> list[SettledConflict | SettledMerge]:
    lossy = [merge for merge in settled.merges if merge.state in ("open", "held") and merge.loses]
    return [*(conflict for conflict in settled.conflicts if conflict.state == "open"), *lossy]


def _conflict(plan: Plan, settled: Settled, item: SettledConflict, console: Console) -> str:
    console.say(f'\n{item.handle} — "{report.shown(item.conflict.topic)}"')
    console.pair(*report.sides(plan, settled, item))
    while True:
        reply = _reply(console, f"{report.WHICH} ")
        if reply in _SIDES:
            return _SIDES[reply]


def _loss(plan: Plan, merge: SettledMerge, console: Console) -> bool | None:
    console.say(f"\n{report.texts(plan, merge)}")
    while True:
        reply = _reply(console, f"{report.drops(merge)} ")
        if reply in ("y", "yes"):
            return True
        if reply in ("", "n", "no"):
            return None


def _confirm(plan: Plan, settled: Settled, console: Console) -> None:
    console.say("")
    while True:
        reply = _reply(console, f"{report.closing(settled)} ")
        if reply in ("", "y", "yes"):
            return
        if reply in ("n", "no"):
            raise Cancelled
        if reply == "details":
            console.say(report.long(plan, settled))


def _reply(console: Console, prompt: str) -> str:
    reply = console.ask(prompt).strip().lower()
    if reply in ("q", "quit"):
        raise Cancelled
    return reply
