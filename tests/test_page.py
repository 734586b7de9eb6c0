"""The page of a run in a real Chromium: nothing on it runs or loads, and its line does what was ticked."""

import json
import re
import shlex
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.memory import Memory, Scope
from mem0_dream.planning.plan import Conflict, HeldBack, Merge, NearMiss, Plan, Prune
from mem0_dream.review import answers, verdicts
from mem0_dream.views.html_page import page

from tests import steps
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
        {"kind": "file", "identity": "x"},
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
        {"kind": f"file{HOSTILE[0]}", "identity": HOSTILE[0]},
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


def written(path, plan, decisions=None, run="/home/dev/a run's folder", history=(), retention=None):
    memories = [Memory(row) for row in plan.memories.values()]
    policies = Policies(retention=retention if retention is not None else {"session_state": 90})
    path.write_text(page(plan, decisions, history, policies, memories, run, TODAY), encoding="utf-8")
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


def choose(tab, handle, value):
    tab.run(f"document.querySelector('[data-handle={handle}] input[value={value}]').click()")


def write_own(tab, handle, text):
    choose(tab, handle, "text")
    tab.run(
        f"(() => {{ const own = document.querySelector('[data-handle={handle}] .own'); own.value = {json.dumps(text)};"
        " own.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def line(tab):
    return tab.run("document.getElementById('line').value")


def arguments(line, shell="sh", cwd=None):
    """What the command really gets when a shell reads the line."""
    stub = "python3() { printf '%s\\0' \"$@\"; }"
    if shell == "fish":
        stub = "function python3; printf '%s\\0' $argv; end"
    done = subprocess.run([shell, "-c", f"{stub}\n{line}"], capture_output=True, cwd=cwd, timeout=30, check=True)
    return done.stdout.decode().split("\0")[:-1]


def windows_argument(text):
    """What a Windows program makes of one argument in quotation marks: \\" is a mark, other backslashes stand."""
    assert text[0] == text[-1] == '"'
    assert '"' not in re.sub(r"\\.", "", text[1:-1])
    assert "\\\\" not in text
    return text[1:-1].replace('\\"', '"')


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
    assert tab.run(count.format("script, img, iframe, link, base, a, object, embed")) == 2  # its script, its skip link
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
def test_nothing_ticked_is_no_line(shown):
    assert line(shown) == ""
    assert shown.run("document.getElementById('take').hidden")


@needs_chromium
def test_the_line_does_what_was_ticked(shown):
    for handle, value in (("C1", "B"), ("M1", "keep"), ("M2", "true"), ("P1", "keep")):
        choose(shown, handle, value)
    found = arguments(line(shown))
    assert found[1:4] == ["--run", "/home/dev/a run's folder", "--decide"]
    assert verdicts.parse(found[4]) == {"C1": "B", "M1": "keep", "M2": True, "P1": "keep"}


@needs_chromium
def test_a_page_of_a_real_run_is_carried_out_as_ticked_and_as_it_stood(tab, tmp_path):
    place = steps.Place(tmp_path)
    place.store(
        {"text": "Gateway timeouts are 30s", "days": 9},
        {"text": "Gateway timeouts are 60s", "days": 2},
        {"text": "Run pnpm test before every push", "days": 9},
        {"text": "Run pnpm test before every push.", "days": 2},
        {"text": "Staging runs Postgres 15", "days": 9},
        {"text": "Staging runs Postgres 15 on host db-1", "days": 2},
        {"text": "Looked at the checkout test", "type": "session_state", "days": 200},
        {"text": "Looked at the login page", "type": "session_state", "days": 300},
    )
    made = place.run("dream.py", "--dry-run", "--html", "page.html")
    assert made.returncode == 0, made.stderr
    tab.open(place.folder / "page.html")
    choose(tab, "C1", "B")
    tab.run("[...document.querySelectorAll('[data-kind=prune]')].at(-1).querySelector('[value=keep]').click()")
    stands = tab.run("[...document.querySelectorAll('input:checked')].map(input => [input.name[0], input.value])")
    script, _, run, *decided = arguments(line(tab))
    assert Path(script).name == "apply_plan.py"
    assert place.step(run, *decided).returncode == 0
    assert place.step(run, "--report").returncode == 0
    done = place.step(run, "--apply")
    assert done.returncode == 0, done.stderr
    merged = stands.count(["M", "true"])
    assert f"merged: {merged}, pruned: 1, conflicts resolved: 1, skipped: 0" in done.stdout


@needs_chromium
def test_a_question_says_that_it_is_answered(shown):
    badge = "document.querySelector('[data-handle=C1] .badge').textContent"
    choose(shown, "C1", "A")
    answered = shown.run(badge)
    shown.run("document.querySelector('[data-handle=C1] .forget').click()")
    assert [answered, shown.run(badge)] == ["answered", "to be answered"]


@needs_chromium
def test_the_line_settles_the_plan_as_ticked(shown):
    plan = small()
    for handle, value in (("C1", "B"), ("M1", "keep"), ("M2", "true"), ("P1", "keep")):
        choose(shown, handle, value)
    decisions = answers.decide(plan, verdicts.parse(arguments(line(shown))[4]), [])
    assert [merge.state for merge in decisions.merges] == ["dismissed", "accepted"]
    assert [(found.state, found.winner) for found in decisions.conflicts] == [("accepted", "B")]
    assert [prune.state for prune in decisions.prunes] == ["dismissed"]


@needs_chromium
@pytest.mark.parametrize("answer", ["A", "B", "both", "skip"])
def test_every_answer_to_a_contradiction_is_one_the_plan_takes(shown, answer):
    choose(shown, "C1", answer)
    answers.decide(small(), verdicts.parse(arguments(line(shown))[4]), [])


@needs_chromium
def test_an_answer_taken_back_leaves_the_line(shown):
    choose(shown, "C1", "A")
    choose(shown, "M1", "keep")
    shown.run("document.querySelector('[data-handle=M1] .forget').click()")
    assert verdicts.parse(arguments(line(shown))[4]) == {"C1": "A"}
    assert shown.run("document.querySelector('[data-handle=M1] input[value=true]').checked")


@needs_chromium
@pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "fish"])
def test_any_own_text_passes_a_shell_whole(shown, tmp_path, shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not on this machine")
    for text in HOSTILE:
        write_own(shown, "M2", text)
        found = line(shown)
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202e]", found)
        assert verdicts.parse(arguments(found, shell, tmp_path)[4]) == {"M2": text}
    assert list(tmp_path.glob("ran")) == []


