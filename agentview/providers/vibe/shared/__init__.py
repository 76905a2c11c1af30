"""What both versions of Vibe have in common: their tools, and the form of a content."""
