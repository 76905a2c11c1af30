"""Counts the calls in a database of Zed by themselves."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from agentview.system import zstd

_MOST = 1 << 30


def calls(connection: sqlite3.Connection) -> Mapping[str, int]:
    """The calls of each thread, by its id."""
    rows = connection.execute("SELECT id, data_type, data FROM threads")
    return {own: _calls(_text(kind, data)) for own, kind, data in rows}


def _text(kind: str, data: bytes) -> bytes:
    return zstd.unpacked(data, _MOST) if kind == "zstd" else data


def _calls(thread: bytes) -> int:
    found = 0
    messages: list[Any] = json.loads(thread)["messages"]
    for message in messages:
        if message != "Resume":
            parts: list[Any] = message.get("Agent", {}).get("content", [])
            found += sum("ToolUse" in part for part in parts) + len(message.get("tool_uses", []))
    return found
