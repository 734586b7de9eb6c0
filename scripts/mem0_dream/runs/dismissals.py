"""What you decided to leave alone, remembered for a scope by kind and the hashes of the texts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from . import documents

_SHARED = {
    "merge": 2,
    "conflict": 2,
    "near miss": 2,
    "prune": 1,
    "update": 1,
}  # texts in common that make a proposal the same question


_KINDS = {"M": "merge", "C": "conflict", "N": "near miss", "P": "prune", "U": "update"}


def kind_of(handle: str) -> str:
    """The kind of question that a handle names, whatever an answer made of it."""
    return _KINDS[handle[0]]


class Dismissals:
    """kept.json of a scope folder. An entry holds as long as its texts stand: another text is another question."""

    def __init__(self, path: Path, entries: list[dict[str, Any]] | None = None) -> None:
        self.path = path
        self._reset(entries or [])

    @classmethod
    def load(cls, scope_folder: Path) -> Dismissals:
        """The decisions of the scope; none if there are none yet."""
        path = scope_folder / "kept.json"
        return cls(path, documents.read(path, "kept")["entries"] if path.exists() else None)

    def save(self) -> None:
        documents.write(self.path, "kept", {"entries": self.entries})

    def forbids(self, kind: str, texts: Sequence[str]) -> bool:
        """Whether this merge, conflict or prune, or any pair of it, was already left alone."""
        hashes = Counter(hash_of(text) for text in texts)
        found = (entry for hash in hashes for entry in self._by_hash.get(hash, ()))
        return any(
            entry["kind"] == kind and (hashes & Counter(entry["texts"])).total() >= _SHARED[kind] for entry in found
        )

    def add(self, kind: str, texts: Sequence[str], said: str) -> None:
        """Remember: `said` is "keep", "both" or "undone"."""
        if self._exact(kind, texts):
            return
        entry = {
            "kind": kind,
            "texts": sorted(hash_of(text) for text in texts),
            "said": said,
            "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "about": [text[:80] for text in texts],
        }
        self.entries.append(entry)
        self._index(entry)

    def discard(self, kind: str, texts: Sequence[str]) -> None:
        """Forget one decision, because the opposite was decided."""
        exact = self._exact(kind, texts)
        if exact:
            self._reset(entry for entry in self.entries if entry is not exact)

    def remove(self, place: int) -> None:
        """Forget the decision at this place in `entries`."""
        self._reset(entry for i, entry in enumerate(self.entries) if i != place)

    def forget(self, texts: Iterable[str]) -> None:
        """Forget what is about any of these texts."""
        hashes = {hash_of(text) for text in texts}
        self._reset(entry for entry in self.entries if hashes.isdisjoint(entry["texts"]))

    def clear(self) -> int:
        """Forget everything; how much that was."""
        count = len(self.entries)
        self._reset(())
        return count

    def _reset(self, entries: Iterable[dict[str, Any]]) -> None:
        self.entries = list(entries)
        self._by_hash: dict[str, list[dict[str, Any]]] = {}
        for entry in self.entries:
            self._index(entry)

    def _exact(self, kind: str, texts: Sequence[str]) -> dict[str, Any] | None:
        hashes = sorted(hash_of(text) for text in texts)
        found = self._by_hash.get(hashes[0], ()) if hashes else ()
        return next((entry for entry in found if entry["kind"] == kind and entry["texts"] == hashes), None)

    def _index(self, entry: dict[str, Any]) -> None:
        for hash in set(entry["texts"]):
            self._by_hash.setdefault(hash, []).append(entry)


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
