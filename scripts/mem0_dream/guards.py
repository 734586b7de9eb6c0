"""What differs between two texts that share much: a value, a name, a negation. Each is a reason not to merge."""

from __future__ import annotations

from typing import NamedTuple

from . import lists
from .text import Reading
from .tokens import FLAG, LINK, NAME, NUMBER, PATH, WORD


class Difference(NamedTuple):
    """One guard that fired. `swapped`: both sides have a value of that kind; else only one has."""

    kind: str
    swapped: bool
    text: str


_CODE = {"number": NUMBER, "path": PATH, "link": LINK, "flag": FLAG, "name": NAME}
_LISTS = {
    "negation": "negations",
    "tool": "tools",
    "environment": "environments",
    "quantity": "quantifiers",
    "strength": "modals",
    "comparison": "comparators",
}


def differences(a: Reading, b: Reading) -> list[str]:
    """Every guard that fires on the pair, the strongest first."""
    found = []
    for name, kind in _CODE.items():
        only_a, only_b = (
            {t.norm for t in x.tokens if t.kind == kind} - {t.norm for t in y.tokens} for x, y in ((a, b), (b, a))
        )
        if only_a or only_b:
            found.append(Difference(name, bool(only_a and only_b), _say(name, only_a, only_b)))
    for name, list_name in _LISTS.items():
        known = lists.words(list_name)
        only_a, only_b = (
            {t.raw.lower() for t in x.tokens if t.kind == WORD and t.exact in known} - {t.exact for t in y.tokens}
            for x, y in ((a, b), (b, a))
        )
        if only_a or only_b:
            found.append(Difference(name, bool(only_a and only_b) or name == "negation", _say(name, only_a, only_b)))
    return [d.text for d in found]


def _say(name: str, only_a: set[str], only_b: set[str]) -> str:
    left, right = ", ".join(sorted(only_a)) or "-", ", ".join(sorted(only_b)) or "-"
    return f"other {name}: {left} / {right}"
