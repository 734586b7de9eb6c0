"""What a pair can be, whatever it scores: two texts in which one detail stands for another are no merge."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import permutations, product
from typing import NamedTuple

from . import lexicon
from .features import facts
from .stemmer import stem
from .tokenizer import CODE, COMMAND, NUMBER, SIGN, WORD, Reading, Token

LEAST_ALIKE = 0.5  # of the shorter text, beside what is exchanged
WIDEST = 2  # words that one detail takes the place of
_LONGEST = 300  # words of a text that are set beside the other's
_ALONE = {"direction", "joining", "condition"}  # words that stand for another only if nothing beside them changes
_HYPHENED = re.compile(r"\b[a-zß-ɏ]{2,}(?:-[a-zß-ɏ]+)+\b")
STATES = frozenset("✅☑✔✓❌✖✗✘☐⬜⚠🚫⛔🛑👍👎⏳🔄🚧★☆⭐")
_MUTE = frozenset("-/|•\\#@&+")  # signs that only set words apart


class Exchange(NamedTuple):
    """One detail that stands for another: its kind, and how each text writes it; an empty one stands for nothing."""

    kind: str
    here: str
    there: str


@lru_cache(maxsize=16)  # what a pair is and how it is explained ask for the same
def exchanges(a: Reading, b: Reading) -> list[Exchange]:
    """The details of `a` that stand where `b` has another of their kind, in two texts that are alike otherwise."""
    if b.text < a.text:  # how two texts are set side by side depends on which comes first
        return [Exchange(kind, there, here) for kind, here, there in exchanges(b, a)]
    german = facts(a).german or facts(b).german
    sides = list(_replaced(a.tokens[:_LONGEST], b.tokens[:_LONGEST]))
    found = [
        *_solid_opposites(a, b),
        *_other_state(a, b),
        *(found for here, there in sides for found in _compared(here, there, german)),
    ]
    return found or _renamed(sides) or _compounds(a.text, b.text)


def turned(a: Reading, b: Reading) -> tuple[str, str] | None:
    """Two words that changed places around a word that sets them apart: "tabs, not spaces" and "spaces, not tabs"."""
    here, there = a.tokens, b.tokens
    if a.words != b.words or len(here) != len(there):
        return None
    differs = [i for i, (x, y) in enumerate(zip(here, there, strict=True)) if x.norm != y.norm]
    if not differs:
        return None
    one, other = here[differs[0] : differs[-1] + 1], there[differs[0] : differs[-1] + 1]
    for i, j in ((i, j) for i in range(1, 4) for j in range(1, 4) if i + j < len(one)):
        first, between, last = one[:i], one[i : len(one) - j], one[len(one) - j :]
        if [t.norm for t in other] == [t.norm for t in (*last, *between, *first)] and any(map(_parts, between)):
            return " ".join(t.raw for t in first), " ".join(t.raw for t in last)
    return None


def _parts(token: Token) -> bool:
    """Whether a word makes what stands on its two sides unlike."""
    kinds = {kind for kind, _ in meanings(token)} - {"joining", "condition", "opposite", "state"}
    return bool(kinds) or token.low in lexicon.words("negations") or token.low in ("of", "by", "than", "as")


def _replaced(here: Sequence[Token], there: Sequence[Token]) -> Iterator[tuple[Sequence[Token], Sequence[Token]]]:
    """The short stretches that differ in two texts that are alike otherwise."""
    codes = SequenceMatcher(None, [t.norm for t in here], [t.norm for t in there], autojunk=False).get_opcodes()
    alike = sum(j - i for tag, i, j, _, _ in codes if tag == "equal")
    if alike >= LEAST_ALIKE * min(len(here), len(there)):
        for tag, i, j, k, n in codes:
            if tag != "equal" and max(j - i, n - k) <= WIDEST:
                yield here[i:j], there[k:n]


def _compared(here: Sequence[Token], there: Sequence[Token], german: bool) -> Iterator[Exchange]:
    for kind, is_one in _KINDS.items():
        if kind == "name" and german:
            continue
        mine, yours = ([t for t in side if is_one(t)] for side in (here, there))
        if mine and yours and {t.norm for t in mine} != {t.norm for t in yours} and not _initials(here, there):
            yield Exchange(kind, mine[0].raw, yours[0].raw)
    alone = len(here) == len(there) == 1
    for x, y in product(here, there):
        for kind, line in meanings(x) if x.low != y.low else ():
            other = any(k == kind and (k == "opposite") == (n == line) for k, n in meanings(y))
            if other and (alone or kind not in _ALONE):
                yield Exchange(kind, x.raw, y.raw)


def _initials(here: Sequence[Token], there: Sequence[Token]) -> bool:
    """Whether one side abbreviates the other: "PM" and "Product Manager"."""
    short, long = sorted((here, there), key=len)
    return len(short) == 1 < len(long) and short[0].raw.lower() == "".join(t.low[0] for t in long)


def _renamed(sides: Sequence[tuple[Sequence[Token], Sequence[Token]]]) -> list[Exchange]:
    """One word that stands for the same other word wherever it stands, twice or more: another name."""
    words = [(x[0], y[0]) for x, y in sides if len(x) == len(y) == 1 and x[0].counts and y[0].counts]
    times = Counter((x.norm, y.norm) for x, y in words)
    return [Exchange("name", x.raw, y.raw) for x, y in words if times[x.norm, y.norm] > 1][:1]


def _compounds(a: str, b: str) -> list[Exchange]:
    """Two hyphenated words that differ in one part: "read-only" and "read-write"."""
    mine, yours = (set(_HYPHENED.findall(text.lower()[:2000])) for text in (a, b))
    for x, y in product(sorted(mine - yours), sorted(yours - mine)):
        parts = list(zip(x.split("-"), y.split("-"), strict=False))
        if x.count("-") == y.count("-") and sum(stem(p) != stem(q) for p, q in parts) == 1:
            return [Exchange("name", x, y)]
    return []


def _other_state(a: Reading, b: Reading) -> Iterator[Exchange]:
    """Marks of two states, wherever they stand: "⏳ Writing the guide" and "✅ Guide written"."""
    mine, yours = ([t.raw for t in reading.tokens if t.raw in STATES] for reading in (a, b))
    if mine and yours and set(mine).isdisjoint(yours):
        yield Exchange("mark", mine[0], yours[0])


def _solid_opposites(a: Reading, b: Reading) -> Iterator[Exchange]:
    """Opposites in scripts without spaces, which are words of no token."""
    mine, yours = facts(a).runs, facts(b).runs
    groups = lexicon.groups("opposites") if mine and yours else ()
    for x, y in (pair for group in groups if group[0][0] >= "\u0e00" for pair in permutations(group, 2)):
        if x in mine and x not in yours and y in yours and y not in mine:
            yield Exchange("opposite", x, y)


def _is_sign(token: Token) -> bool:
    return token.kind == SIGN and token.norm not in _MUTE


def _is_name(token: Token) -> bool:
    capital = token.kind == WORD and token.counts and token.raw[0].isupper() and token.raw[0] < "\u0370"
    return capital and (token.low not in _common() or (token.raw.isupper() and len(token.raw) > 2))


@cache
def _common() -> frozenset[str]:
    return lexicon.words("openers/words") | lexicon.words("function_words") | {"user"}


_KINDS: dict[str, Callable[[Token], bool]] = {
    "number": lambda token: token.kind == NUMBER,
    "code": lambda token: token.kind in CODE or token.kind == COMMAND,
    "sign": lambda token: _is_sign(token) or (token.kind == NUMBER and len(token.raw) == 1),
    "name": _is_name,
    "letter": lambda token: token.kind == WORD and (token.raw.isupper() and len(token.raw) < 3),
}


@cache
def _table() -> dict[str, list[tuple[str, int]]]:
    """Each word of guards.txt and opposites.txt with its kind and line."""
    found: dict[str, list[tuple[str, int]]] = {}
    for number, (first, *rest) in enumerate(lexicon.groups("guards")):
        kind, _, word = first.partition(":")
        for entry in (word.strip(), *rest):
            found.setdefault(entry, []).append((kind, number))
    for number, group in enumerate(lexicon.groups("opposites")):
        for entry in group:
            found.setdefault(entry, []).append(("opposite", number))
    return found


def meanings(token: Token) -> Iterable[tuple[str, int]]:
    """What a word means among those that limit a note: kinds, each with the line of its list."""
    return _table().get(token.low, ()) if token.kind in (WORD, COMMAND) else ()


@cache
def limiting() -> frozenset[str]:
    """Words that limit what a note says, such as "only", "most", "not", "should" or "staging"."""
    kinds = {"strength", "amount", "comparison", "time", "environment", "condition"}
    return lexicon.words("negations").union(word for word, lines in _table().items() if kinds & dict(lines).keys())
