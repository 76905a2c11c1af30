"""Facts of a session in memory: compact rows, joined by the keys on the events."""
