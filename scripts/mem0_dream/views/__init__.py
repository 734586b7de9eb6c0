"""What people and agents read."""
