"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "gptme": ("demo.jsonl", ".local/share/gptme/logs/2026-11-23-quiet-crane/conversation.jsonl"),
}
