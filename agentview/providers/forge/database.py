"""How it keeps conversations: a row for each, with all of its messages in one value.

Source: the public source of Forge, September 2025 to 2026. Times are texts, in UTC.
"""

from agentview.sources.member import Database, Sessions, Table


def _seconds(column: str) -> str:
    return f"(julianday({column}) - 2440587.5) * 86400.0"


_UPDATED = _seconds("coalesce(c.updated_at, c.created_at)")

DATABASE = Database(
    tables=(
        Table(
            name="conversations",
            rows="conversations c WHERE c.conversation_id = :session",
            row="c.rowid",
            created=_UPDATED,
            updated=_UPDATED,
            columns={
                "id": "c.conversation_id",
                "title": "c.title",
                "created": _seconds("c.created_at"),
                "updated": _UPDATED,
                "context": "c.context",
            },
            parsed=frozenset({"context"}),
        ),
    ),
    marks=frozenset({
        "conversations.conversation_id", "conversations.workspace_id", "conversations.context",
    }),
    sessions=Sessions(
        rows="conversations c WHERE c.context IS NOT NULL",
        id="c.conversation_id",
        modified=_UPDATED,
        title="c.title",
    ),
)  # fmt: skip
