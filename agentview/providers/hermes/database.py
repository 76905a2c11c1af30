"""How it keeps sessions: rows of the tables `sessions`, `messages` and `async_delegations`.

Source: databases that Hermes 0.19.0 wrote. Times are seconds. Messages are only added; when the
history is compacted, what is kept of it is added again, all rows of it within microseconds.
"""

from agentview.sources.member import Database, Sessions, Table

_KEPT = """CASE WHEN EXISTS (
    SELECT 1 FROM messages n WHERE n.session_id = m.session_id
    AND n.id IN (m.id - 1, m.id + 1) AND abs(n.timestamp - m.timestamp) < 0.00001)
THEN (SELECT min(e.id) FROM messages e WHERE e.session_id = m.session_id AND e.id < m.id
    AND e.role = m.role AND e.compacted = 1 AND e.content IS m.content
    AND e.tool_calls IS m.tool_calls AND e.tool_call_id IS m.tool_call_id) END"""
"""The row that a row says again."""
_CALL = """(SELECT t.tool_call_id FROM messages t WHERE t.session_id = d.parent_session_id
    AND t.tool_name = 'delegate_task' AND instr(t.content, d.delegation_id) > 0 LIMIT 1)"""
"""The call that began work in the background: its result has the id of that work."""
_PARENT = """CASE WHEN s.source = 'subagent' OR (json_valid(s.model_config)
    AND json_extract(s.model_config, '$._delegate_from') IS NOT NULL)
THEN s.parent_session_id END"""
"""Other sessions with a parent continue it."""


def _summed(key: str) -> str:
    # No text of a log is in it.
    return f"(SELECT sum(u.{key}) FROM session_model_usage u WHERE u.session_id = s.id)"  # noqa: S608


_TOKENS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)

DATABASE = Database(
    tables=(
        Table(
            name="sessions",
            rows="sessions s WHERE s.id = :session",
            row="s.rowid",
            created="s.started_at",
            updated="0",
            columns={
                "id": "s.id",
                "parent_id": _PARENT,
                "continues": "s.parent_session_id",
                "source": "s.source",
                "model": "s.model",
                "cwd": "s.cwd",
                "git_branch": "s.git_branch",
                "title": "s.title",
                "started_at": "s.started_at",
                "estimated_cost_usd": "s.estimated_cost_usd",
                "actual_cost_usd": "s.actual_cost_usd",
                **{key: f"s.{key}" for key in _TOKENS},
                **{f"all_{key}": _summed(key) for key in _TOKENS},
            },
        ),
        Table(
            name="messages",
            rows="messages m WHERE m.session_id = :session",
            row="m.id",
            created="m.timestamp",
            updated="m.timestamp",
            newest="m.timestamp",
            columns={
                "id": "m.id",
                "role": "m.role",
                "timestamp": "m.timestamp",
                "content": "m.content",
                "reasoning": "coalesce(m.reasoning_content, m.reasoning)",
                "tool_calls": "m.tool_calls",
                "tool_call_id": "m.tool_call_id",
                "tool_name": "m.tool_name",
                "finish_reason": "m.finish_reason",
                "observed": "m.observed",
                "undone": "m.active = 0 AND m.compacted = 0",
                "kept": _KEPT,
            },
            parsed=frozenset({"tool_calls"}),
        ),
        Table(
            name="async_delegations",
            rows="async_delegations d WHERE d.parent_session_id = :session",
            row="d.rowid",
            created="coalesce(d.completed_at, d.dispatched_at)",
            updated="d.updated_at",
            columns={
                "delegation_id": "d.delegation_id",
                "state": "d.state",
                "updated_at": "d.updated_at",
                "call": _CALL,
                "result_json": "d.result_json",
            },
            parsed=frozenset({"result_json"}),
        ),
        Table(
            name="session_end",
            rows="sessions s WHERE s.ended_at IS NOT NULL AND s.id = :session",
            row="s.rowid",
            created="s.ended_at",
            updated="s.ended_at",
            columns={"ended_at": "s.ended_at", "end_reason": "s.end_reason"},
        ),
    ),
    marks=frozenset({"sessions.started_at", "messages.tool_calls", "messages.finish_reason"}),
    sessions=Sessions(
        rows="sessions s",
        id="s.id",
        modified=(
            "max(s.started_at, coalesce(s.ended_at, 0), coalesce("
            "(SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), 0))"
        ),
        parent=_PARENT,
        title=(
            "coalesce(s.title, (SELECT substr(m.content, 1, 80) FROM messages m"
            " WHERE m.session_id = s.id AND m.role = 'user' ORDER BY m.id LIMIT 1))"
        ),
        call=(
            "(SELECT t.tool_call_id FROM async_delegations d JOIN messages t"
            " ON t.session_id = d.parent_session_id AND t.tool_name = 'delegate_task'"
            " AND instr(t.content, d.delegation_id) > 0"
            " WHERE d.parent_session_id = s.parent_session_id"
            " AND d.dispatched_at <= s.started_at ORDER BY d.dispatched_at DESC LIMIT 1)"
        ),
    ),
)
