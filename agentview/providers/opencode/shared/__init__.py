"""What OpenCode and its forks share: their tables, the forms of parts, and their tools."""
