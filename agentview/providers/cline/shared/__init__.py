"""Shared by the engine and the tasks of the extensions: tools, and the words of results."""
