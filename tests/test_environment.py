"""The plugin's own Python, built here from small packages made on the spot, with no package index."""

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from mem0_dream.config import programs, python_env
from mem0_dream.errors import DreamError

LIBRARY = Path(__file__).parent.parent / "scripts" / "mem0_dream"
STEP = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
from mem0_dream.cli import process
from mem0_dream.config import python_env
def main(arguments):
    python_env.ensure()
    python_env.ensure()  # a store may ask again: this process has come through
    import tiny
    print("ran", tiny.VALUE, arguments, sys.stdin.read(), sys.prefix, python_env.first)
    return 3
process.run(main)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """A folder with one small package, tiny 1.2.0, as an index of packages would give it."""
    folder = tmp_path_factory.mktemp("wheels")
    wheel(folder, "tiny", "1.2.0")
    return folder


def wheel(folder: Path, name: str, version: str) -> None:
    facts = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", f"VALUE = {version!r}\n")
        file.writestr(f"{facts}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{facts}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{facts}/RECORD", "")


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Plugin:
    """The scripts as installed somewhere, with requirements of their own, and a dream home."""

    def __init__(self, folder: Path, wheels: Path | None) -> None:
        self.scripts = folder / "the plugin" / "scripts"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(LIBRARY, self.scripts / "mem0_dream", ignore=ignored)
        (self.scripts / "step.py").write_text(STEP, encoding="utf-8")
        (self.scripts / "requirements.txt").write_text("tiny==1.2.0\n", encoding="utf-8")
        self.lock(digest(wheels / "tiny-1.2.0-py3-none-any.whl") if wheels else "0" * 64)
        self.home = folder / "home"
        drop = ("PYTHONPATH", "MEM0_DREAM_PYTHON", "CODEX_SANDBOX_NETWORK_DISABLED", "PIP_FIND_LINKS")
        self.env = {name: value for name, value in os.environ.items() if name not in drop}
        self.env |= {"MEM0_DREAM_HOME": str(self.home), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
        if wheels:
            self.env["PIP_FIND_LINKS"] = str(wheels)

    def lock(self, *digests: str) -> None:
        """Pin tiny to the files with these hashes."""
        hashes = " ".join(f"--hash=sha256:{digest}" for digest in digests)
        (self.scripts / "requirements.lock").write_text(f"tiny==1.2.0 {hashes}\n", encoding="utf-8")

    def begin(self, *arguments: str, python: Path | str = sys.executable, **env: str) -> subprocess.Popen:
        command = [str(python), str(self.scripts / "step.py"), *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={**self.env, **env}, text=True)

    def start(self, *arguments: str, python: Path | str = sys.executable, **env: str) -> tuple[int | None, str, str]:
        process = self.begin(*arguments, python=python, **env)
        out, err = process.communicate("input", timeout=120)
        return process.returncode, out.strip(), err.strip()

    @property
    def folder(self) -> Path:
        return next((self.home / "python").iterdir())

    @property
    def python(self) -> Path:
        return python_env._python_in(self.folder / (self.folder / "ready").read_text(encoding="utf-8"))


@pytest.fixture
def plugin(tmp_path, wheels):
    return Plugin(tmp_path, wheels)


@pytest.fixture(scope="module")
def built(tmp_path_factory, wheels):
    """A plugin whose Python is built, and what the first start said."""
    plugin = Plugin(tmp_path_factory.mktemp("built"), wheels)
    return plugin, plugin.start("a b", '{"M1": true}')


@pytest.fixture
def copied(built, tmp_path, wheels):
    """A copy of that plugin's home, to break."""
    plugin = Plugin(tmp_path, wheels)
    shutil.copytree(built[0].home, plugin.home, symlinks=True)
    return plugin


def test_the_first_start_builds_tells_each_stage_and_goes_on_with_arguments_input_and_exit_code(built):
    plugin, (code, out, err) = built
    assert code == 3
    assert out.startswith("ran 1.2.0 ['a b', '{\"M1\": true}'] input " + str(plugin.folder))
    assert out.endswith(f" {sys.executable}"), "a step knows the Python that the user started"
    lines = err.splitlines()
    assert [line.split(":")[-1].split()[0] for line in lines[:1]] == ["1/3"]
    assert lines[1:] == ["2/3 the packages: tiny (about a minute)", "3/3 a check of what was installed", "Done."]


def test_a_second_start_installs_nothing_and_says_nothing(built):
    plugin, _ = built
    before = (plugin.folder / "build.log").stat().st_mtime_ns
    code, out, err = plugin.start(PIP_FIND_LINKS="/nowhere")
    assert (code, err) == (3, "") and out.startswith("ran 1.2.0")
    assert (plugin.folder / "build.log").stat().st_mtime_ns == before


def test_an_interpreter_that_has_the_packages_is_used_as_it_is(built, tmp_path, wheels):
    plugin, _ = built
    other = Plugin(tmp_path, None)
    assert other.start(python=plugin.python)[0] == 3
    assert not other.home.exists()


def test_the_python_that_the_user_names_is_used(built, tmp_path):
    plugin, _ = built
    other = Plugin(tmp_path, None)
    code, out, err = other.start("a", MEM0_DREAM_PYTHON=str(plugin.python))
    assert (code, err) == (3, "") and str(plugin.folder) in out


def test_a_named_python_without_the_packages_is_refused_with_what_to_run(plugin):
    code, out, err = plugin.start(MEM0_DREAM_PYTHON=sys.executable)
    assert (code, out) == (1, "")
    requirements = plugin.scripts / "requirements.txt"
    assert err == (
        f"MEM0_DREAM_PYTHON names {sys.executable}, which lacks tiny; run: {sys.executable} -m pip install"
        f" -r {requirements}"
    )


def test_a_named_python_is_no_file_of_the_working_folder(plugin):
    code, out, err = plugin.start(MEM0_DREAM_PYTHON="./python")
    assert (code, out, err) == (1, "", "MEM0_DREAM_PYTHON is the relative path ./python; give the whole path.")


def test_a_named_python_that_does_not_exist_is_refused(plugin):
    code, _, err = plugin.start(MEM0_DREAM_PYTHON="/no/such/python")
    assert (code, err.count("\n")) == (1, 0) and "/no/such/python" in err


def test_without_a_network_one_sentence_says_so_and_nothing_is_left(tmp_path):
    plugin = Plugin(tmp_path, None)
    code, out, err = plugin.start()
    assert (code, out) == (1, "")
    assert err.splitlines()[-1].startswith("The packages cannot be fetched: the package index does not answer; ")
    assert "Traceback" not in err
    assert [entry.name for entry in plugin.folder.iterdir() if entry.is_dir()] == []


def test_in_a_sandbox_without_a_network_the_sentence_comes_at_once_and_names_the_setting(plugin):
    code, _, err = plugin.start(CODEX_SANDBOX_NETWORK_DISABLED="1")
    assert code == 1 and "network_access = true" in err and err.count("\n") == 0


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (
            "Failed to establish a new connection: [Errno -3] Temporary failure in name resolution",
            "The packages cannot be",
        ),
        ("ERROR: Could not find a version that satisfies tiny (from versions: none)", "The packages cannot be fetched"),
        ("ERROR: No space left on device", "The packages could not be installed (ERROR: No space left on device); "),
        ("ERROR: ResolutionImpossible: for help", "The packages could not be installed (ERROR: ResolutionImpossible"),
        ("", "The packages could not be installed; the whole output is in "),
    ],
)
def test_a_build_that_fails_is_told_by_its_cause(tmp_path, log, sentence):
    (tmp_path / "build.log").write_text(log, encoding="utf-8")
    assert python_env._why(tmp_path / "build.log").startswith(sentence)


