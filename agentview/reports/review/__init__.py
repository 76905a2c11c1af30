"""The prompts, calls and test runs behind each hunk of a range of commits."""
