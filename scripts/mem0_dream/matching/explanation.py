"""What differs between two texts that share much, in a few words for whoever must decide."""

from __future__ import annotations

from collections.abc import Sequence

from . import lexicon
from .differences import stretches
from .features import facts
from .guards import exchanges, turned
from .tokenizer import COMMAND, FLAG, LINK, NAME, NUMBER, PATH, RUN, SIGN, WORD, Reading, Token

_PROSE = (WORD, COMMAND)
ADDED = "only one says: "
_SHOWN = 4  # words of one side in one explanation
_LONGEST = 60  # characters of one side
_LONG = 2000  # characters of a text that are set beside the other's
_KINDS = {NUMBER: "number", PATH: "file", LINK: "address", FLAG: "option", NAME: "name"}
_FAMILIES = {"opposite": "opposite", "environment": "other place"}


def differences(a: Reading, b: Reading) -> list[str]:
    """Every difference that matters, the most telling first; what `a` says stands before what `b` says."""
    here, there = _only(a, b), _only(b, a)
    found = []
    if bool(facts(a).negations) != bool(facts(b).negations):
        found.append("negated")
        negating = lexicon.words("negations")
        here, there = ([token for token in side if token.low not in negating] for side in (here, there))
        if not here and not there:
            return found
    swapped = {t.kind for t in here} & {t.kind for t in there} & {PATH, LINK, FLAG}
    if here and there and max(len(here), len(there)) <= _SHOWN and not swapped:
        found.append(f"same but for {_words(here)} / {_words(there)}")
        return found
    for kind, name in _KINDS.items():
        mine, yours = ([token for token in side if token.kind == kind] for side in (here, there))
        if mine and yours:
            title = "same but for" if kind == NUMBER and len(mine) == len(here) and len(yours) == len(there) else ""
            found.append(f"{title or f'other {name}:'} {_words(mine)} / {_words(yours)}")
    found += _of_one_family(a, b)
    if not here and not there:
        return found + _small(a, b)
    if not (here and there):
        found.append(f"{ADDED}{_words(here or there)}")
    elif not found:
        found.append(f"in other words: {_words(here)} / {_words(there)}")
    return found


def _only(a: Reading, b: Reading) -> list[Token]:
    """The significant tokens of `a` that `b` has not, each once, in the order of `a`."""
    others, words, inside = {token.norm for token in b.tokens}, a.words, facts(b).runs
    found: dict[str, Token] = {}
    for token in a.tokens:
        kind, norm = token.kind, token.norm
        if kind == RUN:
            if norm not in inside:
                found.setdefault(norm, token)
        elif norm not in others and kind != SIGN and (kind not in _PROSE or norm in words):
            found.setdefault(norm, token)
    return list(found.values())


def _of_one_family(a: Reading, b: Reading) -> list[str]:
    return [f"{_FAMILIES[x.kind]}: {x.here} / {x.there}" for x in exchanges(a, b) if x.kind in _FAMILIES][:2]


def _small(a: Reading, b: Reading) -> list[str]:
    """What is left if the words are the same: a small word, a sign, a capital, the order, or only the lines."""
    if changed := turned(a, b):
        return [f"changed over: {changed[0]} / {changed[1]}"]
    mine, yours = ([token.low for token in reading.tokens] for reading in (a, b))
    if mine != yours and sorted(mine) == sorted(yours):
        return ["other order"]
    parts = [(old, new) for old, new in stretches(a.text[:_LONG], b.text[:_LONG]) if old != new]
    if not parts:
        return ["other lines or spaces"]
    if not any(char.isalnum() for sides in parts for side in sides for char in side):
        return ["other marks"]
    old, new = (" ".join(side for side in sides if side)[:_LONGEST].rstrip() for sides in zip(*parts, strict=True))
    return [f"same but for {old} / {new}" if old and new else f"{ADDED}{old or new}"]


def _words(tokens: Sequence[Token]) -> str:
    said = list(dict.fromkeys(token.raw for token in tokens))
    shown = " ".join(said[:_SHOWN])
    more = len(said) > _SHOWN or len(shown) > _LONGEST
    return shown[:_LONGEST].rstrip() + ("…" if more else "")
