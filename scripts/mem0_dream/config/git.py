"""git, asked only to read, and so that nothing a repository's own configuration names can run."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from threading import Timer
from typing import IO

from . import programs

SECONDS = 10  # the longest that one question may take
MOST = 64_000_000  # bytes of one answer

# What git would start by itself while it reads. Its own commands come before any alias of their name.
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": "false",
    "core.askPass": "false",
    "credential.helper": "",
    "log.showSignature": "false",  # it calls gpg.program
    "protocol.allow": "never",  # a partial clone would fetch what it lacks
    "safe.bareRepository": "explicit",  # a repository can hold another one among its files
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# They mean another repository than the folder's: a hook that starts this program has them set.
_ELSEWHERE = {
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_SHALLOW_FILE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE"),
    *("GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"),
}


def line(folder: Path, *arguments: str) -> str | None:
    """What git says in this folder, as text; None if there is no git, no repository or no such setting."""
    found = run(folder, *arguments)
    return None if found is None else found.decode("utf-8", "replace").strip()


def run(folder: Path, *arguments: str, given: bytes = b"", seconds: float = SECONDS) -> bytes | None:
    """The whole of what git writes; `given` is its standard input.

    None if there is no git or no repository, if it fails, takes longer than `seconds` or writes more than `MOST` bytes.
    """
    program = programs.find("git")
    if program is None:
        return None
    settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    try:
        with tempfile.TemporaryFile() as file:
            file.write(given)
            file.seek(0)
            return _answer(
                [str(program), "--no-pager", *settings, *arguments], folder, environment | _ENVIRONMENT, file, seconds
            )
    except OSError:
        return None


def _answer(command: list[str], folder: Path, env: dict[str, str], given: IO[bytes], seconds: float) -> bytes | None:
    with subprocess.Popen(
        command, cwd=folder, env=env, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        timer = Timer(seconds, process.kill)
        timer.start()
        try:
            found = process.stdout.read(MOST + 1) if process.stdout else b""
            if len(found) > MOST:
                return None
            return found if process.wait() == 0 else None
        finally:
            timer.cancel()
            process.kill()
