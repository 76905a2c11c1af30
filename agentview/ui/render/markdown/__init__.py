"""Markdown as rows of a timeline."""
