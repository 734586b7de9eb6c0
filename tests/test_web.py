"""What the client of both web stores does when the other side fails, and what it says."""

from __future__ import annotations

import re
import socket
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.memory import Scope
from mem0_dream.stores.platform import PlatformStore
from mem0_dream.stores.protocol import Draft
from mem0_dream.stores.server import ServerStore

from tests.standins.server_api import ServerApi
from tests.standins.web import EMPTY, HALF_JSON, HTML, Fault

pytest_plugins = "tests.standins.fixtures"
ME = Scope("developer", "web-shop")
LIST = ("POST", "^/v3/memories/$")
PASSING = {
    "rate limit": Fault(429),
    "rate limit with a wait": Fault(429, headers={"Retry-After": "7"}),
    "internal error": Fault(500),
    "bad gateway": Fault(502, "<html>bad gateway</html>"),
    "unavailable": Fault(503),
    "reset": Fault(reset=True),
    "cut off": Fault(200, '{"results": []}', cut=True),
    "half of the JSON": HALF_JSON,
    "HTML": HTML,
    "nothing": EMPTY,
}
LASTING = {
    "rate limit": (Fault(429), "limits the rate and did not let up; wait some minutes"),
    "internal error": (Fault(500), r"fails at the moment \(500: status 500\); try again later"),
    "reset": (Fault(reset=True), "broke the connection off; try again later"),
    "cut off": (Fault(200, '{"results": []}', cut=True), "broke the connection off; try again later"),
    "half of the JSON": (HALF_JSON, "something other than JSON; check its address"),
    "HTML": (HTML, "something other than JSON; check its address"),
    "nothing": (EMPTY, "something other than JSON; check its address"),
    "no key": (Fault(401), r"does not accept the key; set a valid one \(MEM0_API_KEY"),
    "no permission": (Fault(403), "does not allow this; use a key that may read and write"),
    "moved": (Fault(301, "", {"Location": "https://elsewhere.example/"}), "answers with a redirect; set the address"),
    "wrong path": (Fault(404, "<h1>Not Found</h1>"), "has nothing at /v3/memories/; check its address"),
    "another shape": (Fault(200, '{"detail": "Welcome"}'), "answered a listing with something that is none"),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_a_reading_call_is_repeated_until_it_is_answered(api, store, fault):
    api.seed("developer", "web-shop", ["Text"])
    api.fail(*LIST, fault, fault)
    assert len(store.fetch(ME).memories) == 1


@pytest.mark.parametrize("fault, sentence", LASTING.values(), ids=LASTING)
def test_what_lasts_is_told_in_one_sentence(api, store, fault, sentence):
    api.fail(*LIST, fault, forever=True)
    with pytest.raises(DreamError, match=sentence) as caught:
        store.fetch(ME)
    assert is_one_sentence(str(caught.value)) and api.key not in str(caught.value)


@pytest.mark.parametrize("fault", [Fault(400), Fault(401), Fault(403), Fault(404), Fault(409), Fault(413), Fault(422)])
def test_what_waiting_cannot_cure_is_not_repeated(api, store, fault):
    api.fail(*LIST, fault, forever=True)
    with pytest.raises(DreamError):
        store.fetch(ME)
    assert api.count(*LIST) == 1


def test_an_answer_that_does_not_come_in_time_is_asked_for_again(api):
    api.seed("developer", "web-shop", ["Text"])
    api.fail(*LIST, Fault(hang=True))
    store = PlatformStore(api.key, api.url, sleep=lambda seconds: None, timeout=0.3)
    assert len(store.fetch(ME).memories) == 1


def test_an_answer_that_never_comes_is_told(api):
    api.fail("GET", "/ping/", Fault(hang=True), forever=True)
    store = PlatformStore(api.key, api.url, sleep=lambda seconds: None, timeout=0.1)
    with pytest.raises(DreamError, match="did not answer in time; try again later"):
        store.fetch(ME)


def test_the_service_says_how_long_to_wait(api, waits):
    api.fail(*LIST, Fault(429, headers={"Retry-After": "7"}))
    PlatformStore(api.key, api.url, sleep=waits.append).fetch(ME)
    assert waits == [pytest.approx(7, abs=0.5)]


def test_a_limited_rate_holds_every_other_call_back_too(api, waits):
    api.fail(*LIST, Fault(429, headers={"Retry-After": "60"}))
    store = PlatformStore(api.key, api.url, sleep=waits.append)
    store.fetch(ME)
    store.delete(["a call that is not limited itself"])
    assert len(waits) > 1 and all(50 < wait <= 60 for wait in waits)


def test_the_service_may_say_it_as_a_date(api, waits):
    then = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=60), usegmt=True)
    api.fail(*LIST, Fault(503, headers={"Retry-After": then}))
    PlatformStore(api.key, api.url, sleep=waits.append).fetch(ME)
    assert len(waits) == 1 and 50 < waits[0] <= 60


