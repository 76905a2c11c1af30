"""A session as one document to hand over: what is in it, Markdown, JSON, and what was masked."""
