"""Counts calls in databases with SQL alone: shares no code with the provider."""

import sqlite3

_CALLS = """
    SELECT c.conversation_id, count(*) FROM conversations c,
    json_each(c.context, '$.messages') m,
    json_each(coalesce(json_extract(m.value, '$.message.text.tool_calls'),
     json_extract(m.value, '$.text.tool_calls'), '[]'))
    GROUP BY 1
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many calls each conversation has that has some."""
    return dict(connection.execute(_CALLS).fetchall())
