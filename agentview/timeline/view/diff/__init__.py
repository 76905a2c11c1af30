"""Diffs as rows: hunks of a call, lines that pair up, words that changed."""
