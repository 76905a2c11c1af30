"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "codex": (
        "demo.jsonl",
        ".codex/sessions/2026/11/23/rollout-2026-11-23T10-00-00-0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0009.jsonl",
    ),
}
