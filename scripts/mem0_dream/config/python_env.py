"""The plugin's own Python: made once under the dream home, and a step that needs packages goes on in it."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn, TextIO

from ..errors import DreamError
from ..runs import file_lock, run_folder
from . import programs

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements.txt"
LOCK = REQUIREMENTS.with_name("requirements.lock")  # what is installed: every package with its hashes
LONGEST = 900  # seconds that one start waits for another's build
UNUSED = 30 * 24 * 3600  # seconds after which an environment of another release goes
_CONTINUED = "MEM0_DREAM_CONTINUED"  # for the process that goes on: the Python that was started first
_NO_NETWORK = re.compile(
    r"name resolution|getaddrinfo|nodename nor servname|NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError"
    r"|Max retries|unreachable|Connection refused|connection error|timed out|dns error|from versions: none",
    re.IGNORECASE,
)

_settled = False  # whether this process has come through ensure() already
first = sys.executable  # the Python that the user started, also after the step went on in another


def ensure() -> None:
    """Come back in an interpreter that has the packages, or not at all: the step is then started again in one.

    Used is the Python that MEM0_DREAM_PYTHON names, else this one if it has the packages, else the plugin's own.
    DreamError says what is missing.
    """
    global first, _settled
    if _settled:
        return
    _settled = True
    named = os.environ.get("MEM0_DREAM_PYTHON")
    if _CONTINUED in os.environ:
        first = os.environ.pop(_CONTINUED)
        _check(Path(sys.executable), bool(named))
    elif named:
        _go_on(_named(named))
    elif missing():
        _go_on(own_python(run_folder.dream_home()))


def prefer() -> None:
    """Come back in the plugin's own Python if it is built already, as it can show more; nothing is built for that."""
    if not _settled and missing() and _ready(run_folder.dream_home() / "python" / _tag()):
        ensure()


def _named(name: str) -> Path:
    """The Python that the user names: by its whole path, or as a program that PATH has."""
    path = Path(name).expanduser()
    python = programs.find(name) if path.name == name else path
    if python and not python.is_absolute():
        raise DreamError(f"MEM0_DREAM_PYTHON is the relative path {name}; give the whole path.")
    if python is None or not os.access(python, os.X_OK) or python.is_dir():
        raise DreamError(f"MEM0_DREAM_PYTHON names {name}, and there is no such program; correct or unset it.")
    return python


def missing() -> list[str]:
    """The required packages that this interpreter lacks, or has in another major or an older release."""
    return [name for name, wanted in _required() if not _serves(name, wanted)]


def own_python(home: Path) -> Path:
    """The interpreter of the plugin's environment under this dream home; made if there is none yet."""
    folder = home / "python" / _tag()
    found = _ready(folder)
    if found:
        with contextlib.suppress(OSError):  # a sandbox may let us read and not write
            os.utime(folder / "ready")
        return found
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    waiting = "Another start is setting up the plugin's own Python; waiting for it."
    with file_lock.held(folder / "lock", LONGEST, lambda: _progress(waiting)):
        return _ready(folder) or _build(folder)


def _ready(folder: Path) -> Path | None:
    """The interpreter that a finished build named in the stamp file, if it is still there."""
    try:
        python = _python_in(folder / (folder / "ready").read_text(encoding="utf-8").strip())
    except OSError:
        return None
    return python if python.exists() else None


def _build(folder: Path) -> Path:
    """Make a new environment beside what a killed build may have left (and may still write to); stamp it when done."""
    if os.environ.get("CODEX_SANDBOX_NETWORK_DISABLED") == "1":
        raise DreamError(
            "The packages cannot be fetched, as Codex gives this script no network; run dream.py --setup in a terminal"
            " of your own, or set network_access = true under [sandbox_workspace_write] in its config.toml."
        )
    for old in folder.iterdir():
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
    made = folder / secrets.token_hex(4)
    log = folder / "build.log"
    _progress(f"Setting up the plugin's own Python, once: 1/3 an environment in {made}")
    with log.open("w", encoding="utf-8") as output:
        installer = _new_environment(made, output)
        _progress("2/3 the packages: " + ", ".join(name for name, _ in _required()) + " (about a minute)")
        hashed = ["--require-hashes", "--only-binary", ":all:", "-r", str(LOCK)]  # a source would run unpinned tools
        done = _run([*installer, *hashed], output)
        if done:
            _progress("3/3 a check of what was installed")
            code = f"import sys; sys.path.insert(0, {str(REQUIREMENTS.parent)!r})"
            code += "; from mem0_dream.config import python_env; sys.exit(len(python_env.missing()))"
            done = _run([str(_python_in(made)), "-I", "-c", code], output)
    if not done:
        shutil.rmtree(made, ignore_errors=True)
        raise DreamError(_why(log))
    stamp = folder / f".ready-{made.name}"
    stamp.write_text(made.name, encoding="utf-8")
    stamp.replace(folder / "ready")
    _forget_unused(folder.parent)
    _progress("Done.")
    return _python_in(made)


