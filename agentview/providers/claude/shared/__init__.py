"""What Claude's clients write alike: their tools, the vendor's messages, the shapes of results."""
