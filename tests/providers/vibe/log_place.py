"""Where the records of a session may be saved as lines, and samples to put there."""

LOG_PLACES = {
    "vibe": ("demo.jsonl", ".vibe/logs/session/unified/demo.jsonl"),
    "vibe_2": ("demo.jsonl", ".vibe/logs/session/demo.jsonl"),
}
