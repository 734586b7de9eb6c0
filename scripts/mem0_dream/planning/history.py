"""What git tells of a repository's paths: what stands now, and what was added, deleted and renamed since a day.

Names are data: git gets them as patterns made here, and what it answers is read by position.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

from ..config import git
from .mentions import KINDS, LISTINGS, Kind, Mention, commands, listing_of

SECONDS = 20  # for one walk of the history
HOPS = 3  # renames in a row that are followed
LEAST_ALIKE = 60  # percent; below it git's guess at a rename is none
MOST_BLOBS = 2_000  # versions of package.json and the like that are read
_LOG = ["log", "-z", "--no-ext-diff", "--no-textconv", "--no-color", "--format=%H %at %ct"]


class Change(NamedTuple):
    """One change of one path: its status (A, D, M or R), the commit, when that was written and made, and blobs."""

    status: str
    commit: str
    written: int  # Unix seconds
    committed: int
    old: str = ""
    new: str = ""

    @property
    def where(self) -> str:
        """The day and the commit, as a person reads them."""
        return f"{self.day} ({self.commit[:7]})"

    @property
    def day(self) -> str:
        return datetime.fromtimestamp(self.committed, timezone.utc).date().isoformat()

    @property
    def earliest(self) -> int:
        """A commit that was rewritten later may have been made before."""
        return min(self.written, self.committed)


class Head:
    """What the newest commit holds, looked up by last name; only the names that are wanted are kept."""

    def __init__(self, root: Path, wanted: Collection[Mention]) -> None:
        self.root = root
        self.by_name: dict[str, list[str]] = defaultdict(list)
        self.modules: list[str] = []
        lists: dict[str, str] = {}
        names = {last_name(mention.name).encode("utf-8", "surrogateescape") for mention in wanted}
        may_list = any(mention.kind in LISTINGS for mention in wanted)
        folders: set[bytes] = set()
        # A hundred thousand entries: only those that count are decoded.
        for entry in (git.run(root, "ls-tree", "-r", "-z", "--full-tree", "HEAD") or b"").split(b"\0"):
            begin, end = entry.find(b"\t") + 1, entry.rfind(b"/")
            folders.add(entry[begin:end] if end > 0 else b"")
            if (entry[end + 1 :] if end > 0 else entry[begin:]) in names:
                path = decoded(entry[begin:])
                self.by_name[last_name(path)].append(path)
            if entry.startswith(b"160000"):
                self.modules.append(f"{decoded(entry[begin:])}/")
            if may_list and listing_of(path := decoded(entry[begin:])):
                lists[path] = entry[: begin - 1].split(b" ")[-1].decode()
        for folder in {parent for path in folders for parent in _upwards(decoded(path))}:
            if last_name(folder).encode("utf-8", "surrogateescape") in names:
                self.by_name[last_name(folder)].append(folder)
        self.commands: dict[Kind, set[str]] = defaultdict(set)
        texts = contents(root, lists.values()) if lists else {}
        for path, blob in lists.items():
            if kind := listing_of(path):
                self.commands[kind] |= commands(kind, texts.get(blob, ""))

    def has(self, mention: Mention) -> bool:
        """Whether it stands in the newest commit, in a submodule or on disk, where it may be ignored."""
        name = mention.name
        if mention.kind in LISTINGS:
            return name in self.commands[mention.kind]
        if any(f"/{path}".endswith(f"/{name}") for path in self.by_name.get(last_name(name), ())):
            return True
        try:
            return name.startswith(tuple(self.modules)) or (self.root / name).exists()
        except (OSError, ValueError):
            return True


class History:
    """What was added and deleted since a moment of all that these mentions can mean, each path's oldest change first.

    `complete` is False if git could not tell all of it, in the time that it has.
    """

    def __init__(self, root: Path, wanted: Iterable[Mention], since: int) -> None:
        self.root = root
        names = {kind: {last_name(mention.name) for mention in wanted if mention.kind == kind} for kind in KINDS}
        options = ["--name-status", "--no-renames", "--diff-filter=AD", f"--since={since}", "HEAD"]
        self._walk = git.run(root, *_LOG, *options, seconds=SECONDS)
        self.complete = self._walk is not None
        self.changes = self._of(lambda path: last_name(path) in names["file"] or _is_in(path, names["folder"]))
        self.by_name: dict[str, list[str]] = defaultdict(list)
        for path in self.changes:
            for name in {last_name(part) for part in _upwards(path)}:
                self.by_name[name].append(path)
        patterns = [f":(top,glob)**/{name}" for kind, files in LISTINGS.items() if names[kind] for name in files]
        options = ["--raw", "--no-abbrev", "--no-renames", f"--since={since}", "HEAD", "--", *patterns]
        self.listings = _by_path(git.run(root, *_LOG, *options, seconds=SECONDS) if patterns else b"")
        blobs = {blob for changes in self.listings.values() for change in changes for blob in (change.old, change.new)}
        self.texts = contents(root, sorted(blobs)[:MOST_BLOBS])
        ignored = git.run(root, "check-ignore", "--no-index", "-z", "--stdin", given=_encoded(self.gone, b"\0"))
        self.ignored = {decoded(path) for path in (ignored or b"").split(b"\0")}
        self.now = self._renames()

    @property
    def gone(self) -> list[str]:
        return [path for path, changes in self.changes.items() if changes[-1].status == "D"]

    def _of(self, wanted: Callable[[str], bool]) -> dict[str, list[Change]]:
        return _by_path(self._walk, wanted)

    def _renames(self) -> dict[str, str]:
        """The name that a deleted path has now, if it stands."""
        ends, changes = {path: path for path in self.gone}, self.changes
        for _ in range(HOPS):
            commits = sorted({changes[end][-1].commit for end in ends.values() if end in changes})
            options = ["--name-status", "-M", "-l400", "--diff-filter=R", "--no-walk=unsorted", "--stdin"]
            answer = (
                git.run(self.root, *_LOG, *options, given=_encoded(commits, b"\n"), seconds=SECONDS) if commits else b""
            )
            step = {path: new for change, path, new in _changes(answer) if int(change.status[1:]) >= LEAST_ALIKE}
            moved = {step[end] for end in ends.values() if end in step}
            ends = {path: step.get(end, end) for path, end in ends.items()}
            changes = {path: seen for path, seen in self._of(moved.__contains__).items() if seen[-1].status == "D"}
        moved = {end for path, end in ends.items() if end != path and "\n" not in end}
        asked = sorted(moved)
        answer = git.run(
            self.root, "cat-file", "--batch-check", given=_encoded((f"HEAD:{end}" for end in asked), b"\n")
        )
        stands = [not line.endswith(b" missing") for line in (answer or b"").splitlines()]
        standing = {end for end, is_there in zip(asked, stands, strict=False) if is_there}
        return {path: end for path, end in ends.items() if end in standing}


def contents(root: Path, blobs: Iterable[str]) -> dict[str, str]:
    """The texts of these blobs, as far as they are there."""
    answer = git.run(root, "cat-file", "--batch", given=_encoded(blobs, b"\n")) or b""
    found, at = {}, 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        name, kind, *size = answer[at:end].split(b" ")
        at = end + 1
        if size:
            found[name.decode()] = decoded(answer[at : at + int(size[0])]) if kind == b"blob" else ""
            at += int(size[0]) + 1
    return found


def last_name(path: str) -> str:
    return path.rpartition("/")[2]


def decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _encoded(lines: Iterable[str], end: bytes) -> bytes:
    return b"".join(line.encode("utf-8", "surrogateescape") + end for line in lines)


def _upwards(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition("/")[0]


def _is_in(path: str, folders: set[str]) -> bool:
    return bool(folders) and not folders.isdisjoint(path.split("/"))


def _by_path(answer: bytes | None, wanted: Callable[[str], bool] = bool) -> dict[str, list[Change]]:
    """The changes of each wanted path, the oldest first."""
    found: dict[str, list[Change]] = defaultdict(list)
    for change, path, _ in _changes(answer):
        if wanted(path):
            found[path].append(change)
    return {path: changes[::-1] for path, changes in found.items()}


def _changes(answer: bytes | None) -> Iterator[tuple[Change, str, str]]:
    """Every change of a log, the newest first, with its path and the new path of a rename."""
    parts = iter((answer or b"").split(b"\0"))
    commit, written, committed = "", 0, 0
    for part in parts:
        words = part.decode("ascii", "replace").split()
        if len(words) == 3:
            commit, written, committed = words[0], int(words[1]), int(words[2])
        elif words:
            old, new = words[2:4] if len(words) > 1 else ("", "")
            path = decoded(next(parts, b""))
            other = decoded(next(parts, b"")) if words[-1][0] == "R" else ""
            yield Change(words[-1], commit, written, committed, old, new), path, other
