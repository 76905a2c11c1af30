"""Sessions of other machines: agentview there answers through ssh."""
