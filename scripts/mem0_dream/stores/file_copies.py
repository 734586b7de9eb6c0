"""Replacing a file in one step, with backups beside it."""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
from pathlib import Path

from ..errors import DreamError
from ..runs.lock import is_dead

BACKUPS = 10  # the newest ones stay


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DreamError(f"There is no file {path}; name an existing export with --config.") from None
    except OSError as error:
        raise DreamError(f"{path} cannot be read ({error.strerror}); check its path and permissions.") from None


def replace(path: Path, before: bytes, after: bytes) -> bool:
    """Put `after` in the file's place in one step; False if another program has written it since `before` was read."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.mem0-dream")
    try:
        temporary.unlink(missing_ok=True)
        _write_new(temporary, after, path.stat().st_mode)
        if read_bytes(path) != before:
            return False
        temporary.replace(path)
        return True
    except OSError as error:
        raise DreamError(f"{path} cannot be written ({error.strerror}); free room or check permissions.") from None
    finally:
        temporary.unlink(missing_ok=True)


def remove_temporaries(path: Path) -> None:
    """What a process that was killed left half written."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.mem0-dream"):
        pid = left.name.split(".")[-2]
        if pid.isdigit() and is_dead(int(pid)):
            with contextlib.suppress(OSError):
                left.unlink()


def back_up(path: Path, raw: bytes) -> None:
    """A copy beside the file under the next number (export.json.bak, .bak2, …); only the newest few stay."""
    found = {_number(copy): copy for copy in path.parent.glob(f"{glob.escape(path.name)}.bak*")}
    numbers = sorted(number for number in found if number)
    for number in itertools.count(max(numbers, default=0) + 1):
        copy = path.with_name(f"{path.name}.bak{number if number > 1 else ''}")
        try:
            _write_new(copy, raw, path.stat().st_mode)
            break
        except FileExistsError:
            continue
        except OSError as error:
            raise DreamError(
                f"{copy} cannot be written ({error.strerror}); the export is changed only with a backup beside it."
            ) from None
    for number in numbers[: max(0, len(numbers) + 1 - BACKUPS)]:
        with contextlib.suppress(OSError):
            found[number].unlink()


def _number(copy: Path) -> int:
    """1 for export.json.bak, n for export.json.bak<n>, 0 for a file of another kind."""
    after = copy.name.rpartition(".bak")[2]
    return int(after) if after.isdigit() else 0 if after else 1


def _write_new(path: Path, data: bytes, mode: int) -> None:
    """A new file, on disk and with this mode; at no moment may others read it who could not before."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(mode)
