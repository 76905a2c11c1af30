"""Cursor: the agent and the editor, which keep sessions in three forms."""
