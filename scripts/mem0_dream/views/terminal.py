"""Where a person reads and answers: colours and bars on a real terminal, plain lines anywhere else.

rich is imported only where a terminal will show it; without it (a bare Python) everything is plain.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from ..matching.differences import Part, brought, differences

_MARKS = {"old": ("[-", "-]"), "new": ("{+", "+}")}
# Neither colour says which side is right.
_STYLES = {"old": "bold underline cyan", "new": "bold underline magenta"}
# A line of the long report that quotes a memory, and the two ends of a question's side.
_QUOTE = re.compile(r'(  - (Original \d+|Merged|A|B): +)(".*)')
_SIDE = re.compile(r'"(.*)"( \([^"]*\))?', re.DOTALL)
_HEADING = re.compile(r"#|(Merges|Conflicts|Prune) \(\d+\):$")
_NAME = re.compile(r"\[mem0:[^\]\s]*\]")


class Terminal:
    """One output stream and what it can show; `ask` raises EOFError at the end of the input."""

    def __init__(
        self, stream: TextIO | None = None, answers: TextIO | None = None, env: Mapping[str, str] = os.environ
    ) -> None:
        self.stream = stream or sys.stdout
        self.answers = answers or sys.stdin
        self.env = env
        self._screen = self.stream.isatty()
        self._rich = _console(self.stream, env) if self._screen else None

    @property
    def coloured(self) -> bool:
        return self._rich is not None and self._rich.color_system is not None and not self._rich.no_color

    @property
    def attended(self) -> bool:
        """Whether somebody types the answers."""
        return self.answers.isatty()

    def say(self, text: str) -> None:
        """A text as it is; on a terminal, headings and names stand out and a report's quotes show where they differ."""
        if not self._screen:
            self._write(text)
            return
        for line in _painted(text.split("\n")):
            self._show(*line)

    def ask(self, prompt: str) -> str:
        """One line of answer, without its line break."""
        self.stream.write(prompt)
        self.stream.flush()
        line = self.answers.readline()
        if not line or not self.answers.isatty():  # no key was pressed that would have ended the line
            self._write("")
        if not line:
            raise EOFError
        return line.rstrip("\r\n")

    def edit(self, draft: str) -> str:
        """The draft as the person wrote it anew: in their editor, if they have named one, else on the line."""
        editor = self.env.get("VISUAL") or self.env.get("EDITOR")
        if not (editor and self.attended):
            return self.ask("New text: ")
        handle, name = tempfile.mkstemp(suffix=".txt", prefix="mem0-dream-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{draft}\n")
            subprocess.run([*shlex.split(editor, posix=os.name != "nt"), name], check=True)
            return Path(name).read_text(encoding="utf-8").strip()
        except (OSError, ValueError, subprocess.CalledProcessError):
            return self.ask(f"The editor {editor} cannot be used. New text: ")
        finally:
            Path(name).unlink(missing_ok=True)

    def pair(self, a: str, b: str) -> None:
        """Both sides of a question (each `"text" (what is known of it)`), the older first, with what differs marked."""
        if not self._screen:
            self._write(f"A: {a}\nB: {b}")
            return
        for lead, (runs, known) in zip(("A: ", "B: "), _compared(a, b), strict=True):
            self._show(lead, runs, known)

    @contextmanager
    def stage(
        self, name: str, total: int | None = None, unit: str = "memories", lasting: bool = True
    ) -> Iterator[Callable[..., None]]:
        """A stage of the work, counted by the callable it gives: `step(3)`, or `step(0, total=40)` once it is known.

        A bar with count and remaining time on a terminal, which leaves nothing behind; elsewhere one line at its end,
        if it is `lasting`.
        """
        if self._rich is None or self._rich.is_dumb_terminal:
            done = [0]

            def count(steps: int = 1, total: int | None = None) -> None:
                done[0] += steps

            yield count
            if lasting:
                self._write(f"{name}: {done[0]:,} {unit}" if done[0] else f"{name}: done")
            return
        with _bar(self._rich) as bar:
            task = bar.add_task(name, total=total, count=_counted(0, total, unit))

            def move(steps: int = 1, total: int | None = None) -> None:
                bar.update(task, advance=steps, **({} if total is None else {"total": total}))
                bar.update(task, count=_counted(bar.tasks[0].completed, bar.tasks[0].total, unit))

            yield move

    def _show(self, lead: str, runs: Sequence[_Run], known: str = "") -> None:
        """One line in runs, what differs in colour, or between marks where there is none; `known` is not broken.

        Wrapped under its own beginning where it is indented or labelled; a line that begins at the margin may be one to
        copy, and stays whole.
        """
        if self._rich is None:
            self._write(lead + "".join(_in_words(run) for run in runs) + known)
            return
        from rich.cells import cell_len
        from rich.text import Text

        text = Text()
        for run in runs:
            text.append(run[0], _STYLES.get(run[1], run[1])) if self.coloured else text.append(_in_words(run))
        hang = cell_len(lead) + (0 if lead.strip() else 2)
        room = self._rich.width - hang
        lines = list(text.wrap(self._rich, room, overflow="fold")) if lead and room > 20 and text else [text]
        if known and lines[-1].cell_len + cell_len(known) > room:
            lines.append(Text(known.strip(), "dim"))
        else:
            lines[-1].append(known, "dim")
        for number, line in enumerate(lines):
            line.rstrip()
            self._rich.print(Text(lead if number == 0 else " " * hang) + line, soft_wrap=True)

    def _write(self, text: str) -> None:
        self.stream.write(f"{text}\n")
        self.stream.flush()


