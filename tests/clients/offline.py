"""A thread with no network but loopback, where this system allows one: what it starts can reach 127.0.0.1 alone."""

from __future__ import annotations

import ctypes
import socket
import struct
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_NEW_NETWORK = 0x40000000  # CLONE_NEWNET
_SET_FLAGS, _UP = 0x8914, 0x41  # SIOCSIFFLAGS; IFF_UP | IFF_RUNNING


def offline(action: Callable[[], T]) -> T:
    """Run `action` in such a thread (sockets it opens and programs it starts stay in it) and give what it returns."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            _leave_network()
            outcome.append(action())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def _leave_network() -> bool:
    """Namespaces belong to threads, so only this one moves. False where the system says no (no root, not Linux)."""
    if not sys.platform.startswith("linux") or ctypes.CDLL(None).unshare(_NEW_NETWORK) != 0:
        return False
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lo:
        fcntl.ioctl(lo.fileno(), _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))
    return True
