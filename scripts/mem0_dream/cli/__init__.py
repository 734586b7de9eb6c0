"""One file per command: what each script does, from its options to what it prints."""
