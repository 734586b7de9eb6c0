"""mem0 dream: cleans a project's mem0 memories, shows every change before it moves, and can take it back."""

__version__ = "0.1.0"
