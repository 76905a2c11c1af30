"""Widgets of rows that are not tool calls: one module a row kind, found by the name of the kind."""
