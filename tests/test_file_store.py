"""An export as a store: every layout, written back as it came, with a backup and no loss."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.memory import Scope
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
    assert listing.notes == ["1 memory without an id left alone."]
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
