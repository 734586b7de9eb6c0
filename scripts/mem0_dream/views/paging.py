"""Pages: as much as one command may print before a client cuts it."""

from __future__ import annotations

from collections.abc import Iterable

PAGE = 25_000  # characters


def pages(blocks: Iterable[str]) -> list[str]:
    """The blocks on pages, none of them cut (a block longer than a page has one for itself)."""
    found: list[str] = []
    current: list[str] = []
    length = 0
    for block in blocks:
        if current and length + len(block) > PAGE:
            found.append("".join(current))
            current, length = [], 0
        current.append(block)
        length += len(block)
    return [*found, "".join(current)]


def page(every: list[str], number: int) -> str:
    """Page `number`, from 1, with a last line that names the next one; past the last page a sentence."""
    if not 1 <= number <= len(every):
        return f"There is no page {number}: the last one is {len(every)}.\n"
    more = f"Page {number} of {len(every)}; next: --page {number + 1}\n" if number < len(every) else ""
    return every[number - 1] + more
