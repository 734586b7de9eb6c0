"""Asking a person in a terminal: contradictions, merges that lose a detail, and the last yes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from ..errors import UsageError
from ..matching import lexicon
from ..matching.explanation import ADDED, differences
from ..matching.text import read
from ..memory import Memory
from ..planning.decisions import ConflictDecision, Decisions, MergeDecision
from ..planning.plan import Merge, Plan
from ..planning.planner import OTHER_DAY
from ..review.answers import decide
from ..safe_text import shown
from . import report

_SIDES = {"a": "A", "b": "B", "both": "both", "skip": "skip", "s": "skip", "": "skip"}
_YES, _NO = ("y", "yes"), ("n", "no")
_LIMITS = ("quantifiers", "comparators", "modals", "environments", "negations")


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
    """The answers, with every unanswered merge taken as drafted where its draft loses and turns nothing."""
    plain = (merge for merge in plan.merges if merge.tier == "review" and not merge.loses and not _turns(plan, merge))
    return {**{merge.handle: True for merge in plain}, **answers}


def _turns(plan: Plan, merge: Merge) -> bool:
    """Whether the draft says more than a member than plain words that limit nothing: it is then asked by itself."""
    members = (plan.memory(id).text for id in merge.ids)
    parts = [part for text in members if text != merge.text for part in differences(read(text), read(merge.text))]
    return OTHER_DAY in merge.differs or any(not part.startswith(ADDED) or _limits(part) for part in parts)


def _limits(part: str) -> bool:
    """Whether what only one text says is a word like "only", "most", "not", "should" or "staging"."""
    said = set(part.removeprefix(ADDED).casefold().split())
    return any(said & lexicon.words(name) for name in _LIMITS)


def consult(
    plan: Plan,
    answers: dict[str, Any],
    numbers: Sequence[Memory],
    most: int,
    console: Console,
    keep: Callable[[Decisions], None],
) -> Decisions:
    """Show the report, ask at most `most` questions and the last yes; `keep` is called after every answer.

    Raises Cancelled where the answer is no or the person leaves.
    """
    decisions = decide(plan, answers, numbers)
    console.say(report.body(decisions))
    try:
        asked: set[str] = set()
        while len(asked) < most and (item := _next(decisions, asked)):
            asked.add(item.handle)
            given = {**answers, **_answer(decisions, item, console)}
            try:
                decisions = decide(plan, given, numbers)
            except UsageError as error:  # it cannot go with an earlier answer
                console.say(str(error))
                continue
            answers.update(given)
            keep(decisions)
        if decisions.changes():
            _confirm(decisions, console)
    except EOFError:  # nobody was there to decide
        raise Cancelled(3) from None
    except KeyboardInterrupt:
        raise Cancelled from None
    return decisions


def _next(decisions: Decisions, asked: set[str]) -> ConflictDecision | MergeDecision | None:
    """The next question; an answer to one contradiction may have decisions another."""
    found: list[ConflictDecision | MergeDecision] = [item for item in decisions.conflicts if item.state == "open"]
    found += [merge for merge in decisions.merges if merge.state in ("open", "held")]
    return next((item for item in found if item.handle not in asked), None)


def _answer(decisions: Decisions, item: ConflictDecision | MergeDecision, console: Console) -> dict[str, Any]:
    if isinstance(item, ConflictDecision):
        return {item.handle: _conflict(decisions, item, console)}
    return {item.handle: True} if _loss(decisions, item, console) else {}


def _conflict(decisions: Decisions, item: ConflictDecision, console: Console) -> str:
    console.say(f'\n{item.handle} — "{shown(item.conflict.topic)}"')
    console.pair(*report.sides(decisions, item))
    return _SIDES[_reply(console, f"{report.WHICH} ", _SIDES, "A, B, both (both are true), skip, or q to leave")]


def _loss(decisions: Decisions, merge: MergeDecision, console: Console) -> bool:
    console.say(f"\n{report.texts(decisions, merge)}")
    return _reply(console, f"{report.drops(merge)} ", (*_YES, *_NO, ""), "y, n, or q to leave") in _YES


def _confirm(decisions: Decisions, console: Console) -> None:
    console.say("")
    prompt = f"{report.closing(decisions)} "
    while True:
        reply = _reply(console, prompt, (*_YES, *_NO, "", "details"), "y, n, details, or q to leave")
        if reply in _NO:
            raise Cancelled
        if reply != "details":
            return
        console.say(report.long(decisions).removesuffix(f"\n{report.APPLY}"))
        prompt = f"{report.APPLY} "


def sure(console: Console, prompt: str) -> bool:
    """Whether the person says yes to something that cannot be taken back."""
    try:
        return console.ask(prompt).strip().lower() in _YES
    except EOFError:
        return False


def _reply(console: Console, prompt: str, known: Collection[str], help: str) -> str:
    """One of the known replies; anything else is asked again, q leaves."""
    while True:
        reply = console.ask(prompt).strip().lower()
        if reply in ("q", "quit"):
            raise Cancelled
        if reply in known:
            return reply
        console.say(f"Type {help}.")
