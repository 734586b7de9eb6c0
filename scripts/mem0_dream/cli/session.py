"""What a command works on: which store, whose memories, and where their runs lie."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .. import progress
from ..config import policies, python_env
from ..config.identity import Identity, resolve
from ..config.policies import Policies
from ..errors import DreamError, UsageError
from ..memory import Scope, StoreRef
from ..runs.run_folder import Run, dream_home, new_run, newest_open, open_run, scope_folder
from ..runs.snapshot import Mode, Snapshot, write_snapshot
from ..safe_text import shown
from ..stores import open_store
from ..stores.protocol import Store
from ..views import report
from . import trust
from .options import Target

SCRIPTS = Path(__file__).resolve().parents[2]


@dataclass
class Session:
    """One store and one scope in it, for as long as a command runs."""

    store: Store
    identity: Identity
    folder: Path  # where the scope's runs lie
    cwd: Path
    config: str | None  # as given, for the next command's line

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.store.close()

    def first_line(self, count: int | str) -> str:
        return report.first_line(self.store.label, self.identity.user, self.identity.project, count)

    def policies(self) -> Policies:
        """What mem0.md says, read now."""
        return policies.load(self.cwd)

    def fetch(self, mode: Mode) -> tuple[Snapshot, list[str]]:
        """All memories of the scope as they are now, and the notes of the fetch."""
        with progress.stage("Fetching", lasting=False):  # where no bar can be shown, the first line says how many
            listing = self.store.fetch(self.identity.scope)
        cwd = str(self.cwd) if self.config else None
        snapshot = Snapshot(
            store=StoreRef(self.store.kind, self.store.identity, self.store.label, self.config, cwd),
            scope=self.identity.scope,
            branch=self.identity.branch,
            fetched_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
            mode=mode,
            complete=listing.complete,
            memories=listing.memories,
        )
        return snapshot, listing.notes

    def keep(self, snapshot: Snapshot, found: Policies) -> Run:
        """A new run folder with the snapshot and the policies it was fetched under."""
        run = new_run(self.folder)
        run.write("policies", found.to_document())
        write_snapshot(run.folder / "snapshot.json", snapshot)
        return run

    def require_writable(self) -> None:
        """DreamError if the store cannot take writes, as far as that shows before one: the folder, or the embedder."""
        if self.store.kind != "file":
            self.store.search("what is known", self.identity.scope, 1)
        elif self.config and not (os.access(self.config, os.W_OK) and os.access(Path(self.config).parent, os.W_OK)):
            raise DreamError(f"{self.config} cannot be written; check the permissions of the file and its folder.")

    def elsewhere(self) -> str:
        """Who does have memories in this store, as a sentence; empty where the store cannot tell."""
        others = [
            f"user {shown(scope.user or 'none')} · project {shown(scope.project or 'none')}"
            + (f" · agent {shown(scope.agent)}" if scope.agent else "")
            + f" ({count})"
            for scope, count in sorted(self.store.owners(), key=lambda owner: -owner[1])[:5]
        ]
        how = "name them with --user, --project and --agent"
        return f"This store has memories of: {'; '.join(others)}; {how}." if others else ""


def start(target: Target, env: Mapping[str, str] = os.environ) -> Session:
    """The session that the options, the environment and the folder mean. Touches no store yet."""
    cwd = (target.cwd or Path.cwd()).expanduser().resolve()
    if not cwd.is_dir():
        raise UsageError(f"There is no folder {cwd}; name an existing one with --cwd.")
    if target.config:
        trust.require(target.config, target.store == "file", cwd, env)
    identity = resolve(cwd, env, user=target.user, project=target.project, agent=target.agent)
    try:
        store = open_store(target.store, target.config, env, cwd)
    except DreamError as error:
        hint = unseen_key()
        if not hint or error.exit_code != 1:
            raise
        raise DreamError(f"{error} {hint}") from None
    if store.kind != "file":
        python_env.ensure()
    folder = scope_folder(dream_home(env), store.identity, identity.scope, store.former)
    return Session(store, identity, folder, cwd, target.config or _usual_config(store.kind, cwd, env))


def _usual_config(kind: str, cwd: Path, env: Mapping[str, str]) -> str | None:
    """The config that the environment names: an undo in another shell, and a scheduler, must use the same."""
    named = env.get("MEM0_CONFIG")
    return str((cwd / Path(named).expanduser()).resolve()) if kind == "local" and named else None


def named_run(run: str) -> Run:
    """The run that a person names by its folder; DreamError if it lies anywhere but in the dream home."""
    home = dream_home().resolve()
    if not Path(run).expanduser().resolve().is_relative_to(home):
        raise DreamError(
            f"{run} does not lie in {home}, where the runs are; set MEM0_DREAM_HOME if they are elsewhere."
        )
    return open_run(Path(run).expanduser())


def folder_of(run: str | None, target: Target) -> Path:
    """Where the runs of a scope lie: that of this run folder, else the one that the target means."""
    return named_run(run).scope_folder if run else start(target).folder


def run_of(run: str | None, target: Target) -> Run:
    """This run folder, else the newest open run of the scope."""
    return named_run(run) if run else newest_open(start(target).folder)


def of_run(store: StoreRef, scope: Scope, target: Target) -> Session:
    """The session of a run made earlier: its own store and scope; DreamError if the target names another store."""
    if target.store is None and target.config is None:
        cwd = target.cwd or (Path(store.cwd) if store.cwd else None)
        target = replace(target, store=store.kind, config=store.config, cwd=cwd)
    session = start(replace(target, user=scope.user or "none", project=scope.project or "none", agent=scope.agent))
    if store.identity not in (session.store.identity, *session.store.former):
        raise DreamError(
            f"This run was made on another store ({store.kind}); name that one with --store and --config, "
            "or run fetch_all.py again."
        )
    return session


def line_of(store: StoreRef, scope: Scope, count: int | str) -> str:
    """The first line of a step that works on what was fetched before and touches no store."""
    return report.first_line(store.label or store.kind, scope.user, scope.project, count)


def whoami(session: Session) -> str:
    """User, project, branch and store, and where each came from."""
    identity, sources = session.identity, session.identity.sources
    rows = {"user": identity.user, "project": identity.project, "agent": identity.agent, "branch": identity.branch}
    lines = [f"{name:8}{shown(value or 'none')}  ({sources[name]})" for name, value in rows.items() if name in sources]
    return "\n".join(
        [*lines, f"store   {session.store.label}  ({session.store.identity})", f"runs    {session.folder}"]
    )


def quoted(text: str) -> str:
    """Text as one word of this system's shell: in double quotes, as the skill's grants are written, if that holds."""
    return shlex.quote(text) if os.name != "nt" and re.search(r"[\\\"$`!\n]", text) else f'"{text}"'


KEY = "Claude Code keeps a mem0 key in its plugin settings, where no script sees it; set MEM0_API_KEY in your shell."


def unseen_key(home: Path | None = None) -> str:
    """A sentence if a key lies in Claude Code's plugin settings, which no script can reach. The key is not read."""
    secrets = _of_mem0(home, ".credentials.json", "pluginSecrets").values()
    options = _of_mem0(home, "settings.json", "pluginConfigs").values()
    named = [*secrets, *(_dict(config).get("options") for config in options)]
    return KEY if any("key" in str(name).lower() for names in named for name in _dict(names)) else ""


def two_plugins(home: Path | None = None) -> str:
    """A sentence if two plugins named mem0 are installed in Claude Code."""
    found = _of_mem0(home, "plugins/installed_plugins.json", "plugins")
    if len(found) < 2:
        return ""
    return (
        f"{len(found)} plugins named mem0 are installed ({', '.join(found)}); the one that was installed first"
        " has /mem0:dream."
    )


def _of_mem0(home: Path | None, file: str, name: str) -> dict[str, Any]:
    """What a file of Claude Code says under `name` of the plugins called mem0; empty if it cannot be read."""
    try:
        found = json.loads(((home or Path.home()) / ".claude" / file).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    return {plugin: said for plugin, said in _dict(_dict(found).get(name)).items() if plugin.split("@")[0] == "mem0"}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
