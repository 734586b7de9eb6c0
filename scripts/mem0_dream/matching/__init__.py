"""What two texts are to each other; it uses nothing but its own data."""
