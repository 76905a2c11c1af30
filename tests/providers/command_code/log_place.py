"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "command_code": (
        "demo.jsonl",
        ".commandcode/projects/-home-dev-quay/0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0001.jsonl",
    ),
}
