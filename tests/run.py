#!/usr/bin/env python3
"""Everything CI checks, on a machine that has nothing but Python: builds .venv once, lints, checks types, tests.

    python3 tests/run.py                                    everything, as CI does it
    python3 tests/run.py --fast                             without the fault, kill, store and client suites
    python3 tests/run.py --format                           format the code, and stop
    python3 tests/run.py --rewrite tests/test_report.py     write what the code prints now into the expected reports
    python3 tests/run.py tests/test_policies.py -k fence    any other arguments go to pytest

It ends with pytest's own closing line and exit code, or with exit code 1 if only the linters complain.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PINS = [ROOT / "requirements-dev.txt", ROOT / "scripts" / "requirements.txt", ROOT / "scripts" / "constraints.txt"]


def main(arguments: "list[str]") -> int:
    if sys.version_info < (3, 10):  # noqa: UP036
        sys.exit(
            f"The tests need Python 3.10 or newer, and this is {sys.version.split()[0]}; start them with a newer one."
        )
    build()
    if arguments == ["--format"]:
        return run("-m", "ruff", "check", "--fix", ".") or run("-m", "ruff", "format", ".")
    linters = [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]]
    clean = [run("-m", *linter) == 0 for linter in linters]
    tests = run("-m", "pytest", *chosen(arguments))
    return tests or (0 if all(clean) else 1)


def chosen(arguments: "list[str]") -> "list[str]":
    """What to tell pytest. Many processes share the tests, and a file's tests stay in one process."""
    side_by_side = ["-n", "auto", "--dist", "loadfile"]
    if arguments == ["--fast"]:
        return [*side_by_side, "-m", "not slow"]
    if arguments[:1] == ["--rewrite"]:
        return ["--inline-snapshot=fix", *arguments[1:]]
    if arguments:
        return arguments
    os.environ.setdefault("HYPOTHESIS_PROFILE", "ci")
    return [*side_by_side, "--cov=scripts", "--cov-report=term:skip-covered"]


def build() -> None:
    """Make .venv, unless the one there was made of these pins by this release of Python."""
    stamp = VENV / "made-of"
    pins = b"".join(file.read_bytes() for file in PINS)
    made_of = f"{sys.version_info[:2]} {hashlib.sha256(pins).hexdigest()}"
    if PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == made_of:
        return
    print(f"Making {VENV} with everything the tests need, once (a few minutes) …", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary"]
    code = run(*pip, "-r", str(PINS[0]))
    if code:
        sys.exit("The packages could not be installed; see above, connect to the network and start again.")
    stamp.write_text(made_of, encoding="utf-8")


def run(*command: str) -> int:
    """Run the environment's Python with these arguments, from the root of the clone."""
    print("·", *command, flush=True)
    return subprocess.run([str(PYTHON), *command], cwd=ROOT, env={**os.environ, "PYTHONUTF8": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
