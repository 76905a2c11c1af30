"""How it keeps sessions: rows of the tables `sessions` and `messages`, a database in each project.

Source: the public schema and source of Crush, 2025 to 2026. A message is one row with all its
parts, written again while it is streamed. Times are seconds, in some versions milliseconds.
"""

from agentview.sources.member import Database, Sessions, Table


def _seconds(column: str) -> str:
    return f"CASE WHEN {column} >= 10000000000 THEN {column} / 1000.0 ELSE {column} END"


# The session of an agent is named after the message and the call that started it.
_CALL = "CASE WHEN instr(s.id, '$$') > 0 THEN substr(s.id, instr(s.id, '$$') + 2) END"

DATABASE = Database(
    tables=(
        Table(
            name="sessions",
            rows="sessions s WHERE s.id = :session",
            row="s.rowid",
            created=_seconds("s.created_at"),
            updated=_seconds("s.updated_at"),
            columns={
                "id": "s.id",
                "parent_id": "s.parent_session_id",
                "title": "s.title",
                "created": _seconds("s.created_at"),
                "updated": _seconds("s.updated_at"),
                "cost": "s.cost",
            },
        ),
        Table(
            name="messages",
            rows="messages m WHERE m.session_id = :session",
            row="m.rowid",
            created=_seconds("m.created_at"),
            updated=_seconds("m.updated_at"),
            columns={
                "id": "m.id",
                "role": "m.role",
                "parts": "CAST(m.parts AS TEXT)",
                "model": "m.model",
                "provider": "m.provider",
                "created": _seconds("m.created_at"),
                "is_summary": "m.is_summary_message",
            },
            parsed=frozenset({"parts"}),
        ),
    ),
    marks=frozenset(
        {"sessions.message_count", "sessions.prompt_tokens", "messages.parts", "messages.role"}
    ),
    sessions=Sessions(
        rows="sessions s",
        id="s.id",
        modified=_seconds("s.updated_at"),
        parent="s.parent_session_id",
        title="s.title",
        call=_CALL,
    ),
)
