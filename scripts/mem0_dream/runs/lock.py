"""One run at a time in a scope: a lock file that outlives no crash and that only its owner removes."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from ..errors import Busy, DreamError
from . import documents

FRESH = 600  # seconds a lock holds without a sign of life
BEAT = 60  # seconds between signs of life
NAME = "lock.json"
# mem0's own dream keeps its lock in /tmp wherever there is one.
PUBLISHED = Path("/tmp" if os.name != "nt" else tempfile.gettempdir()) / "mem0_dream_auto.lock"


class Lock:
    """The lock of one scope folder, as a context manager; Busy where another run holds it.

    `kind` is "process" (ends with this process) or "agent" (an unattended run of several commands: `leave` it at the
    end of one and pass its `token` in the next).
    """

    def __init__(
        self, scope_folder: Path, kind: str = "process", token: str | None = None, published: Path | None = None
    ) -> None:
        self.path = scope_folder / NAME
        self.kind = kind
        self.token = token or secrets.token_hex(8)
        self._published = published or PUBLISHED
        self._stop = threading.Event()

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()

    def acquire(self) -> None:
        """Take the lock, or go on with it where its token is ours."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _guard(self.path):
                if _token(self.path) != self.token and _held(self.path):
                    raise Busy("Another run of this project is in progress; wait for it to end.")
                if self._blocked_by_others():
                    raise Busy("Another mem0 dream is in progress on this machine; wait for it to end.")
                documents.write_text(self.path, self._document())
        except OSError as error:
            raise DreamError(
                f"The lock {self.path} cannot be written ({error.strerror}); set MEM0_DREAM_HOME to a folder you may"
                " write to."
            ) from None
        self._publish()
        self._stop.clear()
        threading.Thread(target=self._beat, daemon=True).start()

    def check(self) -> None:
        """Busy where the lock is no longer ours: another run took it over while this one stood still."""
        if _token(self.path) != self.token:
            raise Busy(
                "Another run took over the lock of this project while this one stood still; nothing more is done."
            )

    def touch(self) -> None:
        """Keep the lock fresh; Busy where it is no longer ours."""
        with _guard(self.path):
            self.check()
            documents.write_text(self.path, self._document())
        if _token(self._published) == self.token:
            with contextlib.suppress(OSError):
                os.utime(self._published)

    def leave(self) -> None:
        """End this command and keep the lock for the next one of the same run."""
        self._stop.set()

    def release(self) -> None:
        """Remove the lock where it is ours."""
        self._stop.set()
        with contextlib.suppress(OSError), _guard(self.path):
            for path in (self.path, self._published):
                if _token(path) == self.token:
                    path.unlink(missing_ok=True)

    def _document(self) -> str:
        return json.dumps(
            {
                "host": platform.node(),
                "pid": os.getpid(),
                "boot": _boot(),
                "kind": self.kind,
                "time": time.time(),
                "token": self.token,
                "scope": str(self.path.parent),
            }
        )

    def _beat(self) -> None:
        while not self._stop.wait(BEAT):
            try:
                self.touch()
            except Busy:
                return
            except (DreamError, OSError):  # a disk that is full now may have room at the next beat
                continue

    def _blocked_by_others(self) -> bool:
        """Whether mem0's own dream holds the published lock; ours keep apart by the lock of each scope."""
        return "token" not in (_read(self._published) or {}) and _held(self._published)

    def _publish(self) -> None:
        """Hold the published lock too, unless a run of ours in another scope does, and where it may be written."""
        found = _read(self._published) or {}
        if found.get("scope") in (None, str(self.path.parent)) or not _held(self._published):
            with contextlib.suppress(DreamError):
                documents.write_text(self._published, self._document())


def _held(path: Path) -> bool:
    """Whether somebody may still be working under this lock."""
    try:
        written = path.stat().st_mtime
    except OSError:
        return False
    found = _read(path)
    moment = found.get("time") if found else None
    if found is None or not isinstance(moment, (int, float)):
        return abs(time.time() - written) < FRESH
    if found.get("kind") == "process" and found.get("host") == platform.node() and _is_dead(found):
        return False
    # A time far in the future is a clock set back, no sign of life.
    return abs(time.time() - moment) < FRESH


def _is_dead(found: dict[str, Any]) -> bool:
    """Whether the process that wrote the lock on this host has ended."""
    boot, pid = found.get("boot"), found.get("pid")
    if boot and _boot() and boot != _boot():
        return True
    return isinstance(pid, int) and pid > 0 and is_dead(pid)


def is_dead(pid: int) -> bool:
    """Whether a process of this host has ended; False if that cannot be told."""
    if os.name == "nt":  # there, kill() would end the process
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _boot() -> str:
    """Names this start of the machine where the system can tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _token(path: Path) -> str | None:
    found = (_read(path) or {}).get("token")
    return found if isinstance(found, str) else None


@contextlib.contextmanager
def _guard(path: Path) -> Iterator[None]:
    """Only one process at a time looks at the lock and changes it; the system frees the guard of a dead one."""
    descriptor = os.open(path.with_name(f".{path.name}.guard"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_for(descriptor)
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _wait_for(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _wait_for(descriptor: int) -> None:
        with contextlib.suppress(OSError):  # a network folder without locks: the check is then all there is
            fcntl.flock(descriptor, fcntl.LOCK_EX)
