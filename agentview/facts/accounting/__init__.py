"""The fate of each record of a log: read, kept as unparsed, or left out, and why."""
