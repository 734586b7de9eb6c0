"""How long each type of memory is kept, and the `## Dream` settings, as mem0.md says. Standard library alone."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from ..errors import DreamError
from . import mem0_md

DEFAULTS: dict[str, int | None] = {"session_state": 90, "compact_summary": 90}  # if nothing is configured
ALL = "*"  # in `unreadable`: the whole file
_TITLES = ("retention", "memory retention", "mem0 retention")
DREAM_TITLES = ("dream", "mem0 dream")
_NO_TYPES = {"*", "default", "defaults", "all", "any", "other", "others", "everything", "everything else"}
_MOST_NOTES = 20
_FOR_EVER = 36_500  # days that stand for "forever" where a number is needed

_NEVER = re.compile(
    "(keep )?(for ?ever|always|permanent(ly)?|indefinite(ly)?|infinit[ey]|unlimited|endless)|keep|∞|null"
    "|no (limit|pruning)|never( prune[ds]?| expires?| deleted?)?|永久|永远|永遠|无限|無期限"
)
_UNITS = (
    (1, re.compile("d|days?|日|日間|天")),
    (7, re.compile("w|wks?|weeks?|周|週|週間|星期")),
    (30, re.compile("m|mos?|months?|月|个月|個月|[ヶかカヵ]月")),
    (365, re.compile("y|yrs?|years?|年")),
)
_TIME = re.compile(
    r"(?:(?:keep|retain|prune|delete|remove|expires?)\s+)?(?:(?:for|after|up to|max\.?)\s+)?p?(\d+)\s*-?\s*([^\W\d]+)"
)


@dataclass
class Settings:
    """The `## Dream` section. `max_removed` is in percent, `keep_runs` in days."""

    auto: str = "drafted"  # or "safe": may the text of an agent be applied unattended
    conflict_loser: str = "delete"  # or "supersede"
    prune: str = "delete"  # or "expire"
    prune_in_auto: bool = True
    reminder: bool = True
    questions: int = 20
    max_removed: int = 25
    keep_runs: int = 365
    repository: bool = True  # may memories be held against the history of the working folder
    dates: bool = True  # may relative dates be asked about


@dataclass
class Policies:
    """`retention` maps a type to the days it is kept (None: for ever); a type it lacks is never old.

    `unreadable` are the types whose value cannot be parsed ("*": the whole file): nothing of theirs is pruned.
    `source` is the file that was read; `notes` are sentences for the person.
    """

    retention: dict[str, int | None] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    settings: Settings = field(default_factory=Settings)
    source: str | None = None
    notes: list[str] = field(default_factory=list)

    def may_prune(self, type: str) -> bool:
        """False where what mem0.md says of this type, or the file itself, could not be read."""
        return type not in self.unreadable and ALL not in self.unreadable

    def to_document(self) -> dict[str, Any]:
        """The body of policies.json."""
        dream = asdict(self.settings)
        return {"retention": self.retention, "unreadable": self.unreadable, "dream": dream, "source": self.source}

    @classmethod
    def from_document(cls, body: dict[str, Any]) -> Policies:
        """The policies that a checked policies.json holds; DreamError names a value that cannot be."""
        for name, days in body["retention"].items():
            if not (days is None or (type(days) is int and days >= 0)):
                raise DreamError(f"The policies document is wrong: field retention.{name} must be days or null.")
        known = {one.name: body["dream"][one.name] for one in fields(Settings) if one.name in body["dream"]}
        for name, value in known.items():
            if type(value) is not type(getattr(Settings, name)) or _refusal(name, str(value)):
                raise DreamError(f"The policies document is wrong: field dream.{name} cannot be {value!r}.")
        return cls(body["retention"], body["unreadable"], Settings(**known), body["source"])


def load(cwd: Path) -> Policies:
    """What the mem0.md of this working folder says, or the defaults if it has no retention.

    Never fails: what cannot be read is told, and prunes nothing.
    """
    found = configured(cwd)
    if not found.retention and not found.unreadable:
        found.retention = dict(DEFAULTS)
    return found


def configured(cwd: Path) -> Policies:
    """As `load`, without the defaults."""
    path = mem0_md.find(cwd)
    if path is None:
        return Policies()
    try:
        found = parse(mem0_md.read(path))
    except DreamError as error:
        return Policies({}, [ALL], Settings(), str(path), [f"{error} Until then nothing is pruned."])
    found.source = str(path)
    return found


def parse(content: str) -> Policies:
    """What the text of a mem0.md says; no defaults."""
    found = Policies()
    section = mem0_md.section(content, *_TITLES)
    for entry in mem0_md.entries(section or []):
        _read_policy(found, entry)
    found.unreadable = list(dict.fromkeys(found.unreadable))
    for name in found.unreadable:  # whatever another line says of it
        found.retention.pop(name, None)
    fence = mem0_md.lines(content)[1]
    if fence:
        _tell(found, fence, "opens a code fence that is never closed, and what follows is not read; close it")
    elif section and any(line.code for line in section):
        number = next(line.number for line in section if line.code)
        _tell(found, number, "opens a code fence, and what stands in one is not read; take the fence away")
    nearly = mem0_md.near(content, "retention", DEFAULTS, _is_time) if section is None else None
    if nearly:
        _tell(found, nearly, 'looks like a retention and is not read as one; write it under "## Retention"')
    if len(found.notes) > _MOST_NOTES:
        more = len(found.notes) - _MOST_NOTES
        found.notes[_MOST_NOTES:] = [f"{more} more lines of mem0.md are not read as they may be meant."]
    if (found.notes or section is not None) and not found.retention and not found.unreadable:
        found.unreadable = [ALL]
        found.notes.append("mem0.md has no retention that can be read, so nothing is pruned.")
    for entry in mem0_md.entries(mem0_md.section(content, *DREAM_TITLES) or []):
        _read_setting(found, entry)
    return found


def unmatched(policies: Policies, types: Iterable[str]) -> list[str]:
    """A sentence for each policy whose type no memory has: a slip of the pen keeps or prunes the wrong thing."""
    present = sorted(set(types))
    if not present or policies.retention == DEFAULTS:
        return []
    sentences: list[str] = []
    for name in [*policies.retention, *policies.unreadable]:
        if name in present or name == ALL:
            continue
        close = difflib.get_close_matches(name.lower(), present, 1, 0.75)
        hint = f'; did you mean "{close[0]}"?' if close else "."
        if len(sentences) == _MOST_NOTES:
            break
        sentences.append(f'mem0.md has a retention for "{name}", but no memory has that type{hint}')
    return sentences


def days(value: str) -> int | None:
    """The days that a written time means, None for "forever" in any wording; ValueError if it is neither."""
    text = unicodedata.normalize("NFKC", value).casefold()
    text = re.sub(r"\s*\([^()]*\)$", "", text).strip(" \t.;,!*\"'")
    if _NEVER.fullmatch(text):
        return None
    match = _TIME.fullmatch(text)
    unit = next((days for days, names in _UNITS if match and names.fullmatch(match[2])), None)
    if not match or unit is None:
        raise ValueError(value)
    return int(match[1]) * unit


def _is_time(value: str) -> bool:
    text = value.strip(" \t*_`\"'{}[],;")
    try:
        return text[:1].isdigit() or (days(text), True)[1]
    except ValueError:
        return False


def _read_policy(found: Policies, entry: mem0_md.Entry) -> None:
    if entry.key is None:
        _tell(found, entry.number, f'is not read ("{_shown(entry.value)}"); write a policy as "type: 90d"')
        return
    name = entry.key
    if name.lower() in _NO_TYPES:
        _tell(found, entry.number, f'is not read: "{_shown(name)}" is no type; name each type by itself')
        return
    before = found.retention.pop(name, -1)
    try:
        kept = days(entry.value)
    except ValueError:
        found.unreadable.append(name)
        problem = f'"{_shown(entry.value)}" is no time to keep; write "90d" or "forever"'
        _tell(found, entry.number, f"is not read: {problem} (until then no {_shown(name)} is pruned)")
        return
    found.retention[name] = kept
    if before not in (-1, kept):
        _tell(found, entry.number, f"sets {_shown(name)} again; this later value counts")
    if kept == 0:
        _tell(found, entry.number, f"keeps {_shown(name)} for 0 days, so all of it but today's is pruned")


def _read_setting(found: Policies, entry: mem0_md.Entry) -> None:
    name = re.sub(r"[\s-]+", "_", (entry.key or entry.value).strip()).lower()
    if entry.key is None or name not in _WANTED:
        known = ", ".join(_WANTED)
        _tell(
            found, entry.number, f'is not a setting of dream ("{_shown(entry.key or entry.value)}"); there are {known}'
        )
        return
    refusal = _refusal(name, entry.value)
    if refusal:
        _tell(found, entry.number, f"is not followed: {refusal}")
    else:
        setattr(found.settings, name, _setting(name, entry.value))


def _refusal(name: str, value: str) -> str:
    """Why a setting cannot have this value; empty if it can."""
    try:
        read = _setting(name, value)
    except ValueError:
        return f'{name} cannot be "{_shown(value)}"; write {_WANTED[name]}'
    if name == "keep_runs" and read > _FOR_EVER:
        return f'keep_runs cannot be "{_shown(value)}"; write {_WANTED[name]}, or forever'
    if name == "max_removed" and read > Settings.max_removed:
        return f"max_removed can only lower the {Settings.max_removed} %"
    return ""


def _setting(name: str, value: str) -> Any:
    """The value of one setting from its text; ValueError if it is not one."""
    text = unicodedata.normalize("NFKC", value).strip(" .").casefold()
    if name in ("prune_in_auto", "reminder", "repository", "dates"):
        if text in ("true", "yes", "y", "on", "1"):
            return True
        if text in ("false", "no", "n", "off", "0"):
            return False
        raise ValueError(value)
    if name == "keep_runs":
        kept = int(text) if text.isdigit() else days(text)
        return _FOR_EVER if kept is None else kept
    if name == "max_removed":
        text = re.sub(r"\s*(%|percent|per cent)$", "", text)
    if name in ("questions", "max_removed"):
        if not text.isdigit():
            raise ValueError(value)
        return int(text)
    if text not in _WANTED[name].split(" or "):
        raise ValueError(value)
    return text


_WANTED = {
    "auto": "drafted or safe",
    "conflict_loser": "delete or supersede",
    "prune": "delete or expire",
    "prune_in_auto": "true or false",
    "reminder": "true or false",
    "questions": "a whole number such as 20",
    "max_removed": "a percentage such as 25%",
    "keep_runs": "days such as 365d",
    "repository": "on or off",
    "dates": "on or off",
}


def _tell(found: Policies, number: int, what: str) -> None:
    found.notes.append(f"mem0.md line {number} {what}.")


def _shown(text: str) -> str:
    """The text on one line, without control characters, 60 characters at most."""
    flat = "".join(letter if letter.isprintable() else " " for letter in text)
    return flat if len(flat) <= 60 else f"{flat[:59]}…"
