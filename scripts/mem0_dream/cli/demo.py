"""The demo: a whole pass on a store made for it, each step with the command that does the same on the reader's own.

The store is mem0's own engine on disk, filled with the memories of one small project.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ..config.identity import Identity
from ..execution.operations import without_nulls
from ..memory import Memory, Scope
from ..runs.run_folder import dream_home, scope_folder
from ..stores.local import LocalStore
from ..stores.mem0_config import Config
from ..stores.mem0_engine import make_collection
from ..stores.protocol import Draft
from ..views import report
from ..views.terminal import Terminal
from . import apply, interactive, options
from .review import serve
from .session import SCRIPTS, Session, quoted

SCOPE = Scope("demo", "web-shop")
ANSWER = "B"  # to every contradiction that the demo asks about: the newer memory stays
_SIZE = 256
_MEMORIES = Path(__file__).parent / "demo.json"


class Script:
    """A console that plays the person: every contradiction is answered with B, the newer; everything else with yes."""

    attended = True

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def say(self, text: str) -> None:
        self.terminal.say(text)

    def edit(self, draft: str) -> str:
        return draft

    def pair(self, a: str, b: str) -> None:
        self.terminal.pair(a, b)

    def ask(self, prompt: str) -> str:
        answer = ANSWER if prompt.startswith("Which") else "n" if "Look through" in prompt else "y"
        self.terminal.say(f"{prompt}{answer}")
        return answer


def play(terminal: Terminal, tell: Callable[..., None]) -> bool:
    """The pass and its undo; True where the undo brought every memory back as it was."""
    folder = dream_home() / "demo"
    command = _command()
    terminal.say(f"A real mem0 store (on-disk Qdrant) in {folder}, with no key and no model.")
    with _session(folder) as session:
        count = fill(session.store)  # type: ignore[arg-type]
        terminal.say(f"Stored: {count} memories of one project, as a coding agent notes them over some months.\n")
        before = _texts(session)
        terminal.say(f"— Step 1: find, ask and apply. On your own store: {command}")
        terminal.say("  (here every contradiction is answered with B, the newer one, and the rest with yes)\n")
        begun = interactive.begin(session, options.today(), tell)
        assert not isinstance(begun, str)
        done = interactive.ask(session, begun, Script(terminal), check_recall=True)
        lines = [line for line in done.text.splitlines() if not line.startswith("Undo: ")]  # step 3 does it
        terminal.say("\n".join(["", *lines, ""]))
        terminal.say(f"— Step 2: a second pass finds nothing new. On your own store: {command} --dry-run\n")
        again = interactive.begin(session, options.today(), tell)
        terminal.say(again if isinstance(again, str) else report.body(again.decisions()))
        terminal.say(f"\n— Step 3: take it all back. On your own store: {command} --undo\n")
        text, _ = apply.take_back(session, begun.run, [])
        terminal.say(text)
        after = _texts(session)
    same = sum((before & after).values())
    terminal.say(f"Restored: {same} of {count} memories, word for word, with their dates and metadata.")
    return same == count == sum(after.values())


def review(browser: bool, tell: Callable[..., None]) -> None:
    """The same store on the review page, for the reader to click through; nothing of the reader's own is touched."""
    with _session(dream_home() / "demo") as session:
        fill(session.store)  # type: ignore[arg-type]
        begun = interactive.begin(session, options.today(), tell)
        assert not isinstance(begun, str)
        serve(session, begun, options.today(), browser, tell)


def _session(folder: Path) -> Session:
    store = make_store(folder)
    identity = Identity(SCOPE.user, SCOPE.project, None, None, {})
    return Session(store, identity, scope_folder(folder, store.identity, SCOPE), folder, None)


def _texts(session: Session) -> Counter[tuple[str, str, str]]:
    return Counter(map(_fact, session.store.fetch(session.identity.scope).memories))


def _fact(memory: Memory) -> tuple[str, str, str]:
    date = memory.created.isoformat(timespec="seconds") if memory.created else ""
    return memory.text, date, repr(sorted(without_nulls(memory.metadata).items()))


def _command() -> str:
    return f"{'py -3' if os.name == 'nt' else 'python3'} {quoted(str(SCRIPTS / 'dream.py'))}"


class Embedder:
    """Words hashed into a vector: enough for search to work in a demo, with no model and no download."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """A vector of length 1; texts that share words point the same way."""
        vector = [0.0] * _SIZE
        for word in re.findall(r"\w+", text.casefold()) or [text]:
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
            vector[int.from_bytes(digest, "big") % _SIZE] += 1.0
        length = math.hypot(*vector)
        return [value / length for value in vector]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def make_store(folder: Path) -> LocalStore:
    """A new store of on-disk Qdrant in this folder; an earlier demo, with its runs, is removed from there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    where = {"collection_name": "mem0", "path": str(folder / "qdrant"), "embedding_model_dims": _SIZE, "on_disk": True}
    settings = {
        "vector_store": {"provider": "qdrant", "config": where},
        "history_db_path": str(folder / "history.db"),
    }
    make_collection(settings)
    return LocalStore(Config(settings, "the demo's config"), Embedder())


def fill(store: LocalStore, now: datetime | None = None) -> int:
    """Store the demo's memories with their ages; how many."""
    moment = now or datetime.now(timezone.utc)
    rows = json.loads(_MEMORIES.read_text(encoding="utf-8"))["memories"]
    drafts = []
    for row in rows:
        metadata = {key: row[key] for key in ("type", "confidence", "pinned") if key in row}
        drafts.append(Draft(row["memory"], SCOPE, metadata, moment - timedelta(days=row["days"])))
    store.add(drafts)
    return len(drafts)