@needs_chromium
def test_any_own_text_passes_powershell_whole(shown):
    shown.run(
        "Object.assign(document.getElementById('shell'), {value: 'powershell'}).dispatchEvent(new Event('change'))"
    )
    for text in HOSTILE:
        write_own(shown, "M2", text)
        head, rest = line(shown).split(" --% ")
        assert head.endswith(" --run '/home/dev/a run''s folder' --decide")
        assert not re.search(r"[^ -~]|[%|&;<>$`']", rest)
        assert verdicts.parse(windows_argument(rest)) == {"M2": text}


@needs_chromium
def test_an_empty_own_text_is_no_answer(shown):
    write_own(shown, "M2", "  ")
    assert line(shown) == ""


@needs_chromium
def test_the_button_copies_the_line(shown):
    shown.send("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    choose(shown, "C1", "B")
    shown.run("document.getElementById('copy').click()")
    assert shown.run("navigator.clipboard.readText()") == line(shown)


@needs_chromium
def test_filters_leave_what_was_asked_for(shown):
    for name, value in (("kind", "merge"), ("type", "decision")):
        shown.run(
            f"Object.assign(document.getElementById('{name}'), {{value: '{value}'}}).dispatchEvent(new Event('change'))"
        )
    assert shown.run("[...document.querySelectorAll('.question:not([hidden])')].map(q => q.dataset.handle)") == ["M2"]
    assert shown.run("document.getElementById('count').textContent") == "1 of 4 shown"


@needs_chromium
def test_a_filtered_question_keeps_its_answer(shown):
    choose(shown, "C1", "A")
    shown.run("Object.assign(document.getElementById('kind'), {value: 'merge'}).dispatchEvent(new Event('change'))")
    assert verdicts.parse(arguments(line(shown))[4]) == {"C1": "A"}


@needs_chromium
def test_a_question_is_answered_and_the_line_reached_by_keyboard_alone(shown):
    def focus():
        return shown.run("document.activeElement.name || document.activeElement.id || document.activeElement.className")

    seen: list[str] = []
    while focus() != "C1" and len(seen) < 30:
        shown.press("Tab", code=9)
        seen.append(focus())
    assert seen[:2] == ["skip", "theme"]
    assert seen[-4:] == ["kind", "type", "state", "C1"]
    shown.press(" ", " ", 32)
    shown.press("ArrowRight", code=39)
    assert shown.run("document.querySelector('[data-handle=C1] input:checked').value") == "B"
    while focus() != "copy" and len(seen) < 60:
        shown.press("Tab", code=9)
        seen.append(focus())
    assert seen[-3:] == ["line", "shell", "copy"]


@needs_chromium
def test_a_screen_reader_finds_a_name_on_everything(shown):
    choose(shown, "M2", "text")
    shown.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # laid out and drawn
    nodes = [node for node in shown.send("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    roles = {"radio", "button", "combobox", "textbox", "link", "heading", "article", "image", "region"}
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes]
    assert {role for role, _ in named} >= {
        "radio",
        "button",
        "combobox",
        "textbox",
        "image",
        "heading",
        "article",
        "status",
    }
    assert [role for role, name in named if role in roles and not name.strip()] == []


@needs_chromium
def test_what_differs_is_also_said_in_words(shown):
    labels = shown.run("[...document.querySelectorAll('[data-handle=C1] label')].map(label => label.textContent)")
    assert labels[:2] == ["A: 30s", "B: 60s"]


def test_what_differs_at_length_is_said_beside_it(tmp_path):
    plan = small()
    plan.memories["aaaaaaaa1"]["memory"] = "Gateway timeouts are thirty seconds, and nobody may change them"
    assert "<dt>Only in A</dt><dd>thirty seconds, and nobody may change them</dd>" in written(
        tmp_path / "p", plan
    ).read_text(encoding="utf-8")


@needs_chromium
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(tab, tmp_path, theme):
    tab.open(written(tmp_path / "page.html", small()), theme)
    choose(tab, "M2", "text")
    assert tab.run((Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")) == []


@needs_chromium
def test_the_system_chooses_the_theme_and_the_button_changes_it(tab, tmp_path):
    path = written(tmp_path / "page.html", small())
    ground = "getComputedStyle(document.body).backgroundColor"
    tab.open(path, "dark")
    dark = tab.run(ground)
    tab.open(path, "light")
    light = tab.run(ground)
    tab.run("document.getElementById('theme').click()")
    assert dark != light
    assert tab.run(ground) == dark


@needs_chromium
@pytest.mark.parametrize("width", [320, 640, 1280])
def test_the_page_never_scrolls_sideways(tab, tmp_path, width):
    tab.open(written(tmp_path / "page.html", hostile()), width=width)
    assert tab.run("document.documentElement.scrollWidth") <= width


@needs_chromium
def test_the_pictures_show_what_is_past_its_retention(tab, tmp_path):
    plan = small()
    tab.open(
        written(tmp_path / "page.html", plan, history=[{"run": "20260601T000000Z-abcdef", "before": 40, "after": 31}])
    )
    assert tab.run("document.getElementById('ages-note').textContent").startswith("1 of 7 memories are past")
    assert tab.run("document.querySelectorAll('.ages svg rect[fill]').length") == 1
    assert tab.run("[...document.querySelectorAll('.growth tbody tr *')].map(cell => cell.textContent)") == [
        "2026-06-01",
        "31",
        "9",
    ]


def test_a_page_that_cannot_be_written_is_told_in_a_sentence(tmp_path):
    place = steps.Place(tmp_path)
    place.store({"text": "Run pnpm test before every push"}, {"text": "Run pnpm test before every push."})
    done = place.run("dream.py", "--dry-run", "--html", "no folder/page.html")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"{Path('no folder/page.html')} cannot be written (No such file")


def test_a_plan_with_nothing_in_it_says_so(tmp_path):
    text = written(tmp_path / "page.html", Plan({"kind": "file", "identity": "x"}, Scope("dev", None))).read_text(
        encoding="utf-8"
    )
    assert "No duplicate, contradictory, or stale memories found." in text


def test_a_policy_without_inline_allowances_stands_first(tmp_path):
    text = written(tmp_path / "page.html", hostile()).read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert text.index("Content-Security-Policy") < text.index("<title>")


def test_the_line_names_the_run_quoted(tmp_path):
    text = written(tmp_path / "page.html", small(), run="/x/$(touch ran) 'y'").read_text(encoding="utf-8")
    found = re.search(r'data-posix="([^"]*)"', text)
    assert found
    assert shlex.split(found[1].replace("&#x27;", "'").replace("&quot;", '"'))[3] == "/x/$(touch ran) 'y'"
