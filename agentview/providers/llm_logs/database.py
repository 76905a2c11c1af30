"""How it keeps conversations: a row for each response of the model.

Since version 0.32 that is a row of `turns`. The messages of all conversations are in one tree, in
which each names the one before it; a turn names its last one and the last one that was sent. Of a
turn, the messages between both are its response, and those of the person and of tools in front of
them are what it added to the conversation. The first turn of a conversation has all of them.

Before, it is a row of `responses`, next to calls, results, fragments and attachments of it. Both
may have rows of one conversation.

Source: the client's own migrations, versions 0.31 and 0.36.
"""

# ruff: noqa: S608  (no text of a log is in it)

from base64 import b64encode

from agentview.sources.member import Database, Sessions, Table


def _seconds(column: str) -> str:
    return f"(julianday({column}) - 2440587.5) * 86400.0"


def _json(column: str) -> str:
    """The value of a column with JSON; a text that is none stays one."""
    return f"CASE WHEN json_valid({column}) THEN json({column}) ELSE {column} END"


_ATTACHMENT = """json_object('type', a.type, 'path', a.path, 'url', a.url,
 'size', length(a.content),
 'data', CASE WHEN a.type LIKE 'image/%' THEN as_base64(a.content) END)"""

_PARTS = f"""SELECT json_group_array(json_object('type', p.type, 'text', p.text,
 'payload', {_json("p.payload")},
 'fragments', json((SELECT json_group_object(f.id, f.content) FROM part_fragments pf
  JOIN fragments f ON f.id = pf.fragment_id WHERE pf.part_id = p.id)),
 'attachments', json((SELECT json_group_array(json({_ATTACHMENT}))
  FROM (SELECT * FROM part_attachments pa WHERE pa.part_id = p.id ORDER BY pa."order") pa
  JOIN attachments a ON a.id = pa.attachment_id))))
 FROM (SELECT * FROM parts p WHERE p.message_hash = own.hash ORDER BY p.position) p"""

_IS_FIRST = """(NOT EXISTS (SELECT 1 FROM turns o WHERE o.thread_id = t.thread_id
  AND o.rowid < t.rowid)
 AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.conversation_id = t.thread_id))"""

# A message is written behind the one before it: others would have no end.
_MESSAGES = f"""(WITH RECURSIVE own(hash, parent, role, was_sent, row) AS (
 SELECT m.hash, m.parent_hash, m.role, m.hash IS t.parent_message_hash, m.rowid
  FROM messages m WHERE m.hash = t.tip_message_hash
 UNION ALL
 SELECT m.hash, m.parent_hash, m.role, own.was_sent OR m.hash IS t.parent_message_hash, m.rowid
  FROM own JOIN messages m ON m.hash = own.parent
  WHERE m.rowid < own.row AND (NOT (own.was_sent OR m.hash IS t.parent_message_hash)
   OR m.role IN ('user', 'tool') OR {_IS_FIRST}))
 SELECT json_group_array(json_object('role', own.role, 'sent', own.was_sent,
  'parts', json(({_PARTS}))))
 FROM (SELECT * FROM own ORDER BY own.row) own)"""


def _listed(table: str) -> str:
    """Calls, or results, that a response of an older version was given."""
    output = "" if table == "tool_calls" else ", 'output', c.output, 'exception', c.exception"
    given = f", 'arguments', {_json('c.arguments')}" if table == "tool_calls" else output
    return f"""(SELECT json_group_array(json_object('name', c.name,
 'tool_call_id', c.tool_call_id{given}))
 FROM (SELECT * FROM {table} c WHERE c.response_id = r.id ORDER BY c.id) c)"""


def _fragments(table: str) -> str:
    return f"""(SELECT json_group_array(f.content)
 FROM (SELECT * FROM {table} pf WHERE pf.response_id = r.id ORDER BY pf."order") pf
 JOIN fragments f ON f.id = pf.fragment_id)"""


_ATTACHMENTS = f"""(SELECT json_group_array(json({_ATTACHMENT}))
 FROM (SELECT * FROM prompt_attachments pa WHERE pa.response_id = r.id ORDER BY pa."order") pa
 JOIN attachments a ON a.id = pa.attachment_id)"""

_OLDER = """SELECT coalesce(r.conversation_id, r.id) AS id, max(r.datetime_utc) AS modified
 FROM responses r GROUP BY 1"""
_OLD_NAME = "(SELECT c.name FROM conversations c WHERE c.id = s.id)"
_NAME = f"coalesce((SELECT h.name FROM threads h WHERE h.id = s.id), {_OLD_NAME})"
_NEWER = """SELECT h.id AS id, (SELECT max(t.datetime_utc) FROM turns t
  WHERE t.thread_id = h.id) AS modified FROM threads h"""


def _conversations(rows: str, name: str) -> str:
    """All conversations of the rows, each once."""
    modified = _seconds("max(s.modified)")
    return f"""(SELECT s.id AS id, {modified} AS modified, {name} AS name FROM ({rows}) s
 WHERE s.modified IS NOT NULL GROUP BY s.id) s"""


def _as_base64(value: object) -> str | None:
    return b64encode(value).decode() if isinstance(value, bytes) else None


DATABASE = Database(
    tables=(
        Table(
            name="responses",
            rows="responses r WHERE coalesce(r.conversation_id, r.id) = :session",
            row="r.rowid",
            created=_seconds("r.datetime_utc"),
            updated="0",
            columns={
                "id": "r.id",
                "conversation": "coalesce(r.conversation_id, r.id)",
                "name": "(SELECT c.name FROM conversations c WHERE c.id = r.conversation_id)",
                "model": "r.model",
                "resolved_model": "r.resolved_model",
                "created": _seconds("r.datetime_utc"),
                "duration_ms": "r.duration_ms",
                "input_tokens": "r.input_tokens",
                "output_tokens": "r.output_tokens",
                "token_details": "r.token_details",
                "system": "r.system",
                "prompt": "r.prompt",
                "response": "r.response",
                "reasoning": "r.reasoning",
                "calls": _listed("tool_calls"),
                "results": _listed("tool_results"),
                "fragments": _fragments("prompt_fragments"),
                "system_fragments": _fragments("system_fragments"),
                "attachments": _ATTACHMENTS,
            },
            parsed=frozenset(
                {
                    "token_details",
                    "calls",
                    "results",
                    "fragments",
                    "system_fragments",
                    "attachments",
                }
            ),
        ),
        Table(
            name="turns",
            rows="turns t WHERE t.thread_id = :session",
            row="t.rowid",
            created=_seconds("t.datetime_utc"),
            updated="0",
            columns={
                "id": "t.id",
                "conversation": "t.thread_id",
                "name": "(SELECT h.name FROM threads h WHERE h.id = t.thread_id)",
                "model": "t.model",
                "resolved_model": "t.resolved_model",
                "created": _seconds("t.datetime_utc"),
                "duration_ms": "t.duration_ms",
                "input_tokens": "t.input_tokens",
                "output_tokens": "t.output_tokens",
                "token_details": "t.token_details",
                "messages": _MESSAGES,
            },
            parsed=frozenset({"token_details", "messages"}),
        ),
    ),
    marks=frozenset(
        {
            "conversations.model",
            "responses.datetime_utc",
            "responses.conversation_id",
            "responses.duration_ms",
        }
    ),
    sessions=Sessions(
        rows=_conversations(f"{_NEWER} UNION ALL {_OLDER}", _NAME),
        otherwise=_conversations(_OLDER, _OLD_NAME),
        id="s.id",
        modified="s.modified",
        title="s.name",
    ),
    functions=(("as_base64", _as_base64),),
)
