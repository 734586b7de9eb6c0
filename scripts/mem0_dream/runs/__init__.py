"""What lies on disk: run folders and their documents, journals, history, dismissals, locks."""
