"""An update and its undo on every real store: the text alone changes, and the date stays."""

from __future__ import annotations

from pathlib import Path

from mem0_dream.config.policies import Policies
from mem0_dream.execution.apply import apply
from mem0_dream.execution.undo import undo
from mem0_dream.memory import Memory, Scope, StoreRef
from mem0_dream.planning.plan import Plan, Update
from mem0_dream.review.answers import decide
from mem0_dream.runs import run_folder
from mem0_dream.runs.lock import Lock
from mem0_dream.stores.protocol import Store

ME = Scope("developer", "web-shop")
NEW = "Released yesterday (2026-01-31)"


def only(store: Store) -> Memory:
    (memory,) = store.fetch(ME).memories
    return memory


def test_the_text_alone_changes_and_comes_back(place, store, tmp_path: Path):
    metadata = {"type": "decision", "ticket": "SHOP-7"}
    place.fill(ME, [{"memory": "Released yesterday", "created_at": "2026-02-01T12:00:00+00:00", "metadata": metadata}])
    before = only(store)
    plan = Plan(StoreRef(store.kind, store.identity), before.scope, updates=[Update("U1", before.id, NEW, "")])
    plan.memories = {before.id: before.record}
    run = run_folder.new_run(tmp_path / "scope")
    with Lock(tmp_path / "scope", published=tmp_path / "published.lock") as lock:
        summary = apply(run, store, decide(plan, {"U1": True}), Policies(), lock, sleep=lambda _: None)
        assert (summary.updated, summary.left_alone, summary.unfinished) == (1, [], [])
        changed = only(store)
        assert (changed.text, *_rest(changed)) == (NEW, *_rest(before))
        assert undo(run, store, (), lock, sleep=lambda _: None).undone == 1
    assert (only(store).text, *_rest(only(store))) == (before.text, *_rest(before))


def _rest(memory: Memory) -> tuple[object, ...]:
    return memory.id, memory.created, memory.metadata.get("type"), memory.metadata.get("ticket"), memory.scope
