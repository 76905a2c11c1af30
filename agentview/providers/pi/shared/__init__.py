"""Common parts of the programs of this family: entries, messages, tools."""
