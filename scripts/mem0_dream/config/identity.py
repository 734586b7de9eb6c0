"""Whose memories are cleaned: user, project and branch, found as mem0's own plugin finds them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DreamError
from ..memory import Scope
from . import git


@dataclass(frozen=True)
class Identity:
    """A scope, the branch that is checked out (None: no git or a detached HEAD), and where each came from."""

    user: str
    project: str | None
    agent: str | None
    branch: str | None
    sources: dict[str, str]

    @property
    def scope(self) -> Scope:
        return Scope(self.user, self.project, self.agent)


def resolve(
    cwd: Path,
    env: Mapping[str, str],
    user: str | None = None,
    project: str | None = None,
    agent: str | None = None,
) -> Identity:
    """Who works here: the options first, then the environment, mem0's files, git and the folder. "none": none."""
    name, name_source = _first(_users(env, user))
    where, where_source = _first(_projects(cwd, env, project))
    branch = git.line(cwd, "branch", "--show-current")
    sources = {
        "user": name_source,
        "project": where_source,
        "agent": "--agent" if agent else "none named",
        "branch": "git" if branch else "no branch checked out" if branch == "" else "no git",
    }
    name = "" if user == "none" else name
    return Identity(name, None if project == "none" else where, agent or None, branch or None, sources)


def mem0_file(name: str) -> dict[str, Any]:
    """One of mem0's own JSON files in ~/.mem0; empty if there is none."""
    path = Path.home() / ".mem0" / name
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = json.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise DreamError(f"{path} cannot be read ({error.strerror}); check its permissions.") from None
    except (ValueError, RecursionError) as error:
        raise DreamError(f"{path} is not JSON ({error}); correct it or move it away.") from None
    return found if isinstance(found, dict) else {}


def _users(env: Mapping[str, str], option: str | None) -> Iterator[tuple[object, str]]:
    yield option, "--user"
    yield env.get("MEM0_USER_ID"), "MEM0_USER_ID"
    defaults = mem0_file("config.json").get("defaults")
    yield defaults.get("user_id") if isinstance(defaults, dict) else None, "~/.mem0/config.json"
    for variable in ("USER", "LOGNAME", "USERNAME"):
        yield env.get(variable), variable
    yield "default", "nothing names a user"


def _projects(cwd: Path, env: Mapping[str, str], option: str | None) -> Iterator[tuple[object, str]]:
    yield option, "--project"
    yield env.get("MEM0_PROJECT_ID"), "MEM0_PROJECT_ID"
    mapped = mem0_file("project_map.json")
    for path in dict.fromkeys((str(cwd), str(cwd.resolve()))):
        yield mapped.get(path), "~/.mem0/project_map.json, this folder"
    remote = git.line(cwd, "config", "--get", "remote.origin.url")
    if remote:
        key = f"remote:{hashlib.sha256(remote.encode()).hexdigest()[:16]}"
        yield mapped.get(key), "~/.mem0/project_map.json, this git remote"
        yield remote_name(git.line(cwd, "remote", "get-url", "origin") or remote), "git remote origin"
    yield cwd.resolve().name, "the folder's name"
    yield "unknown", "the folder has no name"


def remote_name(url: str) -> str:
    """owner-repo from a git remote of any form, as mem0's plugin writes it; a password in the URL is left out."""
    rest = re.sub(r"^(https?|ssh|git)://", "", url.strip().removesuffix(".git"))
    rest = re.sub(r"^git@" if "://" not in url else r"^[^/@]*:[^/@]*@", "", rest)
    parts = [part for part in rest.replace(":", "/", 1).split("/") if part]
    return "-".join(parts[-2:]).replace(":", "-")


def _first(candidates: Iterator[tuple[object, str]]) -> tuple[str, str]:
    return next((value.strip(), source) for value, source in candidates if isinstance(value, str) and value.strip())
