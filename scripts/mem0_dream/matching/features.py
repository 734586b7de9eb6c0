"""What a pair shows, as a few numbers from 0 to 1: how much the two share, and in what kind of word they differ."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import lexicon
from .tokenizer import CODE, COMMAND, NUMBER, RUN, SIGN, WORD, Reading

_SPAN = re.compile(r"`([^`\n]+)`")
_LEAD = re.compile(r"\s[—–-]\s|[:：][*_]*(?:\s|$)|\s(?:→|->)\s|：")
_LONGEST = 600  # characters of which trigrams are taken


class Facts:
    """What one text brings into a comparison, worked out once."""

    __slots__ = ("bag", "codes", "foreign", "lead", "names", "negations", "numbers", "runs", "seq", "spans", "trigrams")

    def __init__(self, reading: Reading) -> None:
        tokens = reading.tokens
        negating = lexicon.words("negations")
        self.bag = reading.words
        self.seq = tuple(token.norm for token in tokens if token.kind != SIGN)
        self.codes = frozenset(token.norm for token in tokens if token.kind in CODE)
        self.runs = "".join(token.norm for token in tokens if token.kind == RUN)
        numbers = {token.norm for token in tokens if token.kind == NUMBER}
        self.numbers = frozenset(numbers.union(_NUMERALS.findall(self.runs)))
        self.names = frozenset(t.norm for t in tokens[1:] if t.kind == WORD and t.counts and t.raw[0].isupper())
        said = sum(token.low in negating for token in tokens if token.kind in (WORD, COMMAND))
        self.negations = said + (len(lexicon.solid("negations").findall(self.runs)) if self.runs else 0)
        text = reading.text[:2000]
        self.spans = frozenset(span.strip().rstrip("/") for span in _SPAN.findall(text))
        lead = _LEAD.search(text, 1, 90)
        self.lead = frozenset(Reading(text[: lead.start()]).words) if lead else frozenset()
        self.trigrams = _trigrams(" ".join(self.seq)[:_LONGEST].casefold())
        letters = [char for char in text if char.isalpha()]
        self.foreign = sum(char > "\u0370" for char in letters) * 2 > len(letters)


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
    """shared words of the shorter text"""
    return len(x.bag & y.bag) / max(min(len(x.bag), len(y.bag)), 1)


def trigrams(x: Facts, y: Facts) -> float:
    """shared runs of three characters"""
    return 2 * len(x.trigrams & y.trigrams) / max(len(x.trigrams) + len(y.trigrams), 1)


def code_swapped(x: Facts, y: Facts) -> float:
    """other code"""
    return float(bool(x.codes - y.codes and y.codes - x.codes))


def number_swapped(x: Facts, y: Facts) -> float:
    """other numbers"""
    return float(bool(x.numbers - y.numbers and y.numbers - x.numbers))


def number_swapped_alike(x: Facts, y: Facts) -> float:
    """other numbers in like texts"""
    return number_swapped(x, y) * jaccard(x, y)


def name_swapped(x: Facts, y: Facts) -> float:
    """other names"""
    return float(bool(x.names - y.bag and y.names - x.bag))


def span_swapped(x: Facts, y: Facts) -> float:
    """other words between backticks"""
    return float(bool(x.spans - y.spans and y.spans - x.spans))


def span_shared(x: Facts, y: Facts) -> float:
    """the same words between backticks"""
    return min(len(x.spans & y.spans), 3) / 3


def negated(x: Facts, y: Facts) -> float:
    """only one is negated"""
    return float((x.negations > 0) != (y.negations > 0))


def one_word(x: Facts, y: Facts) -> float:
    """one word for another"""
    return float(len(x.bag - y.bag) == len(y.bag - x.bag) == 1)


def insertion(x: Facts, y: Facts) -> float:
    """one is the other with a stretch put in"""
    head, tail = _ends(x, y)
    return float(head + tail == min(len(x.seq), len(y.seq)))


def gap(x: Facts, y: Facts) -> float:
    """the stretch that differs"""
    head, tail = _ends(x, y)
    return min(max(len(x.seq), len(y.seq)) - head - tail, 12) / 12


def beginning(x: Facts, y: Facts) -> float:
    """the same first words"""
    return _ends(x, y)[0] / max(min(len(x.seq), len(y.seq)), 1)


def lead_other(x: Facts, y: Facts) -> float:
    """another heading"""
    both = len(x.lead & y.lead)
    return 1 - both / (len(x.lead) + len(y.lead) - both) if x.lead and y.lead else 0.0


def length_ratio(x: Facts, y: Facts) -> float:
    """of like length"""
    return min(len(x.seq), len(y.seq)) / max(len(x.seq), len(y.seq), 1)


def script(x: Facts, y: Facts) -> float:
    """in another script than the Latin one"""
    return float(x.foreign or y.foreign)


def contained_long(x: Facts, y: Facts) -> float:
    """shared words of the shorter text, if there are many"""
    return contained(x, y) * min(len(x.bag & y.bag), 8) / 8


def number_more(x: Facts, y: Facts) -> float:
    """a number on one side only"""
    return float(bool(x.numbers - y.numbers) != bool(y.numbers - x.numbers))


FEATURES: tuple[Callable[[Facts, Facts], float], ...] = (
    jaccard, contained, trigrams, code_swapped, number_swapped, number_swapped_alike, name_swapped, span_swapped,
    span_shared, negated, one_word, insertion, gap, beginning, lead_other, length_ratio,
    script, contained_long, number_more,
)  # fmt: skip


def evidence(a: Reading, b: Reading) -> dict[str, float]:
    """What the pair shows, by the name of the feature; the same for (a, b) and (b, a)."""
    x, y = facts(a), facts(b)
    return {feature.__name__: feature(x, y) for feature in FEATURES}


def _trigrams(text: str) -> frozenset[str]:
    return frozenset(map("".join, zip(text, text[1:], text[2:], strict=False)))


def _ends(x: Facts, y: Facts) -> tuple[int, int]:
    """How many words the beginnings have in common, and the ends."""
    least = min(len(x.seq), len(y.seq))
    head = next((i for i in range(least) if x.seq[i] != y.seq[i]), least)
    tail = next((i for i in range(least - head) if x.seq[-1 - i] != y.seq[-1 - i]), least - head)
    return head, tail
