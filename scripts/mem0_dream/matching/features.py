"""What a pair shows, as numbers: how much is shared, where the two differ, and in what kind of word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain

from . import lexicon
from .text import Reading
from .tokenizer import CODE, COMMAND, NUMBER, RUN, SIGN, WORD

_NONE: frozenset[int] = frozenset()
_KINDS = ("tools", "opposites", "environments", "modals", "quantifiers", "comparators", "statuses", "synonyms")
_SPAN = re.compile(r"`([^`\n]+)`")
_LEAD = re.compile(r"\s[—–-]\s|:[*_]*\s|\s→\s|：")
_ITEM = re.compile(r"[,|/()、，;]| and | or ")
_INSIDE = re.compile(r"\(([^)]*)\)")


class Facts:
    """What one text brings into a comparison, worked out once."""

    __slots__ = (
        "bag", "caps", "chars", "codes", "family", "foreign", "groups", "inside", "items", "lead", "negations",
        "numbers", "plain", "runs", "seq", "signs", "spans", "trigrams",
    )  # fmt: skip

    def __init__(self, reading: Reading) -> None:
        self.bag: frozenset[str] = reading.words
        self.seq = tuple(token.norm for token in reading.tokens if token.kind != SIGN)
        self.family: dict[str, list[tuple[str, frozenset[int]]]] = {}
        codes, numbers, plain, caps, signs, runs = set(), set(), set(), set(), set(), []
        negations = 0
        negating, telling, known = lexicon.words("negations"), lexicon.words("marks"), _classes()
        for place, (kind, norm, exact, raw, counts) in enumerate(reading.tokens):
            if kind in CODE:
                codes.add(norm)
            elif kind == NUMBER:
                numbers.add(norm)
            elif kind == RUN:
                runs.append(norm)
                numbers.update(_NUMERALS.findall(norm))
            elif kind == SIGN and norm in telling:
                signs.add(norm)
            elif kind in (WORD, COMMAND):
                if counts:
                    plain.add(norm)
                if raw[0].isupper() and place:
                    caps.add(norm)
                negations += exact in negating
            if kind != NUMBER and (found := known.get(exact.casefold() or norm)):
                self.family.setdefault(norm, []).extend(found)
        self.codes, self.numbers, self.plain, self.caps = map(frozenset, (codes, numbers, plain, caps))
        self.signs = frozenset(signs)
        self.runs = "".join(runs)
        self.negations = negations + (len(lexicon.pattern("negations_cjk").findall(self.runs)) if runs else 0)
        self.groups: dict[str, frozenset[int]] = {}
        for kind, lines in chain.from_iterable(self.family.values()):
            if kind in _TWO_WAYS:
                self.groups[kind] = self.groups.get(kind, _NONE) | lines
        text = reading.text[:2000]
        self.spans = frozenset(_BRACKETS.sub("", span).strip().rstrip("/") for span in _SPAN.findall(text))
        lead = _LEAD.search(text, 1, 90)
        self.lead = frozenset(Reading(text[: lead.start()]).words) if lead else frozenset()
        low = text.casefold()
        self.items = frozenset(item for part in _ITEM.split(low) if 0 < len(item := part.strip(" `*.")) < 30)
        self.inside = " ".join(_INSIDE.findall(low)) if "(" in low else ""
        self.foreign = not low.isascii() and len(_FOREIGN.findall(low)) * 2 > len(_LETTERS.findall(low))
        joined = " ".join(self.seq)[:600].casefold()
        self.trigrams = _trigrams(joined)
        self.chars = frozenset(char for char in self.runs if not "\u3040" <= char <= "\u309f")


_NUMERALS = re.compile("[二两三四五六七八九十百千万]+")  # "one" is as often an article
_FOREIGN = re.compile("[\u0370-\U0003ffff]")
_LETTERS = re.compile(r"[^\W\d_]")
_BRACKETS = re.compile(r"[<>{}\[\]]")


def facts(reading: Reading) -> Facts:
    """The facts of a reading."""
    found: Facts | None = reading.facts
    if found is None:
        found = reading.facts = Facts(reading)
    return found


@cache
def _classes() -> dict[str, list[tuple[str, frozenset[int]]]]:
    """Each word of the lists that name kinds of difference, with the lists and lines it stands on."""
    found: dict[str, list[tuple[str, frozenset[int]]]] = {}
    for kind in _KINDS:
        for word, lines in lexicon.families(kind).items():
            found.setdefault(word, []).append((kind, lines))
    return found


def foreign(a: Reading, b: Reading) -> bool:
    """True where a text is mostly in another script than the Latin one: its words end, or run together, otherwise."""
    return facts(a).foreign or facts(b).foreign


def evidence(a: Reading, b: Reading) -> dict[str, float]:
    """The numbers of a pair that are not 0, each by its name; the same for (a, b) and (b, a)."""
    x, y = facts(a), facts(b)
    shared = x.bag & y.bag
    only_x, only_y = x.bag - shared, y.bag - shared
    both = len(shared)
    few, many = sorted((len(only_x), len(only_y)))
    alike = both / (both + few + many) if both else 0.0
    e: dict[str, float] = {"jaccard": alike, "contained": both / (both + few) if both else 0.0, "whole": float(not few)}
    e["only_least"], e["only_most"] = min(few, 6) / 6, min(many, 12) / 12
    e["contained_long"] = e["contained"] * min(both, 8) / 8
    e["plain_jaccard"], e["plain_contained"] = _overlap(x.plain, y.plain)
    if x.codes or y.codes:
        _codes(e, x, y)
    else:
        e["no_code"] = 1.0
    if x.spans or y.spans:
        same = x.spans & y.spans
        one, other = len(x.spans) - len(same), len(y.spans) - len(same)
        e["span_shared"], e["span_long"] = min(len(same), 3) / 3, min(max(map(len, same), default=0), 40) / 40
        e["span_swap"], e["span_more"] = min(one, other, 2) / 2, float((one > 0) != (other > 0))
        if one and other:  # the same command with another word in it
            e["span_grown"] = float(
                any(
                    set(p.split()) < set(q.split()) or set(q.split()) < set(p.split())
                    for p in x.spans - same
                    for q in y.spans - same
                )
            )
    if x.numbers != y.numbers:
        one, other = len(x.numbers - y.numbers), len(y.numbers - x.numbers)
        e["number_swap"], e["number_more"] = float(bool(one and other)), float((one > 0) != (other > 0))
    if x.signs != y.signs:
        swapped = bool(x.signs - y.signs and y.signs - x.signs)
        e["sign_swap"], e["sign_more"] = float(swapped), float(not swapped)
    _leads(e, x, y)
    _gap(e, x.seq, y.seq)
    e["one_word"] = float(few == many == 1)
    if few == many == 1:
        (here,), (there,) = only_x, only_y
        e["one_name"] = float(here in x.caps and there in y.caps)
        e["one_code"] = float(here in x.codes or there in y.codes)
    if x.negations or y.negations:
        e["negated"], e["negated_both"] = (
            float((x.negations > 0) != (y.negations > 0)),
            float(x.negations == y.negations),
        )
    if x.family and y.family:
        _families(e, x, y, only_x, only_y)
    for kind, name in _TWO_WAYS.items() if x.groups or y.groups else ():
        mine, yours = x.groups.get(kind, _NONE), y.groups.get(kind, _NONE)
        if mine != yours:
            swapped = bool(mine - yours and yours - mine)
            e[name + "_swap"], e[name + "_more"] = float(swapped), float(not swapped)
    if x.caps or y.caps:
        one, other = len(x.caps - y.bag), len(y.caps - x.bag)
        e["name_swap"], e["name_more"] = float(bool(one and other)), float((one > 0) != (other > 0))
    least = min(len(x.trigrams), len(y.trigrams))
    e["trigrams"] = len(x.trigrams & y.trigrams) * 2 / (len(x.trigrams) + len(y.trigrams)) if least else 0.0
    if x.runs or y.runs:
        e["characters"], e["characters_inside"] = _overlap(x.chars, y.chars)
    e["items"] = len(x.items & y.items) / max(min(len(x.items), len(y.items)), 1)
    for more, source in ((only_x, x), (only_y, y)):
        if more and source.inside and len(more) == many:
            e["inside"] = max(e.get("inside", 0.0), sum(word.casefold() in source.inside for word in more) / many)
    one, other = sorted((len(a.text), len(b.text)))
    e["short"], e["length_ratio"] = max(0.0, 1 - one / 100), one / max(other, 1)
    for name in _TELLING:
        if e.get(name):
            e["alike_" + name] = alike * e[name]
    return e


# What means more, the more the two share otherwise.
_TELLING = (
    "span_swap", "code_swap", "number_swap", "one_word", "lead_other", "name_swap", "name_more", "insertion",
)  # fmt: skip
_TWO_WAYS = {
    "environments": "environment", "modals": "strength", "quantifiers": "quantity", "comparators": "comparison",
    "statuses": "status",
}  # fmt: skip


def _overlap(x: frozenset[str], y: frozenset[str]) -> tuple[float, float]:
    """The share that two sets have in common: of both together, and of the smaller one."""
    both = len(x & y)
    return (both / (len(x) + len(y) - both), both / min(len(x), len(y))) if both else (0.0, 0.0)


def _codes(e: dict[str, float], x: Facts, y: Facts) -> None:
    e["code_jaccard"] = _overlap(x.codes, y.codes)[0]
    one, other = x.codes - y.codes, y.codes - x.codes
    e["code_swap"], e["code_more"] = float(bool(one and other)), float(bool(one) != bool(other))
    if one and other:
        pairs = [(p, q) for p in sorted(one)[:4] for q in sorted(other)[:4]]
        e["code_alike"] = max(_overlap(_grams(p), _grams(q))[0] for p, q in pairs)
        e["moved"] = max(_moved(p, q) for p, q in pairs)
    e["code_inside"] = float(any(p.casefold() in " ".join(f.seq).casefold() for p, f in _each(one, y, other, x)))


def _each(one: Iterable[str], y: Facts, other: Iterable[str], x: Facts) -> Iterable[tuple[str, Facts]]:
    yield from ((p, y) for p in one)
    yield from ((q, x) for q in other)


@lru_cache(maxsize=1 << 14)
def _grams(word: str) -> frozenset[str]:
    return _trigrams(f" {word.casefold()} ")


def _trigrams(text: str) -> frozenset[str]:
    return frozenset(map("".join, zip(text, text[1:], text[2:], strict=False)))


def _moved(p: str, q: str) -> float:
    """1 where two paths end alike: the same file in another folder."""
    return float(p.rsplit("/", 1)[-1].casefold() == q.rsplit("/", 1)[-1].casefold())


def _leads(e: dict[str, float], x: Facts, y: Facts) -> None:
    """What stands before the first dash or colon: often the thing that a note is about."""
    if x.lead and y.lead:
        same = _overlap(x.lead, y.lead)[0]
        e["lead_same"], e["lead_other"] = float(same == 1), 1 - same
    elif x.lead or y.lead:
        lead, rest = (x.lead, y.bag) if x.lead else (y.lead, x.bag)
        e["lead_inside"] = len(lead & rest) / len(lead)


def _gap(e: dict[str, float], x: tuple[str, ...], y: tuple[str, ...]) -> None:
    """The stretch between the common beginning and the common end."""
    least, most = len(x), len(y)
    if least > most:
        least, most = most, least
    head = tail = 0
    while head < least and x[head] == y[head]:
        head += 1
    while tail < least - head and x[-1 - tail] == y[-1 - tail]:
        tail += 1
    e["head"], e["tail"] = head / max(least, 1), tail / max(least, 1)
    e["gap_least"], e["gap_most"] = min(least - head - tail, 6) / 6, min(most - head - tail, 12) / 12
    e["insertion"] = float(head + tail == least)


def _families(e: dict[str, float], x: Facts, y: Facts, only_x: frozenset[str], only_y: frozenset[str]) -> None:
    """Words of one family that stand for each other: an opposite, another tool, another word for the same."""
    for word in only_x & x.family.keys():
        for kind, lines in x.family[word]:
            if kind in _ONE_FAMILY and any(
                kind == k and lines & ls for w in only_y & y.family.keys() for k, ls in y.family[w]
            ):
                e[_ONE_FAMILY[kind]] = 1.0


_ONE_FAMILY = {"tools": "tool", "opposites": "opposite", "synonyms": "synonym"}
