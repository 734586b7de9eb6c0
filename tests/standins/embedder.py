"""An embedder without a model: a text is the words in it, each at the place its hash names."""

from __future__ import annotations

import hashlib


class WordEmbedder:
    """What mem0 calls for vectors; the same text gives the same vector on every machine."""

    def __init__(self, dimensions: int = 32) -> None:
        self.dimensions = dimensions
        self.calls = 0

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        self.calls += 1
        vector = [0.001] * self.dimensions
        for word in text.lower().split():
            digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
            vector[int.from_bytes(digest[:4], "big") % self.dimensions] += 1.0
        return vector
