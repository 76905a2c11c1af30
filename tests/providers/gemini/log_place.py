"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "gemini_cli": (
        "demo.jsonl",
        ".gemini/tmp/shop/chats/session-2026-11-23T10-00-0b5f3a52.jsonl",
    ),
    "iflow": (
        "demo.jsonl",
        ".iflow/projects/-home-dev-harbour/session-6a1c2e30-41b7-4d6e-9a55-0c1f2b3d4e5f.jsonl",
    ),
    "qwen_code": (
        "demo.jsonl",
        ".qwen/projects/shop/chats/0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0009.jsonl",
    ),
}
