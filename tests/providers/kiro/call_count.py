"""Counts calls in databases with SQL alone: shares no code with the provider."""

import sqlite3

_CALLS = """
    SELECT own, max(calls) FROM (
    SELECT json_extract(c.value, '$.conversation_id') AS own, count(*) AS calls
    FROM (SELECT value FROM conversations UNION ALL SELECT value FROM conversations_v2) c,
    json_each(c.value, '$.history') h,
    json_each(coalesce(json_extract(h.value, '$.assistant.ToolUse.tool_uses'),
     json_extract(h.value, '$[1].ToolUse.tool_uses'), '[]'))
    GROUP BY c.value) GROUP BY 1
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many calls each conversation has that has some."""
    return dict(connection.execute(_CALLS).fetchall())
