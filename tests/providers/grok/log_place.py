"""Where the client writes its logs, below a home directory, and a sample to put there."""

LOG_PLACES = {
    "grok": (
        "harbour/chat_history.jsonl",
        (
            ".grok/sessions/%2Fhome%2Fdev%2Fharbour/019f6851-0000-7000-8000-000000000007/"
            "chat_history.jsonl"
        ),
    ),
}
