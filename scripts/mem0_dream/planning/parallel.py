"""The same work on several cores, where there is enough of it to be worth their start."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

WORTH_IT = 20_000
MOST_CORES = 8

Job = TypeVar("Job")
Result = TypeVar("Result")


def spread(work: Callable[[Job], Result], jobs: Sequence[Job], size: int) -> Iterator[Result]:
    """The result of each job, in their order. `size`: how many memories they hold together.

    Results travel between processes, and jobs where they cannot be inherited. Where no process can be started (a
    sandbox without semaphores), all is done here.
    """
    if size < WORTH_IT:
        yield from map(work, jobs)
        return
    cores, done = min(os.cpu_count() or 1, MOST_CORES, len(jobs)), 0
    gc.disable()  # much is made, little is garbage, and looking for it takes a third of the time
    try:
        for result in _on_cores(work, jobs, cores) if cores > 1 else map(work, jobs):
            done += 1
            yield result
    except (OSError, ImportError):
        yield from map(work, jobs[done:])
    finally:
        gc.enable()


def _on_cores(work: Callable[[Any], Any], jobs: Sequence[Any], cores: int) -> Iterator[Any]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    inherit = sys.platform == "linux" and threading.active_count() == 1  # a thread's locks would stay locked in a fork
    before = os.environ.get("PYTHONSAFEPATH")
    if not inherit:
        if sys.version_info < (3, 11):
            raise OSError("a process of this Python would import modules from the working folder")
        os.environ["PYTHONSAFEPATH"] = "1"  # for the helpers, which begin as `python -c`
    pool = ProcessPoolExecutor(cores, multiprocessing.get_context("fork" if inherit else "spawn"), _start)
    _inherited.append((work, jobs))
    try:
        size = 1 + len(jobs) // (cores * 8)
        yield from pool.map(_nth, range(len(jobs)), chunksize=size) if inherit else pool.map(work, jobs, chunksize=size)
    except BrokenProcessPool as error:
        raise OSError("a helper process ended early") from error
    finally:
        _inherited.clear()
        pool.shutdown(wait=False, cancel_futures=True)
        os.environ.pop("PYTHONSAFEPATH", None)
        if before is not None:  # what this process starts later, such as an editor, has the user's own environment
            os.environ["PYTHONSAFEPATH"] = before


_inherited: list[tuple[Callable[[Any], Any], Sequence[Any]]] = []


def _nth(number: int) -> Any:
    """The result of one of the jobs that this process has from the one it was forked from."""
    work, jobs = _inherited[0]
    return work(jobs[number])


def _start() -> None:
    """Ctrl-C is for the first process, which then ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
