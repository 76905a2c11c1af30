"""How it keeps threads: a row for each, with all of its messages in one value.

Source: the public source of Zed, 2025 to 2026. The value is JSON, packed as a zstd frame since
version 0.3.0. Times are texts.
"""

from agentview.sources.member import Database, Sessions, Table

_UPDATED = "(julianday(t.updated_at) - 2440587.5) * 86400.0"
_PARENT = "nullif(t.parent_id, '')"

DATABASE = Database(
    tables=(
        Table(
            name="threads",
            rows="threads t WHERE t.id = :session",
            row="t.rowid",
            created=_UPDATED,
            updated=_UPDATED,
            columns={
                "id": "t.id",
                "parent_id": _PARENT,
                "summary": "t.summary",
                "created_at": "t.created_at",
                "updated_at": "t.updated_at",
                "folder_paths": "t.folder_paths",
                "data_type": "t.data_type",
                "data": "CASE WHEN t.data_type = 'json' THEN CAST(t.data AS TEXT) ELSE t.data END",
            },
            parsed=frozenset({"data"}),
        ),
    ),
    marks=frozenset({"threads.summary", "threads.data_type", "threads.data"}),
    sessions=Sessions(
        rows="threads t",
        id="t.id",
        modified=_UPDATED,
        parent=_PARENT,
        title="t.summary",
    ),
)
