"""Where the records of a conversation may be saved as lines, and a sample to put there."""

LOG_PLACES = {"openhands": ("demo.jsonl", ".openhands/conversations/demo.jsonl")}
