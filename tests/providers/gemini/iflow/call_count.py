"""Counts calls in a session by its JSON alone: shares no code with the provider."""

import json
from pathlib import Path
from typing import Any


def calls(path: Path) -> list[str]:
    """Ids of all calls, each once, in the order in which they were made."""
    found: list[str] = []
    for line in path.read_bytes().splitlines():
        content: str | list[dict[str, Any]] = json.loads(line)["message"]["content"]
        for part in content if isinstance(content, list) else ():
            if part["type"] == "tool_use" and part["id"] not in found:
                found.append(part["id"])
    return found
