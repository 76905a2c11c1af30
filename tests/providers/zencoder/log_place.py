"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "zencoder": ("demo.jsonl", ".zencoder/sessions/0d9c1f7e-5a3b-4e62-8f10-000000000041.jsonl"),
}
