"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "droid": (
        "demo.jsonl",
        ".factory/sessions/-home-dev-harbour/5b1c7f0e-0000-4000-8000-000000000001.jsonl",
    ),
}
