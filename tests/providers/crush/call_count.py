"""Counts calls in databases with SQL alone: shares no code with the provider."""

import sqlite3

PER_SESSION = """
    SELECT m.session_id, count(DISTINCT json_extract(p.value, '$.data.id'))
    FROM messages m, json_each(CAST(m.parts AS TEXT)) p
    WHERE json_extract(p.value, '$.type') = 'tool_call' GROUP BY m.session_id
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many calls each session has that has some."""
    return dict(connection.execute(PER_SESSION).fetchall())
