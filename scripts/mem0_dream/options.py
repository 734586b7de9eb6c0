"""The options that say which store and whose memories; every step takes the same ones."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import __version__

KINDS = ("platform", "local", "server", "file")


def parser(description: str) -> argparse.ArgumentParser:
    """A parser of this plugin: no abbreviations (an agent's guess must fail), the version, plain help."""
    made = argparse.ArgumentParser(
        description=description, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--version", action="version", version=f"mem0-dream {__version__}")
    return made


def add_scope(made: argparse.ArgumentParser) -> None:
    """--store --config --user --project --agent --cwd."""
    group = made.add_argument_group("store and scope")
    group.add_argument("--store", choices=KINDS, help="where the memories are (else what is configured)")
    group.add_argument("--config", metavar="FILE", help="a mem0 YAML or JSON config, or with --store file a JSON export")
    group.add_argument("--user", metavar="ID", help="whose memories (else MEM0_USER_ID, mem0's config, the login name)")
    group.add_argument("--project", metavar="ID", help='which project, or "none" for all of the user (else from git)')
    group.add_argument("--agent", metavar="ID", help="memories of this agent (else those without one)")
    group.add_argument("--cwd", metavar="DIR", type=Path, default=None, help="the project's folder (else the current one)")
