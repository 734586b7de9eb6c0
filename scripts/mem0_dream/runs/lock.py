"""One run at a time in a scope: a lock file that outlives no crash and that only its owner removes."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import stat
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from ..errors import Busy, DreamError
from . import documents, file_lock

FRESH = 600  # seconds a lock holds without a sign of life
BEAT = 60  # seconds between signs of life
NAME = "lock.json"
Kind = Literal["process", "agent"]
_LARGEST = 65_536  # bytes; far more than a lock holds
_GUARD_PATIENCE = 60  # seconds; the guard is held for a few file operations
# mem0's own dream keeps its lock in /tmp wherever there is one.
PUBLISHED = Path("/tmp" if os.name != "nt" else tempfile.gettempdir()) / "mem0_dream_auto.lock"


class Lock:
    """The lock of one scope folder, as a context manager; Busy if another run holds it.

    It ends with its process. An unattended run of several commands (`kind` "agent") calls `leave` at the end of one,
    and passes its `token` to the next.
    """

    def __init__(
        self, scope_folder: Path, kind: Kind = "process", token: str | None = None, published: Path | None = None
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
        """Take the lock, or go on with it if its token is ours."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _guard(self.path):
                if _token(self.path) != self.token and _is_held(self.path):
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
        """Busy if the lock is no longer ours: another run took it over while this one stood still."""
        if _token(self.path) != self.token:
            raise Busy(
                "Another run took over the lock of this project while this one stood still; nothing more is done."
            )

    def touch(self) -> None:
        """Keep the lock fresh; Busy if it is no longer ours."""
        with _guard(self.path):
            if self._stop.is_set():  # released or left since this sign of life began
                return
            self.check()
            documents.write_text(self.path, self._document())
        if _token(self._published) == self.token:
            with contextlib.suppress(OSError):
                os.utime(self._published)

    def leave(self) -> None:
        """End this command and keep the lock for the next one of the same run; Busy if it is no longer ours."""
        self._stop.set()
        with _guard(self.path):
            self.check()
            documents.write_text(self.path, self._document(self.kind))

    def release(self) -> None:
        """Remove the lock if it is ours."""
        self._stop.set()
        with contextlib.suppress(OSError), _guard(self.path):
            for path in (self.path, self._published):
                if _token(path) == self.token:
                    path.unlink(missing_ok=True)

    def _document(self, kind: Kind = "process") -> str:
        return json.dumps(
            {
                **_here(),
                "pid": os.getpid(),
                "kind": kind,
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
        return "token" not in (_read(self._published) or {}) and _is_held(self._published)

    def _publish(self) -> None:
        """Hold the published lock too, unless a run of ours in another scope does, and if it can be written."""
        found = _read(self._published) or {}
        if found.get("scope") in (None, str(self.path.parent)) or not _is_held(self._published):
            with contextlib.suppress(DreamError):
                documents.write_text(self._published, self._document())


def _is_held(path: Path) -> bool:
    """Whether a run may still be working under this lock."""
    try:
        status = path.lstat()
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode):  # a pipe, a device or a link is no lock
        return False
    found = _read(path)
    moment = found.get("time") if found else None
    if found is None or not isinstance(moment, (int, float)):
        return abs(time.time() - status.st_mtime) < FRESH
    if found.get("kind") == "process" and _is_dead(found):
        return False
    # A time far in the future is a clock set back, no sign of life.
    return abs(time.time() - moment) < FRESH


def _is_dead(found: dict[str, Any]) -> bool:
    """Whether the process that wrote the lock has surely ended: it ran on this machine, and does no longer."""
    here = _here()
    if any(found.get(name) != here[name] for name in ("host", "machine")):
        return False
    if found.get("boot") != here["boot"]:
        return bool(here["machine"] and here["boot"])  # machines of one name tell themselves apart by nothing else
    pid = found.get("pid")
    return found.get("namespace") == here["namespace"] and isinstance(pid, int) and pid > 0 and is_dead(pid)


def is_dead(pid: int) -> bool:
    """Whether no process of this id runs here; False on Windows, where asking would end the process."""
    if os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _here() -> dict[str, str]:
    """What tells where a process id means something; empty if the system does not say."""
    return {
        "host": platform.node(),
        "machine": _line(Path("/etc/machine-id")),
        "boot": _line(Path("/proc/sys/kernel/random/boot_id")),
        "namespace": _target("/proc/self/ns/pid"),
    }


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115 - Path.readlink would make a path of what is none
    except OSError:
        return ""


def _read(path: Path) -> dict[str, Any] | None:
    """What a lock file says; None if it cannot be read. /tmp is shared: never wait for anything in it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
        try:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            found = json.loads(os.read(descriptor, _LARGEST)) if regular else None
        finally:
            os.close(descriptor)
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _token(path: Path) -> str | None:
    found = (_read(path) or {}).get("token")
    return found if isinstance(found, str) else None


def _guard(path: Path) -> contextlib.AbstractContextManager[None]:
    """Only one process at a time looks at the lock and changes it."""
    return file_lock.held(path.with_name(f".{path.name}.guard"), _GUARD_PATIENCE)
