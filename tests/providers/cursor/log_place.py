"""Where the client writes its logs, below a home directory, and a sample to put there."""

_ID = "7d2e9b10-3c6f-4a58-8e21-f40c95d7ab04"
_LOG = f"home-dev-garden/agent-transcripts/{_ID}/{_ID}.jsonl"

LOG_PLACES = {
    "cursor": (f"transcripts/projects/{_LOG}", f".cursor/projects/{_LOG}"),
}
