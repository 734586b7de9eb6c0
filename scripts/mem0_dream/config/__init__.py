"""What mem0.md, mem0's own files and this machine say."""
