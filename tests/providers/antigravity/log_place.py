"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "antigravity": (
        "demo.jsonl",
        (
            ".gemini/antigravity-cli/brain/7c0a3d52-5e0b-4a55-9a0e-2f8b6c1d0a01/"
            ".system_generated/logs/transcript_full.jsonl"
        ),
    ),
}
