"""Kept knowledge of logs: accounting, edits, usage, search, without reading a log again."""
