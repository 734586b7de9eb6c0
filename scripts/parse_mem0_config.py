#!/usr/bin/env python3
"""Print what mem0.md says of retention: a JSON object of type -> days, or null for "never prune".

Standard library alone. Does all that mem0's own script of this name does, so that it can take its place, also for
the scripts that import it.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mem0_dream.cli import process
from mem0_dream.config import mem0_md, policies
from mem0_dream.errors import DreamError, UsageError


def find_mem0_config(cwd: str) -> str | None:
    """The path of mem0.md in `cwd` or above it, up to the root of the git repository; None where there is none."""
    path = mem0_md.find(Path(cwd))
    return str(path) if path else None


def parse_retention(content: str) -> dict[str, int | None]:
    """Type -> days (None: for ever) from the text of a mem0.md; what cannot be read is left out."""
    return policies.parse(content).retention


def load_retention_policies(cwd: str | None = None) -> dict[str, int | None]:
    """As `parse_retention`, from the file of `cwd`; {} where nothing is configured.

    A value that cannot be read is None here, as nothing of that type is pruned. Where the whole retention cannot be
    read the types that have a default are None, since whoever is given {} would apply those.
    """
    return _retention(policies.configured(Path(cwd or ".")))


def parse_section_kv(content: str, heading: str) -> dict[str, str]:
    """The `key: value` lines of one section."""
    entries = mem0_md.entries(mem0_md.section(content, heading) or [])
    return {entry.key: entry.value for entry in entries if entry.key and entry.value}


def parse_section_list(content: str, heading: str) -> list[str]:
    """The items of one section, bulleted or not."""
    texts = [mem0_md.plain(line) for line in mem0_md.section(content, heading) or []]
    return [text for text in texts if text]


def parse_section_text(content: str, heading: str) -> str:
    """The prose of one section on one line; lines that begin with # are comments."""
    texts = [line.text.strip() for line in mem0_md.section(content, heading) or []]
    return " ".join(text for text in texts if text and not text.startswith("#"))


def parse_ignore_patterns(content: str) -> list[str]:
    """The patterns of the section Ignore, as written but for a bullet."""
    texts = [line.text.strip() for line in mem0_md.section(content, "Ignore") or []]
    texts = [text[2:].strip() if text[:2] in ("- ", "* ") else text for text in texts]
    return [text for text in texts if text and not text.startswith("#")]


def load_full_config(cwd: str | None = None) -> dict[str, Any]:
    """Everything in the mem0.md of `cwd`; a section that it lacks has no key. {} where there is no file to read."""
    folder = Path(cwd or ".")
    path = mem0_md.find(folder)
    found = policies.configured(folder)
    try:
        content = mem0_md.read(path) if path else ""
    except DreamError:
        content = ""
    identity = parse_section_kv(content, "Identity")
    categories = parse_section_list(content, "Categories")
    config = {
        "retention": _retention(found),
        "unreadable": found.unreadable,
        "search": parse_section_kv(content, "Search"),
        "categories": categories,
        "default_categories": categories,
        "identity": identity,
        "project_id": identity.get("project_id"),
        "ignore": parse_ignore_patterns(content),
        "settings": parse_section_kv(content, "Settings"),
        "instructions": parse_section_text(content, "Instructions"),
        "agent_instructions": parse_section_text(content, "Agent Instructions"),
        "dream": vars(found.settings) if mem0_md.section(content, *policies.DREAM_TITLES) else None,
    }
    return {name: value for name, value in config.items() if value}


def main(arguments: list[str]) -> int:
    """Print the retention, with --full the whole file, with --key one value of it."""
    parser = process.Parser(prog="parse_mem0_config.py", description="Print what mem0.md says, as JSON.")
    parser.add_argument("cwd", nargs="?", default=".", help="the working folder (default: this one)")
    parser.add_argument("--full", action="store_true", help="print every section, not the retention alone")
    parser.add_argument("--key", metavar="a.b", help="print one value, e.g. settings.auto_save; nothing where absent")
    options = parser.parse_args(arguments)
    if not Path(options.cwd).is_dir():
        raise UsageError(f"There is no folder {options.cwd}; name the working folder of the project.")
    for note in policies.configured(Path(options.cwd)).notes:
        print(note, file=sys.stderr)
    if options.key is None:
        found = load_full_config(options.cwd) if options.full else load_retention_policies(options.cwd)
        print(json.dumps(found, ensure_ascii=False))
        return 0
    value: Any = load_full_config(options.cwd)
    for part in options.key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    print("" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return 0


def _retention(found: policies.Policies) -> dict[str, int | None]:
    whole = policies.ALL in found.unreadable
    names = policies.DEFAULTS if whole else found.unreadable
    return {**dict.fromkeys(names), **found.retention}


if __name__ == "__main__":
    process.run(main)
