"""Counts calls in databases with SQL alone: shares no code with the provider."""

import sqlite3

PER_SESSION = """
    SELECT m.session_id, count(DISTINCT json_extract(p.value, '$.id'))
    FROM messages m, json_each(m.content_json) p
    WHERE json_extract(p.value, '$.type') = 'toolRequest' GROUP BY m.session_id
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many calls each session has that has some."""
    return dict(connection.execute(PER_SESSION).fetchall())
