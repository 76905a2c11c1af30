"""How it keeps conversations: a row for each, with all of its messages in one value.

The table `conversations` has the last one of each directory. Since the end of 2025 all are in
`conversations_v2`, with their times; the older table stays as it was.

Source: the public source of Amazon Q CLI and its migrations, 2025 to 2026.
"""

# ruff: noqa: S608  (no text of a log is in it)

from agentview.sources.member import Database, Sessions, Table

_ID = "CASE WHEN json_valid(c.value) THEN json_extract(c.value, '$.conversation_id') END"
_OLDER = f"SELECT {_ID} AS id, NULL AS modified FROM conversations c"
_NEWER = "SELECT c.conversation_id AS id, c.updated_at / 1000.0 AS modified FROM conversations_v2 c"


def _listed(rows: str) -> str:
    return f"(SELECT s.id AS id, max(s.modified) AS modified FROM ({rows}) s GROUP BY s.id) s"


_COLUMNS = {"id": "c.conversation_id", "key": "c.key", "value": "c.value"}
_IS_NEW = "(SELECT count(*) FROM conversations_v2 n WHERE n.conversation_id = :session)"

DATABASE = Database(
    tables=(
        Table(
            name="conversations",
            rows=f"conversations c WHERE {_ID} = :session",
            row="c.rowid",
            created="c.rowid",
            updated="0",
            columns={**_COLUMNS, "id": _ID, "is_new": _IS_NEW},
            parsed=frozenset({"value"}),
        ),
        Table(
            name="conversations_v2",
            rows="conversations_v2 c WHERE c.conversation_id = :session",
            row="c.rowid",
            created="c.updated_at",
            updated="c.updated_at",
            columns={**_COLUMNS, "created": "c.created_at", "updated": "c.updated_at"},
            parsed=frozenset({"value"}),
        ),
    ),
    marks=frozenset({"conversations.key", "conversations.value"}),
    sessions=Sessions(
        rows=_listed(f"{_OLDER} UNION ALL {_NEWER}"),
        otherwise=_listed(_OLDER),
        id="s.id",
        modified="s.modified",
    ),
)
