"""Which account a key stands for, so that a replaced key leaves the account's records where they are. Hashes alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from . import documents

_NAME = "accounts"


def named(where: str, *parts: str) -> str:
    """The identity of an account at a service, from what names it."""
    return f"{where} account {hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:12]}"


def identity(home: Path | None, by_key: str, ask: Callable[[], str]) -> str:
    """The account's identity: as remembered in `home` for this key, else as the service says (empty: `by_key`)."""
    known = _load(home)
    if by_key in known:
        return known[by_key]
    found = ask()
    if found and home:
        documents.write(_file(home), _NAME, {"identities": {**known, by_key: found}})
    return found or by_key


def former(home: Path | None, by_key: str, identity: str) -> tuple[str, ...]:
    """What 0.1.0 called this account: by the hash of its key, of this one and of those it had before."""
    return tuple(dict.fromkeys([by_key, *(key for key, known in _load(home).items() if known == identity)]))


def _load(home: Path | None) -> dict[str, str]:
    return documents.read(_file(home), _NAME)["identities"] if home and _file(home).exists() else {}


def _file(home: Path) -> Path:
    return home / f"{_NAME}.json"
