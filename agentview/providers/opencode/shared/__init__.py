"""Common parts of OpenCode and its forks: their tables, the forms of parts, and their tools."""
