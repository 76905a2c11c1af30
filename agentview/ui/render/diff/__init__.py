"""Diffs, unified and side by side."""
