"""agentview: a terminal viewer for the session logs of coding agents."""

__version__ = "0.1.0"
