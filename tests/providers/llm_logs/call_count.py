"""Counts calls in databases with SQL alone: shares no code with the provider."""

import sqlite3

_CALLS = """
    SELECT own, count(DISTINCT call) FROM (
    SELECT r.conversation_id AS own, c.tool_call_id AS call
    FROM tool_calls c JOIN responses r ON r.id = c.response_id
    UNION ALL
    SELECT t.thread_id, json_extract(p.payload, '$.tool_call_id')
    FROM turns t JOIN parts p ON p.message_hash = t.tip_message_hash WHERE p.type = 'tool_call')
    GROUP BY own
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many ids of calls each conversation has that has some."""
    return dict(connection.execute(_CALLS).fetchall())
