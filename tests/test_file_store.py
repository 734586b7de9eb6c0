"""An export as a store: every layout, written back as it came, with a backup and no loss."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime, timezone
from typing import Any

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.memory import Scope
from mem0_dream.stores import file_copies
from mem0_dream.stores.file import FileStore
from mem0_dream.stores.protocol import Change, Draft

ME = Scope("developer", "web-shop")
ROWS: list[Any] = [
    {"id": "one", "memory": "First", "user_id": "developer", "app_id": "web-shop", "score": 0.5},
    {"id": "two", "memory": "Second", "user_id": "developer", "app_id": "web-shop", "metadata": {"type": "decision"}},
]
LAYOUTS = {
    "list": lambda rows: rows,
    "results": lambda rows: {"results": rows, "relations": []},
    "memories": lambda rows: {"exported": "2026-01-01", "memories": rows},
    "page": lambda rows: {"count": len(rows), "next": None, "previous": None, "results": rows},
    "envelope": lambda rows: {
        "status": "success",
        "command": "list",
        "duration_ms": 12,
        "scope": {"user_id": "developer"},
        "count": len(rows),
        "data": rows,
    },
    "envelope with a page in it": lambda rows: {"status": "success", "count": len(rows), "data": {"results": rows}},
}


def lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "export.json"


def opened(path, content: object) -> FileStore:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return FileStore(path)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read_and_written_back_as_it_came(path, layout):
    store = opened(path, LAYOUTS[layout](ROWS))
    assert [memory.id for memory in store.fetch(ME).memories] == ["one", "two"]
    store.delete(["two"])
    assert json.loads(path.read_text(encoding="utf-8")) == LAYOUTS[layout](ROWS[:1])


def test_json_lines_stay_json_lines(path):
    store = opened(path, "\n" + lines(ROWS))
    assert [memory.id for memory in store.fetch(ME).memories] == ["one", "two"]
    store.delete(["one"])
    assert path.read_text(encoding="utf-8") == lines(ROWS[1:])


def test_one_json_line_stays_a_json_line(path):
    store = opened(path, lines(ROWS[:1]))
    store.update([Change("one", metadata={"type": "decision"})])
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["metadata"] == {"type": "decision"}


def test_a_line_separator_inside_a_text_is_no_line(path):
    store = opened(
        path, json.dumps({**ROWS[0], "memory": "a\u2028b\u0085c"}, ensure_ascii=False) + "\n" + lines(ROWS[1:])
    )
    assert [memory.text for memory in store.fetch(ME).memories] == ["a\u2028b\u0085c", "Second"]


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_the_indentation_stays(path, indent):
    content = json.dumps({"results": ROWS}, indent=indent) + "\n"
    store = opened(path, content)
    store.update([Change("gone", text="Nothing")])
    assert path.read_text(encoding="utf-8") == content


def test_an_empty_file_is_an_empty_list(path):
    store = opened(path, "")
    (result,) = store.add([Draft("Text", ME, {})])
    assert [memory.id for memory in store.fetch(ME).memories] == [result.id]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_other_programs_put_before_the_text_is_read(path, encoding):
    path.write_text(json.dumps(ROWS), encoding=encoding)
    store = FileStore(path)
    assert len(store.fetch(ME).memories) == 2
    store.delete(["one"])
    assert len(FileStore(path).fetch(ME).memories) == 1


def test_keys_that_are_nobodys_business_stay(path):
    store = opened(path, ROWS)
    store.update([Change("one", text="New")])
    row = json.loads(path.read_text(encoding="utf-8"))[0]
    assert (row["memory"], row["score"]) == ("New", 0.5)


def test_a_hash_is_the_hash_of_the_new_text(path):
    store = opened(path, [{**ROWS[0], "hash": "old"}])
    store.update([Change("one", text="New")])
    assert json.loads(path.read_text(encoding="utf-8"))[0]["hash"] == "03c2e7e41ffc181a4e84080b4710e81e"


def test_rows_that_are_no_memories_stay_where_they_are(path):
    store = opened(
        path, ["a note", 7, None, *ROWS, {"memory": "has no id", "user_id": "developer", "app_id": "web-shop"}]
    )
    listing = store.fetch(ME)
    assert [memory.id for memory in listing.memories] == ["one", "two"]
    assert listing.notes == ["Not read: 3 of 6 rows (3 no objects).", "1 memory without an id left alone."]
    store.delete(["one", "two"])
    assert json.loads(path.read_text(encoding="utf-8"))[:3] == ["a note", 7, None]


def test_an_id_that_stands_for_two_things_is_left_alone(path):
    store = opened(path, [*ROWS, {**ROWS[0], "memory": "Another text"}])
    listing = store.fetch(ME)
    assert [memory.id for memory in listing.memories] == ["two"]
    assert "same id" in listing.notes[0]


def test_a_row_that_is_there_twice_is_one_memory(path):
    listing = opened(path, [*ROWS, ROWS[0]]).fetch(ME)
    assert ([memory.id for memory in listing.memories], listing.notes) == (["one", "two"], [])


def test_an_export_without_owners_is_one_users(path):
    store = opened(path, [{"id": "one", "memory": "First"}])
    listing = store.fetch(ME)
    assert [memory.id for memory in listing.memories] == ["one"]
    assert len(listing.notes) == 2
    store.add([Draft("Second", listing.memories[0].scope, {})])
    assert [memory.text for memory in store.fetch(ME).memories] == ["First", "Second"]


def test_rows_without_a_project_are_no_projects_where_others_have_one(path):
    store = opened(path, [*ROWS, {"id": "three", "memory": "Third", "user_id": "developer"}])
    assert [memory.id for memory in store.fetch(ME).memories] == ["one", "two"]


def test_the_first_write_leaves_a_backup_and_the_second_none(path):
    store = opened(path, ROWS)
    before = path.read_bytes()
    store.delete(["one"])
    store.delete(["two"])
    assert sorted(file.name for file in path.parent.iterdir()) == ["export.json", "export.json.bak"]
    assert path.with_name("export.json.bak").read_bytes() == before


def test_an_older_backup_is_not_overwritten(path):
    opened(path, ROWS).delete(["one"])
    after_one = path.read_bytes()
    FileStore(path).delete(["two"])
    assert json.loads(path.with_name("export.json.bak").read_text(encoding="utf-8")) == ROWS
    assert path.with_name("export.json.bak2").read_bytes() == after_one


def test_the_newest_ten_backups_stay(path):
    store = opened(path, [{**ROWS[0], "id": str(number)} for number in range(14)])
    for memory in store.fetch(ME).memories:
        FileStore(path).delete([memory.id])
    copies = {file.name for file in path.parent.iterdir()} - {"export.json"}
    assert copies == {f"export.json.bak{number}" for number in range(5, 15)}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_a_backup_may_be_read_by_no_one_who_could_not_read_the_export(path):
    store = opened(path, ROWS)
    path.chmod(0o600)
    store.delete(["one"])
    assert path.with_name("export.json.bak").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="there it cannot be told whether a process lives")
def test_what_a_killed_process_left_half_written_is_removed(path):
    store = opened(path, ROWS)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    half, alive = (path.with_name(f".export.json.{pid}.mem0-dream") for pid in (ended.pid, os.getppid()))
    half.touch()
    alive.touch()
    store.delete(["one"])
    assert (half.exists(), alive.exists()) == (False, True)


def test_reading_leaves_no_trace(path):
    store = opened(path, ROWS)
    before = path.read_bytes()
    store.fetch(ME)
    store.search("First", ME, 3)
    store.owners()
    store.close()
    assert [file.read_bytes() for file in path.parent.iterdir()] == [before]


def test_what_another_process_wrote_meanwhile_is_kept(path):
    store = opened(path, ROWS)
    store.fetch(ME)
    FileStore(path).add([Draft("By another process", ME, {})])
    store.delete(["one"])
    assert [memory.text for memory in store.fetch(ME).memories] == ["Second", "By another process"]


def test_what_another_process_writes_at_the_last_moment_is_kept(path, monkeypatch):
    store = opened(path, ROWS)
    store.fetch(ME)
    real, others = file_copies.back_up, [FileStore(path)]

    def back_up(*given: Any) -> None:
        if others:
            others.pop().add([Draft("By another process", ME, {})])
        real(*given)

    monkeypatch.setattr(file_copies, "back_up", back_up)
    store.delete(["one"])
    assert [memory.text for memory in FileStore(path).fetch(ME).memories] == ["Second", "By another process"]


def test_another_users_memory_of_the_same_id_is_not_touched(path):
    other = {"id": "one", "memory": "Of somebody else", "user_id": "other", "app_id": "web-shop"}
    store = opened(path, [other, *ROWS])
    store.fetch(ME)
    store.update([Change("one", text="Mine")])
    store.delete(["one"])
    assert json.loads(path.read_text(encoding="utf-8")) == [other, ROWS[1]]


def test_ids_that_are_numbers_are_text_here_and_stay_numbers_in_the_file(path):
    rows = [{**ROWS[0], "id": 0}, {**ROWS[0], "id": 12, "memory": "Twelve"}, {**ROWS[0], "id": 13}]
    store = opened(path, rows)
    assert [(m.id, m.record["id"]) for m in store.fetch(ME).memories] == [("0", "0"), ("12", "12"), ("13", "13")]
    store.update([Change("12", text="A dozen")])
    store.delete(["13"])
    assert [row["id"] for row in json.loads(path.read_text(encoding="utf-8"))] == [0, 12]


def test_half_an_emoji_can_be_written_and_read_again(path):
    store = opened(path, '[{"id": "one", "memory": "cut \\ud83d", "user_id": "developer", "app_id": "web-shop"}]')
    store.add([Draft("Another", ME, {})])
    assert FileStore(path).fetch(ME).memories[0].text == "cut \ud83d"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_the_files_permissions_stay(path):
    store = opened(path, ROWS)
    path.chmod(0o640)
    store.delete(["one"])
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_link_stays_a_link(path, tmp_path):
    opened(path, ROWS)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    FileStore(link).delete(["one"])
    assert link.is_symlink() and len(json.loads(path.read_text(encoding="utf-8"))) == 1


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('[\n {"id": "one"},\n {"id": "two" "memory": "x"}\n]', "line 3"),
        ('{"id": "one", "memory": "x"}\n{"id": "two", "memory": "y"\n', "line 2"),
        ('{"results": [', "line 1"),
    ],
    ids=["list", "lines", "cut off"],
)
def test_a_syntax_error_is_named_by_file_and_line(path, content, place):
    with pytest.raises(DreamError, match=rf"export\.json, {place}, column \d+: not JSON"):
        opened(path, content).fetch(ME)


@pytest.mark.parametrize("content", ["{}", '{"results": {"a": 1}}', "7", '"text"', "null"])
def test_json_without_memories_is_refused_with_what_was_expected(path, content):
    with pytest.raises(DreamError, match="holds no memories: expected a list"):
        opened(path, content).fetch(ME)


def test_a_missing_file_is_named(path):
    with pytest.raises(DreamError, match=r"There is no file .*export\.json"):
        FileStore(path).fetch(ME)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(DreamError, match="cannot be read"):
        FileStore(tmp_path).fetch(ME)


def test_bytes_that_are_no_text_are_refused(path):
    path.write_bytes(b'["caf\xe9"]')
    with pytest.raises(DreamError, match="not text in UTF-8"):
        FileStore(path).fetch(ME)


# Exports of other tools

USER = Scope("lena", None)
TYPESCRIPT = [
    {
        "id": "a",
        "memory": "We use pnpm",
        "hash": "h",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "updatedAt": "2026-01-02T00:00:00.000Z",
        "userId": "lena",
        "metadata": {"type": "decision"},
    }
]
MARKDOWN = """---
id: aa
created_at: 2026-06-01T00:00:00Z
type: decision
confidence: 0.8
branch:
files: src/a.ts, src/b.ts
categories: build, tools
---
We use pnpm
--- and no other tool

