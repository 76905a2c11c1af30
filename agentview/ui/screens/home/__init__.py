"""Home: what the views of all sessions have in common."""
