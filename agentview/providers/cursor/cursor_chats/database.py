"""How it keeps a chat: a database of its own, with the tables `meta` and `blobs`.

Blobs are only added, each by the hash of its bytes. The row of `meta` names the newest state of the
conversation, and that the messages, in their order. A message is JSON. Those that were summarized
are listed in archives, which the state names too. Sources: see `evidence.toml`.
"""

from agentview.providers.cursor.cursor_chats.wire import archive_text, session_text, state_text
from agentview.sources.member import Database, Sessions, Table

_MOST = 1_000_000
"""More than the messages of one archive, and more than the archives."""
_META = "cursor_session(m.value)"
_OWN = f"m.key = '0' AND json_extract({_META}, '$.agentId') = :session"
_STATE = f"blobs r ON r.id = json_extract({_META}, '$.latestRootBlobId')"
_ARCHIVES = (
    f"meta m JOIN {_STATE} JOIN json_each(cursor_state(r.data), '$.archives') a"
    " JOIN blobs s ON s.id = a.value"
)
_LISTED = (
    f"(SELECT json_array_length(cursor_state(r.data), '$.messages') FROM meta m JOIN {_STATE}"  # noqa: S608
    f" WHERE {_OWN})"
)
_JSON = "CASE WHEN json_valid(CAST(b.data AS TEXT)) THEN CAST(b.data AS TEXT) ELSE b.data END"


def _state(path: str) -> str:
    return f"json_extract(cursor_state(r.data), '$.{path}')"


def _meta(key: str) -> str:
    return f"json_extract({_META}, '$.{key}')"


DATABASE = Database(
    tables=(
        Table(
            name="chat",
            rows=f"meta m LEFT JOIN {_STATE} WHERE {_OWN}",
            row="m.rowid",
            created=f"-{_MOST}.0 * {_MOST}",
            updated="coalesce(r.rowid, 0)",
            columns={
                "id": _meta("agentId"),
                "name": _meta("name"),
                "mode": _meta("mode"),
                "created_at": _meta("createdAt"),
                "model": _meta("lastUsedModel"),
                "plan": _meta("currentPlanUri"),
                "folders": _state("folders"),
                "folder": _state("folder"),
                "branch": _state("branch"),
                "tokens_used": _state("used"),
                "tokens_most": _state("most"),
            },
            parsed=frozenset({"folders"}),
        ),
        Table(
            name="archived",
            rows=(
                f"{_ARCHIVES} JOIN json_each(cursor_archive(s.data), '$.messages') e"
                f" LEFT JOIN blobs b ON b.id = e.value WHERE {_OWN}"
                # What the state still lists comes with its other messages.
                " AND instr(hex(r.data), upper(e.value)) = 0"
            ),
            row=f"a.key * {_MOST} + e.key",
            created=f"(a.key - {_MOST}) * {_MOST} + e.key",
            updated="coalesce(b.rowid, 0)",
            columns={"id": "e.value", "message": _JSON},
            parsed=frozenset({"message"}),
        ),
        Table(
            name="archive",
            rows=f"{_ARCHIVES} WHERE {_OWN}",
            row="a.key",
            created=f"(a.key - {_MOST} + 1) * {_MOST} - 1",
            updated="s.rowid",
            columns={
                "id": "a.value",
                "summary": "json_extract(cursor_archive(s.data), '$.summary')",
                "message": "json_extract(cursor_archive(s.data), '$.message')",
            },
        ),
        Table(
            name="message",
            rows=(
                f"meta m JOIN {_STATE} JOIN json_each(cursor_state(r.data), '$.messages') e"
                f" LEFT JOIN blobs b ON b.id = json_extract(e.value, '$.id') WHERE {_OWN}"
            ),
            row="e.key",
            created="e.key",
            updated="coalesce(b.rowid, r.rowid)",
            columns={
                "id": "json_extract(e.value, '$.id')",
                "message": f"coalesce(json_extract(e.value, '$.text'), {_JSON})",
                "summarizes": (
                    "b.id IN (SELECT json_extract(cursor_archive(s.data), '$.message')"  # noqa: S608
                    f" FROM {_ARCHIVES} WHERE {_OWN})"
                ),
            },
            parsed=frozenset({"message"}),
        ),
        Table(
            name="unlisted",
            rows=(
                f"blobs b WHERE coalesce({_LISTED}, 0) = 0 AND substr(b.data, 1, 1) = x'7B'"  # noqa: S608
                " AND json_valid(CAST(b.data AS TEXT))"
                " AND json_extract(CAST(b.data AS TEXT), '$.role') IS NOT NULL"
                f" AND EXISTS (SELECT 1 FROM meta m WHERE {_OWN})"
            ),
            row="b.rowid",
            created="b.rowid",
            updated="b.rowid",
            columns={"id": "b.id", "message": _JSON},
            parsed=frozenset({"message"}),
        ),
    ),
    marks=frozenset({"blobs.id", "blobs.data", "meta.key", "meta.value"}),
    sessions=Sessions(
        rows="meta m WHERE m.key = '0'",
        id=_meta("agentId"),
        modified="NULL",
        title=_meta("name"),
    ),
    functions=(
        ("cursor_session", session_text),
        ("cursor_state", state_text),
        ("cursor_archive", archive_text),
    ),
)