---
id: bb
created_at: 2026-06-02T00:00:00Z
type: convention
---
Tabs

"""


def test_the_typescript_sdks_spelling_is_read_and_kept(path):
    store = opened(path, {"results": TYPESCRIPT})
    (memory,) = store.fetch(USER).memories
    assert (memory.scope, memory.record["created_at"]) == (USER, TYPESCRIPT[0]["createdAt"])
    store.update([Change("a", text="We use npm", created=datetime(2026, 1, 3, tzinfo=timezone.utc))])
    store.add([Draft("We use Node 22", memory.scope, {}, created=datetime(2026, 1, 4, tzinfo=timezone.utc))])
    changed, new = json.loads(path.read_text(encoding="utf-8"))["results"]
    assert set(changed) == set(TYPESCRIPT[0])
    assert changed["createdAt"] == "2026-01-03T00:00:00+00:00"
    assert set(new) == {"id", "memory", "metadata", "userId", "createdAt", "updatedAt"}


@pytest.mark.parametrize("key", ["content", "text", "data"])
def test_a_text_under_another_name_is_read_and_written_back_there(path, key):
    store = opened(path, lines([{"id": "a", key: "We use pnpm", "user_id": "lena"}]))
    assert [memory.text for memory in store.fetch(USER).memories] == ["We use pnpm"]
    store.update([Change("a", text="We use npm")])
    assert json.loads(path.read_text(encoding="utf-8"))[key] == "We use npm"


def test_an_openmemory_backup_is_read_without_what_is_deleted_there(path):
    row = {"user_id": "9f1c", "app_id": "77aa", "content": "We use pnpm", "metadata": {}}
    rows = [{**row, "id": str(number), "state": state} for number, state in enumerate(["active", "deleted", "paused"])]
    store = opened(path, {"user": {"id": "9f1c", "user_id": "lena"}, "apps": [{"id": "77aa"}], "memories": rows})
    listing = store.fetch(USER._replace(project="web-shop"))
    assert [(memory.id, memory.scope) for memory in listing.memories] == [("0", USER)]
    assert listing.notes[0] == "Not read: 2 of 3 rows (1 deleted, 1 paused)."
    store.add([Draft("We use Node 22", USER, {})])
    new = json.loads(path.read_text(encoding="utf-8"))["memories"][-1]
    assert (new["user_id"], new["app_id"], new["content"], new["state"]) == ("9f1c", "77aa", "We use Node 22", "active")


def test_a_list_of_pages_is_read_and_stays_one(path):
    store = opened(path, [{"results": ROWS[:1], "count": 2}, {"results": ROWS[1:], "count": 2}])
    assert [memory.id for memory in store.fetch(ME).memories] == ["one", "two"]
    store.delete(["two"])
    assert json.loads(path.read_text(encoding="utf-8")) == [
        {"results": ROWS[:1], "count": 1},
        {"results": [], "count": 1},
    ]


def test_every_list_of_a_file_is_read_and_written_back_to_its_place(path):
    store = opened(path, {"results": ROWS[:1], "memories": ROWS[1:]})
    assert [memory.id for memory in store.fetch(ME).memories] == ["one", "two"]
    store.delete(["two"])
    assert json.loads(path.read_text(encoding="utf-8")) == {"results": ROWS[:1], "memories": []}


@pytest.mark.parametrize("wrap", [lambda page: page, lambda page: [{"results": [], "next": "page 2"}, page]])
def test_an_export_of_one_page_is_called_one_and_is_not_taken_for_all(path, wrap):
    page = {"count": 350, "next": "https://api.example.com/?page=2", "results": ROWS}
    listing = opened(path, wrap(page)).fetch(ME)
    assert (len(listing.memories), listing.complete) == (2, False)
    assert listing.notes == ["This export is one page of a longer list; put all pages into one list."]
    assert opened(path, wrap({**page, "next": None})).fetch(ME).complete


def test_rows_without_an_id_are_no_pages(path):
    listing = opened(path, {"memories": [{"content": "Text", "user_id": "developer"}]}).fetch(ME)
    assert listing.notes[0] == "1 memory without an id left alone."


def test_mem0s_migration_artifact_is_read(path):
    store = opened(path, {"version": 1, "kind": "mem0_oss_qdrant_export", "record_count": 2, "records": ROWS})
    store.fetch(ME)
    store.delete(["one"])
    assert json.loads(path.read_text(encoding="utf-8"))["record_count"] == 1


def test_the_markdown_of_mem0s_export_is_read_and_what_nobody_changes_stays_as_it_is(path):
    store = opened(path, MARKDOWN)
    first, second = store.fetch(USER).memories
    assert (first.text, second.text) == ("We use pnpm\n--- and no other tool", "Tabs")
    assert first.metadata == {"type": "decision", "confidence": 0.8, "files": ["src/a.ts", "src/b.ts"]}
    assert first.record["categories"] == ["build", "tools"]
    store.delete(["bb"])
    assert path.read_text(encoding="utf-8") == MARKDOWN.partition("---\nid: bb")[0]


def test_what_stands_before_the_first_memory_of_a_markdown_export_stays(path):
    store = opened(path, "# Our memories\n\n" + MARKDOWN)
    assert len(store.fetch(USER).memories) == 2
    store.delete(["bb"])
    assert path.read_text(encoding="utf-8") == "# Our memories\n\n" + MARKDOWN.partition("---\nid: bb")[0]


@pytest.mark.parametrize("content", ["id,memory\na,Text\n", "# Memories\n- Text\n", "results:\n- id: a\n"])
def test_a_file_of_another_kind_is_told_what_is_read(path, content):
    with pytest.raises(DreamError, match="is neither JSON nor the Markdown of /mem0:export: expected a list"):
        opened(path, content).fetch(ME)


def test_what_is_written_to_markdown_is_read_again(path):
    store = opened(path, MARKDOWN)
    scope = store.fetch(USER).memories[0].scope
    metadata = {
        "type": "1",
        "confidence": 0.9,
        "files": ["a, b"],
        "merged_from": ["aa"],
        "dream_op": "12",
        "t": "x: y ",
    }
    (result,) = store.add([Draft("Two\nlines", scope, metadata)])
    store.update([Change("bb", metadata=metadata)])
    found = {memory.id: memory for memory in FileStore(path).fetch(USER).memories}
    assert (found[str(result.id)].text, found["bb"].text) == ("Two\nlines", "Tabs")
    assert found[str(result.id)].metadata == found["bb"].metadata == metadata


def test_what_cannot_be_read_is_counted_first(path):
    store = opened(path, [{"id": "a", "memory": {"text": "x"}, "user_id": "lena"}, {"id": "b", "user_id": "lena"}])
    listing = store.fetch(USER)
    assert (listing.memories, listing.notes) == ([], ["Not read: 2 of 2 rows (2 without a text)."])


@pytest.mark.parametrize("packed", [b"PK\x03\x04rest", b"\x1f\x8brest"])
def test_a_packed_backup_is_named_as_one(path, packed):
    path.write_bytes(packed)
    with pytest.raises(DreamError, match="is packed; unpack it"):
        FileStore(path).fetch(ME)


def test_json_that_is_nested_without_end_is_refused(path):
    with pytest.raises(DreamError, match="nested too deeply"):
        opened(path, "[" * 200_000).fetch(ME)
