"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "deepseek_harness": (
        "harbour/s-harbour-1/session.jsonl",
        ".dsh/sessions/-home-dev-harbour/s-harbour-1/session.jsonl",
    ),
}
