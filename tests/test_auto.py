"""Unattended runs: only what is provably safe is done, the rest waits for a person, and every way out is clean."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from mem0_dream.cli import apply, unattended
from mem0_dream.cli.session import Session
from mem0_dream.config.identity import Identity
from mem0_dream.errors import DreamError
from mem0_dream.memory import Scope
from mem0_dream.runs import lock, run_folder
from mem0_dream.runs.dismissals import Dismissals
from mem0_dream.runs.history import history
from mem0_dream.runs.lock import Lock
from mem0_dream.stores.file import FileStore
from mem0_dream.stores.local import LocalStore
from mem0_dream.stores.mem0_config import Config
from mem0_dream.stores.protocol import Draft, Result

from .standins.collection import make_collection
from .standins.embedder import WordEmbedder
from .steps import SCRIPTS, Place

REPEAT = ["Cache pages for 30s", "Cache pages for 30s."]
CONFLICT = ["The gateway listens on port 8080", "The gateway listens on port 9090"]


@pytest.fixture(autouse=True)
def published(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(lock, "PUBLISHED", tmp_path / "published.lock")
    return lock.PUBLISHED


class Killed(BaseException):
    """What ends a process nowhere that anybody catches."""


class Dies(FileStore):
    """A store whose process is killed at the first removal."""

    def delete(self, ids):
        raise Killed


class Project:
    """An export, a folder for mem0.md, and the unattended run over them."""

    def __init__(self, folder: Path) -> None:
        self.cwd, self.export, self.home = folder / "cwd", folder / "export.json", folder / "home"
        self.cwd.mkdir()
        self.told: list[str] = []

    def store(self, *texts: str, type: str = "decision", days: int = 1, start: int = 0) -> None:
        rows = self.rows() if start else []
        for n, text in enumerate(texts, start):
            made = (datetime.now(timezone.utc) - timedelta(days=days, seconds=-n)).isoformat()
            rows.append(
                {
                    "id": f"{n:08d}-id",
                    "memory": text,
                    "user_id": "me",
                    "app_id": "shop",
                    "metadata": {"type": type, "confidence": 0.7},
                    "created_at": made,
                    "updated_at": made,
                }
            )
        self.export.write_text(json.dumps(rows), encoding="utf-8")

    def rows(self) -> list[dict]:
        return json.loads(self.export.read_text(encoding="utf-8"))

    def texts(self) -> list[str]:
        return sorted(row["memory"] for row in self.rows() if not row["memory"].startswith("Bystander"))

    def crowd(self) -> None:
        """Enough other memories that a quarter of all is some; of types of their own, so that none is compared."""
        for n in range(100, 140):
            self.store("Bystander", type=f"type {n}", start=n)

    def session(self, store=None) -> Session:
        made = store or FileStore(self.export)
        identity = Identity("me", "shop", None, "main", {})
        return Session(
            made, identity, run_folder.scope_folder(self.home, made.identity, identity.scope), self.cwd, None
        )

    @property
    def folder(self) -> Path:
        return self.session().folder

    def run(self, percent: int | None = None, store=None) -> unattended.Outcome:
        return unattended.alone(self.session(store), percent, lambda *lines: self.told.extend(lines))


@pytest.fixture
def project(tmp_path) -> Project:
    return Project(tmp_path)


def reminders(project: Project) -> list[dict]:
    return [row for row in project.rows() if row["metadata"].get("source") == "mem0-dream-auto"]


def test_what_is_provably_safe_is_done_and_told_in_the_last_line(project):
    project.store(*REPEAT)
    project.store("Looked at the slow build", type="session_state", days=200, start=2)
    project.crowd()
    outcome = project.run()
    assert (outcome.last, outcome.code) == (
        "[mem0-dream --auto] project=shop  merged=1  pruned=1  conflicts_skipped=0",
        0,
    )
    assert project.texts() == ["Cache pages for 30s."]


def test_a_run_can_be_undone_by_the_line_it_prints(project):
    project.store(*REPEAT)
    before = project.texts()
    outcome = project.run()
    assert outcome.lines[-2] == "2 → 1 memories, 19 characters less in the store"
    assert outcome.lines[-1].startswith("Undo: ") and " --undo --run " in outcome.lines[-1]
    apply.take_back(project.session(), run_folder.all_runs(project.folder)[-1], ())
    assert project.texts() == before


def test_a_run_on_an_export_with_numeric_ids_can_be_undone(project):
    project.store(*REPEAT, "Another fact")
    rows = [{**row, "id": number} for number, row in enumerate(project.rows())]
    project.export.write_text(json.dumps(rows), encoding="utf-8")
    before = project.texts()
    assert "merged=1" in project.run().last
    apply.take_back(project.session(), run_folder.all_runs(project.folder)[-1], ())
    assert project.texts() == before
    assert sum(isinstance(row["id"], int) for row in project.rows()) == 2


def test_an_embedder_of_another_length_leaves_no_run_open(project, tmp_path):
    settings = {"provider": "qdrant", "config": {"path": str(tmp_path / "q"), "embedding_model_dims": 32}}
    config = Config({"vector_store": settings, "history_db_path": str(tmp_path / "history.db")})
    make_collection(config.settings)
    store, scope = LocalStore(config, WordEmbedder(32)), Scope("me", "shop")
    store.add([Draft(text, scope, {"type": "decision"}) for text in REPEAT])
    store.close()
    other = LocalStore(config, WordEmbedder(16))
    session = project.session(other)
    outcome = unattended.alone(session, None, lambda *lines: None)
    left = {memory.text for memory in other.fetch(scope).memories}
    other.close()
    assert "another length than the collection" in " ".join(outcome.lines)
    assert (outcome.code, left) == (1, set(REPEAT))
    assert [entry.state for entry in history(session.folder)] == ["nothing"]
    assert not any(line.startswith("Undo") for line in outcome.lines)


def test_a_contradiction_is_skipped_and_one_reminder_is_stored(project):
    project.store(*CONFLICT)
    outcome = project.run()
    assert outcome.last.endswith("conflicts_skipped=1")
    assert set(CONFLICT) < set(project.texts())
    assert len(reminders(project)) == 1
    project.run()
    assert len(reminders(project)) == 1


def test_the_reminder_says_how_many_there_are_and_keeps_its_number_true(project):
    project.store(*CONFLICT)
    project.run()
    assert "detected 1 contradiction(s)" in reminders(project)[0]["memory"]
    project.store("Pages are cached for 30s by the proxy", "Pages are cached for 90s by the proxy", start=3)
    project.run()
    [one] = reminders(project)
    assert "detected 2 contradiction(s)" in one["memory"]


def test_a_reminder_that_does_not_stand_is_not_claimed_and_what_was_done_before_is_said(project):
    class Forgets(FileStore):
        def add(self, drafts):
            return [Result(f"said-{n}") for n, _ in enumerate(drafts)]

    project.store(*REPEAT)
    project.store(*CONFLICT, start=2)
    outcome = project.run(store=Forgets(project.export))
    assert outcome.code == 1
    assert "merged=1" in outcome.last
    assert not any("was stored" in line for line in outcome.lines)
    assert any(line.startswith("The reminder of open contradictions is not up to date") for line in outcome.lines)
    assert "4 → 3 memories, 19 characters less in the store" in outcome.lines


def test_the_reminder_goes_when_no_contradiction_is_left(project):
    project.store(*CONFLICT)
    project.run()
    project.export.write_text(json.dumps([row for row in project.rows() if "8080" not in row["memory"]]))
    project.run()
    assert project.texts() == [CONFLICT[1]]


def test_the_reminder_can_be_switched_off(project):
    (project.cwd / "mem0.md").write_text("## Dream\n- reminder: false\n", encoding="utf-8")
    project.store(*CONFLICT)
    project.run()
    assert reminders(project) == []


def test_undoing_a_run_takes_its_reminder_away_too(project):
    project.store(*REPEAT)
    project.store(*CONFLICT, start=2)
    before = project.texts()
    project.run()
    apply.take_back(project.session(), run_folder.all_runs(project.folder)[-1], ())
    assert project.texts() == before


def test_a_run_with_nothing_to_do_leaves_no_folder(project):
    project.store("One fact alone")
    assert project.run().last.endswith("merged=0  pruned=0  conflicts_skipped=0")
    assert run_folder.all_runs(project.folder) == []


def test_an_empty_project_is_told_on_the_log(project):
    project.store()
    project.run()
    assert "No memories found for project shop. Nothing to consolidate." in project.told


def test_more_than_the_cap_is_queued_whole_and_ends_with_3(project):
    project.store(*(f"Note {n} of an old session" for n in range(20)), type="session_state", days=200)
    outcome = project.run()
    assert outcome.code == 3
    assert len(project.rows()) == 20
    [line] = [line for line in outcome.lines if "the limit is 5" in line]
    assert line.startswith("20 prunes left to you — ") and line.endswith("; … 17 more")
    [again] = [line for line in project.run().lines if "the limit is 5" in line]
    assert again.startswith("20 prunes left to you, 20 of them told before — ") and "Note" not in again


def test_the_cap_can_be_raised_on_the_command_line(project):
    project.store(*(f"Note {n} of an old session" for n in range(20)), type="session_state", days=200)
    assert project.run(percent=100).last.endswith("pruned=20  conflicts_skipped=0")


def test_a_shorter_retention_prunes_nothing_until_a_person_has_seen_it(project):
    project.store("Looked at the slow build", type="session_state", days=50)
    project.store(*REPEAT, start=1)
    project.run()
    (project.cwd / "mem0.md").write_text("## Retention\n- session_state: 30d\n", encoding="utf-8")
    outcome = project.run()
    assert any("became shorter" in line for line in outcome.lines)
    assert "Looked at the slow build" in project.texts()


def test_a_list_that_may_be_cut_off_queues_everything(project):
    class CutOff(FileStore):
        def fetch(self, scope):
            listing = super().fetch(scope)
            listing.complete = False
            return listing

    project.store(*REPEAT)
    outcome = project.run(store=CutOff(project.export))
    assert project.texts() == REPEAT
    assert any("may be cut off" in line for line in outcome.lines)


def test_a_held_lock_skips_the_run_with_its_one_line_and_75(project):
    project.store(*REPEAT)
    with Lock(project.folder):
        outcome = project.run()
    assert (outcome.last, outcome.code) == ("[mem0-dream --auto] Another run in progress — skipping.", 75)
    assert project.texts() == REPEAT


def test_the_lock_is_free_after_every_way_out(project, published):
    class Broken(FileStore):
        def fetch(self, scope):
            raise DreamError("The store is down.")

    project.store(*REPEAT)
    assert project.run(store=Broken(project.export)).code == 1
    assert not (project.folder / "lock.json").exists() and not published.exists()
    assert project.run().code == 0


def test_a_killed_run_is_resumed_by_the_next_one(project):
    project.store(*REPEAT)
    with pytest.raises(Killed):
        project.run(store=Dies(project.export))
    outcome = project.run()
    assert any(line.startswith("Resumed ") for line in project.told)
    assert outcome.code == 0
    assert project.texts() == ["Cache pages for 30s."]


def test_what_a_killed_run_had_not_begun_is_named_and_done_by_the_next(project):
    project.store(*REPEAT)
    project.store("Session: looked at the slow build", type="session_state", days=200, start=2)
    project.crowd()
    with pytest.raises(Killed):
        project.run(store=Dies(project.export))
    project.run()
    assert "Not begun, and asked again by the next run: P1." in project.told
    assert project.texts() == ["Cache pages for 30s."]


def test_a_run_straight_after_a_run_changes_nothing(project):
    project.store(*REPEAT, *CONFLICT)
    project.run()
    before = project.rows()
    project.run()
    assert project.rows() == before


def test_a_row_that_is_missing_once_forgets_no_decision(project):
    project.store(*REPEAT, "Another fact")
    kept = Dismissals.load(project.folder)
    kept.add("prune", ["A fact that the listing lacks today"], "keep")
    project.folder.mkdir(parents=True)
    kept.save()
    project.run()
    assert Dismissals.load(project.folder).forbids("prune", ["A fact that the listing lacks today"])


def test_a_repository_that_shortens_retention_at_the_very_first_run_prunes_nothing(project):
    project.store(*(f"Decision {n}" for n in range(9)), days=1)
    project.crowd()
    (project.cwd / "mem0.md").write_text("## Retention\ndecision: 0d\n", encoding="utf-8")
    outcome = project.run()
    assert "pruned=0" in outcome.last and any("became shorter" in line for line in outcome.lines)


def test_a_run_that_found_nothing_records_the_retention_too(project):
    project.store("Another fact")
    (project.cwd / "mem0.md").write_text("## Retention\nsession_state: 365d\n", encoding="utf-8")
    project.run()
    (project.cwd / "mem0.md").write_text("## Retention\nsession_state: 91d\n", encoding="utf-8")
    project.store("Session: looked at the slow build", type="session_state", days=200, start=1)
    project.crowd()
    assert "pruned=0" in project.run().last


def fetched_unattended(place: Place) -> str:
    done = place.run("fetch_all.py", "--auto")
    run = done.stdout.strip().splitlines()[-1].removeprefix("Run: ")
    place.bare("find_dupes.py", "--run", run)
    return run


@pytest.fixture
def place(tmp_path) -> Place:
    found = Place(tmp_path)
    found.store(*({"text": text} for text in (*REPEAT, *CONFLICT, "A bystander")))
    return found


def test_an_agent_cannot_apply_an_unattended_run_as_if_it_was_asked(place):
    run = fetched_unattended(place)
    place.step(run, "--report")
    done = place.step(run, "--apply")
    assert done.returncode == 3 and "--auto" in done.stderr
    assert len(place.rows()) == 5


def test_an_agent_cannot_apply_an_asked_run_unattended(place):
    run = place.fetched()
    done = place.step(run, "--auto")
    assert done.returncode == 3
    assert len(place.rows()) == 5


def test_an_agent_s_pass_holds_one_lock_from_fetch_to_apply(place):
    run = fetched_unattended(place)
    busy = place.run("dream.py", "--auto")
    assert busy.stdout.splitlines()[-1] == "[mem0-dream --auto] Another run in progress — skipping."
    assert busy.returncode == 75
    done = place.step(run, "--auto")
    assert done.stdout.splitlines()[-1].startswith("[mem0-dream --auto] project=shop  merged=1"), done.stderr
    assert place.run("dream.py", "--auto").returncode == 0


def test_an_agent_cannot_decide_a_contradiction_unattended(place):
    run = fetched_unattended(place)
    place.step(run, "--decide", '{"C1": "B"}')
    done = place.step(run, "--auto")
    assert done.stdout.splitlines()[-1].endswith("conflicts_skipped=1")
    assert set(CONFLICT) < set(place.texts())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to catch")
@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_releases_the_lock(place, which):
    slow = (
        "import sys, time; sys.argv[0] = 'dream.py'; sys.path.insert(0, sys.argv.pop(1))\n"
        "from mem0_dream.stores.file import FileStore\n"
        "def fetch(self, scope): print('waiting', flush=True); time.sleep(60)\n"
        "FileStore.fetch = fetch\n"
        "import dream; from mem0_dream.cli import process; process.run(dream.main)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", slow, str(SCRIPTS), *place.options, "--auto"],
        env=place.env,
        cwd=place.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and process.stdout.readline() == "waiting\n"
    process.send_signal(which)
    _, errors = process.communicate(timeout=30)
    assert "Traceback" not in errors
    assert list(Path(place.env["MEM0_DREAM_HOME"]).glob("*/lock.json")) == []


def test_the_published_lock_of_mem0_s_own_dream_keeps_an_unattended_run_away(project, published):
    project.store(*REPEAT)
    published.write_text(str(time.time()), encoding="utf-8")
    assert project.run().code == 75
