"""An HTTP client that waits and tries again where that is harmless, and says in one sentence what went wrong."""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Callable
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from json import dumps
from typing import Any

import httpx

from .calls import Refusal

# How often a call is tried that may be repeated.
LOST = 3  # no answer came
FAILED = 5  # the service fails at the moment
LIMITED = 8  # it limits the rate: the waits add up to more than a minute, the usual window

_UNSENT = (  # the service has seen nothing of the call
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    UnicodeError,  # a host that cannot be looked up
)
LONGEST_WAIT = 120.0  # seconds; whoever asks for more gets the call again another day
TIMEOUT = httpx.Timeout(120, connect=10)


class WebClient(httpx.Client):
    """Every answer it gives is a success with a JSON body; anything else is a Refusal."""

    def __init__(
        self, base_url: str, name: str, key: str, hint: str, sleep: Callable[[float], None] = time.sleep, **options: Any
    ) -> None:
        """`name` is the service in a sentence, `hint` says where its key is set; the key itself is never shown."""
        try:
            super().__init__(**{"base_url": base_url, "timeout": TIMEOUT, **options})
            self.host = self.base_url.host  # decoded here, so that it fails here
        except (httpx.InvalidURL, UnicodeError):
            raise Refusal(f"{name} cannot be reached; its address names no host that can be.", whole=True) from None
        self.name, self._hint, self._key, self._sleep = name, hint, key, sleep
        self._quiet_until = 0.0  # a limited rate is everybody's: no call of any thread before then

    def build_request(self, method: str, url: Any, *, json: Any = None, **options: Any) -> httpx.Request:
        """As ever, but JSON goes in ASCII: half an emoji in a memory is sent as it came."""
        if json is None:
            return super().build_request(method, url, **options)
        request = super().build_request(method, url, **{**options, "content": dumps(json)})
        request.headers["Content-Type"] = "application/json"
        return request

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """The answer, after waiting and repeating where that can do no harm."""
        for tried in itertools.count(1):
            wait = min(2 ** (tried - 1), 30) * random.uniform(0.5, 1.0)
            if (quiet := self._quiet_until - time.monotonic()) > 0:
                self._sleep(quiet)
            try:
                response = super().send(request, **options)
            except (httpx.HTTPError, UnicodeError) as error:
                refusal, tries = self._lost(request, error)
            else:
                if response.is_success and (answer := _readable(request, response)):
                    return answer
                wait = _asked_wait(response) or wait
                refusal, tries = self._refused(request, response)
            if tried >= tries or wait > LONGEST_WAIT:
                raise refusal from None
            if refusal.status == 429:
                self._quiet_until = max(self._quiet_until, time.monotonic() + wait)
            else:
                self._sleep(wait)
        raise AssertionError  # not reached

    def _lost(self, request: httpx.Request, error: Exception) -> tuple[Refusal, int]:
        """What to say, and how often to try, where no answer came."""
        if os.environ.get("CODEX_SANDBOX_NETWORK_DISABLED"):
            what = (
                "cannot be reached: Codex gives scripts no network; set network_access = true under"
                " [sandbox_workspace_write] in its config.toml"
            )
            return Refusal(f"{self.name} {what}.", whole=True), 1
        if isinstance(error, _UNSENT):
            what = "cannot be reached; check the network and the address"
            if "CERTIFICATE" in str(error).upper():
                what = "shows a certificate that cannot be verified; name your organisation's in SSL_CERT_FILE"
            return Refusal(f"{self.name} {what}.", whole=True), LOST
        late = isinstance(error, httpx.TimeoutException)
        what = "did not answer in time; try again later" if late else "broke the connection off; try again later"
        return Refusal(f"{self.name} {what}.", unsure=not _reads(request), whole=True), LOST if _harmless(
            request
        ) else 1

    def _refused(self, request: httpx.Request, response: httpx.Response) -> tuple[Refusal, int]:
        """What to say, and how often to try, where the answer is a failure or not readable."""
        status, detail = response.status_code, self._detail(response)
        said = f" ({status}: {detail})" if detail else f" ({status})"
        whole = {
            401: f"does not accept the key; set a valid one ({self._hint})",
            403: f"does not allow this; use a key that may read and write the project's memories ({self._hint})",
            413: f"has no room left for this{said}; free memories or raise the plan, then run again",
            429: "limits the rate and did not let up; wait some minutes, then run again",
        }.get(status)
        if response.is_success:
            whole = "answered with something other than JSON; check its address"
        elif response.is_redirect:
            whole = "answers with a redirect; set the address of the API itself"
        elif status == 408 or status >= 500:
            whole = f"fails at the moment{said}; try again later"
        elif status == 404 and detail.lower() in ("", "not found"):
            whole = f"has nothing at {request.url.path}; check its address"
        acted = response.is_success or status == 408 or status >= 500
        refusal = Refusal(
            f"{self.name} {whole or f'refused a call{said}'}.",
            status,
            unsure=acted and not _reads(request),
            whole=whole is not None,
        )
        return refusal, LIMITED if status == 429 else FAILED if acted and _harmless(request) else 1

    def _detail(self, response: httpx.Response) -> str:
        """The service's own words in one short line; empty where it sent none that a person can use."""
        try:
            found = response.json()
        except ValueError:
            return ""
        if isinstance(found, dict):
            found = next((found[name] for name in ("detail", "error", "message") if found.get(name)), found)
        if isinstance(found, list):
            found = "; ".join(str(item.get("msg", item)) if isinstance(item, dict) else str(item) for item in found)
        line = " ".join(str(found or "").split()).rstrip(".")
        return (line.replace(self._key, "…") if self._key else line)[:200]


def _readable(request: httpx.Request, response: httpx.Response) -> httpx.Response | None:
    """The response where its body is JSON; an empty body is a plain yes to a change or a delete."""
    if not response.content.strip() and request.method in ("PUT", "DELETE"):
        return httpx.Response(200, json={}, request=request)
    try:
        response.json()
    except ValueError:
        return None
    return response


def _reads(request: httpx.Request) -> bool:
    return request.method == "GET" or request.url.path.rstrip("/").endswith(("/v3/memories", "/search"))


def _harmless(request: httpx.Request) -> bool:
    """Whether doing it twice is the same as doing it once: everything but an add."""
    return request.method in ("PUT", "DELETE") or _reads(request)


def _asked_wait(response: httpx.Response) -> float | None:
    """The seconds that Retry-After asks for; None where it says nothing usable."""
    asked = response.headers.get("Retry-After", "").strip()
    if asked.isdecimal():
        return float(asked)
    try:
        return max((parsedate_to_datetime(asked) - datetime.now(timezone.utc)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None
