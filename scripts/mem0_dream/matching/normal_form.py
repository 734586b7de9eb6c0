"""A text as a statement: its tokens with the breaks, capitals and lines that change what it says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from . import lexicon
from .punctuation import COLON, COMMA, DASH, QUOTE, QUOTES, STOP
from .tokenizer import CODE, COMMAND, LINE, MARK, NUMBER, SIGN, WORD, Token

_BREAKS = {COMMA, STOP, COLON}
_BREAK = Token(MARK, "", COMMA, COMMA, False)
_CODE = CODE | {COMMAND}
_OPENS = {STOP, COLON, DASH, QUOTE, "?", "!"}  # behind these a capital is only the first letter of a sentence


def statement(found: Sequence[Token]) -> tuple[Token, ...]:
    """The tokens as they must be equal for two texts to say the same."""
    said: list[Token] = []
    first = True
    for place, token in enumerate(found):
        if token.kind == MARK:
            _mark(said, token, found[place + 1 : place + 3])
            first = first or token.exact in _OPENS or token.exact[0] == LINE
        elif token.kind == SIGN:
            said.append(token)
            first = first or token.exact in _OPENS
        elif token.exact:
            if token.raw[0].isupper():
                token = _at_first(token) if first else _with_capital(token)
            said.append(token)
            first = False
    return tuple(_unwrapped(said))


def _mark(said: list[Token], token: Token, follows: Sequence[Token]) -> None:
    """Add a mark to what is said, if it says something there."""
    if token.exact[0] == LINE and said and said[-1].exact == COMMA:
        said.pop()
    if token.exact not in _BREAKS:
        said.append(token)
    elif not said or (said[-1].kind == MARK and said[-1].exact[0] in COMMA + LINE):
        return
    elif token.exact == COLON and (said[-1].kind in _CODE or said[-1].exact[:1] == "`"):
        said.append(token)  # "`make deploy`: staging" is neither "`make deploy` staging" nor "`make deploy`, staging"
    elif token.exact == COLON and len(said) > 1 and said[-1].exact not in lexicon.words("turning"):
        return  # "avoid: tests" is not "avoid tests"; elsewhere a colon stands or not
    elif not (token.exact == COMMA and _joins(follows)):
        said.append(_BREAK)


def _joins(follows: Sequence[Token]) -> bool:
    """True before the "and" or "or" of a list, where a comma is a matter of taste."""
    words = [token.exact for token in follows]
    return words[:1] != [] and words[0] in lexicon.words("joining") and not set(words[1:]) & {"he", "she", "they"}


def _at_first(token: Token) -> Token:
    """The capital of a sentence's first letter says nothing, where the word can hardly be a name."""
    low = token.raw.lower()
    return token._replace(exact=low) if token.raw.istitle() and low in lexicon.words("beginning") else token


def _with_capital(token: Token) -> Token:
    """A capital inside a sentence makes a name or a noun: "Target" is not "target"."""
    raw = token.raw
    if token.kind not in (WORD, NUMBER):
        return token
    if ("'" in raw or "’" in raw) and not raw.lower().startswith(token.exact):
        return token  # the "not" of "Don't"
    if raw.isupper() and raw.lower() in _any_case():
        return token
    if set("/-'’") & set(token.exact + raw):  # of one part of several
        raw = token.exact[0].upper() + token.exact[1:]
    return token._replace(exact=raw)  # also in its own spelling: "Mr Grey" is not "Mr Gray"


@cache
def _any_case() -> frozenset[str]:
    return lexicon.words("shouted") | lexicon.words("acronyms")


def _unwrapped(said: list[Token]) -> list[Token]:
    """Without the break at the end and the quotes round the whole."""
    while said and said[-1].kind == MARK and said[-1].exact in (COMMA, COLON):
        said.pop()
    quote = said[0].exact if said and said[0].kind == MARK else ""
    if quote in QUOTES and said[-1].exact == quote and sum(token.exact == quote for token in said) == 2:
        return _unwrapped(said[1:-1])
    return said


