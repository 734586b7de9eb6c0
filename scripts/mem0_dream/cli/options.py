"""The options that say which store and whose memories; every step takes the same ones."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timezone
from pathlib import Path

from .. import __version__
from ..errors import UsageError
from ..stores.protocol import KINDS
from . import process

EARLIER_RUNS = ("undo", "resume", "history", "kept", "forget")  # what `add_earlier_runs` adds


@dataclass(frozen=True)
class Target:
    """The store and the scope that a command is about, as far as its options name them."""

    store: str | None = None
    config: str | None = None  # absolute
    user: str | None = None
    project: str | None = None  # "none": all of the user's
    agent: str | None = None
    cwd: Path | None = None


def target(args: argparse.Namespace) -> Target:
    """The target that the options of `add_scope` name; of several folders the last."""
    config = str(Path(args.config).expanduser().resolve()) if args.config else None
    cwd = args.cwd[-1] if args.cwd else None
    return Target(args.store, config, args.user, args.project, args.agent, cwd)


def targets(args: argparse.Namespace) -> list[Target]:
    """One for every folder that --cwd and --projects name; else that of the current one."""
    folders = [*(args.cwd or []), *(lines(args.projects) if args.projects else [])]
    return [replace(target(args), cwd=folder) for folder in folders] or [target(args)]


def mode(args: argparse.Namespace, *acts: str) -> str:
    """Which of these options was given, also if its value is empty; "" if none."""
    return next((act for act in acts if getattr(args, act) not in (None, False)), "")


def refuse_idle(args: argparse.Namespace, given: str, used: Mapping[str, Sequence[str]]) -> None:
    """UsageError for an option that would do nothing: `used` says with which acts ("" for none) it does something."""
    for name, acts in used.items():
        if getattr(args, name) not in (None, False) and given not in acts:
            act = f"with --{given.replace('_', '-')}" if given else "here"
            means = [f"--{act.replace('_', '-')}" if act else "a pass in a terminal" for act in acts]
            raise UsageError(f"--{name.replace('_', '-')} does nothing {act}; it goes with {' or '.join(means)}.")


def parser(description: str) -> argparse.ArgumentParser:
    """A parser of this plugin, with --version."""
    made = process.Parser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--version", action="version", version=f"mem0-dream {__version__}")
    return made


def add_scope(made: argparse.ArgumentParser) -> None:
    """--store --config --user --project --agent --cwd."""
    group = made.add_argument_group("store and scope")
    group.add_argument("--store", choices=KINDS, help="where the memories are (else what is configured)")
    for name, metavar, help in (
        ("config", "FILE", "a mem0 YAML or JSON config, or with --store file a JSON export"),
        ("user", "ID", "whose memories (else MEM0_USER_ID, mem0's config, the login name)"),
        ("project", "ID", 'which project, or "none" for all of the user (else from git)'),
        ("agent", "ID", "memories of this agent (else those without one)"),
    ):
        group.add_argument(f"--{name}", metavar=metavar, type=filled, help=help)
    group.add_argument(
        "--cwd", metavar="DIR", type=path, action="append", help="the project's folder (else the current one)"
    )


def add_run(made: argparse.ArgumentParser) -> None:
    """--run DIR."""
    made.add_argument(
        "--run", metavar="DIR", type=filled, help="the run folder that fetch_all.py printed (else the newest open one)"
    )


def add_earlier_runs(act: argparse._MutuallyExclusiveGroup) -> None:
    """--undo --resume --history --kept --forget."""
    act.add_argument("--undo", nargs="?", const="", metavar="RUN", help="take an applied run back (else the newest)")
    act.add_argument("--resume", action="store_true", help="finish what an interrupted run began")
    act.add_argument("--history", action="store_true", help="list the runs, and what --undo would restore")
    act.add_argument("--kept", action="store_true", help="list what was decided to be left alone")
    act.add_argument("--forget", metavar="N|all", help="ask again about entry N of --kept, or about all of them")


def filled(text: str) -> str:
    """A value that is not blank, for argparse."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text


def path(text: str) -> Path:
    return Path(filled(text)).expanduser()


def output(text: str) -> str:
    """A file to write, or "-", for argparse. A file that is there already must be one that was written here before."""
    file = path(text)
    if text == "-" or not file.exists():
        return str(file)
    try:
        with file.open("rb") as opened:
            begins = opened.read(1000)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{file} cannot be read ({error.strerror})") from None
    if begins.lstrip().startswith(b'{"schema": "mem0-dream/') or b"<title>mem0 dream" in begins:
        return str(file)
    raise argparse.ArgumentTypeError(f"{file} is there already and was not written by mem0 dream; name another file")


def handles(text: str) -> list[str]:
    """Handles as "M1,P2", for argparse."""
    found = [part.strip().upper() for part in text.split(",") if part.strip()]
    if not found:
        raise argparse.ArgumentTypeError("it names no handle; write it like M1,P2")
    return found


def count(text: str) -> int:
    """A whole number from 1, for argparse."""
    if not text.strip().isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def percent(text: str) -> int:
    """A percentage as "25%" or "25", for argparse."""
    number = text.strip().removesuffix("%").strip()
    if not number.isdigit() or int(number) > 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage; write it like 25%")
    return int(number)


def lines(file: Path) -> list[Path]:
    """The folders that a file names, one a line; blank lines and those that begin with # do not count."""
    try:
        found = file.expanduser().read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error}); name a text file with a folder a line.") from None
    return [Path(line.strip()) for line in found if line.strip() and not line.lstrip().startswith("#")]


def today() -> date:
    return datetime.now(timezone.utc).date()


def day(text: str) -> date:
    """A day as YYYY-MM-DD, for argparse."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day; write it as YYYY-MM-DD") from None
