"""Who may decide what: answers, limits, consent, and what waits for a person."""
