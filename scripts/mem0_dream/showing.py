"""The demo: a whole pass on a store made for it, each step with the command that does the same on the reader's own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from . import attended, demo, options, report, work
from .identity import Identity
from .memory import Memory
from .operations import without_nulls
from .runs import dream_home, scope_folder
from .session import Session
from .terminal import Terminal


class Script:
    """A console that plays the person: every contradiction is answered with B, the newer; everything else with yes."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def say(self, text: str) -> None:
        self.terminal.say(text)

    def pair(self, a: str, b: str) -> None:
        self.terminal.pair(a, b)

    def ask(self, prompt: str) -> str:
        answer = demo.ANSWER if prompt.startswith(report.WHICH) else "y"
        self.terminal.say(f"{prompt}{answer}")
        return answer


def play(terminal: Terminal, tell: Callable[..., None]) -> bool:
    """The pass and its undo; True where the undo brought every memory back as it was."""
    folder = dream_home() / "demo"
    command = _command()
    terminal.say(f"A real mem0 store (on-disk Qdrant) in {folder}, with no key and no model.")
    with _session(folder) as session:
        count = demo.fill(session.store)  # type: ignore[arg-type]
        terminal.say(f"Stored: {count} memories of one project, as a coding agent notes them over some months.\n")
        before = _texts(session)
        terminal.say(f"— Step 1: find, ask and apply. On your own store: {command}")
        terminal.say("  (here every contradiction is answered with B, the newer one, and the rest with yes)\n")
        begun = attended.begin(session, options.today(), tell)
        assert not isinstance(begun, str)
        text, _ = attended.ask(session, begun, Script(terminal), check_recall=True)
        terminal.say(f"\n{text}\n")
        terminal.say(f"— Step 2: a second pass finds nothing new. On your own store: {command} --dry-run\n")
        again = attended.begin(session, options.today(), tell)
        terminal.say(again if isinstance(again, str) else report.body(again.plan, again.settled()))
        terminal.say(f"\n— Step 3: take it all back. On your own store: {command} --undo\n")
        text, _ = work.take_back(session, begun.run, [])
        terminal.say(text)
        after = _texts(session)
    same = sum((before & after).values())
    terminal.say(f"Restored: {same} of {count} memories, word for word, with their dates and metadata.")
    return same == count == sum(after.values())


def _session(folder: Path) -> Session:
    store = demo.make_store(folder)
    identity = Identity(demo.SCOPE.user, demo.SCOPE.project, None, None, {})
    return Session(store, identity, scope_folder(folder, store.identity, demo.SCOPE), folder, None)


def _texts(session: Session) -> Counter[tuple[str, str, str]]:
    return Counter(map(_fact, session.store.fetch(session.identity.scope).memories))


def _fact(memory: Memory) -> tuple[str, str, str]:
    date = memory.created.isoformat(timespec="seconds") if memory.created else ""
    return memory.text, date, repr(sorted(without_nulls(memory.metadata).items()))


def _command() -> str:
    return f"{'py -3' if os.name == 'nt' else 'python3'} {work.quoted(str(work.SCRIPTS / 'dream.py'))}"