_Run = tuple[str, str]  # a piece of text and its style: "", "bold", "dim", "old" or "new"
_Side = tuple[list[_Run], str]


def _painted(lines: list[str]) -> Iterator[tuple[str, list[_Run], str]]:
    """Every line as its indent or label, its text in runs, and what is known of it."""
    for quotes, group in groupby(lines, key=lambda line: _QUOTE.fullmatch(line) is not None):
        if quotes:
            yield from _quoted([found for line in group if (found := _QUOTE.fullmatch(line))])
            continue
        for line in group:
            bare = line.lstrip(" ")
            yield line[: len(line) - len(bare)], _plain(bare), ""


def _quoted(quotes: list[re.Match[str]]) -> Iterator[tuple[str, list[_Run], str]]:
    """The texts of one item of the long report: each original against the merged text, A against B."""
    texts = [found[3] for found in quotes]
    if quotes[-1][2] in ("A", "B") and len(quotes) == 2:
        sides = list(_compared(*texts))
    else:
        sides = [_compared(text, texts[-1])[0] for text in texts[:-1]]
        sides.append((_runs(brought(texts[-1], texts[:-1]), "new"), ""))
    for found, (runs, known) in zip(quotes, sides, strict=True):
        yield found[1], runs, known


def _plain(line: str) -> list[_Run]:
    if _HEADING.match(line):
        return [(line, "bold")]
    runs: list[_Run] = []
    at = 0
    for found in _NAME.finditer(line):
        runs += [(line[at : found.start()], ""), (found[0], "dim")]
        at = found.end()
    return [*runs, (line[at:], "")]


def _compared(a: str, b: str) -> tuple[_Side, _Side]:
    """Both sides in runs, and what is known of each (date, confidence), which is not compared."""
    (left, known), (right, of_other) = _split(a), _split(b)
    old, new = differences(left, right)
    quote = [('"', "")]
    return ([*quote, *_runs(old, "old"), *quote], known), ([*quote, *_runs(new, "new"), *quote], of_other)


def _split(side: str) -> tuple[str, str]:
    found = _SIDE.fullmatch(side)
    return (found[1], found[2] or "") if found else (side, "")


def _runs(parts: Sequence[Part], style: str) -> list[_Run]:
    return [(part.text, style if part.differs else "") for part in parts]


def _in_words(run: _Run) -> str:
    before, after = _MARKS.get(run[1], ("", ""))
    return f"{before}{run[0]}{after}"


def _console(stream: TextIO, env: Mapping[str, str]) -> Any:
    """A rich console on this stream; None on a Python that does not have rich."""
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False, _environ=env)


def _counted(done: float, total: float | None, unit: str) -> str:
    """What stands beside a bar; nothing before there is anything to count."""
    if total is None:
        return f"{done:,.0f} {unit}" if done else ""
    return f"{done:,.0f}/{total:,.0f} {unit}"


def _bar(console: Any) -> Any:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    )
    return Progress(*columns, console=console, transient=True, expand=True)
