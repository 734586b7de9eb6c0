"""The real clients, from the npm registry at pinned versions, kept outside the repository between runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

PINS: dict[str, str] = json.loads((Path(__file__).parent / "package.json").read_text(encoding="utf-8"))["dependencies"]
PROGRAMS = {
    "@anthropic-ai/claude-code": "node_modules/@anthropic-ai/claude-code-*/claude",
    "@openai/codex": "node_modules/@openai/codex-*/vendor/*/bin/codex",
}


def installed(package: str) -> Path:
    """The client's native program at its pinned version; RuntimeError says why it cannot be had."""
    if sys.platform == "win32":
        raise RuntimeError("the stand-in models drive the clients on Linux and macOS only")
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not installed")
    version = PINS[package]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mem0-dream-tests"
    folder = cache / f"{package.rpartition('/')[2]}-{version}"
    if not (program := _program(folder, package, version)):
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            npm,
            "install",
            "--no-audit",
            "--no-fund",
            "--no-save",
            "--prefix",
            str(folder),
            f"{package}@{version}",
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"npm did not finish installing {package} within 300 s") from None
        program = _program(folder, package, version)
        if not program:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise RuntimeError(f"npm could not install {package}@{version} ({last})")
    return program


def _program(folder: Path, package: str, version: str) -> Path | None:
    for program in sorted(folder.glob(PROGRAMS[package])):
        try:
            told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if version in told.stdout:
            return program
    return None
