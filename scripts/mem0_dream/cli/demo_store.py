"""A store to try everything on: mem0's own engine on disk, filled with the memories of one small project."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ..memory import Scope
from ..stores.local import LocalStore
from ..stores.mem0_config import Config
from ..stores.protocol import Draft

SCOPE = Scope("demo", "web-shop")
ANSWER = "B"  # to every contradiction that the demo asks about: the newer memory stays
_SIZE = 256
_MEMORIES = Path(__file__).parent / "demo.json"


class Embedder:
    """Words hashed into a vector: enough for search to work in a demo, with no model and no download."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """A vector of length 1; texts that share words point the same way."""
        vector = [0.0] * _SIZE
        for word in re.findall(r"\w+", text.casefold()) or [text]:
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
            vector[int.from_bytes(digest, "big") % _SIZE] += 1.0
        length = math.hypot(*vector)
        return [value / length for value in vector]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


def make_store(folder: Path) -> LocalStore:
    """A new store of on-disk Qdrant in this folder; an earlier demo, with its runs, is removed from there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    where = {"collection_name": "mem0", "path": str(folder / "qdrant"), "embedding_model_dims": _SIZE, "on_disk": True}
    settings = {
        "vector_store": {"provider": "qdrant", "config": where},
        "history_db_path": str(folder / "history.db"),
    }
    return LocalStore(Config(settings, "the demo's config"), Embedder())


def fill(store: LocalStore, now: datetime | None = None) -> int:
    """Store the demo's memories with their ages; how many."""
    moment = now or datetime.now(timezone.utc)
    rows = json.loads(_MEMORIES.read_text(encoding="utf-8"))["memories"]
    drafts = []
    for row in rows:
        metadata = {key: row[key] for key in ("type", "confidence", "pinned") if key in row}
        drafts.append(Draft(row["memory"], SCOPE, metadata, moment - timedelta(days=row["days"])))
    store.add(drafts)
    return len(drafts)
