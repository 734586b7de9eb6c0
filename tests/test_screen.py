"""dream.py on a real terminal of 80 columns, with a person at the keyboard."""

import os
import re
import select
import signal
import struct
import subprocess
import sys
import time

import pytest
from rich.cells import cell_len

from tests import steps

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals of this kind")
COLUMNS = 80
DOWN = "An answer that the gateway waits for longer than 30s is given up, logged as lost and counted twice."
UP = "An answer that the gateway waits for longer than 60s is given up, logged as lost and counted twice."


class Screen:
    """A script on a terminal: what it shows, and a keyboard."""

    def __init__(self, place, *arguments, **env):
        import fcntl
        import pty
        import termios

        self.keyboard, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        command = [sys.executable, str(steps.SCRIPTS / "dream.py"), *place.options, *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=place.folder,
            env={**place.env, "TERM": "xterm-256color", **env},
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def until(self, text):
        """Wait until `text` is shown after what was answered last."""
        start, end = len(self.shown), time.monotonic() + 60
        while text not in self.shown[start:]:
            assert time.monotonic() < end, self.shown
            if not self._read():
                raise AssertionError(f"{text!r} never came:\n{self.shown}")

    def press(self, keys):
        os.write(self.keyboard, keys.encode())

    def ends(self):
        """Everything that is shown by its end, and the exit code."""
        while self._read():
            pass
        os.close(self.keyboard)
        return self.shown.replace("\r\n", "\n"), self.process.wait(60)

    def _read(self):
        if not select.select([self.keyboard], [], [], 60)[0]:
            return False
        try:
            more = os.read(self.keyboard, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        self.shown += more.decode(errors="replace")
        return bool(more)


def bare(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.fixture
def place(tmp_path):
    found = steps.Place(tmp_path)
    found.store(
        {"text": DOWN, "days": 90},
        {"text": UP, "days": 9},
        {"text": "提交之前先运行单元测试和格式检查，然后再请一位同事看一遍修改的内容，最后才合并到主分支。", "days": 9},
        {"text": "提交之前先运行单元测试和格式检查，然后再请一位同事看一遍修改的内容，最后才合并到主分支", "days": 30},
    )
    return found


def test_a_person_answers_and_applies(place):
    screen = Screen(place)
    screen.until("[A/B/both/same/skip] ")
    screen.press("b\n")
    screen.until("[Y/n] ")
    screen.press("\n")
    shown, code = screen.ends()
    assert code == 0
    assert "Dream complete — merged: 1, pruned: 0, conflicts resolved: 1, skipped: 0\n" in bare(shown)
    assert DOWN not in place.texts()


def test_what_differs_is_coloured_and_underlined(place):
    screen = Screen(place)
    screen.until("[A/B/both/same/skip] ")
    screen.press("q\n")
    shown, _ = screen.ends()
    assert re.findall(r"\x1b\[1;4;3[56]m([^\x1b]*)", shown) == ["30s", "60s"]


def test_with_no_color_there_is_none_and_marks_stand_instead(place):
    screen = Screen(place, NO_COLOR="1")
    screen.until("[A/B/both/same/skip] ")
    screen.press("q\n")
    shown, _ = screen.ends()
    assert re.findall(r"\[-.*?-\]|\{\+.*?\+\}", shown) == ["[-30s-]", "{+60s+}"]
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown)


def test_nothing_is_wider_than_the_terminal(place):
    screen = Screen(place)
    screen.until("[A/B/both/same/skip] ")
    screen.press("skip\n")
    screen.until("[Y/n] ")
    screen.press("details\n")
    screen.until("[Y/n] ")
    screen.press("n\n")
    shown, _ = screen.ends()
    indented = [line for line in bare(shown).split("\n") if line.startswith((" ", "A:", "B:"))]
    assert len(indented) > 10
    assert max(map(cell_len, indented)) <= COLUMNS


def test_bars_come_and_leave_nothing_behind(place):
    screen = Screen(place, "--dry-run")
    shown, code = screen.ends()
    assert code == 0
    assert "4/4 memories" in bare(shown)
    assert re.search(r"4/4.*?\x1b\[1A\x1b\[2K", shown, re.DOTALL)


def test_ctrl_c_changes_nothing(place):
    before = place.rows()
    screen = Screen(place)
    screen.until("[A/B/both/same/skip] ")
    os.killpg(screen.process.pid, signal.SIGINT)
    shown, _ = screen.ends()
    assert bare(shown).endswith("Cancelled. No changes made.\n")
    assert place.rows() == before


def test_a_dumb_terminal_gets_lines_and_no_bar(place):
    shown, code = Screen(place, "--dry-run", TERM="dumb").ends()
    assert code == 0
    assert "\x1b" not in shown
    assert "Finding: 4 memories\n" in shown
