"""Kimi Code and the older Kimi CLI, which share their tools."""
