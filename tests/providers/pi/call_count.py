"""Counts calls with SQL, and zstd for packed rows: shares no code with the provider.

A call that only made another one is counted as that.
"""

import sqlite3

from agentview.system.zstd import zstd

PER_SESSION = """
    WITH told AS (
        SELECT session_id, COALESCE(event_json, unpacked(event_zstd)) AS event
        FROM transcript_events),
    parts AS (
        SELECT t.session_id, p.value AS part FROM told t,
            json_each(CASE WHEN json_type(t.event, '$.message.content') = 'array'
                THEN json_extract(t.event, '$.message.content') ELSE '[]' END) p
        WHERE json_extract(t.event, '$.message.role') = 'assistant'),
    nested AS (
        SELECT session_id, json_extract(event, '$.message.details.parentToolCallId') AS made_by
        FROM told WHERE json_extract(event, '$.message.customType') = 'openclaw.nested-tool.v1')
    SELECT session_id, count(*) FROM (
        SELECT session_id FROM parts WHERE json_extract(part, '$.type') = 'toolCall'
            AND NOT (json_extract(part, '$.name') = 'tool_call'
                AND json_extract(part, '$.id') IN (SELECT made_by FROM nested))
        UNION ALL SELECT session_id FROM nested)
    GROUP BY session_id
"""


def calls(connection: sqlite3.Connection) -> dict[str, int]:
    """How many calls each session has that has some."""
    connection.create_function("unpacked", 1, _unpacked)
    return dict(connection.execute(PER_SESSION).fetchall())


def _unpacked(frame: bytes | None) -> str | None:
    if frame is None:
        return None
    return zstd.decompress(frame).decode()
