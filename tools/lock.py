"""Write scripts/requirements.lock: every package of the plugin's own Python, for all systems, with its hashes.

Run it after a change of scripts/requirements.txt or scripts/constraints.txt. It needs uv on the PATH.
"""

import re
import subprocess
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
OLDEST = "3.10"  # the oldest Python that the plugin runs on
HEAD = "# Made by tools/lock.py from requirements.txt and constraints.txt; do not edit.\n"


def main() -> None:
    pins = ["requirements.txt", "--constraints", "constraints.txt"]
    how = ["--universal", "--generate-hashes", "--python-version", OLDEST, "--no-config", "--no-header"]
    command = [
        "uv",
        "pip",
        "compile",
        *pins,
        *how,
        "--no-annotate",
        "--no-strip-extras",
        "--no-emit-index-url",
        "--quiet",
    ]
    made = subprocess.run(command, cwd=SCRIPTS, check=True, capture_output=True, text=True).stdout
    (SCRIPTS / "requirements.lock").write_text(HEAD + made, encoding="utf-8", newline="\n")
    print(len(re.findall("==", made)), "releases,", made.count("--hash"), "hashes")


if __name__ == "__main__":
    main()
