"""The terminal interface: the only part that knows Textual."""
