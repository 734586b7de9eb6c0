"""`dream.py --review`: the asked pass on a page. Every click is an answer of the run, on disk before the page shows it.

The page is one more surface over the same functions as the terminal and apply_plan.py: it can do nothing that
`--decide`, `--report`, `--apply` and `--undo` could not.
"""

from __future__ import annotations

import json
import os
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from typing import Any, Literal

from ..errors import DreamError, UsageError
from ..planning.decisions import Decision, MergeDecision
from ..review import consent
from ..runs import history, journal
from ..runs.run_folder import Run, all_runs
from ..views import html_page
from ..views.cards import answer_value, lost
from . import apply, process
from .pipeline import Pass
from .session import Session
from .web_server import WebServer

Phase = Literal["asking", "working", "applied", "ended"]
Body = dict[str, Any]


class Worker:
    """Applying and undoing, in a thread of their own, so that the page can show how far they are."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.phase: Phase = "asking"
        self.line = ""  # what it came to

    def apply(self, current: Pass) -> None:
        decisions = current.decisions()
        consent.require(current.run, decisions, os.environ)
        self._start(lambda: apply.apply(self.session, current, decisions)[0], "applied")

    def undo(self, run: Run, only: list[str], afterwards: Phase) -> None:
        self._start(lambda: apply.take_back(self.session, run, only)[0], afterwards)

    @contextmanager
    def stage(self, name: str, unit: str, total: int | None = None, **_: Any) -> Iterator[Callable[..., None]]:
        """How far a stage of the work is, for the page."""
        done = 0

        def count(more: int = 1, of: int | None = None) -> None:
            nonlocal done
            done += more
            self.line = f"{name}: {done} of {of or total or '?'} {unit}"

        yield count

    def _start(self, work: Callable[[], str], afterwards: Phase) -> None:
        if self.phase == "working":
            raise UsageError("This is under way already; wait until it is done.")
        before, self.phase, self.line = self.phase, "working", "Working …"

        def run() -> None:
            then: Phase = before
            try:
                self.line, then = work(), afterwards
            except DreamError as error:
                self.line = str(error)
            except Exception as error:  # else the page waits for ever
                self.line = process.unexpected(error)
            self.phase = then

        threading.Thread(target=run).start()


class Questions:
    """One run on the page: its questions, its report, and applying it."""

    def __init__(self, worker: Worker, current: Pass, today: date) -> None:
        self.worker, self.current, self.today = worker, current, today
        self.acts = {
            "answer": self.answer,
            "clear": self.clear,
            "preview": self.preview,
            "report": self.report,
            "apply": self.apply,
            "undo": self.undo,
        }

    def page(self) -> str:
        return html_page.review_page(self.current.decisions(), self.current.memories, self.today)

    def state(self) -> Body:
        """Everything on the page that can change."""
        decisions = self.current.decisions()
        foot = html_page.foot(decisions) if self.worker.phase == "asking" else ""
        return {
            "phase": self.worker.phase,
            "foot": "\n".join(filter(None, [self.worker.line, foot])),
            "changes": decisions.changes(),
            "items": {item.handle: self._item(item) for item in decisions.items},
        }

    def answer(self, body: Body) -> Body:
        self._still_asking()
        given = body.get("answers")
        if not isinstance(given, dict) or not all(
            answer is True or isinstance(answer, str) for answer in given.values()
        ):
            raise UsageError("The page sent something that cannot be understood; reload it.")
        self.current.decide(given)
        return self.state()

    def clear(self, body: Body) -> Body:
        self._still_asking()
        self.current.withdraw([str(handle) for handle in body.get("handles", ())])
        return self.state()

    def preview(self, body: Body) -> Body:
        """What a text of one's own would drop, before it is an answer."""
        handle, text = str(body.get("handle")), str(body.get("text"))
        try:
            items = self.current.preview({handle: text}).merges
        except UsageError:
            items = []
        return {"drops": [word for item in items if item.handle == handle for word in lost(item)]}

    def report(self, _: Body) -> Body:
        """The report as it stands; that it was shown is on record, as in a terminal."""
        self._still_asking()
        return {**self.state(), "text": apply.show(self.current.run, self.current.decisions(), verbose=True)}

    def apply(self, _: Body) -> Body:
        self._still_asking()
        self.worker.apply(self.current)
        return self.state()

    def undo(self, _: Body) -> Body:
        self.worker.undo(self.current.run, [], "ended")
        return self.state()

    def _item(self, item: Decision) -> Body:
        return {
            "state": item.state,
            "label": html_page.STATES[item.state],
            "answer": answer_value(self.current.answers.get(item.handle)),
            "drops": lost(item) if isinstance(item, MergeDecision) else [],
        }

    def _still_asking(self) -> None:
        if self.worker.phase != "asking":
            raise UsageError("This run is applied; start dream.py --review again for what is left.")


class Runs:
    """The earlier runs of a scope on the page, each with its undo."""

    def __init__(self, worker: Worker, asking: bool) -> None:
        self.worker, self.asking = worker, asking
        self.acts = {"undo-run": self.undo}

    def page(self) -> str:
        session = self.worker.session
        rows = [
            {**asdict(entry), "operations": _operations(self._run(entry.run))}
            for entry in history.history(session.folder)
            if entry.state not in ("open", "queued")
        ]
        return html_page.history_page(session.store.label, session.identity.scope, rows, self.asking)

    def state(self) -> Body:
        return {"phase": self.worker.phase, "foot": self.worker.line, "items": {}}

    def undo(self, body: Body) -> Body:
        only = str(body.get("only") or "")
        self.worker.undo(self._run(str(body.get("run"))), [only] if only else [], "asking")
        return self.state()

    def _run(self, name: str) -> Run:
        found = next((run for run in all_runs(self.worker.session.folder) if run.name == name), None)
        if found is None:
            raise UsageError("This run is not on record any more; reload the page.")
        return found


def serve(session: Session, current: Pass | None, today: date, browser: bool, tell: Callable[..., None]) -> None:
    """Serve the questions of `current`, or the earlier runs alone, until the page says done, Ctrl-C, or an hour of
    silence."""
    worker = Worker(session)
    runs = Runs(worker, asking=current is not None)
    first = Questions(worker, current, today) if current else runs
    if current:  # on a page nothing is answered that nobody clicked
        drafts = {merge.handle for merge in current.plan.merges if merge.tier == "review"}
        current.answers = {h: answer for h, answer in current.answers.items() if h not in drafts or answer is not True}
    server = WebServer()

    def done(_: Body) -> Body:
        server.leave()
        worker.phase = "ended"
        return first.state()

    server.acts = {**runs.acts, **first.acts, "done": done}
    server.pages = {
        "": lambda: ("text/html", first.page()),
        "history": lambda: ("text/html", runs.page()),
        "state": lambda: ("application/json", json.dumps(first.state())),
        "page.css": lambda: ("text/css", html_page.asset("page.css")),
        "review.js": lambda: ("text/javascript", html_page.asset("review.js")),
    }
    opened = browser and webbrowser.open(server.address)
    tell(
        f"{'Opened' if opened else 'Open'} {server.address}", "Ctrl-C or the page's button Done ends it; answers stay."
    )
    server.serve()


def _operations(run: Run) -> list[tuple[str, str]]:
    """What of a run still stands: the handle of each operation, and what it was about."""
    standing = journal.standing(journal.read(run.journal))
    return [(op.handle, f"{op.kind}: {' / '.join(member.text[:80] for member in op.members)}") for op in standing]
