"""Where the client writes its logs, below a home directory, and a sample to put there."""

_ID = "0d9c1f7e-5a3b-4e62-8f10-000000000007"

LOG_PLACES = {
    "codebuddy": (f"{_ID}.jsonl", f".codebuddy/projects/home-dev-harbour/{_ID}.jsonl"),
}
