"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "happier": (
        "demo.jsonl",
        ".happier/tool-traces/2026-11-23T10-00-00-000Z-42.jsonl",
    ),
}
