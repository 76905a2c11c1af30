"""The timeline of a session: its window, rows, search, filter and navigation."""
