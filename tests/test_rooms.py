"""The library's order: a room uses only rooms before it, only the stores use mem0, only the steps print."""

import ast
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"
LIBRARY = SCRIPTS / "mem0_dream"
FILES = sorted(LIBRARY.rglob("*.py"))

# A room is a file of the library, or the folder stores. Each may use those before it and none after it.
ORDER = """
    errors progress parallel paging documents memory mem0_md policies identity runs environment command options stores
    lists stems punctuation tokens writing text differences diary series specifics pairs evidence order guards sameness
    judge clusters comparing
    plan retention snapshot listing draft
    kept additions verdicts report consent
    lock journal history operations steps forward backward carry apply undo resume erase
    reminder caps waiting questions interactive charts page recall terminal
    hints session schedule work finding fetching attended auto demo showing
"""
ROOMS = ORDER.split()
SPEAKERS = {"command", "environment"}  # they tell, on stderr, what happens to the process itself


def room(file: Path) -> str:
    return file.relative_to(LIBRARY).with_suffix("").parts[0]


def used(file: Path) -> set[str]:
    """The rooms that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            inside = file.relative_to(LIBRARY).parts[: -node.level]
            names: list[str] = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {(*inside, *name.split("."))[0] for name in names}
        else:
            assert not any(name.startswith("mem0_dream") for name in named(node)), f"{file} names the library in full"
    return found - {"__version__"}


def named(node: ast.AST) -> list[str]:
    """The modules that an import statement names in full."""
    if isinstance(node, ast.ImportFrom):
        return [] if node.level else [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def test_every_file_is_a_room_and_every_room_a_file():
    assert sorted({room(file) for file in FILES} - {"__init__"}) == sorted(ROOMS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(LIBRARY).as_posix())
def test_a_room_uses_only_rooms_before_it(file):
    if room(file) != "__init__":
        assert used(file) <= set(ROOMS[: ROOMS.index(room(file)) + 1])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(LIBRARY).as_posix())
def test_only_the_stores_import_mem0(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    packages = {name.split(".")[0] for node in ast.walk(tree) for name in named(node)}
    assert room(file) == "stores" or not packages & {"mem0", "qdrant_client"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(LIBRARY).as_posix())
def test_only_the_steps_print(file):
    calls = [node.func for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    prints = [call for call in calls if isinstance(call, ast.Name) and call.id == "print"]
    assert not prints or room(file) in SPEAKERS


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(LIBRARY).as_posix())
def test_no_file_is_longer_than_a_reader_holds_in_mind(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.py")), ids=lambda script: script.name)
def test_a_step_lets_the_library_tell_a_python_that_is_too_old(script):
    ast.parse((LIBRARY / "__init__.py").read_text(encoding="utf-8"), feature_version=(3, 6))
    imports = [
        name
        for node in ast.parse(script.read_text(encoding="utf-8"), feature_version=(3, 6)).body
        for name in (named(node) if not isinstance(node, ast.If) else [])
    ]
    before = imports[: next(i for i, name in enumerate(imports) if name.startswith("mem0_dream"))]
    assert not set(before) & {"__future__", "dataclasses"}
