"""How a step starts and ends: UTF-8, one sentence for every failure, an exit code, never a traceback."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NoReturn

from .. import progress
from ..errors import DreamError, UsageError
from ..safe_text import redact

_LOG_LIMIT = 1_000_000  # bytes; a log beyond it is begun anew


class Parser(argparse.ArgumentParser):
    """Arguments that are wrong end in one sentence (exit code 2) instead of a page of usage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}; see {self.prog} --help.")


def run(main: Callable[[list[str]], int]) -> NoReturn:
    """Run a step with the arguments of the command line and end the process with its exit code."""
    utf8()
    progress.listen_to_lines(tell)
    for name in ("SIGTERM", "SIGHUP"):  # leave by the `finally` blocks, so that locks are released
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_DFL:
            signal.signal(getattr(signal, name), lambda number, _frame: sys.exit(128 + number))
    sys.exit(outcome(main, sys.argv[1:]))


def outcome(main: Callable[[list[str]], int], arguments: list[str]) -> int:
    """The exit code of `main`; what went wrong is told on stderr in one sentence."""
    try:
        code = main(arguments)
        sys.stdout.flush()
        return code
    except DreamError as error:
        if error.report:
            print(error.report, flush=True)
        return _say(str(error), error.exit_code)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if _reader_left(error):
            with contextlib.suppress(OSError, ValueError):  # else Python complains when it closes the stream
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        return _say(unexpected(error), 1)


def tell(*lines: str) -> None:
    """Lines for the person, on stderr; empty ones are left out."""
    for line in lines:
        if line:
            _say(line, 0)


def utf8() -> None:
    """Make the standard streams UTF-8, whatever the locale says; a lone surrogate is written escaped."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):  # replaced or closed by whoever runs us
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]


def _say(sentence: str, code: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        print(redact(sentence), file=sys.stderr, flush=True)
    return code


def unexpected(error: Exception) -> str:
    """The sentence for a failure nobody foresaw, with its traceback in a log that only the owner can read."""
    from ..runs import run_folder

    flat = " ".join(redact(str(error)).split())[:200]
    name = f"{type(error).__name__}: {flat}" if flat else type(error).__name__
    try:
        log = run_folder.dream_home() / "errors.log"
        if log.exists() and log.stat().st_size > _LOG_LIMIT:
            log.unlink()
        when = datetime.now(timezone.utc).isoformat(timespec="seconds")
        details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8") as file:
            file.write(f"{when} {' '.join(Path(word).name for word in sys.argv[:1])}\n{redact(details)}\n")
    except (OSError, DreamError):
        return f"Unexpected failure ({name}); please report it."
    return f"Unexpected failure ({name}); please report it with what stands last in {log}."


def _reader_left(error: Exception) -> bool:
    """True where whoever read our output has gone (`| head`); the rest of it is then dropped in silence."""
    windows = os.name == "nt" and isinstance(error, OSError) and error.errno == errno.EINVAL
    return windows or isinstance(error, BrokenPipeError)