def test_two_starts_at_once_build_once_and_both_go_on(plugin):
    first, second = plugin.begin("first"), plugin.begin("second")
    said = [process.communicate("", timeout=120) for process in (first, second)]
    assert [first.returncode, second.returncode] == [3, 3]
    assert sum("1/3" in err for _, err in said) == 1
    assert len([entry for entry in plugin.folder.iterdir() if entry.is_dir()]) == 1


def test_what_a_killed_build_left_is_thrown_away(plugin):
    process = plugin.begin()
    assert process.stderr
    assert "1/3" in process.stderr.readline()
    process.kill()
    process.communicate()
    assert not (plugin.folder / "ready").exists()
    code, _, err = plugin.start()
    assert code == 3 and "1/3" in err
    assert len([entry for entry in plugin.folder.iterdir() if entry.is_dir()]) == 1


def test_an_environment_whose_python_is_gone_is_built_again(copied):
    copied.python.unlink()
    code, _, err = copied.start()
    assert code == 3 and "1/3" in err


def test_an_environment_that_lost_a_package_says_so_and_is_no_longer_taken_for_built(copied):
    for facts in list(copied.folder.rglob("tiny-1.2.0.dist-info")):
        facts.rename(facts.with_name("gone"))
    code, _, err = copied.start()
    assert (code, err) == (1, "The plugin's own Python lacks tiny; start again, and it is made anew.")
    assert not (copied.folder / "ready").exists()


