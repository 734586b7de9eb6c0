"""The lock: every broken state it can be found in, and who may take it, keep it and remove it."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from mem0_dream.errors import Busy, DreamError
from mem0_dream.runs import lock as lock_module
from mem0_dream.runs.lock import FRESH, Lock


@pytest.fixture
def published(tmp_path) -> Path:
    return tmp_path / "published.lock"


@pytest.fixture
def lock(tmp_path, published) -> Any:
    made = []

    def make(**options: Any) -> Lock:
        made.append(Lock(tmp_path / options.pop("scope", "scope"), published=published, **options))
        return made[-1]

    yield make
    for one in made:
        one.release()


def found(tmp_path, text: str | None = None, age: float = 0, **fields: Any) -> Path:
    """A lock file as another process may have left it, last written `age` seconds ago."""
    path = tmp_path / "scope" / "lock.json"
    path.parent.mkdir(exist_ok=True)
    other = {
        "host": "elsewhere",
        "pid": 1,
        "boot": "",
        "machine": "",
        "kind": "process",
        "time": time.time() - age,
        "token": "theirs",
    }
    path.write_text(json.dumps({**other, **fields}) if text is None else text, encoding="utf-8")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_second_run_is_kept_out_until_the_first_releases(lock):
    with lock(), pytest.raises(Busy):
        lock().acquire()
    lock().acquire()


def test_the_lock_names_its_owner_and_is_readable_by_it_alone(tmp_path, lock):
    with lock():
        path = tmp_path / "scope" / "lock.json"
        document = json.loads(path.read_text(encoding="utf-8"))
        assert {"host", "pid", "boot", "kind", "time", "token"} <= document.keys()
        assert (document["host"], document["pid"]) == (platform.node(), os.getpid())
        if os.name != "nt":
            assert path.stat().st_mode & 0o777 == 0o600


def test_the_lock_is_gone_after_an_exception(tmp_path, lock):
    with pytest.raises(ZeroDivisionError), lock():
        raise ZeroDivisionError
    assert not (tmp_path / "scope" / "lock.json").exists()


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "{}", '{"time": "yesterday"}', "\x00\x00"])
def test_an_unreadable_lock_holds_while_it_is_young_and_no_longer(tmp_path, lock, text):
    found(tmp_path, text)
    with pytest.raises(Busy):
        lock().acquire()
    found(tmp_path, text, age=FRESH + 1)
    lock().acquire()


def test_a_fresh_lock_of_another_host_holds_and_an_old_one_does_not(tmp_path, lock):
    found(tmp_path, age=FRESH - 60)
    with pytest.raises(Busy):
        lock().acquire()
    found(tmp_path, age=FRESH + 1)
    lock().acquire()


def test_a_time_far_in_the_future_is_no_sign_of_life(tmp_path, lock):
    found(tmp_path, time=time.time() + 10 * FRESH)
    lock().acquire()


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot ask whether a process lives without ending it")
def test_the_lock_of_a_dead_process_on_this_host_is_taken_over_at_once(tmp_path, lock):
    found(tmp_path, **dict[str, Any](lock_module._here()) | {"pid": dead_pid()})
    lock().acquire()


@pytest.mark.parametrize(("name", "elsewhere"), [("namespace", "pid:[1]"), ("machine", "another"), ("host", "another")])
def test_a_process_that_cannot_be_seen_from_here_is_not_dead(tmp_path, lock, name, elsewhere):
    """A container has process ids of its own, and machines can have one name."""
    found(tmp_path, **dict[str, Any](lock_module._here()) | {"pid": dead_pid(), name: elsewhere})
    with pytest.raises(Busy):
        lock().acquire()


def test_the_lock_of_an_agent_outlives_the_process_that_took_it(tmp_path, lock):
    found(tmp_path, host=platform.node(), pid=2**22 + 7, kind="agent")
    with pytest.raises(Busy):
        lock().acquire()


def test_a_lock_from_before_this_machine_was_restarted_is_taken_over_at_once(tmp_path, lock, monkeypatch):
    here: dict[str, Any] = {"host": "here", "machine": "one", "boot": "now", "namespace": ""}
    monkeypatch.setattr(lock_module, "_here", lambda: here)
    found(tmp_path, **{**here, "pid": os.getpid(), "boot": "another start"})
    lock().acquire()


def test_a_machine_of_the_same_name_is_not_this_one_restarted(tmp_path, lock, monkeypatch):
    here: dict[str, Any] = {"host": "here", "machine": "", "boot": "now", "namespace": ""}
    monkeypatch.setattr(lock_module, "_here", lambda: here)
    found(tmp_path, **{**here, "pid": os.getpid(), "boot": "another machine's"})
    with pytest.raises(Busy):
        lock().acquire()


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot ask whether a process lives without ending it")
def test_an_agent_s_command_that_was_killed_blocks_nothing(tmp_path, published, lock):
    code = (
        "import os, sys, pathlib; from mem0_dream.runs.lock import Lock\n"
        "Lock(pathlib.Path(sys.argv[1]), 'agent', published=pathlib.Path(sys.argv[2])).acquire()\n"
        "os.kill(os.getpid(), 9)"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(lock_module.__file__).parents[2])}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "scope"), str(published)], env=env)
    assert (tmp_path / "scope" / "lock.json").exists()
    lock().acquire()


def test_only_the_owner_removes_the_lock(tmp_path, lock):
    mine = lock()
    mine.acquire()
    path = found(tmp_path)
    mine.release()
    assert json.loads(path.read_text(encoding="utf-8"))["token"] == "theirs"


def test_a_run_that_stood_still_learns_that_another_took_over(tmp_path, lock):
    mine = lock()
    mine.acquire()
    found(tmp_path)
    with pytest.raises(Busy, match="took over"):
        mine.check()
    with pytest.raises(Busy):
        mine.touch()


def test_a_run_longer_than_the_lock_lives_keeps_it_by_signs_of_life(tmp_path, lock, monkeypatch):
    monkeypatch.setattr(lock_module, "BEAT", 0.01)
    mine = lock()
    mine.acquire()
    path = tmp_path / "scope" / "lock.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "time": time.time() - 2 * FRESH}), encoding="utf-8")
    for _ in range(500):
        if lock_module._is_held(path):
            break
        time.sleep(0.01)
    with pytest.raises(Busy):
        lock().acquire()


def test_an_agent_s_next_command_goes_on_with_its_lock(lock):
    first = lock(kind="agent")
    first.acquire()
    first.leave()
    second = lock(kind="agent", token=first.token)
    second.acquire()
    second.release()
    lock().acquire()


def test_of_two_that_take_over_a_stale_lock_at_once_one_wins(tmp_path, lock):
    for _ in range(20):
        found(tmp_path, age=2 * FRESH)
        start, takers = threading.Barrier(4), [lock() for _ in range(4)]
        outcomes: list[str] = []

        def take(taker: Lock, start: Any = start, outcomes: Any = outcomes) -> None:
            start.wait()
            try:
                taker.acquire()
                outcomes.append("won")
            except Busy:
                outcomes.append("lost")

        threads = [threading.Thread(target=take, args=(taker,)) for taker in takers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["lost", "lost", "lost", "won"]
        for taker in takers:
            taker.release()


def test_of_many_processes_at_once_one_wins(tmp_path):
    code = (
        "import sys, time, pathlib; from mem0_dream.runs.lock import Lock; from mem0_dream.errors import Busy\n"
        "lock = Lock(pathlib.Path(sys.argv[1]), published=pathlib.Path(sys.argv[2]))\n"
        "try: lock.acquire(); print('won', flush=True)\n"
        "except Busy: print('lost', flush=True)\n"
        "sys.stdin.read()"
    )
    found(tmp_path, age=2 * FRESH)
    arguments = [sys.executable, "-c", code, str(tmp_path / "scope"), str(tmp_path / "published.lock")]
    env = {**os.environ, "PYTHONPATH": str(Path(lock_module.__file__).parents[2])}
    processes = [
        subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) for _ in range(4)
    ]
    outcomes = [process.stdout.readline().strip() for process in processes if process.stdout]
    for process in processes:
        process.communicate()
    assert sorted(outcomes) == ["lost", "lost", "lost", "won"]


def test_the_published_lock_is_honoured_while_it_is_fresh(published, lock):
    published.write_text("2026-11-29T12:00:00", encoding="utf-8")
    with pytest.raises(Busy, match="mem0 dream"):
        lock().acquire()
    os.utime(published, (time.time() - FRESH - 1,) * 2)
    lock().acquire()


def test_the_published_lock_is_held_and_removed_with_our_own(published, lock):
    with lock() as mine:
        assert json.loads(published.read_text(encoding="utf-8"))["token"] == mine.token
    assert not published.exists()


def test_a_published_lock_of_mem0_itself_is_never_removed(published, lock):
    with lock():
        published.write_text("2026-11-29T12:00:00", encoding="utf-8")
    assert published.exists()


def test_our_own_run_in_another_scope_does_not_block(published, lock):
    with lock(scope="one") as first, lock(scope="two"):
        assert json.loads(published.read_text(encoding="utf-8"))["token"] == first.token


def test_a_published_lock_that_may_not_be_written_does_not_stop_a_run(tmp_path, monkeypatch):
    with Lock(tmp_path / "scope", published=tmp_path / "missing" / "published.lock") as mine:
        mine.check()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_may_not_be_written_is_told_in_a_sentence(tmp_path):
    (tmp_path / "scope").mkdir(mode=0o500)
    with pytest.raises(DreamError, match="MEM0_DREAM_HOME"):
        Lock(tmp_path / "scope", published=tmp_path / "p").acquire()


def test_a_scope_folder_that_is_a_file_is_told_in_a_sentence(tmp_path):
    (tmp_path / "scope").write_text("", encoding="utf-8")
    with pytest.raises(DreamError, match="MEM0_DREAM_HOME"):
        Lock(tmp_path / "scope", published=tmp_path / "p").acquire()


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_deep(path: Path) -> None:
    path.write_text("[" * 200_000, encoding="utf-8")
    os.utime(path, (time.time() - 2 * FRESH,) * 2)


@pytest.mark.skipif(os.name == "nt", reason="Windows has none of these in its temporary folder")
@pytest.mark.parametrize("make", [make_fifo, make_link_to_a_device, make_deep])
def test_whatever_lies_in_place_of_the_published_lock_neither_hangs_nor_fails(published, lock, make):
    make(published)
    with lock() as mine:
        mine.check()
        mine.touch()
