"""Common parts of the forms: tools, results, and the contents of messages."""
