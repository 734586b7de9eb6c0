"""Which of the texts that say the same is to stand for them all."""

from __future__ import annotations

from collections.abc import Sequence

from ..matching.details import loses
from ..matching.guards import limiting
from ..matching.text import Reading
from ..matching.tokenizer import NUMBER
from ..memory import Memory
from .wording import age_key, at_once

_WEIGHED = 10  # texts that are weighed against each other
_FULLER = 1.25  # times as long


def best(memories: Sequence[Memory], readings: Sequence[Reading]) -> int:
    """The number of the best draft: the newest, or an older one that says all of it and more.

    Of those written at once with the newest the fullest is the newest. An older text that adds a condition, a number or
    a "not" is no fuller one: the newer dropped it.
    """
    newest_first = sorted(range(len(memories)), key=lambda i: age_key(memories[i]), reverse=True)
    latest = [i for i in newest_first if i == newest_first[0] or _as_new(memories[i], memories[newest_first[0]])]
    texts = [memory.text for memory in memories]
    found = latest[0]
    if len(latest) > 1:
        found = min(latest[:_WEIGHED], key=lambda i: (len(loses(texts, texts[i])), -len(readings[i].words)))
    longest = sorted(newest_first, key=lambda i: len(readings[i].words), reverse=True)[:_WEIGHED]
    return next((i for i in longest if i not in latest and _fuller(readings[i], readings[found])), found)


def _as_new(memory: Memory, newest: Memory) -> bool:
    return memory.created is None or at_once(memory, newest)


def _fuller(older: Reading, newer: Reading) -> bool:
    """Whether the older text says all that the newer does and more, and nothing that limits it."""
    if len(older.text) < _FULLER * len(newer.text) or not newer.words <= older.words:
        return False
    known = {token.norm for token in newer.tokens}
    added = [token for token in older.tokens if token.norm not in known]
    return not any(token.kind == NUMBER or token.low in limiting() for token in added)
