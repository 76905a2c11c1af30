"""Widgets of activities that are not tool calls."""
