"""Counts calls in databases: shares no code with the provider."""

import json
import sqlite3

_OF_EDITOR = """
    SELECT substr(key, 10, 36), count(DISTINCT json_extract(value, '$.toolFormerData.toolCallId'))
    FROM cursorDiskKV WHERE key LIKE 'bubbleId:%' GROUP BY 1
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many calls each session has."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if "cursorDiskKV" in names:
        return _with_requests(connection, dict(connection.execute(_OF_EDITOR).fetchall()))
    (value,) = connection.execute("SELECT value FROM meta WHERE key = '0'").fetchone()
    own = json.loads(bytes.fromhex(value))["agentId"]
    kept = (data for (data,) in connection.execute("SELECT data FROM blobs"))
    messages = [json.loads(data) for data in kept if data.startswith(b'{"role":"assistant"')]
    parts = [part for message in messages for part in message["content"]]
    return {own: len({part["toolCallId"] for part in parts if part["type"] == "tool-call"})}


def _with_requests(connection: sqlite3.Connection, counted: dict[str, int]) -> dict[str, int]:
    """A request for permission is shown as a call too."""
    asked = connection.execute(
        "SELECT substr(key, 10, 36), count(*) FROM cursorDiskKV WHERE key LIKE 'bubbleId:%'"
        " AND json_extract(value, '$.toolFormerData.additionalData.reviewData.status')"
        " = 'Requested' GROUP BY 1"
    )
    for own, count in asked:
        counted[own] += count
    return counted
