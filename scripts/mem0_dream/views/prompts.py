"""What asking a person in a terminal needs: a console, replies that are known, and what needs no question."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from ..matching.explanation import ADDED, differences
from ..matching.guards import limiting
from ..matching.text import read
from ..planning.plan import Merge, Plan
from ..planning.wording import OTHER_DAY

YES, NO = ("y", "yes"), ("n", "no")


class Cancelled(Exception):
    """The person said no or left: the answers given so far stand, nothing is applied. `code` is the exit code."""

    def __init__(self, code: int = 0, answered: int = 0) -> None:
        super().__init__()
        self.code, self.answered = code, answered


class Console(Protocol):
    """Where the questions go. `ask` raises EOFError or KeyboardInterrupt if the person leaves."""

    @property
    def attended(self) -> bool:
        """Whether a person sits there, whose empty line is an answer."""
        ...

    def say(self, text: str) -> None: ...
    def ask(self, prompt: str) -> str: ...
    def pair(self, a: str, b: str) -> None: ...
    def edit(self, draft: str) -> str: ...


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
    return bool(said & limiting())


def sure(console: Console, prompt: str) -> bool:
    """Whether the person says yes to something that cannot be taken back."""
    try:
        return console.ask(prompt).strip().lower() in YES
    except EOFError:
        return False


def reply(console: Console, prompt: str, known: Collection[str], help: str) -> str:
    """One of the known replies, in small letters; anything else is asked again, q leaves."""
    while True:
        said = console.ask(prompt).strip().lower()
        if said in ("q", "quit"):
            raise Cancelled
        if said in known:
            return said
        console.say(f"Type {help}.")
