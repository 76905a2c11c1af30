"""What both versions of Vibe have in common: their tools."""