def test_a_wait_of_an_hour_is_not_sat_out(api, waits):
    api.fail(*LIST, Fault(429, headers={"Retry-After": "3600"}))
    with pytest.raises(DreamError, match="limits the rate"):
        PlatformStore(api.key, api.url, sleep=waits.append).fetch(ME)
    assert waits == []


def test_without_advice_the_waits_grow_past_the_usual_window_of_a_minute(api, waits):
    api.fail(*LIST, Fault(429), forever=True)
    with pytest.raises(DreamError):
        PlatformStore(api.key, api.url, sleep=waits.append).fetch(ME)
    assert len(waits) == 7 and sum(waits) > 45 and max(waits) <= 30 and len(set(waits)) == 7


def test_a_wrong_key_is_told_before_anything_else_happens(api):
    with pytest.raises(DreamError, match="does not accept the key") as caught:
        PlatformStore("m0-a-wrong-key", api.url).fetch(ME)
    assert "m0-a-wrong-key" not in str(caught.value)
    assert [call.path for call in api.calls] == ["/v1/ping/"]


def test_no_network_is_told_in_a_sentence():
    with pytest.raises(DreamError, match="cannot be reached; check the network and the address"):
        PlatformStore("m0-key", f"http://127.0.0.1:{free_port()}", sleep=lambda seconds: None).fetch(ME)


def test_in_codex_the_sentence_names_the_setting(monkeypatch, waits):
    monkeypatch.setenv("CODEX_SANDBOX_NETWORK_DISABLED", "1")
    with pytest.raises(DreamError, match=r"network_access = true under \[sandbox_workspace_write\]"):
        PlatformStore("m0-key", f"http://127.0.0.1:{free_port()}", sleep=waits.append).fetch(ME)
    assert waits == []


def test_a_service_that_is_not_mem0_is_told(api):
    api.fail("GET", "/ping/", Fault(200, "[1, 2]"))
    with pytest.raises(DreamError, match="does not answer as the mem0 Platform does"):
        PlatformStore(api.key, api.url).fetch(ME)


def test_the_server_store_says_the_same_sentences():
    with ServerApi() as service:
        service.fail("GET", "^/memories", Fault(502, '{"detail": "Provider rejected the request."}'), forever=True)
        store = ServerStore(service.url, service.key, sleep=lambda seconds: None)
        with pytest.raises(DreamError, match=r"The mem0 server at .* fails at the moment .502: Provider rejected"):
            store.fetch(ME)


@pytest.mark.parametrize("host", ["exa mple", "ho\nst", "a" * 300 + ".example", "xn--.example", "-bad-.example"])
def test_a_host_that_cannot_be_is_told_in_a_sentence(host):
    with pytest.raises(DreamError, match="address"):
        ServerStore(f"https://{host}", sleep=lambda seconds: None).fetch(ME)


@pytest.mark.parametrize("text", ["half an emoji \ud83d", "a null \x00 in it", "\u2028 and \ufeff"])
def test_a_text_with_broken_characters_is_sent_as_it_came(api, store, text):
    (result,) = store.add([Draft(text, ME, {"note": text})])
    assert (api.rows[result.id]["memory"], api.rows[result.id]["metadata"]) == (text, {"note": text})


def test_a_confidence_that_is_no_number_can_be_put_back(api, store):
    (result,) = store.add([Draft("Text", ME, {"confidence": float("nan")})])
    assert str(api.rows[result.id]["metadata"]["confidence"]) == "nan"


def is_one_sentence(text: str) -> bool:
    return text.endswith(".") and "\n" not in text and not re.search(r"[.!?] [A-Z]", text)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def waits():
    return []
