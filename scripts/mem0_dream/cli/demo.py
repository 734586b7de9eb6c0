"""The demo: a whole pass on a store made for it, each step with the command that does the same on the reader's own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ..config.identity import Identity
from ..execution.operations import without_nulls
from ..memory import Memory
from ..runs.run_folder import dream_home, scope_folder
from ..views import report
from ..views.terminal import Terminal
from . import actions, demo_store, interactive, options
from .session import Session


class Script:
    """A console that plays the person: every contradiction is answered with B, the newer; everything else with yes."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def say(self, text: str) -> None:
        self.terminal.say(text)

    def pair(self, a: str, b: str) -> None:
        self.terminal.pair(a, b)

    def ask(self, prompt: str) -> str:
        answer = demo_store.ANSWER if prompt.startswith(report.WHICH) else "y"
        self.terminal.say(f"{prompt}{answer}")
        return answer


def play(terminal: Terminal, tell: Callable[..., None]) -> bool:
    """The pass and its undo; True where the undo brought every memory back as it was."""
    folder = dream_home() / "demo"
    command = _command()
    terminal.say(f"A real mem0 store (on-disk Qdrant) in {folder}, with no key and no model.")
    with _session(folder) as session:
        count = demo_store.fill(session.store)  # type: ignore[arg-type]
        terminal.say(f"Stored: {count} memories of one project, as a coding agent notes them over some months.\n")
        before = _texts(session)
        terminal.say(f"— Step 1: find, ask and apply. On your own store: {command}")
        terminal.say("  (here every contradiction is answered with B, the newer one, and the rest with yes)\n")
        begun = interactive.begin(session, options.today(), tell)
        assert not isinstance(begun, str)
        text, _ = interactive.ask(session, begun, Script(terminal), check_recall=True)
        terminal.say(f"\n{text}\n")
        terminal.say(f"— Step 2: a second pass finds nothing new. On your own store: {command} --dry-run\n")
        again = interactive.begin(session, options.today(), tell)
        terminal.say(again if isinstance(again, str) else report.body(again.decisions()))
        terminal.say(f"\n— Step 3: take it all back. On your own store: {command} --undo\n")
        text, _ = actions.take_back(session, begun.run, [])
        terminal.say(text)
        after = _texts(session)
    same = sum((before & after).values())
    terminal.say(f"Restored: {same} of {count} memories, word for word, with their dates and metadata.")
    return same == count == sum(after.values())


def _session(folder: Path) -> Session:
    store = demo_store.make_store(folder)
    identity = Identity(demo_store.SCOPE.user, demo_store.SCOPE.project, None, None, {})
    return Session(store, identity, scope_folder(folder, store.identity, demo_store.SCOPE), folder, None)


def _texts(session: Session) -> Counter[tuple[str, str, str]]:
    return Counter(map(_fact, session.store.fetch(session.identity.scope).memories))


def _fact(memory: Memory) -> tuple[str, str, str]:
    date = memory.created.isoformat(timespec="seconds") if memory.created else ""
    return memory.text, date, repr(sorted(without_nulls(memory.metadata).items()))


def _command() -> str:
    return f"{'py -3' if os.name == 'nt' else 'python3'} {actions.quoted(str(actions.SCRIPTS / 'dream.py'))}"
