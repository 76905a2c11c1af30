"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "pi": (
        "demo.jsonl",
        (
            ".pi/agent/sessions/--home-dev-shop--/"
            "2026-04-20T09-00-07-000Z_01a5c2d4-7b1e-7c3a-9d2e-5f6a7b8c9d01.jsonl"
        ),
    ),
}
