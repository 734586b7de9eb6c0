"""Other programs: found where the user keeps programs, never in the folder that happens to be the working one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def find(name: str, env: Mapping[str, str] = os.environ) -> Path | None:
    """The program of this name in an absolute folder of PATH; None if there is none.

    shutil.which also looks in the working folder, on Windows first of all, and in relative folders of PATH.
    """
    endings = (".exe",) if os.name == "nt" and not name.lower().endswith(".exe") else ("",)
    for folder in env.get("PATH", "").split(os.pathsep):
        for ending in endings:
            candidate = Path(folder, name + ending)
            if candidate.is_absolute() and candidate.is_file() and os.access(candidate, os.X_OK):
                return candidate
    return None
