"""Counts calls in databases with SQL alone: shares no code with the provider."""

import sqlite3

PER_SESSION = """
    SELECT m.session_id, count(DISTINCT json_extract(c.value, '$.id'))
    FROM messages m, json_each(m.tool_calls) c
    WHERE m.role = 'assistant' AND m.tool_calls IS NOT NULL GROUP BY m.session_id
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many calls each session has that has some."""
    return dict(connection.execute(PER_SESSION).fetchall())
