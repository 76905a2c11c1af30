"""Common parts of Claude's clients: their tools, the vendor's messages, the shapes of results."""
