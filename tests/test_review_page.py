"""`dream.py --review` in a real Chromium, on a real mem0 store: a whole pass by clicks, and who is refused."""

import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from importlib.util import find_spec
from urllib.parse import urlsplit

import pytest
from mem0_dream.cli import demo, interactive, options, review
from mem0_dream.cli.session import Session
from mem0_dream.config.identity import Identity
from mem0_dream.execution.operations import without_nulls
from mem0_dream.runs.run_folder import scope_folder

from tests import steps
from tools import browser as chromium

pytestmark = pytest.mark.skipif(find_spec("mem0") is None, reason="mem0ai is not installed")
needs_chromium = pytest.mark.skipif(
    chromium.find() is None, reason="there is no Chromium here (chromium, or $CHROMIUM)"
)


class Served:
    """The demo's store on a review page, served by a thread of this process."""

    def __init__(self, folder, questions=True):
        self.store = demo.make_store(folder / "demo")
        demo.fill(self.store)
        identity = Identity(demo.SCOPE.user, demo.SCOPE.project, None, None, {})
        home = scope_folder(folder, self.store.identity, demo.SCOPE)
        self.session = Session(self.store, identity, home, folder, None)
        self.begun = interactive.begin(self.session, options.today(), lambda *_: None)
        self.address = ""
        arguments = (self.session, self.begun if questions else None, options.today(), False, self.hear)
        self.thread = threading.Thread(target=review.serve, args=arguments)

    def hear(self, *lines):
        for line in lines:
            if found := re.search(r"http://\S+", line):
                self.address = found[0]

    def facts(self):
        """Every memory, without what a store may not keep: ids and the time of the last change."""
        rows = self.store.fetch(self.session.identity.scope).memories
        return Counter((m.text, str(m.created)[:19], repr(sorted(without_nulls(m.metadata).items()))) for m in rows)

    def post(self, path, body, **headers):
        host = urlsplit(self.address).netloc
        sent = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json", **headers}
        return self.request("POST", path, json.dumps(body), sent)

    def request(self, method, path, body=None, headers=None):
        parts = urlsplit(self.address)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        try:
            connection.request(method, path if path.startswith("/") else parts.path + path, body, headers or {})
            reply = connection.getresponse()
            return reply.status, reply.read().decode()
        finally:
            connection.close()


@contextmanager
def serving(folder, questions=True):
    served = Served(folder, questions)
    served.thread.start()
    while not served.address:
        time.sleep(0.01)
    try:
        yield served
    finally:
        served.post("done", {})
        served.thread.join(20)
        served.store.close()


