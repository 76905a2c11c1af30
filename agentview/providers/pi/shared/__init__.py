"""What the programs of this family have in common: entries, messages, tools."""
