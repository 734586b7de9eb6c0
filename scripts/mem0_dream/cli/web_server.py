"""A server for one person on this machine: one page, reached only through an address with a secret in it.

It answers a request only if it names the server by its address (`Host`, against other names for this machine) and knows
the token; one that would change something must also come from the page itself (`Origin`) and be JSON, which no form of
another site can send.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from ..errors import DreamError

IDLE_SECONDS = 3600  # without a sign of life from the page
_MOST_BYTES = 2_000_000  # of one request
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}

Page = Callable[[], tuple[str, str]]  # its content type and its text
Act = Callable[[dict[str, Any]], dict[str, Any]]  # from the body of a POST to what it answers


class WebServer:
    """Pages and acts by their names, served one at a time until `leave` is called or the page is silent for an hour."""

    def __init__(self) -> None:
        self.pages: Mapping[str, Page] = {}
        self.acts: Mapping[str, Act] = {}
        self.turn = threading.Lock()
        self.alive_at = time.monotonic()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.token = secrets.token_urlsafe(24)
        self.address = f"http://{self.host}/{self.token}/"

    def serve(self) -> None:
        """Answer requests until it is told to leave, or an hour after the last one."""
        threading.Thread(target=self._watch, daemon=True).start()
        try:
            self._server.serve_forever(poll_interval=0.2)
        finally:
            self._server.server_close()

    def leave(self) -> None:
        """Stop after the request that is being answered."""
        threading.Thread(target=self._server.shutdown, daemon=True).start()

    def _watch(self) -> None:
        while time.monotonic() - self.alive_at < IDLE_SECONDS:
            time.sleep(1)
        self.leave()


def _handler(server: WebServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 30
        server_version, sys_version = "mem0-dream", ""

        def do_GET(self) -> None:
            if (name := self._asked_for()) is None:
                return
            page = server.pages.get(name)
            if page is None:
                self._refuse(404, "There is no such page.")
            else:
                with server.turn:
                    self._answer(200, *page())

        def do_POST(self) -> None:
            if (name := self._asked_for()) is None:
                return
            if (
                self.headers.get("Origin") != f"http://{server.host}"
                or self.headers.get_content_type() != "application/json"
            ):
                self._refuse(403, "Only the page itself can do this.")
                return
            try:
                length = int(self.headers.get("Content-Length", ""))
                body = json.loads(self.rfile.read(length)) if 0 <= length <= _MOST_BYTES else None
            except (ValueError, RecursionError):
                body = None
            if not isinstance(body, dict) or name not in server.acts:
                self._refuse(400, "The page sent something that cannot be understood; reload it.")
                return
            try:
                with server.turn:
                    found = server.acts[name](body)
            except DreamError as error:
                self._refuse(409, str(error))
            else:
                self._answer(200, "application/json", json.dumps(found))

        def _asked_for(self) -> str | None:
            """The name behind the token; None, and the answer is sent, if the request is not the page's."""
            parts = urlsplit(self.path).path.split("/")
            if self.headers.get("Host") != server.host or self.headers.get("Sec-Fetch-Site") == "cross-site":
                self._refuse(403, "This server answers to its own address only.")
                return None
            if len(parts) != 3 or not secrets.compare_digest(parts[1].encode(), server.token.encode()):
                self._refuse(404, "There is no such page.")
                return None
            server.alive_at = time.monotonic()
            return parts[2]

        def _refuse(self, status: int, why: str) -> None:
            self.close_connection = True
            self._answer(status, "application/json", json.dumps({"error": why}))

        def _answer(self, status: int, kind: str, text: str) -> None:
            data = text.encode("utf-8", "backslashreplace")
            self.send_response(status)
            for header, value in {**_HEADERS, "Content-Type": f"{kind}; charset=utf-8"}.items():
                self.send_header(header, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing: the address holds the token."""

    return Handler
