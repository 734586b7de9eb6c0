"""What a pair shows, as a few numbers from 0 to 1: how much the two share, and in what kind of word they differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from . import lexicon
from .tokenizer import CODE, COMMAND, NUMBER, RUN, SIGN, WORD, Reading

_SPAN = re.compile(r"`([^`\n]+)`")


class Facts:
    """What one text brings into a comparison, worked out once."""

    __slots__ = ("bag", "codes", "foreign", "german", "negations", "numbers", "runs", "seq", "spans")

    def __init__(self, reading: Reading) -> None:
        tokens = reading.tokens
        negating = lexicon.words("negations")
        self.bag = reading.words
        self.seq = tuple(token.norm for token in tokens if token.kind != SIGN)
        self.codes = frozenset(token.norm for token in tokens if token.kind in CODE)
        self.runs = "".join(token.norm for token in tokens if token.kind == RUN)
        numbers = {token.norm for token in tokens if token.kind == NUMBER}
        self.numbers = frozenset(numbers.union(_NUMERALS.findall(self.runs)))
        said = sum(token.low in negating for token in tokens if token.kind in (WORD, COMMAND))
        self.negations = said + (len(lexicon.solid("negations").findall(self.runs)) if self.runs else 0)
        text = reading.text[:2000]
        self.spans = frozenset(span.strip().rstrip("/") for span in _SPAN.findall(text))
        self.german = len({token.low for token in tokens} & _german()) > 1
        letters = [] if text.isascii() else [char for char in text if char.isalpha()]
        self.foreign = sum(char > "\u0370" for char in letters) * 2 > len(letters)


@cache
def _german() -> frozenset[str]:
    """Words that only German has: it writes every noun with a capital, so that a capital there is no name."""
    lines = lexicon.groups("function_words")
    return frozenset(lines[1]).difference(*(line for i, line in enumerate(lines) if i != 1))


_NUMERALS = re.compile("[二两三四五六七八九十百千万]+")  # "one" is as often an article


def facts(reading: Reading) -> Facts:
    """The facts of a reading."""
    found: Facts | None = reading.facts
    if found is None:
        found = reading.facts = Facts(reading)
    return found


def foreign(a: Reading, b: Reading) -> bool:
    """True if a text is mostly in another script than the Latin one: its words end, or run together, otherwise."""
    return facts(a).foreign or facts(b).foreign


def jaccard(x: Facts, y: Facts) -> float:
    """shared words of all words"""
    both = len(x.bag & y.bag)
    return both / (len(x.bag) + len(y.bag) - both) if both else 0.0


def contained(x: Facts, y: Facts) -> float:
    """shared words of the shorter text, if there are many"""
    both = len(x.bag & y.bag)
    return both / max(min(len(x.bag), len(y.bag)), 1) * min(both, 8) / 8


def ends(x: Facts, y: Facts) -> float:
    """the same beginning and end"""
    return sum(_ends(x, y)) / max(min(len(x.seq), len(y.seq)), 1)


def insertion(x: Facts, y: Facts) -> float:
    """one is the other with a stretch put in"""
    return float(sum(_ends(x, y)) == min(len(x.seq), len(y.seq)))


def length(x: Facts, y: Facts) -> float:
    """long texts"""
    return min(len(x.seq), len(y.seq), 30) / 30


def code_swapped(x: Facts, y: Facts) -> float:
    """other code"""
    return float(bool(x.codes - y.codes and y.codes - x.codes))


def code_added(x: Facts, y: Facts) -> float:
    """code on one side only"""
    return float(bool(x.codes - y.codes) != bool(y.codes - x.codes))


def span_swapped(x: Facts, y: Facts) -> float:
    """other words between backticks"""
    return float(bool(x.spans - y.spans and y.spans - x.spans))


def span_shared(x: Facts, y: Facts) -> float:
    """the same words between backticks"""
    return min(len(x.spans & y.spans), 3) / 3


def number_swapped(x: Facts, y: Facts) -> float:
    """other numbers in like texts"""
    return float(bool(x.numbers - y.numbers and y.numbers - x.numbers)) * jaccard(x, y)


def number_added(x: Facts, y: Facts) -> float:
    """a number on one side only"""
    return float(bool(x.numbers - y.numbers) != bool(y.numbers - x.numbers))


def number_shared(x: Facts, y: Facts) -> float:
    """the same number"""
    return float(bool(x.numbers & y.numbers))


FEATURES: tuple[Callable[[Facts, Facts], float], ...] = (
    jaccard, contained, ends, insertion, length, code_swapped, code_added, span_swapped, span_shared, number_swapped,
    number_added, number_shared,
)  # fmt: skip


def evidence(a: Reading, b: Reading) -> dict[str, float]:
    """What the pair shows, by the name of the feature; the same for (a, b) and (b, a)."""
    x, y = facts(a), facts(b)
    return {feature.__name__: feature(x, y) for feature in FEATURES}


def _ends(x: Facts, y: Facts) -> tuple[int, int]:
    """How many words the beginnings have in common, and the ends."""
    least = min(len(x.seq), len(y.seq))
    head = next((i for i in range(least) if x.seq[i] != y.seq[i]), least)
    tail = next((i for i in range(least - head) if x.seq[-1 - i] != y.seq[-1 - i]), least - head)
    return head, tail
