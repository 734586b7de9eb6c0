"""What a person or an agent said, question by question, before any of it is checked against the plan."""

from __future__ import annotations

import json
import re
from typing import Any, Literal, NamedTuple

from ..errors import UsageError
from ..planning.decisions import LETTERS

_MOST_IN_A_GROUP = 1000
Word = Literal["true", "same", "keep", "conflict", "skip", "version", "text"]
_WORDS: dict[str, Word] = {"same": "same", "keep": "keep", "both": "keep", "conflict": "conflict", "skip": "skip"}
# What people type at some question or other: never a text, and no answer here.
_OTHER_WORDS = {
    *("true", "false", "yes", "no", "y", "n", "ok", "none", "null", "q", "quit", "edit", "details"),
    *("merge", "delete", "remove", "prune", "update"),
}


class Said(NamedTuple):
    """One answer. `text`: a merged text or the letter of a version; `confirmed`: a person agreed to what is dropped."""

    word: Word
    text: str = ""
    confirmed: bool = False


def parse(text: str) -> dict[str, Any]:
    """The answers of one --decide, groups such as "C3-C9" spelled out; UsageError unless they are a JSON object."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError(f'The answers are not JSON ({error}); write them like {{"M1": true, "C1": "A"}}.') from None
    if not isinstance(found, dict):
        raise UsageError('The answers must be one JSON object, like {"M1": true, "C1": "A"}.')
    if wrong := [handle for handle, answer in found.items() if isinstance(answer, dict) and handle != "+"]:
        raise UsageError(f"{', '.join(wrong)} takes true or text, no object.")
    return {handle: answer for key, answer in found.items() for handle in _handles(key)}


def _handles(key: str) -> list[str]:
    """ "C3-C5, C9" as C3, C4, C5, C9."""
    found: list[str] = []
    for part in map(str.strip, key.split(",")):
        group = re.fullmatch(r"([A-Z])(\d{1,6})-\1?(\d{1,6})", part)
        if group is None:
            found.append(part)
            continue
        first, last = int(group[2]), int(group[3])
        if not first <= last < first + _MOST_IN_A_GROUP:
            raise UsageError(f"{part} is no group of questions; write the lower number first, as in C3-C9.")
        found += [f"{group[1]}{n}" for n in range(first, last + 1)]
    return found


def combine(before: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Later answers win; `true` after a text or "same" is a person's yes to what that drops; additions add up."""
    combined = {**before, **new}
    for handle, answer in new.items():
        said = read(before.get(handle))
        if (
            answer is True
            and said
            and (said.word in ("text", "same") or (said.word == "true" and handle[:1] in ("C", "N")))
        ):
            combined[handle] = confirmed(said.text or None)
    if isinstance(before.get("+"), list) and isinstance(new.get("+"), list):
        combined["+"] = before["+"] + [item for item in new["+"] if item not in before["+"]]
    return combined


def confirmed(text: str | None = None) -> dict[str, Any]:
    """A person's yes to a merge with this text (None: the draft), whatever it drops."""
    return {"text": text, "confirmed": True}


def read(answer: Any) -> Said | None:
    """The answer as it is meant, whatever its spaces and case; None for one that no question takes."""
    if answer is True:
        return Said("true")
    if (
        isinstance(answer, dict)
        and set(answer) == {"text", "confirmed"}
        and isinstance(answer["text"], (str, type(None)))
    ):
        text = (answer["text"] or "").strip()
        return Said("text" if text else "same", text, answer["confirmed"] is True)
    if not isinstance(answer, str):
        return None
    word = answer.strip().strip("\"'`.!?").casefold()
    if word in _WORDS:
        return Said(_WORDS[word])
    if word.upper() in LETTERS and word:
        return Said("version", word.upper())
    return None if word in _OTHER_WORDS or (answer.strip() and not word) else Said("text", answer.strip())
