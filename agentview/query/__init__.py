"""The query language of every search and filter: its words, its parser, its text matcher."""
