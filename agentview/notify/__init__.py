"""Notifies a person that a session needs them: whether, in what words, and by which ways."""
