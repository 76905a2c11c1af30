"""Where the rows of a session that is files may be saved as lines, and a sample to put there."""

LOG_PLACES = {
    "opencode_storage": (
        "demo.jsonl",
        ".local/share/opencode/storage/session/demo/demo.jsonl",
    ),
}
