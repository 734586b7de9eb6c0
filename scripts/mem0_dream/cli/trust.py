"""A config or export that lies in the working repository may be anybody's: a person is asked about it once."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path

from ..config import git
from ..errors import AttentionNeeded
from ..runs import documents
from ..runs.run_folder import dream_home
from ..safe_text import shown
from ..views import prompts
from ..views.terminal import Terminal

_AGENTS = ("CLAUDECODE", "AI_AGENT", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CURSOR_AGENT")


def require(config: str, is_export: bool, cwd: Path, env: Mapping[str, str]) -> None:
    """AttentionNeeded for a file of the repository that no person has allowed and the environment does not name.

    An export that was allowed stays so; a config is asked about again when its content changes.
    """
    file = Path(config).resolve()
    root = git.line(cwd, "rev-parse", "--show-toplevel")
    if not (root and file.is_file() and file.is_relative_to(Path(root).resolve())) or _is_named(file, cwd, env):
        return
    record = dream_home(env) / "trusted.json"
    allowed = documents.read(record, "trusted")["entries"] if record.exists() else []
    entry = {"file": str(file), "content": "" if is_export else hashlib.sha256(file.read_bytes()).hexdigest()}
    if entry in allowed:
        return
    about = f"{shown(str(file))} is a file of this repository, not of your own settings"
    unattended = not sys.stdin.isatty() or any(env.get(name) for name in _AGENTS)
    if unattended or not prompts.sure(Terminal(sys.stderr), f"{about}. Use it as the store? [y/N] "):
        raise AttentionNeeded(
            f"{about}; run dream.py --setup with these options once in a terminal of yours, or name it in MEM0_CONFIG."
        )
    rest = [other for other in allowed if other["file"] != entry["file"]]
    documents.write(record, "trusted", {"entries": [*rest, entry]})


def _is_named(file: Path, cwd: Path, env: Mapping[str, str]) -> bool:
    """Whether it is the one that the user's environment or mem0's own folder names."""
    own = [env.get("MEM0_CONFIG"), str(Path.home() / ".mem0" / "oss.yaml")]
    return any(name and (cwd / Path(name).expanduser()).resolve() == file for name in own)
