"""How OpenClaw keeps sessions: rows of `session_windows` and `transcript_events`.

Source: databases that OpenClaw 2026.9.6 wrote (schema 23). A session is one window of a
conversation, whose key several windows may have, one after the other. An event is JSON text, or a
zstd frame of it where it is large. Rows are inserted; the times of a window change.
"""

from agentview.sources.member import Database, Sessions, Table

_PARENT = """(
    SELECT p.session_id FROM session_windows p
    WHERE p.session_key = COALESCE(w.spawned_by, w.parent_session_key)
    AND p.session_id != w.session_id ORDER BY p.updated_at DESC LIMIT 1)"""
"""The newest window of the conversation that started this one."""

DATABASE = Database(
    tables=(
        Table(
            name="session_windows",
            rows="session_windows w WHERE w.session_id = :session",
            row="w.rowid",
            created="w.created_at * 0 - 1",
            updated="w.updated_at",
            columns={
                "session_id": "w.session_id",
                "session_key": "w.session_key",
                "previous_session_id": "w.previous_session_id",
                "reason": "w.reason",
                "status": "w.status",
                "model": "w.model",
                "parent": _PARENT,
                "name": (
                    "(SELECT COALESCE(n.display_name, n.label) FROM session_nodes n"
                    " WHERE n.session_key = w.session_key)"
                ),
            },
        ),
        Table(
            name="transcript_events",
            rows="transcript_events e WHERE e.session_id = :session",
            row="e.rowid",
            created="e.seq",
            updated="e.seq",
            newest="e.seq",
            columns={"seq": "e.seq", "event_json": "e.event_json", "event_zstd": "e.event_zstd"},
            parsed=frozenset({"event_json", "event_zstd"}),
        ),
    ),
    marks=frozenset({"transcript_events.event_json", "session_windows.session_key"}),
    sessions=Sessions(
        rows="session_windows w",
        id="w.session_id",
        modified="w.updated_at / 1000.0",
        parent=_PARENT,
        title=(
            "(SELECT COALESCE(n.display_name, n.label) FROM session_nodes n"
            " WHERE n.session_key = w.session_key)"
        ),
    ),
)
