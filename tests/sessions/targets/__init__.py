"""Which sessions are meant."""
