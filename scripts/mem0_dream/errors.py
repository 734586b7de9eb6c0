"""What can go wrong, told in one sentence that says what happened and what to do."""

from __future__ import annotations

from typing import Any


class DreamError(Exception):
    """A failure a person can act on; its text is the whole sentence they see (exit code 1).

    `summary` is what was done before, if it stopped a run halfway; `report` are the lines that say so.
    """

    exit_code = 1
    summary: Any = None
    report = ""


class UsageError(DreamError):
    """The arguments are wrong (exit code 2)."""

    exit_code = 2


class AttentionNeeded(DreamError):
    """Nothing was applied because somebody must look or decide first (exit code 3)."""

    exit_code = 3


class Busy(DreamError):
    """Another run holds the lock of this scope (exit code 75)."""

    exit_code = 75
