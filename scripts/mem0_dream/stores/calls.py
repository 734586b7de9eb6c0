"""Calls to a service that may refuse: what a refusal says, and many calls at once, politely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..errors import DreamError
from .protocol import Result

THREADS = 16
BATCH = 1000  # items of one call; the Platform's largest batch
Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Refusal(DreamError):
    """A call that came to nothing. `status` is the HTTP status, None where no usable answer came.

    With `unsure` the service may have acted all the same; with `whole` no other call will fare better.
    """

    def __init__(self, sentence: str, status: int | None = None, unsure: bool = False, whole: bool = False) -> None:
        super().__init__(sentence)
        self.status, self.unsure, self.whole = status, unsure, whole


def address(url: str, setting: str = "") -> str:
    """Host, port and path of a web address: what may be shown of it. DreamError names the setting that is wrong."""
    try:
        parts = urlsplit(url)
        place = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
    except ValueError:
        place = None
    if not place or not url.isprintable() or " " in url or parts.scheme not in ("http", "https"):
        raise DreamError(f"{setting} is not a web address; write it with https://.")
    return place + parts.path.rstrip("/")


def check_key(key: str, setting: str) -> None:
    """DreamError where a key could not be sent; nothing of it is shown."""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise DreamError(f"The key has a space or a character that no key has; set it again ({setting}).")


def together(call: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
    """call(item) of every item, in order, at most THREADS at a time."""
    if len(items) < 2:
        return [call(item) for item in items]
    with ThreadPoolExecutor(min(THREADS, len(items))) as pool:
        return list(pool.map(call, items))


def existing(read: Callable[[str], Any], ids: Sequence[str]) -> list[Any]:
    """What `read` gives for each id; one that the service does not find is left out."""

    def one(id: str) -> Any:
        try:
            return read(id)
        except Refusal as refusal:
            if refusal.status != 404 or refusal.whole:
                raise
            return None

    return [found for found in together(one, ids) if found is not None]


def each(call: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """The result of every item; once the whole service refuses, what has not begun is not tried.

    Raises the refusal where it is the only thing that happened.
    """
    down: list[Refusal] = []

    def one(item: Item) -> Result:
        if down:
            return Result(error=str(down[0]))
        try:
            return call(item)
        except Refusal as refusal:
            if refusal.whole:
                down.append(refusal)
            return Result(error=str(refusal), unsure=refusal.unsure)

    results = together(one, items)
    if down and not any(result.unsure or result.error != str(down[0]) for result in results):
        raise down[0]
    return results


def batches(
    send: Callable[[list[dict[str, Any]]], Any],
    items: Sequence[Item],
    entry: Callable[[Item], dict[str, Any]],
    alone: Callable[[Item], Result],
) -> list[Result]:
    """The items by the thousand; a batch that is refused for one of its items goes item by item."""
    results: list[Result] = []
    for start in range(0, len(items), BATCH):
        some = items[start : start + BATCH]
        try:
            results += _batch(send, some, entry, alone)
        except Refusal as refusal:
            if not results and not refusal.unsure:
                raise
            results += [Result(error=str(refusal), unsure=refusal.unsure)] * len(some)
            results += [Result(error=str(refusal))] * (len(items) - len(results))
            break
    return results


def _batch(
    send: Callable[[list[dict[str, Any]]], Any],
    some: Sequence[Item],
    entry: Callable[[Item], dict[str, Any]],
    alone: Callable[[Item], Result],
) -> list[Result]:
    entries = [entry(item) for item in some]
    if len(some) > 1:
        try:
            send(entries)
            return [Result(item["memory_id"]) for item in entries]
        except Refusal as refusal:
            if refusal.whole:
                raise
    return each(alone, some)
