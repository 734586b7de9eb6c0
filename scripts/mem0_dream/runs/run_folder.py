"""Run folders: where a scope's runs lie, and which of them a step means when it is told none."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from ..errors import DreamError
from ..memory import Scope
from . import documents

FRESH = timedelta(hours=24)


def dream_home(env: Mapping[str, str] = os.environ) -> Path:
    """MEM0_DREAM_HOME, or ~/.mem0/dream; made for its owner alone.

    A relative path is refused: it would mean a folder of whatever repository is worked in, records and Python included.
    """
    home = Path(env.get("MEM0_DREAM_HOME") or Path.home() / ".mem0" / "dream").expanduser()
    if not home.is_absolute():
        raise DreamError(f"MEM0_DREAM_HOME is the relative path {home}; set it to an absolute one.")
    return _folder(home)


def scope_folder(home: Path, store_identity: str, scope: Scope, former: Iterable[str] = ()) -> Path:
    """The folder of one scope: the project's name to read, a hash of store, user, project and agent.

    If only a folder exists that the store had under a former name, it is that one.
    """
    folders = [home / _scope_name(identity, scope) for identity in (store_identity, *former)]
    return next((folder for folder in folders if folder.exists()), folders[0])


def _scope_name(store_identity: str, scope: Scope) -> str:
    parts = [store_identity, scope.user, scope.project or "", *([scope.agent] if scope.agent else [])]
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    slug = re.sub(r"[^a-z0-9]+", "-", (scope.project or scope.user).lower()).strip("-")[:40] or "scope"
    return f"{slug}-{digest}"


class Run:
    """One run folder and the documents in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def started(self) -> datetime:
        """When the run was fetched (UTC), from the folder's name."""
        return datetime.strptime(self.name.split("-")[0], "%Y%m%dT%H%M%S%fZ").replace(tzinfo=timezone.utc)

    @property
    def scope_folder(self) -> Path:
        """The folder of the scope that this run belongs to."""
        return self.folder.parent.parent

    @property
    def journal(self) -> Path:
        return self.folder / "journal.jsonl"

    def has(self, document: str) -> bool:
        return (self.folder / f"{document}.json").exists()

    def read(self, document: str) -> dict[str, Any]:
        """A checked document of this run."""
        return documents.read(self.folder / f"{document}.json", document)

    def write(self, document: str, body: dict[str, Any], lines: str | None = None) -> None:
        documents.write(self.folder / f"{document}.json", document, body, lines)


def new_run(scope: Path, now: datetime | None = None) -> Run:
    """A new, empty run folder of this scope (0700)."""
    moment = (now or datetime.now(timezone.utc)).strftime("%Y%m%dT%H%M%S%fZ")
    _folder(scope)
    return Run(_folder(_folder(scope / "runs") / f"{moment}-{secrets.token_hex(3)}"))


def all_runs(scope: Path) -> list[Run]:
    """The scope's runs, oldest first."""
    found = (scope / "runs").glob("[0-9]*T[0-9]*Z-*") if scope.exists() else []
    return [Run(folder) for folder in sorted(found) if folder.is_dir()]


def newest_open(scope: Path, now: datetime | None = None) -> Run:
    """The newest run that is not applied and under 24 hours old; DreamError says what to run if there is none."""
    since = (now or datetime.now(timezone.utc)) - FRESH
    for run in reversed(all_runs(scope)):
        if run.has("snapshot") and not run.journal.exists() and run.started >= since:
            return run
    raise DreamError("There is no open run of this project from the last 24 hours; run fetch_all.py first.")


def open_run(path: str | Path) -> Run:
    """The run in a folder that the person named."""
    folder = Path(path)
    if not (folder / "snapshot.json").is_file():
        raise DreamError(
            f"{folder} is not a run folder: it has no snapshot.json; run fetch_all.py and use the folder it prints."
        )
    return Run(folder)


def _folder(path: Path) -> Path:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise DreamError(
            f"{path} cannot be made ({error.strerror}); set MEM0_DREAM_HOME to a folder you may write to"
            " (in Codex also list it under writable_roots)."
        ) from None
    return path