def _forget_unused(folder: Path) -> None:
    """Remove environments of other releases (some 200 MB each) that no start has used for long."""
    for stamp in folder.glob("*/ready"):
        if time.time() - stamp.stat().st_mtime > UNUSED:
            shutil.rmtree(stamp.parent, ignore_errors=True)


def _new_environment(made: Path, output: TextIO) -> list[str]:
    """Make an empty environment; the beginning of the command that installs into it."""
    python, made_python = [sys.executable, "-I", "-m"], str(_python_in(made))
    install = ["install", "--no-input", "--disable-pip-version-check", "--retries", "2"]
    if find_spec("ensurepip") and _run([*python, "venv", str(made)], output):
        return [made_python, "-I", "-m", "pip", *install]
    shutil.rmtree(made, ignore_errors=True)
    uv = programs.find("uv")
    if uv and _run([str(uv), "venv", "--no-config", "--python", sys.executable, str(made)], output):
        return [str(uv), "pip", "install", "--no-config", "--python", made_python]
    if find_spec("pip") and _run([*python, "venv", "--without-pip", str(made)], output):
        return [*python, "pip", "--python", made_python, *install]
    raise DreamError(
        f"{sys.executable} cannot make an environment: it lacks ensurepip and pip; install them (on Debian and Ubuntu:"
        " apt install python3-venv), or set MEM0_DREAM_PYTHON to a Python that has the packages of"
        f" {REQUIREMENTS}."
    )


def _why(log: Path) -> str:
    """The sentence for a build that failed."""
    text = log.read_text(encoding="utf-8", errors="replace")
    if not _NO_NETWORK.search(text):
        errors = [line for line in text.splitlines() if line.startswith(("ERROR", "error"))]
        reason = f" ({errors[-1][:200]})" if errors else ""
        return f"The packages could not be installed{reason}; the whole output is in {log}."
    return (
        "The packages cannot be fetched: the package index does not answer; connect to the network once and start"
        f" again, or set MEM0_DREAM_PYTHON to a Python that has the packages of {REQUIREMENTS} (details in {log})."
    )


def _check(python: Path, named: bool) -> None:
    """Refuse to go on in an interpreter that was started for its packages and lacks them."""
    lacking = missing()
    if lacking and named:
        raise DreamError(
            f"MEM0_DREAM_PYTHON names {python}, which lacks {', '.join(lacking)}; run: {python} -m pip install"
            f" -r {REQUIREMENTS}"
        )
    if lacking:
        for stamp in python.parents[2].glob("ready"):
            stamp.unlink()
        raise DreamError(f"The plugin's own Python lacks {', '.join(lacking)}; start again, and it is made anew.")


def _go_on(python: Path) -> NoReturn:
    """Start this step again in another interpreter, with the same arguments, input and output."""
    arguments = [str(python), *sys.orig_argv[1:]]
    environment = {**os.environ, _CONTINUED: sys.executable}
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execve(python, arguments, environment)
    process = subprocess.Popen(arguments, env=environment)  # Windows cannot replace a process
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # the other process gets it too and decides
            sys.exit(process.wait())


def _required() -> list[tuple[str, str]]:
    """Name and version of each pinned requirement."""
    return re.findall(r"^([\w.-]+)==([\w.]+)", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE)


def _serves(name: str, wanted: str) -> bool:
    try:
        has = importlib.metadata.version(name).split(".")
        major, minor = wanted.split(".")[:2]
        return has[0] == major and int(has[1]) >= int(minor)
    except (importlib.metadata.PackageNotFoundError, IndexError, ValueError):
        return False


def _tag() -> str:
    """What an environment is for: this release of Python and exactly these requirements."""
    pins = LOCK.read_bytes() + sys.platform.encode()
    return f"{sys.version_info[0]}.{sys.version_info[1]}-{hashlib.sha256(pins).hexdigest()[:8]}"


def _python_in(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run(command: list[str], output: TextIO) -> bool:
    """Run a command with its output in the log, in the log's own folder; True when it succeeded.

    Python and its tools are told to look at no file of the working folder, which may be any repository.
    """
    unset = ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV")
    environment: Mapping[str, str] = {name: value for name, value in os.environ.items() if name not in unset}
    environment = {**environment, "PIP_USER": "0", "PYTHONUTF8": "1"}
    folder = Path(output.name).parent
    return not subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment, cwd=folder
    ).returncode


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
