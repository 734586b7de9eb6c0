"""The closed table: two texts are merged with no one asked if, and only if, these rewrites make them equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from . import lexicon


class Row(NamedTuple):
    """A rewrite that changes nothing of what a text says.

    The two texts of `example` become equal by it; those of `counter` look much the same and stay apart.
    """

    name: str
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]
    example: tuple[str, str]
    counter: tuple[str, str]


def _composed(found: re.Match[str]) -> str:
    """One Unicode form; letters and marks of full width as those of half."""
    text = unicodedata.normalize("NFC", found.group())
    return re.sub("[\uff01-\uff5e\u3000]", lambda wide: unicodedata.normalize("NFKC", wide.group()), text)


def _small(found: re.Match[str]) -> str:
    """The first letter small, if the word often begins a note: it is no name."""
    return found.group().lower() if found.group().lower() in _beginnings() else found.group()


def _one_space(found: re.Match[str]) -> str:
    """One space between words, none around the text; what stands between backticks is code."""
    if found.group()[0] == "`":
        return found.group()
    return " " if found.start() and found.end() < len(found.string) else ""


@cache
def _beginnings() -> frozenset[str]:
    return (lexicon.words("openers/words") | lexicon.words("function_words")) - lexicon.words("openers/things")


_WORD = r"(?=[^\s*_`])"
ROWS = (
    Row("Unicode", re.compile(r"(?s)\A.*[^\x00-\x7f].*"), _composed, ("Cafe\u0301 hours", "Café hours"), ("x²", "x2")),
    Row(
        "line ends", re.compile(r"[ \t\r]+$", re.MULTILINE), "",
        ("Tag it \r\nThen ship", "Tag it\nThen ship"), ("Tag it\nThen ship", "Tag it Then ship"),
    ),
    Row(
        "spaces", re.compile(r"\A\s+|\s+\Z|`[^`\n]*`|(?<=\S)(?:[\t\u00a0]|[ \t\u00a0]{2,})"), _one_space,
        (" Tag  the release", "Tag the release"), ("Indent by `  `", "Indent by `    `"),
    ),
    Row(
        "score tail", re.compile(r" *\[(?:score|similarity|relevance) ?[=:] ?[\d.]+[^\[\]\n]*\]\Z"), "",
        ("Tag the release [score=0.91, id=7]", "Tag the release"), ("Tag the release [draft]", "Tag the release"),
    ),
    Row(
        "bullet", re.compile(r"\A[ \t]*(?:[-*+•–]|#{1,6})[ \t]+(?=[^\s\d-])"), "",
        ("- Tag the release", "Tag the release"), ("-v tags the release", "v tags the release"),
    ),
    Row(
        "bold",
        re.compile(rf"(?<![\w*/`.\\])(\*\*|__(?=[^_`\n]*\s[^_`\n]*__)){_WORD}([^*_`\n]*[^\s*_`])\1(?![\w*/.])"), r"\2",
        ("Tag the **release**", "Tag the release"), ("Match **/*.py", "Match /*.py"),
    ),
    Row(
        "label", re.compile(r"\A(?:[Nn]ote|NOTE|NB|FYI|[Rr]eminder|[Tt]ip|TIP):[ ]+"), "",
        ("Note: tag the release", "tag the release"), ("Maybe: tag the release", "tag the release"),
    ),
    Row(
        "apostrophe", re.compile(r"[‘’ʼ](?<=\w.)(?=\w)"), "'",
        ("Don’t tag it", "Don't tag it"), ("Use ’ for it", "Use ' for it"),
    ),
    Row(
        "code ticks", re.compile(r"`([\w@./-]*\w[./_]\w[\w./-]*)`(?!\w)"), r"\1",
        ("Read `docs/tags.md`", "Read docs/tags.md"), ("Run `go`", "Run Go"),
    ),
    Row(
        "final stop", re.compile(r"[.。](?<=[\w)`\"'].)\Z"), "",
        ("Tag the release.", "Tag the release"), ("Tag the release?", "Tag the release"),
    ),
    Row(
        "first letter", re.compile(r"\A[A-Z][a-z]+(?=[ ,])"), _small,
        ("Tag the release", "tag the release"), ("Go tags the release", "go tags the release"),
    ),
)  # fmt: skip


# Plain words with one space between them: of all rows only these change anything there, and most texts are such.
_PLAIN = re.compile(r"[A-Za-z0-9\"'(/][ -)+-Z\\-_a-~]*")
_OF_PLAIN = [row for row in ROWS if row.name in ("label", "final stop", "first letter")]


def normal_form(text: str) -> str:
    """The text after every row of the table, in its order."""
    plain = _PLAIN.fullmatch(text) and "__" not in text and "  " not in text and text[-1] != " "
    for row in _OF_PLAIN if plain else ROWS:
        text = row.pattern.sub(row.replacement, text)
    return text
