"""From decisions to the store and back: apply, undo, resume."""
