"""How sessions are kept: an item of the Responses API in each row, added when a turn has ended.

Source: a database that the SDK 0.24.0 wrote. `turn_usage` is of its AdvancedSQLiteSession, by the
source of the SDK. Times are texts in UTC.
"""

from agentview.sources.member import Database, Sessions, Table

_SECONDS = "CAST(strftime('%s', {}.created_at) AS INTEGER)"

DATABASE = Database(
    tables=(
        Table(
            name="agent_sessions",
            rows="agent_sessions s WHERE s.session_id = :session",
            row="s.rowid",
            created=_SECONDS.format("s"),
            updated="0",
            columns={"session_id": "s.session_id", "created_at": "s.created_at"},
        ),
        Table(
            name="agent_messages",
            rows="agent_messages m WHERE m.session_id = :session",
            row="m.rowid",
            created=_SECONDS.format("m"),
            updated="0",
            columns={
                "id": "m.id",
                "session_id": "m.session_id",
                "created_at": "m.created_at",
                "item": "m.message_data",
            },
            parsed=frozenset({"item"}),
        ),
        Table(
            name="turn_usage",
            rows="turn_usage u WHERE u.session_id = :session",
            row="u.rowid",
            created=_SECONDS.format("u"),
            updated="0",
            columns={
                "session_id": "u.session_id",
                "branch_id": "u.branch_id",
                "turn": "u.user_turn_number",
                "created_at": "u.created_at",
                "input_tokens": "u.input_tokens",
                "output_tokens": "u.output_tokens",
                "input_tokens_details": "u.input_tokens_details",
                "output_tokens_details": "u.output_tokens_details",
            },
            parsed=frozenset({"input_tokens_details", "output_tokens_details"}),
        ),
    ),
    marks=frozenset({"agent_messages.message_data", "agent_sessions.session_id"}),
    sessions=Sessions(
        rows="agent_sessions s",
        id="s.session_id",
        modified="CAST(strftime('%s', s.updated_at) AS REAL)",
    ),
)
