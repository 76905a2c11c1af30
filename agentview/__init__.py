"""agentview: a terminal viewer for the session logs of coding agents."""

__version__ = "0.2.0"
