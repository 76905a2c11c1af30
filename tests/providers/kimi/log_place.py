"""Where the clients write their logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "kimi_cli": (
        "demo.jsonl",
        (
            ".kimi/sessions/0cc175b9c0f1b6a831c399e269772661/"
            "49c25e39-13e5-4a55-8da7-fab156ddd0cf/wire.jsonl"
        ),
    ),
    "kimi_code": (
        "demo.jsonl",
        (
            ".kimi-code/sessions/wd_shop_0cc175b9c0f1/"
            "session_49c25e39-13e5-4a55-8da7-fab156ddd0cf/agents/main/wire.jsonl"
        ),
    ),
}
