"""What differs between two texts that share much, in a few words for whoever must decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from . import lexicon
from .features import facts
from .order import turned
from .text import Reading
from .tokenizer import COMMAND, FLAG, LINE, LINK, MARK, NAME, NUMBER, PATH, RUN, SIGN, WORD, Token

_PROSE = (WORD, COMMAND)
_SIGNS = (SIGN, MARK)
ADDED = "only one says: "
_SHOWN = 4  # words of one side in one explanation
_LONGEST = 60  # characters of one side
_KINDS = {NUMBER: "number", PATH: "file", LINK: "address", FLAG: "option", NAME: "name"}
_FAMILIES = {"opposites": "opposite", "tools": "other tool", "environments": "other place"}


def differences(a: Reading, b: Reading) -> list[str]:
    """Every difference that matters, the most telling first; what `a` says stands before what `b` says."""
    here, there = _only(a, b), _only(b, a)
    found = []
    if bool(facts(a).negations) != bool(facts(b).negations):
        found.append("negated")
        negating = lexicon.words("negations")
        here, there = ([token for token in side if token.exact not in negating] for side in (here, there))
        if not here and not there:
            return found
    if here and there and max(len(here), len(there)) <= _SHOWN and not _kinds(here, there):
        found.append(f"same but for {_words(here)} / {_words(there)}")
        return found
    for kind, name in _KINDS.items():
        mine, yours = ([token for token in side if token.kind == kind] for side in (here, there))
        if mine and yours:
            title = "same but for" if kind == NUMBER and len(mine) == len(here) and len(yours) == len(there) else ""
            found.append(f"{title or f'other {name}:'} {_words(mine)} / {_words(yours)}")
    found += _of_one_family(a, b, here, there)
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


def _kinds(here: Sequence[Token], there: Sequence[Token]) -> set[str]:
    """The kinds of detail, beside numbers, that are swapped."""
    return {token.kind for token in here} & {token.kind for token in there} & {PATH, LINK, FLAG}


def _of_one_family(a: Reading, b: Reading, here: Sequence[Token], there: Sequence[Token]) -> list[str]:
    mine, yours = facts(a).family, facts(b).family
    found = []
    for x in here:
        for y in there:
            for kind, lines in mine.get(x.norm, ()):
                apart = kind == "environments"  # there, two lines are two places; else two words of one line
                if kind in _FAMILIES and any(
                    k == kind and (not lines & ls) == apart for k, ls in yours.get(y.norm, ())
                ):
                    found.append(f"{_FAMILIES[kind]}: {x.raw} / {y.raw}")
    return found[:2]


def _small(a: Reading, b: Reading) -> list[str]:
    """What is left where the words are the same: an ending, an article, a capital, a mark, or only the order."""
    mine, yours = ([t for t in r.statement or r.tokens if t.exact and t.kind not in _SIGNS] for r in (a, b))
    one, other = ([token.exact.casefold() for token in side] for side in (mine, yours))
    if one != other and sorted(one) == sorted(other):
        changed = turned(a, b)
        return [f"changed over: {changed[0]} / {changed[1]}" if changed else "other order"]
    here, there = _beyond(mine, yours), _beyond(yours, mine)
    if here and there:
        return [f"same but for {_words(here)} / {_words(there)}"]
    if here or there:
        return [f"{ADDED}{_words(here or there)}"]
    left, right = (_signs(r) for r in (a, b))
    if LINE in left + right and left != right:
        return ["other lines or indentation"]
    return [f"other signs: {left[:_LONGEST]} / {right[:_LONGEST]}" if left != right else "written otherwise"]


def _beyond(tokens: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    """The tokens that stand more often here than among the others."""
    left = Counter(token.exact for token in others)
    left.subtract(token.exact for token in tokens)
    return [token for token in tokens if left[token.exact] < 0]


def _signs(reading: Reading) -> str:
    marks = (t.raw.strip(" `") for t in reading.statement or reading.tokens if t.kind in _SIGNS)
    return "".join(marks) or "none"


def _shown(token: Token) -> str:
    """The token as it was written; of a compound its first part stands for the whole."""
    return token.exact if "/" in token.exact and token.kind == WORD else token.raw


def _words(tokens: Sequence[Token]) -> str:
    whole = " ".join(token.exact for token in tokens)
    said = list(dict.fromkeys(_shown(token) for token in tokens if token.exact or token.norm not in whole))
    shown = " ".join(said[:_SHOWN])
    more = len(said) > _SHOWN or len(shown) > _LONGEST
    return shown[:_LONGEST].rstrip() + ("…" if more else "")
