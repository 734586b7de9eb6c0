"""How far the work is. Nobody hears of it unless a command listens; the library itself shows nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

Show = Callable[..., AbstractContextManager[Callable[..., None]]]  # as Terminal.stage
_show: Show | None = None
_tell: Callable[[str], None] | None = None
_current: tuple[str, Callable[..., None]] | None = None


def listen(show: Show | None) -> None:
    """Have every stage shown by `show` from now on; None: by nobody."""
    global _show
    _show = show


def listen_to_lines(tell: Callable[[str], None]) -> None:
    """Have every sentence of `tell` shown from now on."""
    global _tell
    _tell = tell


def tell(line: str) -> None:
    """A sentence about why it takes longer."""
    if _tell is not None:
        _tell(line)


@contextmanager
def stage(name: str, unit: str = "memories", **about: Any) -> Iterator[None]:
    """One stage of the work, for as long as it lasts; one within another is not shown."""
    global _current
    if _show is None or _current is not None:
        yield
        return
    with _show(name, unit=unit, **about) as count:
        _current = name, count
        try:
            yield
        finally:
            _current = None


def step(name: str, done: int = 1, total: int | None = None) -> None:
    """So much more of a stage is done, of `total` in all where that is known. Not counted in another stage."""
    if _current is not None and _current[0] == name:
        _current[1](done, total)
