"""Counts calls in saved records with plain JSON: shares no code with the providers."""

import json
from pathlib import Path


def calls(path: Path) -> dict[str, bool]:
    """Calls by their ids, and whether each has its result."""
    found: dict[str, bool] = {}
    for line in path.read_text().strip().split("\n"):
        record = json.loads(line)
        if record.get("type") == "effect":
            found[record["id"]] = record["state"]["status"] != "running"
        elif "answer" in record:
            found[record["call"]["id"]] = True
        for call in record.get("tool_calls") or ():
            found[call["id"]] = False
        if record.get("role") == "tool":
            found[record["tool_call_id"]] = True
    return found
