"""Common parts of Kimi Code and Kimi CLI: content, tools, results."""
