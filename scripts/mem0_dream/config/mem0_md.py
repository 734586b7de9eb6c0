"""The file mem0.md: where it is, its text whatever wrote it, its sections, and the `key: value` lines in them."""

from __future__ import annotations

import codecs
import difflib
import os
import re
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from ..errors import DreamError

NAME = "mem0.md"
LARGEST = 100_000  # bytes; far above any settings file
LONGEST = 300  # letters of a line that is searched for emphasis; no policy is that long

_HEADING = re.compile(r"^\s{0,3}(#{1,6})(?!#)(.*)$")
_FENCE = re.compile(r"^\s*(?:>\s*|[-*+]\s+)?(`{3,}|~{3,})")
_RULE = re.compile(r"^[\s|:+=*_\-–—]+$")  # a table's separator row, a thematic break, an underline
_BOLD = re.compile(r"^\s*(?:(?:\*\*|__)[^*_:]+:?(?:\*\*|__):?|[-*]?\s*[A-Za-z ]{1,40}:)\s*$")  # or ends in a colon
_OF_PRUNING = {"prune", "pruning", "ttl"}
_BULLET = re.compile(r"^(?:(?:[-*+•–]|\d+[.)])\s+)*(?:\[[ xX]\]\s+)?")
_SEPARATOR = re.compile(r"[:：=]|\s(?:->|→|[-–—])\s")
_EMPHASIS = re.compile(r"(?<![\w*])(\*\*|__|\*|`+)(\S(?:.*?\S)?)\1(?![\w*])")
_INVISIBLE = re.compile("[\ufeff\u200b\u200c\u200d\u2060]")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Line(NamedTuple):
    """One line of the file; `number` counts from 1, `code` is True inside a code fence, `under` is the next line."""

    number: int
    text: str
    code: bool = False
    under: str = ""


class Entry(NamedTuple):
    """A `key: value` line as it is meant; `key` is None if the line is not one."""

    number: int
    key: str | None
    value: str


def find(folder: Path) -> Path | None:
    """mem0.md in `folder`, else in the folders above it up to the root of its git repository."""
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would leave a linked working folder
    parents = [folder, *folder.parents]
    root = next((parent for parent in parents if _is_repository(parent)), folder)
    for parent in parents[: parents.index(root) + 1]:
        try:
            named = sorted(entry for entry in parent.iterdir() if entry.name.lower() == NAME and not entry.is_dir())
        except OSError:
            continue
        found = next((entry for entry in named if entry.name == NAME), named[0] if named else None)
        if found:
            return found
    return None