def speaks_of_writing(found: Sequence[Token]) -> bool:
    """True where a text sets two ways of writing one thing against each other, or speaks of spelling."""
    if not lexicon.words("spelling").isdisjoint([token.exact for token in found]):
        return True
    plain = {token.exact for token in found if token.exact == token.raw}
    seen: dict[str, str] = {}
    for kind, _, exact, raw, _ in found:
        if exact and exact != raw and kind in (WORD, NUMBER, SIGN) and "'" not in raw and "’" not in raw:
            written = raw if raw.isupper() else raw.lower()
            if (written != exact and exact in plain) or seen.setdefault(exact, written) != written:
                return True
    return False


def lined(text: str, tidied: str) -> str:
    """The tidied text with a mark, and its depth, at each line that is one by itself: not where prose is wrapped."""
    if "\n" not in text:
        return tidied
    lines = text.split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines]
    own = [number for number in _own_lines(lines, indents) if number]
    levels = sorted({indents[number] for number in (0, *own)})
    bare = tidied.split("\n")
    for number in own:
        bare[number] = f"{LINE}{levels.index(indents[number])} {bare[number]}"
    return "\n".join(bare)


def _own_lines(lines: Sequence[str], indents: Sequence[int]) -> Iterator[int]:
    """The lines that begin something: an item, a heading, a paragraph, a block or what follows one."""
    fenced = any(line.lstrip().startswith("```") for line in lines)
    depth, before, item = 0, ":", False
    for number, line in enumerate(lines):
        opens = not before or before[-1] in ":{[("
        wrapped = indents[number] > depth or (indents[number] == depth and not item)
        if line.strip() and (fenced or opens or not wrapped or _ITEM.match(line)):
            depth, item = indents[number], _ITEM.match(line) is not None
            yield number
        before = line.strip()


_ITEM = re.compile(r"[ \t]*(?:[-*+•]|#{1,6}|\d+[.)])[ \t]")


def tidy(text: str) -> str:
    """The text in one Unicode form, without emphasis marks and what cannot be seen."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
        if _WIDE.search(text):
            text = _WIDE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    if "[" in text:
        text = _BOX.sub(lambda match: "☐ " if match.group(2) == " " else "☑ ", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if text[:1] in _OPENING or text[:1].isdigit() or "\n" in text:
        text = _WHOLE.sub(r"\2", _NUMBERED.sub(r"\1. ", _BULLET.sub("", text)))
    if "**" in text:
        text = _STARS.sub(r"\2", text)
    if "_" in text:
        text = _UNDER.sub(r"\1", text)
    return text


_ESCAPED = re.compile(r"(?<=\w)\\(_)(?=\w)")  # "LOG\_LEVEL", as some editors of Markdown write it
_OPENING = frozenset("-*+•–·#_ \t")  # what a line begins with that the next three look for
_WIDE = re.compile("[\uff01-\uff5e\u3000]+")
_BOX = re.compile(r"(?m)^([ \t]*(?:[-*+] |\d+[.)] )?[ \t]*)\[([ xX])\](?=\s)")
_BULLET = re.compile(r"(?m)^[ \t]*(?:[-*+•–·]|\#{1,6})[ \t]+")
_NUMBERED = re.compile(r"(?m)^[ \t]*(\d{1,2})[.)][ \t]+")
_WHOLE = re.compile(r"^(\*{1,3}|_{1,3})(?=[^\s*_])([^*_\n]* [^*_\n]*[^\s*_])\1$")  # all of it between the same marks
# Only what can be nothing but emphasis: "*test*" and "_id_" may be patterns and names.
_STARS = re.compile(r"(?<![\w*/`.])(\*{2,3})(?=[^\s*])((?:[^*`\n]|`[^`\n]*`)*?(?:[^\s*/`]|`[^`\n]*`))\1(?![\w*/]|\.\w)")
_UNDER = re.compile(r"(?<![\w/.`])_(?=[^\s_])([^_\n`]* [^_\n`]*[^\s_`])_(?![\w/.])")
