"""Counts calls in databases with SQL alone: shares no code with the provider."""

import sqlite3

PER_SESSION = """
    SELECT session_id, count(DISTINCT json_extract(message_data, '$.call_id')) FROM agent_messages
    WHERE json_extract(message_data, '$.type') = 'function_call' GROUP BY session_id
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many calls each session has that has some."""
    return dict(connection.execute(PER_SESSION).fetchall())