def read(path: Path) -> str:
    """The file's text in whatever encoding it was saved; DreamError says why it cannot be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DreamError(f"{path} is not a file; make it one.")
        raw = path.read_bytes()
    except OSError as error:
        raise DreamError(f"{path} cannot be read ({error.strerror}); check its permissions.") from None
    if len(raw) > LARGEST:
        raise DreamError(f"{path} is larger than {LARGEST:,} bytes; make it shorter.")
    encoding = next((name for mark, name in _BOMS if raw.startswith(mark)), None)
    if encoding is None and b"\0" in raw[:2]:
        encoding = "utf-16-be" if raw[0] == 0 else "utf-16-le"
    try:
        text = raw.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        text = "\0" if encoding else raw.decode("latin-1")  # the lines that count are plain ASCII in any code page
    if "\0" in text:
        raise DreamError(f"{path} is not a text file; save it as UTF-8.")
    return text


def lines(content: str) -> tuple[list[Line], int | None]:
    """The numbered lines without comments and struck-out text, and where a code fence opens that is never closed."""
    content = _uncommented(content)
    found: list[Line] = []
    fence, opened = "", None
    for number, text in enumerate(re.split(r"\r\n|\r|\n", _INVISIBLE.sub("", content)), 1):
        mark = _FENCE.match(text)
        if fence:
            found.append(Line(number, text, True))
            if mark and mark[1].startswith(fence) and not text.strip(" \t>`~"):
                fence, opened = "", None
        elif mark:
            fence, opened = mark[1], number
            found.append(Line(number, "", True))
        else:
            found.append(Line(number, re.sub(r"~~.*?~~", "", text)))
    below = [*(line.text for line in found[1:]), ""]
    return [line._replace(under=below[i]) for i, line in enumerate(found)], opened


def section(content: str, *titles: str) -> list[Line] | None:
    """The lines under every heading that begins with one of `titles` (any case), or None if there is none.

    As in mem0's own parser a `#` line inside is a comment and only a heading of level 2, or of the section's
    own level, ends it.
    """
    inside: list[Line] | None = None
    level = 0
    for line in lines(content)[0]:
        heading = _heading(line)
        if heading:
            depth, title = heading
            words = re.sub(r"^\W+", "", re.sub(r"[*_`]", "", title)).lower()
            if any(re.match(rf"{re.escape(wanted.lower())}\b", words) for wanted in titles):
                inside, level = inside or [], max(depth, 2)
                continue
            if 2 <= depth <= level:
                level = 0
        if level and inside is not None:
            inside.append(line)
    return inside


def near(content: str, word: str, types: Iterable[str], is_time: Callable[[str], bool]) -> int | None:
    """The number of a line that says, outside of a section, how long memories are kept; None if there is none.

    A heading, bold text or key that is `word`, or a slip of it; or a time beside that word or one of the `types`.
    """
    for line in lines(content)[0]:
        heading = _heading(line)
        text = heading[1] if heading else re.sub(r"<[^<>]*>", "", line.text)
        if len(text) > LONGEST:
            continue
        key, *value = _SEPARATOR.split(text, maxsplit=1)
        words = re.findall(r"[^\W\d_]+", key.lower())[:4]
        timed = bool(value) and is_time(value[0])
        alone = len(words) == 1 and (value or not re.match(r"\s*[-*+•]\s", text))
        if difflib.get_close_matches(word, words, 1, 0.8) and (heading or alone or timed or _BOLD.match(text)):
            return line.number
        if (heading and _OF_PRUNING.intersection(words)) or (timed and any(type in _snake(key) for type in types)):
            return line.number
    return None


def entries(section_lines: list[Line]) -> list[Entry]:
    """The section's `key: value` lines, table rows included; other lines that say something have no key."""
    found = []
    for line in section_lines:
        text = plain(line)
        if not text or ("|" in text and "-" in line.under and _RULE.match(line.under)):  # a table's header
            continue
        separator, pipe = _SEPARATOR.search(text), text.find("|")
        if pipe >= 0 and (separator is None or pipe < separator.start()):
            cells = text.strip("|").split("|")
            key, value = cells[0], cells[1] if len(cells) > 1 else ""
        elif separator:
            key, value = text[: separator.start()], text[separator.end() :]
        else:
            found.append(Entry(line.number, None, text))
            continue
        if not value.strip() and " " in key.strip():  # "These are kept for long:"
            continue
        found += [Entry(line.number, _bare(name), _bare(value)) for name in key.split(",") if name.strip()]
    return found


def plain(line: Line) -> str:
    """The line without comment, bullet, bold and ticks; empty for code and for what only draws a line."""
    text = "" if line.code or _RULE.match(line.text) else line.text.split("#")[0].strip()
    text = _BULLET.sub("", text)
    return (_EMPHASIS.sub(r"\2", text) if len(text) < LONGEST else text).strip()


def _uncommented(content: str) -> str:
    """The text without HTML comments; its lines keep their numbers."""
    parts, rest = [], 0
    while (start := content.find("<!--", rest)) >= 0 and (end := content.find("-->", start)) >= 0:
        parts += [content[rest:start], "\n" * content.count("\n", start, end)]
        rest = end + 3
    return "".join([*parts, content[rest:]])


def _is_repository(folder: Path) -> bool:
    """A .git that is a file belongs to a worktree or submodule; an empty folder of that name (sandboxes) is none."""
    return (folder / ".git").is_file() or (folder / ".git" / "HEAD").exists()


def _heading(line: Line) -> tuple[int, str] | None:
    """Level and title of a heading, `## like this` or underlined."""
    found = None if line.code else _HEADING.match(line.text)
    if found:
        return len(found[1]), found[2].strip().rstrip("#").strip()
    title, rule = line.text.strip(), line.under.strip()
    underlined = rule and set(rule) in ({"="}, {"-"}) and len(rule) >= max(3, len(title) - 2)
    if underlined and not line.code and re.match(r"[^\W\d][^:：=|]*$", title):
        return (1 if rule[0] == "=" else 2), title
    return None


def _snake(text: str) -> str:
    return re.sub(r"[\s-]+", "_", text.lower())


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if len(text) > 2 and text[0] + text[-1] in ('""', "''", "“”", "‘’") else text
