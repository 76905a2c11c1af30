"""How they keep sessions: rows of the tables `session`, `message` and `part`.

Source: databases that OpenCode 1.18.33 and Kilo 7.7.9 wrote. All times are milliseconds. A row is
written again while its message is streamed and while its tool is running. OpenCode 2 keeps messages
as a whole, in `session_message`, and takes older ones over into it at their time.
"""

from collections.abc import Mapping

from agentview.sources.member import Database, Sessions, Table

_SUMMARY = """(
    SELECT CASE WHEN json_valid(m.data) AND json_extract(m.data, '$.role') = 'assistant'
        AND json_extract(m.data, '$.summary') = 1
    THEN json_object('of', json_extract(m.data, '$.parentID'), 'auto', (
        SELECT json_extract(c.data, '$.auto') FROM part c
        WHERE c.message_id = json_extract(m.data, '$.parentID')
        AND json_valid(c.data) AND json_extract(c.data, '$.type') = 'compaction'
    )) END FROM message m WHERE m.id = p.message_id)"""
"""For the parts of a summary: the message that asked for the compaction, and how that began."""
_END = """CASE WHEN json_valid(m.data)
    THEN coalesce(json_extract(m.data, '$.time.completed'), m.time_created)
    ELSE m.time_created END"""
"""When a message was written last: how it ended stands behind its parts."""
_COMPLETED = "json_valid(m.data) AND json_extract(m.data, '$.time.completed') IS NOT NULL"
_PARTS = f"""CASE WHEN {_COMPLETED}
    THEN (SELECT count(*) FROM part p WHERE p.message_id = m.id) END"""  # noqa: S608  (names only)
"""How many parts a message has that is complete."""
_REFUSED = f"""CASE WHEN {_COMPLETED} THEN EXISTS (
    SELECT 1 FROM part p
    WHERE p.message_id = m.id AND instr(p.data, 'permission to use this specific tool call."')
    ) END"""  # noqa: S608  (names only)
"""True if a call of a message was refused without words, which ends the turn."""
_MODIFIED = """max(s.time_updated, coalesce((
    SELECT max(max(m.time_updated, coalesce((
        SELECT max(p.time_updated) FROM part p WHERE p.message_id = m.id), 0)))
    FROM (
        SELECT id, time_updated FROM message WHERE session_id = s.id
        ORDER BY time_created DESC LIMIT 2) m), 0)) / 1000.0"""
"""The row of a session is not written each time that one of its parts is."""
_NOT_TWICE = """session_message x WHERE x.session_id = :session
    AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = x.id)
    AND NOT EXISTS (
        SELECT 1 FROM message m WHERE m.session_id = :session AND m.time_created = x.time_created
        AND json_valid(m.data) AND json_extract(m.data, '$.role') = x.type)"""
"""The messages that are kept as a whole, without those whose parts have rows of their own."""
_MODIFIED_NOW = f"""max({_MODIFIED}, coalesce((
    SELECT max(x.time_updated) FROM (
        SELECT time_updated FROM session_message WHERE session_id = s.id
        ORDER BY seq DESC LIMIT 2) x), 0) / 1000.0)"""  # noqa: S608  (names only)
"""The same where messages may be kept as a whole."""
_SESSION = {
    "id": "s.id",
    "parent_id": "s.parent_id",
    "directory": "s.directory",
    "title": "s.title",
    "version": "s.version",
    "time_created": "s.time_created",
    "time_updated": "s.time_updated",
}
_MESSAGE = {
    "id": "m.id",
    "time_created": "m.time_created",
    "parts": _PARTS,
    "refused": _REFUSED,
    "data": "m.data",
}

_WHOLE = Table(
    name="session_message",
    rows=_NOT_TWICE,
    row="x.rowid",
    created="x.time_created",
    updated="x.time_updated",
    newest="x.seq",
    columns={
        "id": "x.id",
        "time_created": "x.time_created",
        "type": "x.type",
        "message": "x.data",
    },
    parsed=frozenset({"message"}),
)
"""The messages that version 2 keeps."""


def database(
    marks: frozenset[str] = frozenset(), session: Mapping[str, str] | None = None
) -> Database:
    return Database(
        tables=(
            Table(
                name="session",
                rows="session s WHERE s.id = :session",
                row="s.rowid",
                created="s.time_created",
                updated="s.time_updated",
                columns={**_SESSION, **(session or {})},
            ),
            Table(
                name="message",
                rows="message m WHERE m.session_id = :session",
                row="m.rowid",
                created=_END,
                updated="m.time_updated",
                newest="m.time_created",
                columns=_MESSAGE,
                parsed=frozenset({"data"}),
            ),
            Table(
                name="part",
                rows="part p WHERE p.session_id = :session",
                row="p.rowid",
                created="p.time_created",
                updated="p.time_updated",
                columns={
                    "id": "p.id",
                    "message_id": "p.message_id",
                    "role": (
                        "(SELECT CASE WHEN json_valid(m.data)"
                        " THEN json_extract(m.data, '$.role') END"
                        " FROM message m WHERE m.id = p.message_id)"
                    ),
                    "time_created": "p.time_created",
                    "summary": _SUMMARY,
                    "data": "p.data",
                },
                parsed=frozenset({"data", "summary"}),
            ),
            _WHOLE,
        ),
        marks=frozenset({"session.time_updated", "message.data", "part.message_id"}) | marks,
        sessions=Sessions(
            rows="session s",
            id="s.id",
            modified=_MODIFIED_NOW,
            modified_before=_MODIFIED,
            parent="s.parent_id",
            title="s.title",
        ),
    )
