"""A file that one process at a time holds; the system itself frees it when its holder ends, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import Busy

_PAUSE = 0.05  # seconds between two tries


@contextlib.contextmanager
def held(path: Path, patience: float, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the file, which is made if it is not there. `waiting` is called once if another process has it.

    Busy after `patience` seconds. On a file system without locks nothing is held.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + patience
        told = False
        while not _taken(descriptor):
            if not told:
                waiting()
                told = True
            if time.monotonic() > deadline:
                raise Busy(f"Another process has held {path} for {patience:.0f} s; end it and start again.")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _taken(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _taken(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a network folder without locks
            return True
        return True
