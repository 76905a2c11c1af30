"""The library: all sessions found on this machine."""
