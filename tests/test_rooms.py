"""The library's order: nine packages and their arrows, only the stores use mem0, only the scripts print."""

import ast
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent / "scripts"
LIBRARY = SCRIPTS / "mem0_dream"
FILES = sorted(LIBRARY.rglob("*.py"))

# What every package may use beside itself and the four words that everybody needs.
SHARED = {"errors", "memory", "progress", "safe_text"}
ARROWS = {
    "runs": set(),
    "config": {"runs"},
    "matching": set(),
    "stores": {"config", "runs"},
    "planning": {"matching", "config", "runs"},
    "execution": {"planning", "stores", "matching", "config", "runs"},
    "review": {"planning", "stores", "matching", "config", "runs"},
    "views": {"review", "execution", "planning", "matching", "config", "runs"},
    "cli": {"views", "review", "execution", "planning", "stores", "matching", "config", "runs"},
}
SPEAKERS = {"process.py", "python_env.py"}  # they tell, on stderr, what happens to the process itself


def package(file: Path) -> str:
    return file.relative_to(LIBRARY).with_suffix("").parts[0]


def used(file: Path) -> set[str]:
    """The packages and shared words that a file imports, wherever in it."""
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


def printing(file: Path) -> bool:
    calls = [node.func for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return any(isinstance(call, ast.Name) and call.id == "print" for call in calls)


def test_the_library_is_nine_packages_and_four_shared_words():
    assert {package(file) for file in FILES} == {"__init__", *SHARED, *ARROWS}


@pytest.mark.parametrize("name", ARROWS)
def test_a_package_uses_only_what_its_arrows_name(name):
    allowed = {name} | SHARED | ARROWS[name]
    wrong = [(file.name, other) for file in FILES if package(file) == name for other in used(file) - allowed]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(SHARED))
def test_a_shared_word_uses_no_package(name):
    assert used(LIBRARY / f"{name}.py") <= SHARED


def test_only_the_stores_import_mem0():
    users = {
        package(file)
        for file in FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if {name.split(".")[0] for name in named(node)} & {"mem0", "qdrant_client"}
    }
    assert users == {"stores"}


def test_only_the_scripts_print():
    assert {file.name for file in FILES if printing(file)} <= SPEAKERS


def test_no_file_is_longer_than_a_reader_holds_in_mind():
    assert [file.name for file in FILES if len(file.read_text(encoding="utf-8").splitlines()) > 300] == []


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
