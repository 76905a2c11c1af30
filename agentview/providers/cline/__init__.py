"""Cline: its own engine of today, and the tasks of its editor extension and that one's forks."""
