"""Search over all sessions."""
