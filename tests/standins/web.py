"""A small HTTP service in threads, with a log of its calls and faults on demand; the stand-ins build on it."""

from __future__ import annotations

import json
import os
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass
class Call:
    """One request that arrived."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str]


@dataclass
class Fault:
    """What a call gets instead of its answer; with `acts` the call is carried out first."""

    status: int = 200
    body: str | None = None  # None: a JSON error of that status
    headers: dict[str, str] = field(default_factory=dict)
    acts: bool = False
    reset: bool = False  # the connection is reset without an answer
    cut: bool = False  # only half of the body arrives
    hang: bool = False  # no answer until the service stops


HTML = Fault(200, "<html><body>Welcome to the proxy</body></html>", {"Content-Type": "text/html"})
EMPTY = Fault(204, "")
HALF_JSON = Fault(200, '{"count": 1, "resu')


class WebService:
    """Answers on 127.0.0.1 while the context is open. Subclasses give `answer`."""

    latency = 0.0  # seconds before every answer

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.before: Callable[[Call], None] | None = None  # runs before a call is answered
        self.most_at_once = 0
        self._at_once = 0
        self._faults: list[tuple[str, re.Pattern[str], list[Fault], bool]] = []
        self._lock = threading.RLock()
        self._stop = threading.Event()

    def answer(self, call: Call) -> tuple[int, Any]:
        """The status and JSON body of a call; runs one call at a time."""
        raise NotImplementedError

    def fail(self, method: str, path: str, *faults: Fault, forever: bool = False) -> None:
        """Give the next calls whose path matches these faults, one each; `forever` repeats the last one."""
        self._faults.append((method, re.compile(path), list(faults), forever))

    def heal(self) -> None:
        """Forget every fault."""
        self._faults.clear()

    def count(self, method: str, path: str) -> int:
        """How many calls of this kind arrived, those that failed included."""
        return sum(call.method == method and re.search(path, call.path) is not None for call in self.calls)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Any:
        handler = type("Handler", (_Handler,), {"service": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, call: Call) -> tuple[int, str, dict[str, str], Fault | None]:
        with self._lock:
            self.calls.append(call)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            fault = self._next_fault(call)
        try:
            if self.latency:
                time.sleep(self.latency)
            with self._lock:
                if self.before:
                    self.before(call)
                status, body = (0, None) if fault and not fault.acts else self.answer(call)
        finally:
            with self._lock:
                self._at_once -= 1
        if fault is None:
            return status, json.dumps(body), {"Content-Type": "application/json"}, None
        if fault.hang:
            self._stop.wait(20)
        text = json.dumps({"detail": f"status {fault.status}"}) if fault.body is None else fault.body
        return fault.status, text, {"Content-Type": "application/json", **fault.headers}, fault

    def _next_fault(self, call: Call) -> Fault | None:
        for method, path, faults, forever in self._faults:
            if faults and method == call.method and path.search(call.path):
                return faults[0] if forever and len(faults) == 1 else faults.pop(0)
        return None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    service: WebService
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _handle(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(size)
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(
            self.command, unquote(parts.path), dict(parse_qsl(parts.query)), json.loads(raw) if raw else None, headers
        )
        status, text, answer_headers, fault = self.service.serve(call)
        if fault and (fault.reset or fault.hang):
            self.connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
            )
            self.close_connection = True
            self.connection.close()
            return
        body = text.encode()
        self.send_response(status)
        for name, value in answer_headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body[: len(body) // 2] if fault and fault.cut else body)
        self.close_connection = bool(fault and fault.cut)

    do_GET = do_POST = do_PUT = do_DELETE = _handle

    def log_message(self, format: str, *args: Any) -> None:
        """The log is `calls`."""
