from datetime import date

import pytest
from mem0_dream.config.policies import Policies
from mem0_dream.memory import Memory
from mem0_dream.planning.retention import low_confidence, stale

from tests.memories import TODAY, record

KEEP_90 = Policies({"session_state": 90, "decision": None, "task": 0})


def memory(created, type="session_state", **other):
    return Memory({**record("a", "the usual state of things", type, **other), "created_at": created})


@pytest.mark.parametrize(
    "created",
    [
        "2026-03-02",  # 91 days before
        "2026-03-02T23:59:59Z",
        "2026-03-03T01:30:00+02:00",  # the day before in UTC
        1_772_450_000,  # seconds
        1_772_450_000_000,  # milliseconds
    ],
)
def test_older_than_its_policy_is_stale(created):
    prune = stale(memory(created), KEEP_90, TODAY)
    assert prune
    assert (prune.reason, prune.age_days, prune.policy_days) == ("retention", 91, 90)


@pytest.mark.parametrize("created", ["2026-03-03", "2026-03-02T23:00:00-05:00", "2026-05-31", "2027-01-01"])
def test_as_old_as_its_policy_or_younger_is_not(created):
    assert stale(memory(created), KEEP_90, TODAY) is None


@pytest.mark.parametrize("created", [None, "", "long ago", {}, [], True, 1e300, "0000-00-00"])
def test_without_a_readable_date_nothing_is_old(created):
    assert stale(memory(created), KEEP_90, date(2999, 1, 1)) is None


@pytest.mark.parametrize("type", ["decision", "unheard_of", "Session_State", None])
def test_for_ever_or_no_policy_is_never_old(type):
    assert stale(memory("1999-01-01", type), KEEP_90, TODAY) is None


def test_kept_for_no_day_means_all_but_today():
    assert stale(memory("2026-06-01", "task"), KEEP_90, TODAY) is None
    assert stale(memory("2026-05-31", "task"), KEEP_90, TODAY)


@pytest.mark.parametrize("unreadable", [["session_state"], ["*"]])
def test_a_policy_nobody_could_read_prunes_nothing(unreadable):
    policies = Policies({"session_state": 90}, unreadable)
    assert stale(memory("1999-01-01"), policies, TODAY) is None
    assert low_confidence(memory("1999-01-01", confidence=0.1), policies, TODAY) is None


@pytest.mark.parametrize("confidence", [0, 0.1, 0.29, "0.2"])
def test_doubtful_and_without_specifics_is_pruned(confidence):
    prune = low_confidence(memory("2026-05-01", confidence=confidence), KEEP_90, TODAY)
    assert prune
    assert (prune.reason, prune.age_days, prune.policy_days) == ("low_confidence", 31, None)


@pytest.mark.parametrize("confidence", [0.3, 1, None, "low", True, -1, "nan", [0.1]])
def test_no_or_enough_confidence_is_no_reason(confidence):
    assert low_confidence(memory("2026-05-01", confidence=confidence), KEEP_90, TODAY) is None


@pytest.mark.parametrize(
    "text", ["it lives in src/app.py", "wait for 30 seconds", "pass --force", "set MAX_ROWS first"]
)
def test_a_doubtful_memory_with_a_detail_stays(text):
    doubtful = Memory(record("a", text, confidence=0.1))
    assert low_confidence(doubtful, KEEP_90, TODAY) is None
