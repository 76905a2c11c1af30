"""Lists that scroll: of sessions, live sessions, hits of a search and settings."""
