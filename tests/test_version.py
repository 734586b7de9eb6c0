"""One version, in every manifest and in the library."""

import json
import re
import shutil

import pytest

from tools import version

MANIFESTS = [
    file.relative_to(version.ROOT).as_posix()
    for folder in (".claude-plugin", ".codex-plugin", ".cursor-plugin", ".agents")
    for file in sorted((version.ROOT / folder).rglob("*.json"))
]


@pytest.fixture
def copy(tmp_path):
    """The files that name the version, somewhere else."""
    for place in version.PLACES:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(version.ROOT / place, tmp_path / place)
    return tmp_path


def test_every_place_names_the_same_version():
    assert len(set(version.versions().values())) == 1
    assert re.fullmatch(r"\d+\.\d+\.\d+", version.versions()["scripts/mem0_dream/__init__.py"])


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_a_manifest_that_names_a_version_is_one_of_the_places(manifest):
    named = '"version"' in (version.ROOT / manifest).read_text(encoding="utf-8")
    assert named == (manifest in version.PLACES)


def test_a_new_version_is_written_everywhere_and_nothing_else_changes(copy):
    before = {place: (copy / place).read_text(encoding="utf-8") for place in version.PLACES}
    old = version.versions(copy)
    version.set_version("12.3.45", copy)
    assert set(version.versions(copy).values()) == {"12.3.45"}
    for place, text in before.items():
        changed = (copy / place).read_text(encoding="utf-8")
        assert changed == text.replace(old[place], "12.3.45", 1)
        if place.endswith(".json"):
            json.loads(changed)


def test_what_is_no_version_is_refused(capsys):
    assert version.main(["next"]) == 2
    assert capsys.readouterr().err == "next is not a version; write it as 1.2.3.\n"


def test_the_check_fails_where_one_place_differs(monkeypatch, capsys):
    monkeypatch.setattr(version, "versions", lambda: {"a": "0.1.0", "b": "9.9.9"})
    assert version.main([]) == 1
    assert "9.9.9      b" in capsys.readouterr().out
