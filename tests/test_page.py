"""The page of a run to pass on, in a real Chromium: nothing on it runs, loads, or can be clicked."""

import re
from datetime import date
from pathlib import Path

import pytest
from mem0_dream.memory import Memory, Scope, StoreRef
from mem0_dream.planning.plan import Conflict, HeldBack, Merge, NearMiss, Plan, Prune
from mem0_dream.review.answers import decide
from mem0_dream.views.html_page import snapshot_page

from tests import steps
from tests.memories import STORE
from tools import browser as chromium

TODAY = date(2026, 11, 29)
HOSTILE = [
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 1">',
    "' autofocus onfocus='window.ran = 1",
    "</textarea><svg onload=window.ran=1>",
    "</style><style>@import 'https://elsewhere.test/x.css'</style>",
    '<link rel=stylesheet href="https://elsewhere.test/y.css"><iframe src="https://elsewhere.test/"></iframe>',
    '<meta http-equiv="refresh" content="0;url=https://elsewhere.test/">',
    '<a href="javascript:window.ran=1">x</a><base href="https://elsewhere.test/">',
    "<!-- <b> ]]> &lt;b&gt; &#60;",
    "{{script}} {{questions}} {{nothing}}",
    "'; touch ran; echo '",
    "$(touch ran) `touch ran` ${PATH} $PATH %PATH% !! !1 ~ * ? | & ; > ran",
    "a\\b \\\\ \\\" \\' \" '' \\n end\\",
    "two\nlines\tand a tab",
    "\u202egnp.exe\u2066 \u200bhidden\u2028line\x1b[31mred\x00nul\x7f\x9b",
    "tags \U000e0041\U000e0042 and 😀 and 数 and e\u0301",
    "--apply --erase",
]
needs_chromium = pytest.mark.skipif(
    chromium.find() is None, reason="there is no Chromium here (chromium, or $CHROMIUM)"
)


def record(id, text, kind="decision", day="2026-05-01"):
    return {
        "id": id,
        "memory": text,
        "user_id": "dev",
        "app_id": "shop",
        "created_at": f"{day}T08:00:00Z",
        "metadata": {"type": kind, "confidence": 0.8},
    }


def small():
    """A plan with one question of every kind."""
    rows = [
        record("aaaaaaaa1", "Gateway timeouts are 30s"),
        record("bbbbbbbb1", "Gateway timeouts are 60s", day="2026-07-01"),
        record("cccccccc1", "Run pnpm test before a push", "convention"),
        record("dddddddd1", "Run `pnpm test` before a push.", "convention"),
        record("eeeeeeee1", "Staging runs Postgres 15"),
        record("ffffffff1", "Staging runs Postgres 15 on db-1"),
        record("99999999a", "Looked at the checkout test", "session_state"),
    ]
    return Plan(
        STORE,
        Scope("dev", "shop"),
        merges=[
            Merge("M1", ["cccccccc1", "dddddddd1"], "safe", rows[3]["memory"], "the same words"),
            Merge("M2", ["eeeeeeee1", "ffffffff1"], "review", rows[5]["memory"], "one says more"),
        ],
        conflicts=[Conflict("C1", "aaaaaaaa1", "bbbbbbbb1", "timeout", "B", "30s against 60s")],
        prunes=[Prune("P1", "99999999a", "session_state", "retention", 212, 90)],
        near_misses=[NearMiss(["aaaaaaaa1", "eeeeeeee1"], "other things")],
        held_back=[HeldBack("cccccccc1", "pinned")],
        memories={row["id"]: row for row in rows},
    )


def hostile():
    """A plan in which every text that a store or a file could bring is hostile."""
    rows = [record(f"id{n:06d}{text}", text, f"type {text}") for n, text in enumerate(HOSTILE)]
    ids = [row["id"] for row in rows]
    return Plan(
        StoreRef(f"file{HOSTILE[0]}", HOSTILE[0]),  # type: ignore[arg-type]
        Scope(HOSTILE[2], HOSTILE[1]),
        merges=[
            Merge(f"M{n}", [id, ids[n - 1]], "review", HOSTILE[n], HOSTILE[n], [], [], [HOSTILE[n]])
            for n, id in enumerate(ids)
        ],
        conflicts=[Conflict(f"C{n}", id, ids[n - 1], HOSTILE[n], "A", HOSTILE[n]) for n, id in enumerate(ids)],
        prunes=[Prune(f"P{n}", id, HOSTILE[n], "retention", n, 1) for n, id in enumerate(ids)],
        near_misses=[NearMiss([id, ids[n - 1]], HOSTILE[n]) for n, id in enumerate(ids)],
        held_back=[HeldBack(HOSTILE[n], HOSTILE[n]) for n, _ in enumerate(ids)],
        memories=dict(zip(ids, rows, strict=True)),
    )


