"""What a repository can refute: memories that name a path, script or target that is gone or renamed since.

Asked about is only what was there when the memory was written. When in doubt the memory is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..config import git
from ..memory import Memory
from .history import Change, Head, History, decoded, last_name
from .mentions import LISTINGS, Mention, commands, listing_of, mentions, tells_of_the_past

MOST_NAMES = 1_000  # names that are looked for in the history, those of the newest memories first
SHOWN = 2  # names in one line
SHALLOW = (
    "This repository is a shallow clone, so its history cannot tell which of the files that memories name are gone; "
    "git fetch --unshallow completes it."
)
TOO_LONG = (
    "The history of this repository takes too long to read, so files that memories name were not looked for in it; "
    '"repository: off" under "## Dream" in mem0.md leaves it out.'
)


class Finding(NamedTuple):
    """A memory that names something gone, or with `text` something renamed: its text with the new names."""

    id: str
    why: str
    text: str | None = None
    stands: bool = False  # it also names what is still there


@dataclass
class Checked:
    """What was found, first where nothing else that is named still stands, and sentences for the person."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Case(NamedTuple):
    memory: Memory
    written: int  # Unix seconds
    missing: list[Mention]
    standing: list[Mention]


def check(memories: Iterable[Memory], folder: Path) -> Checked:
    """What the repository of this folder says of these memories. git is not asked at all if none names anything."""
    naming = ((memory, found) for memory in memories if (found := _checkable(memory)))
    first = next(naming, None)
    root = _root(folder) if first else None
    if first is None or root is None:
        return Checked()
    named = [first, *naming]
    head = Head(root, {mention for _, found in named for mention in found})
    cases = [case for memory, found in named if (case := _case(memory, found, head)).missing]
    if not cases:
        return Checked()
    if git.line(root, "rev-parse", "--is-shallow-repository") != "false":
        return Checked(notes=[SHALLOW])
    cases.sort(key=lambda case: -case.written)
    wanted = list(dict.fromkeys(mention for case in cases for mention in case.missing))[:MOST_NAMES]
    history = History(root, wanted, cases[-1].written)
    if not history.complete:
        return Checked(notes=[TOO_LONG])
    judge = _Judge(head, history)
    findings = [finding for case in cases if (finding := judge.finding(case))]
    return Checked(sorted(findings, key=lambda finding: (finding.stands, finding.id)))


def _checkable(memory: Memory) -> list[Mention]:
    found = mentions(memory.text)
    if not found or tells_of_the_past(memory.text) or not memory.created or memory.created.year < 2000:
        return []
    return found


def _root(folder: Path) -> Path | None:
    found = git.run(folder, "rev-parse", "--show-toplevel")
    return Path(decoded(found).rstrip("\r\n")) if found else None


def _case(memory: Memory, found: list[Mention], head: Head) -> _Case:
    missing = [mention for mention in found if not head.has(mention)]
    standing = [mention for mention in found if mention not in missing]
    return _Case(memory, int(memory.created.timestamp()) if memory.created else 0, missing, standing)


@dataclass(frozen=True)
class _Judge:
    head: Head
    history: History

    def finding(self, case: _Case) -> Finding | None:
        text, moved, deleted = case.memory.text, [], []
        for mention in case.missing:
            if new := self._renamed(mention, case):
                name, change = new
                text = _replaced(text, mention.written, name)
                moved.append(f"{mention.written} was renamed {change.where}")
            elif gone := self._gone(mention, case.written):
                verb = "removed" if mention.kind in LISTINGS else "deleted"
                deleted.append(f"{mention.written}, {verb} {gone.where}")
        if moved:
            return Finding(case.memory.id, "; ".join(moved), text) if text != case.memory.text else None
        if not deleted:
            return None
        standing = [mention.written for mention in case.standing]
        beside = f"; {_some(standing, ', ')} still there" if standing else ""
        return Finding(case.memory.id, f"names {_some(deleted, ' and ')}{beside}", stands=bool(standing))

    def _gone(self, mention: Mention, then: int) -> Change | None:
        """How it went, if it was there when the memory was written."""
        if mention.kind in LISTINGS:
            return self._unlisted(mention, then)
        paths = [path for path, _, _ in self._meant(mention, then)]
        last = [self.history.changes[path][-1] for path in paths]
        if not paths or self.head.by_name.get(last_name(mention.name)) or self.history.ignored.intersection(paths):
            return None
        if any(change.earliest <= then for change in last):
            return None
        return max(last, key=lambda change: change.committed)

    def _meant(self, mention: Mention, then: int) -> Iterator[tuple[str, str, str]]:
        """The deleted paths that the name meant then, with what stands before and behind the name."""
        for path in self.history.by_name.get(last_name(mention.name), ()):
            before, found, behind = f"/{path}/".partition(f"/{mention.name}/")
            if not found or (behind and mention.kind == "file"):
                continue
            later = [
                change for change in self.history.changes[path] if change.committed > then and change.status != "M"
            ]
            if later and later[0].status == later[-1].status == "D":
                yield path, f"{before}/"[1:], behind.rstrip("/")

    def _renamed(self, mention: Mention, case: _Case) -> tuple[str, Change] | None:
        """Its new name, as the memory would write it, if the old one meant one thing and the new one stands."""
        names, last = set(), []
        for path, before, behind in self._meant(mention, case.written) if mention.kind not in LISTINGS else ():
            change, new = self.history.changes[path][-1], self.history.now.get(path, "")
            if change.earliest <= case.written or not new.endswith(f"/{behind}" if behind else "") or not new:
                return None
            names.add((new[: -len(behind) - 1] if behind else new).removeprefix(before))
            last.append(change)
        name = names.pop() if len(names) == 1 else ""
        if not name or name in case.memory.text:
            return None
        return name + ("/" if mention.written.endswith("/") else ""), max(last, key=lambda change: change.committed)

    def _unlisted(self, mention: Mention, then: int) -> Change | None:
        """The change that took a script or target away, if a file listed it then."""
        found = []
        for path, changes in self.history.listings.items():
            later = [change for change in changes if change.committed > then]
            if listing_of(path) == mention.kind and later and self._lists(mention, later[0].old):
                found += [c for c in later if self._lists(mention, c.old) and not self._lists(mention, c.new)][-1:]
        last = max(found, key=lambda change: change.committed, default=None)
        return last if last and last.earliest > then else None

    def _lists(self, mention: Mention, blob: str) -> bool:
        return mention.name in commands(mention.kind, self.history.texts.get(blob, ""))


def _replaced(text: str, old: str, new: str) -> str:
    pattern = rf"(?<![\w/.@-]){re.escape(old)}(?![\w/-]|\.\w)"
    return re.sub(pattern, lambda match: new, text)


def _some(names: Sequence[str], joint: str) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return joint.join(names[:SHOWN]) + more
