"""Common parts of agents and clients of the Agent Client Protocol: kinds of tools and content."""
