"""Search: within one session over the bytes of its log, over all sessions through an index."""