def test_other_requirements_get_an_environment_of_their_own(monkeypatch, tmp_path):
    before = python_env._tag()
    (tmp_path / "requirements.lock").write_text("tiny==1.2.0", encoding="utf-8")
    monkeypatch.setattr(python_env, "LOCK", tmp_path / "requirements.lock")
    assert python_env._tag() != before


def test_an_environment_that_no_start_has_used_for_long_goes_with_the_next_build(tmp_path):
    for name, days in (("3.9-old", 31), ("3.11-new", 29)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ready").write_text("x", encoding="utf-8")
        os.utime(tmp_path / name / "ready", (time.time() - days * 86400,) * 2)
    python_env._forget_unused(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["3.11-new"]


@pytest.mark.parametrize(
    ("installed", "serves"),
    [("1.2.0", True), ("1.2.9", True), ("1.3", True), ("1.1.9", False), ("2.0.0", False), ("0.9", False), ("x", False)],
)
def test_a_package_serves_from_the_pinned_release_on_within_its_major(monkeypatch, installed, serves):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: installed)
    assert python_env._serves("tiny", "1.2.0") is serves


def test_the_pins_name_one_release_of_every_package_for_every_python():
    lines = [line for line in pins().splitlines() if line and not line.startswith("#")]
    assert all("==" in line.split(";")[0] for line in lines)
    assert dict(python_env._required()).keys() == {"mem0ai", "Jinja2", "PyYAML", "rich"}


def pins() -> str:
    files = (python_env.REQUIREMENTS, python_env.REQUIREMENTS.with_name("constraints.txt"))
    return "".join(file.read_text(encoding="utf-8") for file in files)


def test_the_lock_holds_every_pin_with_hashes_and_no_other_release():
    """tools/lock.py writes it; a package of a system that no agent runs on (emscripten) is in it alone."""
    release = re.compile(r"^([\w.-]+)(?:\[\w+\])?==([\w.]+)", re.MULTILINE)
    wanted = {(name.lower(), version) for name, version in release.findall(pins())}
    lock = python_env.LOCK.read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", lock[lock.index("\n") + 1 :])
    locked = {pair for entry in entries for pair in release.findall(entry) if "== 'emscripten'" not in entry}
    assert locked == wanted
    assert all("--hash=sha256:" in entry for entry in entries)


def test_a_package_with_another_hash_is_not_installed(plugin):
    plugin.lock("0" * 64)
    code, out, err = plugin.start()
    assert (code, out) == (1, "")
    assert err.splitlines()[-1].startswith("The packages could not be installed")
    assert not (plugin.folder / "ready").exists()


def test_an_interpreter_that_can_make_no_environment_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(python_env, "find_spec", lambda name: None)
    monkeypatch.setattr(programs, "find", lambda name: None)
    with pytest.raises(DreamError, match="apt install python3-venv"):
        python_env.own_python(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="Debian leaves ensurepip out; Windows never does")
def test_where_ensurepip_is_left_out_pip_installs_from_outside(plugin):
    source = (plugin.scripts / "mem0_dream" / "config" / "python_env.py").read_text(encoding="utf-8")
    changed = source.replace('find_spec("ensurepip")', "None").replace('programs.find("uv")', "None")
    assert changed != source
    (plugin.scripts / "mem0_dream" / "config" / "python_env.py").write_text(changed, encoding="utf-8")
    code, out, _ = plugin.start()
    assert code == 3 and out.startswith("ran 1.2.0")


@pytest.mark.parametrize("built", [True, False])
def test_a_python_that_is_built_already_is_gone_on_in_and_none_is_built_for_colours(built, monkeypatch, tmp_path):
    gone_on = []
    monkeypatch.setattr(python_env, "missing", lambda: ["rich"])
    monkeypatch.setattr(python_env, "_settled", False)
    monkeypatch.setattr(python_env, "_ready", lambda folder: tmp_path / "python" if built else None)
    monkeypatch.setattr(python_env, "ensure", lambda: gone_on.append(True))
    monkeypatch.setenv("MEM0_DREAM_HOME", str(tmp_path))
    python_env.prefer()
    assert gone_on == [True] * built
