"""A headless Chromium driven over a pipe with its own protocol: no driver, no package, no port."""

from __future__ import annotations

import base64
import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)
# Chromium reads its orders from descriptor 3 and answers on 4; the pipes may lie there, crossed.
_HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 60), os.dup2(int(sys.argv[2]), 61)
os.dup2(60, 3), os.dup2(61, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find() -> str | None:
    """The path of a Chromium on this machine: $CHROMIUM, or one of the usual names; None without one, or on Windows."""
    if os.name == "nt":  # it has no descriptors to hand over
        return None
    named = [os.environ.get("CHROMIUM"), *map(shutil.which, _NAMES), _MAC]
    return next((path for path in named if path and Path(path).exists()), None)


class Browser:
    """One Chromium with one tab. Everything that happened in it is kept in `events`."""

    def __init__(self, program: str, timeout: float = 30.0) -> None:
        self.timeout = timeout
        self.events: list[dict[str, Any]] = []
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours, theirs = os.pipe(), os.pipe()  # what we say, what it says
        self._out, self._in = ours[1], theirs[0]

        line = [sys.executable, "-c", _HAND_OVER, str(ours[0]), str(theirs[1])]
        self._process = subprocess.Popen(
            [*line, program, *_FLAGS, f"--user-data-dir={self._home.name}", "about:blank"],
            pass_fds=(ours[0], theirs[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._in, selectors.EVENT_READ)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._ready.close()
        os.close(self._out)
        os.close(self._in)
        self._home.cleanup()

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One order and its answer; RuntimeError where Chromium refuses it, TimeoutError where it is silent."""
        self._number += 1
        order: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            order["sessionId"] = self._session
        os.write(self._out, json.dumps(order).encode() + b"\0")
        for message in self._messages():
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error'].get('message')}")
                return dict(message["result"])
            self.events.append(message)
        raise TimeoutError(f"Chromium did not answer {method}.")

    def open(self, page: Path | str, theme: str = "light", width: int = 1280, height: int = 900) -> None:
        """Load a local page or an address whole, in a theme and a window size; what happened before is forgotten."""
        self.events.clear()
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(next(iter(self._messages())))

    def run(self, script: str) -> Any:
        """What an expression is worth in the page; promises are waited for."""
        answer = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "script failed"))
        return answer["result"].get("value")

    def press(self, key: str, text: str = "", code: int = 0, shift: bool = False) -> None:
        """One key, down and up, as a person's."""
        what = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **what)
        self.send("Input.dispatchKeyEvent", type="keyUp", **what)

    def picture(self, whole: bool = False) -> bytes:
        """What is seen, as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])

    def happened(self, method: str) -> list[dict[str, Any]]:
        """The particulars of every event of one kind since the page was opened."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def _messages(self) -> Iterator[dict[str, Any]]:
        while True:
            while b"\0" in self._buffer:
                raw, self._buffer = self._buffer.split(b"\0", 1)
                yield json.loads(raw)
            if not self._ready.select(self.timeout):
                raise TimeoutError("Chromium is silent.")
            more = os.read(self._in, 1 << 20)
            if not more:
                raise RuntimeError("Chromium ended.")
            self._buffer += more


@contextmanager
def browser() -> Iterator[Browser]:
    """A Chromium for as long as it is needed; FileNotFoundError where there is none."""
    program = find()
    if program is None:
        raise FileNotFoundError("There is no Chromium here; install it, or name one in CHROMIUM.")
    with Browser(program) as opened:
        yield opened
