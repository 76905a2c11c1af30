"""Widgets of tool calls: one module a tool kind, found by the name of the kind."""
