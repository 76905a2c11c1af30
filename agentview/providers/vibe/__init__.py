"""Mistral Vibe: the store of version 3, and the folders of messages of version 2."""
