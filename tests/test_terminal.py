"""What a terminal shows, with and without colours, and what a pipe gets."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mem0_dream.views.terminal import Terminal
from rich.cells import cell_len

SCRIPTS = Path(__file__).parents[1] / "scripts"
OLD = '"Retries stop after 30s on every gateway of the shop." (2026-01-02, confidence: 0.8)'
NEW = '"Retries stop after 60s on every gateway of the shop." (2026-03-04, confidence: none)'
REPORT = """## Dream — Memory Consolidation Report

### Merge proposals (1 pairs)
MERGE [mem0:aaaaaaaa] + [mem0:bbbbbbbb] → NEW
  - Original 1: "Staging runs Postgres 15"
  - Original 2: "Staging runs Postgres 15 on db-1 [bold]now[/bold]"
  - Merged:     "Staging runs Postgres 15 on db-1"
  handle: M1
  why: one says more

### Contradictions (1 pairs)
CONFLICT [mem0:cccccccc] vs [mem0:dddddddd]
  - A: "Deploys go to ECS" (2026-01-02, confidence: 0.8)
  - B: "Deploys go to Vercel" (2026-02-02, confidence: none)
  Which is current? [A/B/skip]

---
Proposed: 1 merge, 0 prunes, 1 conflict
Apply? [Y/n]"""


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def terminal(stream, answers="", **env):
    return Terminal(stream, io.StringIO(answers), {"TERM": "xterm-256color", "COLUMNS": "80", **env})


def screen(show, **env):
    stream = Screen()
    show(terminal(stream, **env))
    return stream.getvalue()


def bare(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_report_that_is_piped_is_exactly_the_report():
    stream = io.StringIO()
    terminal(stream).say(REPORT)
    assert stream.getvalue() == f"{REPORT}\n"


def test_a_pair_that_is_piped_is_two_plain_lines():
    stream = io.StringIO()
    terminal(stream).pair(OLD, NEW)
    assert stream.getvalue() == f"A: {OLD}\nB: {NEW}\n"


def test_a_terminal_colours_and_underlines_only_what_differs():
    assert re.findall(r"\x1b\[1;4;3[56]m([^\x1b]*)", screen(lambda t: t.pair(OLD, NEW))) == ["30s", "60s"]


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colour_what_differs_stands_between_marks(env):
    shown = screen(lambda t: t.pair(OLD, NEW), **env)
    assert "after [-30s-] on" in shown
    assert "after {+60s+} on" in shown
    assert (
        "\x1b[" not in shown.replace("\x1b[2m", "").replace("\x1b[0m", "") if "NO_COLOR" in env else "\x1b" not in shown
    )


def test_dates_and_confidences_are_not_compared():
    assert "[-" not in screen(lambda t: t.pair(OLD, OLD.replace("2026-01-02", "2026-09-09")), NO_COLOR="1")


def test_the_long_report_marks_what_the_merged_text_does_not_say():
    assert 'db-1 [-[bold]now[/bold]-]"' in screen(lambda t: t.say(REPORT), NO_COLOR="1")


def test_the_long_report_marks_both_sides_of_a_contradiction():
    shown = screen(lambda t: t.say(REPORT), NO_COLOR="1")
    assert 'A: "Deploys go to [-ECS-]"' in shown
    assert 'B: "Deploys go to {+Vercel+}"' in shown


def test_a_coloured_report_says_the_same_words():
    assert bare(screen(lambda t: t.say(REPORT))) == f"{REPORT}\n"


def test_nothing_is_wider_than_the_terminal_and_wide_characters_are_counted():
    long = '"' + "网关的超时时间是三十秒，然后重试两次。" * 6 + '" (2026-01-02, confidence: 0.8)'
    lines = bare(screen(lambda t: t.pair(long, long.replace("三", "六", 1)))).splitlines()
    assert max(map(cell_len, lines)) <= 80


def test_a_text_of_many_lines_stands_under_its_own_beginning():
    long = '"' + "word " * 40 + '" (2026-01-02, confidence: 0.8)'
    lines = bare(screen(lambda t: t.pair(long, long))).splitlines()
    assert {line[:3] for line in lines} == {"A: ", "B: ", "   "}


def test_a_line_to_paste_is_never_broken():
    line = "Undo: python3 /a/long/path/apply_plan.py --undo 20260101T000000Z-abcdef " + "x" * 90
    assert screen(lambda t: t.say(line)) == f"{line}\n"


def test_an_answer_is_read_after_its_prompt():
    stream = io.StringIO()
    assert terminal(stream, "skip\r\n").ask("Which? ") == "skip"
    assert stream.getvalue() == "Which? \n"


def test_a_person_at_a_keyboard_ends_the_line_themselves():
    stream, keyboard = Screen(), Screen("skip\n")
    Terminal(stream, keyboard, {"TERM": "dumb"}).ask("Which? ")
    assert stream.getvalue() == "Which? "


def test_the_end_of_the_input_is_told_by_an_error():
    with pytest.raises(EOFError):
        terminal(io.StringIO()).ask("Which? ")


def work(t):
    with t.stage("Fetching", total=40) as step:
        for _ in range(4):
            step(10)


def test_a_piped_stage_is_one_line():
    stream = io.StringIO()
    work(terminal(stream))
    assert stream.getvalue() == "Fetching: 40 memories\n"


def test_a_stage_without_a_count_is_one_line_too():
    stream = io.StringIO()
    with terminal(stream).stage("Finding"):
        pass
    assert stream.getvalue() == "Finding: done\n"


def test_a_piped_stage_that_is_told_otherwise_is_no_line():
    stream = io.StringIO()
    with terminal(stream).stage("Fetching", lasting=False) as step:
        step(40)
    assert stream.getvalue() == ""


def test_a_dumb_terminal_gets_the_line_and_no_bar():
    assert screen(work, TERM="dumb") == "Fetching: 40 memories\n"


def test_a_bar_shows_name_count_and_total():
    shown = bare(screen(work))
    assert "Fetching" in shown
    assert "40/40 memories" in shown


def test_a_total_may_become_known_on_the_way():
    def later(t):
        with t.stage("Fetching") as step:
            step(0, total=7)
            step(7)

    assert "7/7 memories" in bare(screen(later))


def test_a_failure_in_a_stage_is_passed_on_and_is_not_called_done():
    stream = io.StringIO()
    with pytest.raises(ValueError, match="gone"), terminal(stream).stage("Applying"):
        raise ValueError("gone")
    assert stream.getvalue() == ""


def test_a_python_without_rich_can_show_a_pair():
    code = (
        "import sys; sys.modules['rich'] = None; sys.modules['rich.console'] = None\n"
        "from mem0_dream.views.terminal import Terminal\n"
        "sys.stdout.isatty = lambda: True\n"
        "Terminal().pair('\"30s\" (x)', '\"60s\" (y)')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, capture_output=True, text=True, timeout=60)
    assert done.stdout == 'A: "[-30s-]" (x)\nB: "{+60s+}" (y)\n', done.stderr


def test_rich_is_not_imported_for_a_pipe():
    code = (
        "import sys; from mem0_dream.views.terminal import Terminal; Terminal().say('x'); print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, capture_output=True, text=True, timeout=60)
    assert done.stdout == "x\nFalse\n", done.stderr
