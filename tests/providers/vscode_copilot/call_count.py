"""Counts calls in a session by its JSON alone: shares no code with the provider."""

import json
from pathlib import Path


def calls(path: Path) -> set[str]:
    """Ids of all calls of the rounds of a session."""
    document = json.loads(path.read_bytes())
    return {
        call["id"]
        for request in document["requests"]
        for each in request["result"]["metadata"]["toolCallRounds"]
        for call in each["toolCalls"]
    }
