"""Searches the words of all sessions: an index of them, and what it does not hold read directly."""
