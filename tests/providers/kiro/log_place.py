"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "kiro": ("demo.jsonl", ".kiro/sessions/cli/0d9c1f7e-0000-4000-8000-000000000001.jsonl"),
}
