"""How it keeps sessions: rows of the tables `sessions`, `messages` and `usage_ledger`.

Source: the public source of Goose, schemas 15 to 17. Times of messages are seconds, in some
versions milliseconds; those of sessions are texts. Messages are only added, or all replaced.
"""

from agentview.sources.member import Database, Sessions, Table


def _seconds(column: str) -> str:
    return f"CASE WHEN {column} >= 10000000000 THEN {column} / 1000.0 ELSE {column} END"


_MESSAGE_TIME = _seconds("m.created_timestamp")
_USAGE_TIME = _seconds("u.created_timestamp")
_PARENT = "CASE WHEN s.session_type = 'sub_agent' THEN s.parent_session_id END"

DATABASE = Database(
    tables=(
        Table(
            name="sessions",
            rows="sessions s WHERE s.id = :session",
            row="s.rowid",
            created="CAST(strftime('%s', s.created_at) AS REAL)",
            updated="0",
            columns={
                "id": "s.id",
                "parent_id": _PARENT,
                "name": "s.name",
                "description": "s.description",
                "user_set_name": "s.user_set_name",
                "session_type": "s.session_type",
                "working_dir": "s.working_dir",
                "created": "CAST(strftime('%s', s.created_at) AS REAL)",
                "model_config": "s.model_config_json",
                "goose_mode": "s.goose_mode",
                "input_tokens": "s.accumulated_input_tokens",
                "output_tokens": "s.accumulated_output_tokens",
                "cost": "s.accumulated_cost",
                "ledger": "(SELECT count(*) FROM usage_ledger u WHERE u.session_id = s.id)",
            },
            parsed=frozenset({"model_config"}),
        ),
        Table(
            name="messages",
            rows="messages m WHERE m.session_id = :session",
            row="m.id",
            created=_MESSAGE_TIME,
            updated="m.id",
            columns={
                "id": "m.id",
                "message_id": "m.message_id",
                "role": "m.role",
                "created": _MESSAGE_TIME,
                "content": "m.content_json",
                "metadata": "m.metadata_json",
            },
            parsed=frozenset({"content", "metadata"}),
        ),
        Table(
            name="usage_ledger",
            rows="usage_ledger u WHERE u.session_id = :session",
            row="u.id",
            created=_USAGE_TIME,
            updated="u.id",
            columns={
                "id": "u.id",
                "created": _USAGE_TIME,
                "model": "u.model",
                "input_tokens": "u.input_tokens",
                "output_tokens": "u.output_tokens",
                "cache_read_tokens": "u.cache_read_tokens",
                "cache_write_tokens": "u.cache_write_tokens",
                "cost": "u.cost",
                "is_compaction": "u.is_compaction",
            },
        ),
    ),
    marks=frozenset(
        {"sessions.working_dir", "messages.content_json", "messages.created_timestamp"}
    ),
    sessions=Sessions(
        rows="sessions s",
        id="s.id",
        modified="CAST(strftime('%s', s.updated_at) AS REAL)",
        parent=_PARENT,
        title="coalesce(nullif(s.name, ''), s.description)",
    ),
)
