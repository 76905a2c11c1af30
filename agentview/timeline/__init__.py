"""The rows of an open session, and how they are shown."""
