"""`agentview dev`: tools for maintainers, to keep up with what clients write."""
