#!/usr/bin/env python3
"""Keeps one version in every manifest: no argument checks (exit 1 where they differ), a version sets it everywhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = {
    "scripts/mem0_dream/__init__.py": r'(?<=__version__ = ")[^"]+',
    ".claude-plugin/plugin.json": r'(?<="version": ")[^"]+',
    ".codex-plugin/plugin.json": r'(?<="version": ")[^"]+',
    ".cursor-plugin/plugin.json": r'(?<="version": ")[^"]+',
}


def versions(root: Path = ROOT) -> dict[str, str]:
    """The version each place names; empty text where it names none."""
    found = {place: re.search(pattern, _read(root / place)) for place, pattern in PLACES.items()}
    return {place: match.group() if match else "" for place, match in found.items()}


def set_version(version: str, root: Path = ROOT) -> None:
    """Write `version` into every place."""
    for place, pattern in PLACES.items():
        text = re.sub(pattern, version, _read(root / place), count=1)
        (root / place).write_text(text, encoding="utf-8", newline="\n")


def main(arguments: list[str]) -> int:
    if arguments and not re.fullmatch(r"\d+\.\d+\.\d+", arguments[0]):
        print(f"{arguments[0]} is not a version; write it as 1.2.3.", file=sys.stderr)
        return 2
    if arguments:
        set_version(arguments[0])
    for place, version in versions().items():
        print(f"{version or '(none)':10} {place}")
    return 0 if len(set(versions().values())) == 1 else 1


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
