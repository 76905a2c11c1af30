"""One session: its timeline, header, side panel and keys."""
