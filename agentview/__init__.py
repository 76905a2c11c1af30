"""agentview: a terminal viewer for the session logs of coding agents."""

__version__ = "0.3.0"
