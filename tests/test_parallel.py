import gc
import os
import threading
from operator import neg

import pytest
from mem0_dream.planning import parallel
from mem0_dream.planning.parallel import spread

JOBS = list(range(40))


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


def test_little_work_is_done_here(two_cores, monkeypatch):
    monkeypatch.setattr(parallel, "_on_cores", None)
    assert list(spread(neg, JOBS, parallel.WORTH_IT - 1)) == [-job for job in JOBS]


def test_much_work_comes_back_in_its_order(two_cores):
    assert list(spread(neg, JOBS, parallel.WORTH_IT)) == [-job for job in JOBS]


def test_beside_a_running_thread_much_work_comes_back_in_its_order_too(two_cores):
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert list(spread(neg, JOBS, parallel.WORTH_IT)) == [-job for job in JOBS]
    finally:
        done.set()
        thread.join()


def test_one_job_needs_no_other_process(two_cores, monkeypatch):
    monkeypatch.setattr(parallel, "_on_cores", None)
    assert list(spread(neg, [1], parallel.WORTH_IT)) == [-1]


@pytest.mark.parametrize("error", [OSError("no semaphores"), ImportError("no _multiprocessing")])
@pytest.mark.parametrize("after", [0, 3])
def test_where_no_process_can_work_all_is_done_here_and_nothing_twice(two_cores, monkeypatch, error, after):
    def on_cores(work, jobs, cores):
        yield from map(work, jobs[:after])
        raise error

    monkeypatch.setattr(parallel, "_on_cores", on_cores)
    assert list(spread(neg, JOBS, parallel.WORTH_IT)) == [-job for job in JOBS]


def test_garbage_is_looked_for_again_afterwards():
    list(spread(neg, JOBS, parallel.WORTH_IT))
    assert gc.isenabled()


def test_what_is_started_afterwards_has_the_users_own_environment(two_cores, monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setattr("sys.platform", "elsewhere")
    list(spread(neg, JOBS, parallel.WORTH_IT))
    assert "PYTHONSAFEPATH" not in os.environ


def test_what_the_user_set_for_their_own_python_is_set_afterwards(two_cores, monkeypatch):
    monkeypatch.setenv("PYTHONSAFEPATH", "yes")
    monkeypatch.setattr("sys.platform", "elsewhere")
    list(spread(neg, JOBS, parallel.WORTH_IT))
    assert os.environ["PYTHONSAFEPATH"] == "yes"
