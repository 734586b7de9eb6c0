#!/usr/bin/env python3
"""Make the pictures of the documentation: the demo in a terminal, and its review page, each light and dark.

Usage: python tools/pictures.py [FOLDER]   (docs/pictures where none is given; needs a Chromium and a pseudo-terminal)
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from rich.cells import cell_len  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.text import Text  # noqa: E402

from tools.browser import browser  # noqa: E402

COLUMNS, ROWS = 80, 50
CELL, LINE, MARGIN = 9, 20, 16  # a cell's width, a line's height, in pixels
# Ground, text and quiet text, then the two colours that the terminal is asked for.
THEMES = {
    "light": {"ground": "#ffffff", "text": "#24292e", "dim": "#69717a", "red": "#b02018", "green": "#146e32"},
    "dark": {"ground": "#15181c", "text": "#dee2e6", "dim": "#8b949d", "red": "#ff8c7d", "green": "#7ed396"},
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        shown = in_a_terminal([sys.executable, str(ROOT / "scripts" / "dream.py"), "--demo"], home)
    shown = shown.replace(str(ROOT), "~/mem0-dream").replace(home, "~/.mem0/dream")
    lines = shown.replace("\r\n", "\n").split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith("mem0-dream "))
    last = next(n for n, line in enumerate(lines) if "Step 2" in line)
    for theme in THEMES:
        picture = drawn("\n".join(lines[first:last]).strip("\n"), theme)
        (folder / f"terminal-{theme}.svg").write_text(picture, encoding="utf-8")
    with tempfile.TemporaryDirectory() as home, review_page(home) as address, browser() as tab:
        for theme in THEMES:
            tab.open(address, theme, 1200, 1100)
            tab.run("document.querySelector('[data-answer=B]').click()")
            tab.run("new Promise(done => setTimeout(done, 500))")
            (folder / f"page-{theme}.png").write_bytes(tab.picture())


def in_a_terminal(command: list[str], home: str) -> str:
    """Everything a command writes to a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    env = {**os.environ, "MEM0_DREAM_HOME": home, "TERM": "xterm-256color"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        env.pop(name, None)
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    found = bytearray()
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not more:
            break
        found += more
    os.close(ours)
    if process.wait():
        raise SystemExit(f"{command} failed:\n{found.decode(errors='replace')}")
    # Bars come and go: each is drawn with the cursor hidden, and wiped out.
    return re.sub(r"\x1b\[\?25l.*?\x1b\[\?25h(\r?\x1b\[1A\x1b\[2K)?", "", found.decode(), flags=re.DOTALL)


def drawn(shown: str, theme: str) -> str:
    """What a terminal showed, as SVG that loads nothing: every run of text in its cells."""
    colours = THEMES[theme]
    rows = [row for line in shown.split("\n") for row in folded(Text.from_ansi(line))]
    wide, high = COLUMNS * CELL + 2 * MARGIN, len(rows) * LINE + 2 * MARGIN
    style = "text{white-space:pre;font-size:15px;font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}">',
        f"<title>dream.py in a terminal</title><style>{style}</style>",
        f'<rect width="{wide}" height="{high}" rx="8" fill="{colours["ground"]}" stroke="{colours["dim"]}"/>',
    ]
    for number, row in enumerate(rows):
        at = 0
        for text, look in runs(row):
            width = cell_len(text)
            x, y = MARGIN + at * CELL, MARGIN + number * LINE + 15
            at += width
            if not text.strip():
                continue
            colour = next((colours[name] for name in ("red", "green", "dim") if name in look), colours["text"])
            weight = ' font-weight="bold"' if "bold" in look else ""
            under = ' text-decoration="underline"' if "underline" in look else ""
            parts.append(
                f'<text x="{x}" y="{y}" textLength="{width * CELL}" lengthAdjust="spacingAndGlyphs" fill="{colour}"'
                f"{weight}{under}>{escape(text)}</text>"
            )
    return "\n".join([*parts, "</svg>", ""])


def folded(line: Text) -> list[Text]:
    """A line as a terminal breaks it at its last column."""
    console = Console(width=COLUMNS, file=io.StringIO())
    return list(line.wrap(console, COLUMNS, overflow="fold")) if line else [line]


def runs(row: Text) -> list[tuple[str, str]]:
    """The row cut where its style changes."""
    console = Console(width=COLUMNS, file=io.StringIO())
    return [(segment.text, named(str(segment.style or ""))) for segment in row.render(console) if segment.text]


def named(look: str) -> str:
    """A style with its two colours by name."""
    return look.replace("color(1)", "red").replace("color(2)", "green")


@contextmanager
def review_page(home: str) -> Iterator[str]:
    """The address of the review page on the demo's store."""
    command = [sys.executable, str(ROOT / "scripts" / "dream.py"), "--demo", "--review", "--no-browser"]
    env = {**os.environ, "MEM0_DREAM_HOME": home}
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", env=env) as process:
        assert process.stderr
        yield next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
        process.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
