"""A listing that comes in pages, each with the count of all rows or a link to the next page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .calls import THREADS, together

PAGE = 200  # rows; the Platform's largest page


def walk(page: Callable[[int], dict[str, Any]]) -> tuple[list[Any], set[int], bool]:
    """The rows of every page, every count that a page named, and whether it went on sending what was there.

    `page` fetches the page of a number, from 1.
    """
    pages = [page(1)]
    rows = list(pages[0]["results"])
    seen = ids_of(rows)
    while wanted := _further(pages):
        more = together(page, wanted)
        new = [row for one in more for row in one["results"]]
        if new and ids_of(new) <= seen:
            return rows, counts_of(pages), True
        pages += more
        rows += new
        seen |= ids_of(new)
    return rows, counts_of(pages), False


def _further(pages: Sequence[dict[str, Any]]) -> Sequence[int]:
    """The numbers of the next pages, some at once as far as their count is known."""
    last = -(-max(counts_of(pages), default=0) // PAGE)
    if len(pages) < last:
        return range(len(pages) + 1, min(last, len(pages) + THREADS) + 1) if pages[-1]["results"] else ()
    return (len(pages) + 1,) if pages[-1].get("next") and pages[-1]["results"] else ()


def ids_of(rows: Sequence[Any]) -> set[str]:
    return {str(row.get("id")) for row in rows if isinstance(row, dict)}


def counts_of(pages: Sequence[dict[str, Any]]) -> set[int]:
    return {page["count"] for page in pages if isinstance(page.get("count"), int)}
