"""Which session, turn, prompt and call wrote each line of a file."""