@pytest.fixture
def served(tmp_path, monkeypatch):
    monkeypatch.setenv("MEM0_DREAM_HOME", str(tmp_path / "dream home"))
    with serving(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def tab():
    with chromium.browser() as opened:
        yield opened


def wait(tab, condition):
    """Until something is true on the page."""
    script = f"new Promise(done => {{ const look = () => {condition} ? done(1) : setTimeout(look, 30); look(); }})"
    assert tab.run(script) == 1


def click(tab, handle, answer):
    tab.run(f"document.querySelector('[data-handle={handle}] [data-answer={answer}]').click()")
    wait(tab, f"{pressed(handle)} === {json.dumps(answer)}")


def pressed(handle):
    return f"document.querySelector('[data-handle={handle}] [aria-pressed=true]')?.dataset.answer"


def handles(tab, kind):
    return tab.run(f"[...document.querySelectorAll('[data-kind=\"{kind}\"]')].map(card => card.dataset.handle)")


@needs_chromium
def test_a_whole_pass_by_clicks_is_applied_and_taken_back_row_by_row(served, tab):
    before = served.facts()
    tab.open(served.address)
    first = handles(tab, "contradiction")[0]
    click(tab, first, "B")
    tab.run("document.getElementById('apply').click()")
    wait(tab, "document.getElementById('report').open")
    assert "Dream — Memory Consolidation Report" in tab.run("document.getElementById('report-text').textContent")
    tab.run("document.getElementById('yes').click()")
    wait(tab, "document.getElementById('foot').textContent.startsWith('Dream complete')")
    assert "conflicts resolved: 1" in tab.run("document.getElementById('foot').textContent")
    assert served.facts() != before
    tab.run("document.getElementById('undo').click()")
    wait(tab, "document.getElementById('foot').textContent.startsWith('Undone')")
    assert served.facts() == before


@needs_chromium
def test_a_reload_and_a_second_tab_show_the_answers(served, tab):
    tab.open(served.address)
    first = handles(tab, "contradiction")[0]
    click(tab, first, "keep")
    tab.open(served.address)
    wait(tab, f"{pressed(first)} === 'keep'")
    assert (
        json.loads((served.begun.run.folder / "verdicts.json").read_text(encoding="utf-8"))["answers"][first] == "keep"
    )


@needs_chromium
def test_an_answer_can_be_cleared(served, tab):
    tab.open(served.address)
    first = handles(tab, "contradiction")[0]
    click(tab, first, "keep")
    tab.run(f"document.querySelector('[data-handle={first}] .clear').click()")
    wait(tab, f"document.querySelector('[data-handle={first}]').dataset.state === 'open'")
    assert first not in served.begun.answers


@needs_chromium
def test_keys_answer_the_question_in_focus(served, tab):
    tab.open(served.address)
    wait(tab, "document.getElementById('foot').textContent !== ''")
    tab.press("j", "j", 74)
    handle = tab.run("document.activeElement.dataset.handle")
    first = tab.run("document.activeElement.querySelector('[data-answer]').dataset.answer")
    tab.press("1", "1", 49)
    wait(tab, f"{pressed(handle)} === {json.dumps(first)}")


@needs_chromium
def test_a_text_of_ones_own_shows_what_it_drops_while_it_is_typed(served, tab):
    tab.open(served.address)
    handle = tab.run("document.querySelector('[data-kind=merge][data-state=open]').dataset.handle")
    card = f"document.querySelector('[data-handle={handle}]')"
    tab.run(
        f"(() => {{ {card}.querySelector('.edit').click(); const own = {card}.querySelector('textarea');"
        " own.value = own.value.split(' ').slice(0, 3).join(' ');"
        " own.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    wait(tab, f"!{card}.querySelector('.drops').hidden")


@needs_chromium
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_every_text_stands_out_and_nothing_scrolls_sideways(served, tab, theme, width):
    tab.open(served.address, theme, width)
    wait(tab, "document.getElementById('foot').textContent !== ''")
    contrast = (steps.SCRIPTS.parent / "tests" / "contrast.js").read_text(encoding="utf-8")
    assert tab.run(contrast) == []
    assert tab.run("document.documentElement.scrollWidth") <= width


@needs_chromium
def test_a_screen_reader_finds_a_name_on_everything(served, tab):
    tab.open(served.address)
    wait(tab, "document.getElementById('foot').textContent !== ''")
    nodes = [node for node in tab.send("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes]
    roles = {"button", "combobox", "textbox", "searchbox", "link", "heading", "article", "group", "table"}
    assert [role for role, name in named if role in roles - {"table", "group"} and not name.strip()] == []


@needs_chromium
def test_the_first_question_is_on_the_first_screen(served, tab):
    tab.open(served.address, height=720)
    assert tab.run("document.querySelector('.card').getBoundingClientRect().bottom") < 720


@needs_chromium
def test_one_operation_of_an_earlier_run_is_taken_back_from_the_history(served, tab):
    tab.open(served.address)
    tab.run("document.getElementById('apply').click()")
    wait(tab, "document.getElementById('report').open")
    tab.run("document.getElementById('yes').click()")
    wait(tab, "document.getElementById('foot').textContent.startsWith('Dream complete')")
    count = sum(served.facts().values())
    tab.open(served.address + "history")
    tab.run("document.querySelector('.undo[data-only]').click()")
    wait(tab, "document.getElementById('foot').textContent.startsWith('Undone: 1 change')")
    assert sum(served.facts().values()) > count


def test_another_name_for_this_machine_is_refused(served):
    port = urlsplit(served.address).port
    for host in (f"localhost:{port}", f"attacker.test:{port}", "127.0.0.1"):
        assert served.request("GET", "", headers={"Host": host})[0] == 403


def test_without_the_token_there_is_no_page(served):
    for path in ("/", "/wrong/", "/wrong/state", "//", urlsplit(served.address).path + "nothing", "/%2e%2e/"):
        assert served.request("GET", path)[0] == 404


def test_another_origin_can_answer_nothing(served):
    for origin in ("http://attacker.test", "null", "http://localhost"):
        assert served.post("answer", {"answers": {"C1": "A"}}, Origin=origin)[0] == 403
    assert served.begun.answers.get("C1") is None


def test_a_form_can_answer_nothing(served):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert served.post("answer", {"answers": {"C1": "A"}}, **{"Content-Type": kind})[0] == 403


def test_a_request_that_cannot_be_understood_is_a_sentence(served):
    status, text = served.post("answer", [1])
    assert (status, "reload" in json.loads(text)["error"]) == (400, True)
    status, text = served.post("answer", {"answers": {"C99": "A"}})
    assert (status, json.loads(text)["error"]) == (409, "C99 is not in this plan.")
    assert served.post("answer", {"answers": {"M1": {"text": None, "confirmed": True}}})[0] == 409
    assert served.post("answer", {"answers": {"+": [{"members": ["#1", "#2"]}]}})[0] == 409


def test_nothing_is_applied_before_its_report_was_shown(served):
    status, text = served.post("apply", {})
    assert status == 409
    assert "No report of this run was printed yet" in json.loads(text)["error"]


def test_the_page_loads_nothing_from_elsewhere(served):
    _, text = served.request("GET", "")
    assert re.findall(r'(?:src|href)="([^"]+)"', text)[:1] == ["page.css"]
    assert not re.search(r'(?:src|href)="(?:https?:)?//', text)


def test_a_hostile_memory_is_only_text(tmp_path):
    place = steps.Place(tmp_path)
    hostile = "</script><img src=x onerror=alert(1)> \u202egnp {{ 7 * 7 }}"
    place.store({"text": hostile, "type": "session_state", "days": 200})
    command = [sys.executable, str(steps.SCRIPTS / "dream.py"), *place.options, "--review", "--no-browser"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", env=place.env, cwd=place.folder)
    try:
        assert running.stderr
        address = next(found[0] for line in running.stderr if (found := re.search(r"http://\S+", line)))
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        connection.request("GET", parts.path)
        text = connection.getresponse().read().decode()
    finally:
        running.terminate()
        running.wait(20)
    assert "<img" not in text
    assert "49" not in re.sub(r"<[^>]*>", "", text)
    assert "\\u202egnp" in text
