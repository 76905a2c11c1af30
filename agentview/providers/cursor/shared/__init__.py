"""What the forms have in common: tools, results, and the contents of messages."""
