"""mem0 itself, imported once and quietly: no telemetry, no log line, no warning reaches the user."""

from __future__ import annotations

import atexit
import functools
import importlib
import logging
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from types import ModuleType

from ..errors import DreamError

_LOUD = ("mem0", "httpx", "httpcore", "posthog", "urllib3")


@functools.cache
def mem0() -> ModuleType:
    """The package mem0; DreamError where it is not installed or cannot be loaded."""
    os.environ["MEM0_TELEMETRY"] = "False"  # read once, when mem0 is imported
    _make_folder()
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():  # mem0 turns all deprecation warnings on
            warnings.simplefilter("ignore")
            return importlib.import_module("mem0")
    except ImportError as error:
        raise DreamError(
            f"The package mem0ai cannot be loaded ({error}); run dream.py --setup, or install mem0ai for this Python."
        ) from None


def _make_folder() -> None:
    """mem0 makes its folder when imported and fails where it may not; then it gets one for this process alone."""
    folder = Path(os.environ.get("MEM0_DIR") or Path.home() / ".mem0")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        os.environ["MEM0_DIR"] = tempfile.mkdtemp(prefix="mem0-")
        atexit.register(shutil.rmtree, os.environ["MEM0_DIR"], ignore_errors=True)
