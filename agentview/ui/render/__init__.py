"""Content to strips of terminal cells, a screenful at a time."""
