"""What an agent must know of a text before it reads it."""

from __future__ import annotations

import re

from ..safe_text import has_secret


def marks(text: str) -> list[str]:
    """What an agent must be warned of before it reads the text: "looks like an order", "looks like a secret"."""
    found = []
    if _ORDER.search(text):
        found.append("looks like an order")
    if has_secret(text):
        found.append("looks like a secret")
    return found


_ORDER = re.compile(
    r"(?i)\b(ignore|disregard|forget)\b.{0,30}\b(previous|earlier|above|prior|all|other)\b"
    r"|\bsupersedes? (all|earlier|every|the other)|^\s*(system|assistant)\s*:|</?(system|instructions?)>"
    r"|\b(delete|remove|erase|drop|merge|keep|discard)\b.{0,20}\b(memor(y|ies)|the others?|other (entries|notes))\b"
    r"|\byou (must|should|are) (now|always|never|an?)\b|\bas an? (ai|agent|assistant)\b"
)
