"""What a text names of a repository: paths, scripts of package.json, targets of make and just."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple, get_args

from ..matching import lexicon

Kind = Literal["file", "folder", "script", "make", "just"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_PATH = re.compile(r"(?<![\w/\\.:@~$%*<>{}=+#&-])(?:\./)?((?:[\w.@+()\[\]-]+/)*[\w.@+()\[\]-]+/?)(?![\w<{*$%\\…])")
_HINT = re.compile(r"[\w)\]]/|\.[A-Za-z]|\b(?:npm|pnpm|yarn|bun|make|just) ")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_SCRIPT = re.compile(
    r"\b(?:(?:npm|pnpm|yarn|bun) (?:run|run-script) ([\w][\w:.-]*\w)|(?:pnpm|yarn) ([\w][\w:.-]*\w)|npm (test|start)\b)"
)
_TARGET = re.compile(r"(?:`|\b[Rr]un(?:ning)? |\b[Uu]se |\b[Vv]ia |\$ |&& )(make|just) ([\w][\w.-]*\w)(?![\w=/])")
_MAKE_TARGET = re.compile(r"(?m)^([\w.%/ -]+?)\s*:(?!=)|^\.PHONY\s*:(.*)$")
_JUST_TARGET = re.compile(r"(?m)^@?(?:alias )?([\w-]+)[^:=\n]*:")


class Mention(NamedTuple):
    """What a text names; `written` is how it stands there."""

    kind: Kind
    name: str
    written: str


def mentions(text: str) -> list[Mention]:
    """All that a text names, each once."""
    if not _HINT.search(text):
        return []
    found = [*_paths(text)]
    found += [Mention("script", next(filter(None, match.groups())), match.group()) for match in _SCRIPT.finditer(text)]
    for match in _TARGET.finditer(text):
        kind: Kind = "make" if match[1] == "make" else "just"
        found.append(Mention(kind, match[2], f"{match[1]} {match[2]}"))
    return list(dict.fromkeys(found))


def _paths(text: str) -> Iterator[Mention]:
    for match in _PATH.finditer(text):
        written = _bare(match[1])
        name = written.rstrip("/")
        has_ending = _ENDING.search(name) is not None
        if ".." in name or name.startswith("-") or not name.strip("./") or not re.search(r"[^\W\d]", name):
            continue
        if has_ending and not written.endswith("/"):
            yield Mention("file", name, written)
        elif "/" in written and (written.endswith("/") or _is_code(text, match)):
            yield Mention("folder", name, written)


def _bare(written: str) -> str:
    """The path without what the sentence puts around it."""
    while written:
        last = written[-1]
        if last in ".-+@" or (last in ")]" and written.count(last) > written.count({")": "(", "]": "["}[last])):
            written = written[:-1]
        elif written.endswith(("()", "[]")):
            written = written[:-2]
        else:
            break
    while (
        written[:1]
        and written[0] in "(["
        and written.count(written[0]) > written.count({"(": ")", "[": "]"}[written[0]])
    ):
        written = written[1:]
    return written


def _is_code(text: str, match: re.Match[str]) -> bool:
    return text[match.start() - 1 : match.start()] == "`" and text[match.end() : match.end() + 1] == "`"


def tells_of_the_past(text: str) -> bool:
    """Whether it says itself, outside of any path, that something was removed, renamed or is of the past."""
    return _past().search(text) is not None and _past().search(_PATH.sub(_without_path, text)) is not None


def _without_path(match: re.Match[str]) -> str:
    return " " if "/" in match[1] or _ENDING.search(match[1]) else match.group()


@cache
def _past() -> re.Pattern[str]:
    words = lexicon.words("gone")
    bare = {word for word in words if not word[0].isalpha() or word[0] >= "\u2e80"}
    return re.compile(rf"(?i)\b(?:{lexicon.alternation(words - bare)})\b|{lexicon.alternation(bare)}")


def listing_of(path: str) -> Kind | None:
    """Which kind of commands a file of this name lists."""
    name = path.rpartition("/")[2]
    if name == "package.json":
        return "script"
    if name.lower() in ("makefile", "gnumakefile") or name.endswith(".mk"):
        return "make"
    return "just" if name.lower() in ("justfile", ".justfile") or name.endswith(".just") else None


LISTINGS: dict[Kind, list[str]] = {
    "script": ["package.json"],
    "make": ["Makefile", "makefile", "GNUmakefile", "*.mk"],
    "just": ["justfile", "Justfile", ".justfile", "*.just"],
}


def commands(kind: Kind, content: str) -> set[str]:
    """The scripts or targets that such a file lists; none where it cannot be read."""
    if kind == "script":
        try:
            scripts = json.loads(content).get("scripts")
        except (ValueError, AttributeError, RecursionError):
            return set()
        return set(scripts) if isinstance(scripts, dict) else set()
    pattern = _MAKE_TARGET if kind == "make" else _JUST_TARGET
    return {name for match in pattern.finditer(content) for part in match.groups() if part for name in part.split()}
