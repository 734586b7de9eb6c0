"""An empty collection, as mem0 makes one before it stores its first memory."""

from mem0_dream.stores.mem0_engine import make_collection

__all__ = ["make_collection"]
