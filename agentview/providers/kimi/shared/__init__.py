"""What Kimi Code and Kimi CLI have in common: content, tools, results."""
