"""Compact tables of rows, keys and numbers."""
