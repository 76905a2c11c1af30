"""How OpenCode keeps sessions: rows of the tables `session`, `message` and `part`.

Source: databases that OpenCode 1.18.33 and Kilo 7.7.9 wrote. All times are milliseconds. A row is
written again while its message is streamed and while its tool is running.
"""

from agentview.sources.member import Database, Table

DATABASE = Database(
    tables=(
        Table(
            name="session",
            rows="session s WHERE s.id = :session",
            row="s.rowid",
            created="s.time_created",
            updated="s.time_updated",
            columns={
                "id": "s.id",
                "parent_id": "s.parent_id",
                "directory": "s.directory",
                "title": "s.title",
                "version": "s.version",
                "time_created": "s.time_created",
                "time_updated": "s.time_updated",
            },
        ),
        Table(
            name="message",
            rows="message m WHERE m.session_id = :session",
            row="m.rowid",
            created="m.time_created",
            updated="m.time_updated",
            newest="m.time_created",
            columns={"id": "m.id", "time_created": "m.time_created", "data": "m.data"},
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
                    "(SELECT json_extract(m.data, '$.role') FROM message m"
                    " WHERE m.id = p.message_id)"
                ),
                "time_created": "p.time_created",
                "data": "p.data",
            },
            parsed=frozenset({"data"}),
        ),
    ),
    marks=frozenset({"session", "message", "part", "project"}),
)
