"""An HTTP client that waits and tries again where that is harmless, and says in one sentence what went wrong."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from .calls import Refusal

PATIENCE = 8  # tries of a call that may be repeated; about a minute and a half of waiting
CONNECTIONS = 3  # tries to connect at all
LONGEST_WAIT = 30.0  # seconds, whatever Retry-After asks for
TIMEOUT = httpx.Timeout(60, connect=10)
_PASSING = {408, 425, 429, 500, 502, 503, 504}


class WebClient(httpx.Client):
    """Every answer it gives is a success with a JSON body; anything else is a Refusal."""

    def __init__(
        self,
        address: str,
        name: str,
        secret: str | None,
        hint: str,
        sleep: Callable[[float], None] = time.sleep,
        **options: Any,
    ) -> None:
        """`name` is the service in a sentence, `hint` says where its key is set, `secret` is never shown."""
        super().__init__(base_url=address, timeout=options.pop("timeout", TIMEOUT), **options)
        self.name, self.hint = name, hint
        self._secret, self._sleep = secret, sleep

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """The answer, after waiting and repeating where that can do no harm."""
        tries = 0
        while True:
            tries += 1
            try:
                response = super().send(request, **options)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                refusal, wait = self._lost(error), None
                again = tries < (CONNECTIONS if _unsent(error) else PATIENCE) and (_unsent(error) or _harmless(request))
                again = again and isinstance(error, httpx.TransportError) and not _sandboxed()
            else:
                if response.is_success and (readable := _readable(request, response)):
                    return readable
                refusal, wait = self._refused(request, response), _asked_wait(response)
                passing = response.status_code in _PASSING or response.is_success
                again = tries < PATIENCE and passing and (_harmless(request) or response.status_code == 429)
            if not again:
                raise refusal from None
            self._sleep(wait if wait is not None else min(2 ** (tries - 1), LONGEST_WAIT) * random.uniform(0.5, 1.0))

    def _lost(self, error: Exception) -> Refusal:
        """No answer came."""
        if _sandboxed():
            return Refusal(
                f"{self.name} cannot be reached: Codex gives scripts no network; set network_access = true under"
                " [sandbox_workspace_write] in its config.toml.",
                whole=True,
            )
        if isinstance(error, (httpx.UnsupportedProtocol, httpx.InvalidURL)):
            return Refusal(f"The address of {self.name} is not a web address; write it with https://.", whole=True)
        if isinstance(error, httpx.TimeoutException) and not _unsent(error):
            what = "did not answer in time; try again later"
        elif "CERTIFICATE" in str(error).upper():
            what = "shows a certificate that cannot be verified; set SSL_CERT_FILE to your organisation's certificates"
        elif _unsent(error):
            what = "cannot be reached; check the network and the address"
        else:
            what = "broke the connection off; try again later"
        return Refusal(f"{self.name} {what}.", unsure=not _unsent(error), whole=True)

    def _refused(self, request: httpx.Request, response: httpx.Response) -> Refusal:
        """An answer came that is none."""
        status = response.status_code
        changes = not _reads(request)
        if response.is_success:
            return Refusal(f"{self.name} answered with something other than JSON; check its address.", None, changes)
        if response.is_redirect:
            what = "answers with a redirect; set the address that serves the API itself"
            return Refusal(f"{self.name} {what}.", status, whole=True)
        detail = self._detail(response)
        whole = {
            401: f"does not accept the key; set a valid one ({self.hint})",
            403: f"does not allow this; use a key that may read and write the project's memories ({self.hint})",
            413: "has no quota left for this; free memories or raise the plan, then run again",
            429: "limits the rate and did not let up; wait some minutes, then run again",
        }.get(status)
        if whole:
            return Refusal(f"{self.name} {whole}.", status, whole=True)
        if status >= 500:
            what = f"fails at the moment ({status}); try again later"
            return Refusal(f"{self.name} {what}.", status, unsure=changes, whole=True)
        if status == 404 and not detail:
            return Refusal(f"{self.name} has nothing at {request.url.path}; check its address.", status)
        return Refusal(f"{self.name} refused a call ({status}{': ' + detail if detail else ''}).", status)

    def _detail(self, response: httpx.Response) -> str:
        """The service's own words in one short line; empty where it sent none that a person can use."""
        try:
            body = response.json()
        except ValueError:
            return ""
        found = (
            next((body[key] for key in ("detail", "error", "message") if body.get(key)), body)
            if isinstance(body, dict)
            else body
        )
        line = " ".join(str(found).split()).rstrip(".")[:200]
        return line.replace(self._secret, "…") if self._secret else line


def _readable(request: httpx.Request, response: httpx.Response) -> httpx.Response | None:
    """The response when its body is JSON; an empty one of a changing call is a plain yes."""
    if not response.content.strip() and request.method in ("PUT", "DELETE"):
        return httpx.Response(200, json={}, request=request)
    try:
        response.json()
    except ValueError:
        return None
    return response


def _reads(request: httpx.Request) -> bool:
    path = request.url.path.rstrip("/")
    return request.method == "GET" or (request.method == "POST" and path.endswith(("/v3/memories", "/search")))


def _harmless(request: httpx.Request) -> bool:
    """Whether doing it twice is the same as doing it once: all but an add."""
    return request.method in ("PUT", "DELETE") or _reads(request)


def _unsent(error: Exception) -> bool:
    return isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError))


def _asked_wait(response: httpx.Response) -> float | None:
    """The seconds that Retry-After asks for, at most LONGEST_WAIT; None where it says nothing usable."""
    asked = response.headers.get("Retry-After", "").strip()
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(asked) - datetime.now(timezone.utc)).total_seconds()
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else None


def _sandboxed() -> bool:
    return bool(os.environ.get("CODEX_SANDBOX_NETWORK_DISABLED"))
