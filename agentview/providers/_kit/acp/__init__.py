"""What agents and clients of the Agent Client Protocol write alike: kinds of tools and content."""
