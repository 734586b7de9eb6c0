"""Whether two texts are one statement beyond doubt: what may be merged with nobody looking."""

from __future__ import annotations

from .text import Reading


def same_statement(a: Reading, b: Reading) -> bool:
    """True only where nothing but case, punctuation, emphasis, an article or a spelling differs."""
    return a.exact == b.exact