def written(path, plan):
    memories = [Memory(row) for row in plan.memories.values()]
    path.write_text(snapshot_page(decide(plan, {}, memories, TODAY), memories, TODAY), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tab():
    with chromium.browser() as opened:
        yield opened


@pytest.fixture
def shown(tab, tmp_path):
    """The small plan's page, open in a tab."""
    tab.open(written(tmp_path / "page.html", small()))
    return tab


@needs_chromium
def test_no_hostile_text_runs(tab, tmp_path):
    tab.open(written(tmp_path / "page.html", hostile()))
    assert tab.run("window.ran") is None
    assert tab.happened("Page.javascriptDialogOpening") == []
    assert tab.happened("Runtime.exceptionThrown") == []


@needs_chromium
def test_no_hostile_text_becomes_markup(tab, tmp_path):
    tab.open(written(tmp_path / "page.html", hostile()))
    count = "document.querySelectorAll('{}').length"
    assert (
        tab.run(count.format("script, img, iframe, link, base, a, object, embed, button, input")) == 1
    )  # its skip link
    assert (
        tab.run("[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => /^on/.test(n))")
        == []
    )


@needs_chromium
def test_every_hostile_text_is_read_as_it_is(tab, tmp_path):
    tab.open(written(tmp_path / "page.html", hostile()))
    quotes = tab.run("[...document.querySelectorAll('blockquote')].map(q => q.textContent)")
    printable = [text for text in HOSTILE if text.replace("\n", "").isprintable()]
    assert [text for text in printable if text not in quotes] == []


@needs_chromium
def test_hidden_characters_are_shown(tab, tmp_path):
    tab.open(written(tmp_path / "page.html", hostile()))
    text = tab.run("document.body.textContent")
    assert r"\u202egnp.exe\u2066 \u200bhidden\u2028line\x1b[31mred\x00nul\x7f\x9b" in text


@needs_chromium
@pytest.mark.parametrize("plan", [small, hostile])
def test_nothing_is_loaded_but_the_page(tab, tmp_path, plan):
    path = written(tmp_path / "page.html", plan())
    tab.open(path)
    tab.run("new Promise(done => setTimeout(done, 50))")
    requests = [event["request"]["url"] for event in tab.happened("Network.requestWillBeSent")]
    assert requests == [path.as_uri()]
    assert tab.happened("Log.entryAdded") == []


@needs_chromium
@pytest.mark.parametrize(
    "attack",
    [
        "Object.assign(document.createElement('img'), {src: 'https://elsewhere.test/i.png'})",
        "Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'})",
        "Object.assign(document.createElement('iframe'), {src: 'https://elsewhere.test/'})",
        "Object.assign(document.createElement('style'), {textContent: 'body { display: none }'})",
        "Object.assign(document.createElement('link'), {rel: 'stylesheet', href: 'https://elsewhere.test/x.css'})",
    ],
)
def test_the_policy_stops_what_would_get_in(shown, attack):
    blocked = shown.run(
        "new Promise(done => { document.addEventListener('securitypolicyviolation', e => done(e.effectiveDirective));"
        f" document.body.append({attack}); setTimeout(() => done(''), 2000); }})"
    )
    assert blocked
    assert shown.run("window.ran") is None


@needs_chromium
def test_the_policy_stops_a_call_to_elsewhere(shown):
    assert shown.run("fetch('https://elsewhere.test/').then(() => 'went', () => 'stopped')") == "stopped"


@needs_chromium
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(tab, tmp_path, theme):
    tab.open(written(tmp_path / "page.html", small()), theme)
    assert tab.run((Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")) == []


@needs_chromium
@pytest.mark.parametrize("width", [320, 640, 1280])
def test_the_page_never_scrolls_sideways(tab, tmp_path, width):
    tab.open(written(tmp_path / "page.html", hostile()), width=width)
    assert tab.run("document.documentElement.scrollWidth") <= width


def test_a_page_that_cannot_be_written_is_told_in_a_sentence(tmp_path):
    place = steps.Place(tmp_path)
    place.store({"text": "Run pnpm test before every push"}, {"text": "Run pnpm test before every push."})
    done = place.run("dream.py", "--dry-run", "--html", "no folder/page.html")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"{Path('no folder/page.html')} cannot be written (No such file")


def test_a_plan_with_nothing_in_it_says_so(tmp_path):
    text = written(tmp_path / "page.html", Plan(STORE, Scope("dev", None))).read_text(encoding="utf-8")
    assert "No duplicate, contradictory, or stale memories found." in text


def test_a_policy_without_inline_allowances_stands_first(tmp_path):
    text = written(tmp_path / "page.html", hostile()).read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert text.index("Content-Security-Policy") < text.index("<title>")
