import io
import json

import pytest
from mem0_dream.errors import DreamError
from mem0_dream.runs import documents
from mem0_dream.runs.snapshot import read_snapshot, write_snapshot

from tests.memories import record, snapshot

ROWS = [
    record("a", "Use tabs", note={"deep": [1, None, True]}),
    record("b", "второй ½ 🌍 \u2028 and\nmore"),
    record("c", "half of a pair: \ud83d"),
    record("d", "", metadata='{"type": "note"}'),
]


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "snapshot.json"
    write_snapshot(path, snapshot(ROWS))
    return path


def test_what_was_written_is_read_back_key_for_key(written):
    found = read_snapshot(written)
    assert [memory.record for memory in found.memories] == ROWS
    assert found.to_document() == snapshot(ROWS).to_document()


def test_one_memory_stands_on_one_line(written):
    assert len(written.read_bytes().splitlines()) == len(ROWS) + 2


def test_an_empty_snapshot_comes_back_empty(tmp_path):
    write_snapshot(tmp_path / "s.json", snapshot([]))
    assert read_snapshot(tmp_path / "s.json").memories == []


@pytest.mark.parametrize("layout", [{"indent": 2}, {"indent": None}, {"sort_keys": True}, {"separators": (",", ":")}])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_other_layout_of_the_same_document_is_read(written, layout, mark):
    whole = json.loads(written.read_bytes())
    written.write_text(mark + json.dumps(whole, **layout), encoding="utf-8")
    assert read_snapshot(written).to_document() == snapshot(ROWS).to_document()


def test_windows_line_ends_are_read(written):
    written.write_bytes(written.read_bytes().replace(b"\n", b"\r\n"))
    assert [memory.record for memory in read_snapshot(written).memories] == ROWS


def test_a_dash_reads_standard_input(written, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(written.read_bytes())))
    assert read_snapshot("-").to_document() == snapshot(ROWS).to_document()


def test_a_dash_writes_standard_output(capfdbinary):
    write_snapshot("-", snapshot(ROWS[:1]))
    found = documents.parse(capfdbinary.readouterr().out, "snapshot", "standard output")
    assert found["memories"] == ROWS[:1]


@pytest.mark.parametrize("cut", [2, 20, 200])
def test_a_snapshot_cut_off_is_refused(written, cut):
    written.write_bytes(written.read_bytes()[:-cut])
    with pytest.raises(DreamError, match="not JSON"):
        read_snapshot(written)


def test_text_after_the_end_is_refused(written):
    written.write_bytes(written.read_bytes() + b'{"more": 1}\n')
    with pytest.raises(DreamError, match="not JSON"):
        read_snapshot(written)


@pytest.mark.parametrize("row", ['"text"', "[1]", "null", "3"])
def test_a_memory_that_is_no_object_is_refused_by_its_place(written, row):
    lines = written.read_bytes().split(b"\n")
    lines[2] = row.encode() + b","
    written.write_bytes(b"\n".join(lines))
    with pytest.raises(DreamError, match=r"memories\[1\] must be an object"):
        read_snapshot(written)


def test_a_missing_field_is_named(written):
    written.write_bytes(written.read_bytes().replace(b'"complete": true', b'"finished": true'))
    with pytest.raises(DreamError, match="field complete is missing"):
        read_snapshot(written)


def test_a_missing_file_is_told_in_a_sentence(tmp_path):
    with pytest.raises(DreamError, match="There is no file"):
        read_snapshot(tmp_path / "none.json")


def test_a_folder_is_no_snapshot(tmp_path):
    with pytest.raises(DreamError, match="cannot be read"):
        read_snapshot(tmp_path)
