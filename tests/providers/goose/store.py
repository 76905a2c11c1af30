"""A database with the tables of the client's schema, with a conversation of our own."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

MAIN, AGENT = "20261124_1", "20261124_2"
START = 1_795_500_000

_TABLES = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
INSERT INTO schema_version VALUES (17);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user',
    working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP,
    extension_data TEXT DEFAULT '{}', total_tokens INTEGER, input_tokens INTEGER,
    output_tokens INTEGER, accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER,
    accumulated_output_tokens INTEGER, accumulated_cost REAL, provider_name TEXT,
    model_config_json TEXT, goose_mode TEXT NOT NULL DEFAULT 'auto', archived_at TIMESTAMP,
    project_id TEXT, parent_session_id TEXT);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL,
    role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP, tokens INTEGER, metadata_json TEXT);
CREATE TABLE usage_ledger (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL, model TEXT, input_tokens INTEGER, output_tokens INTEGER,
    total_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL,
    cost_source TEXT, is_compaction INTEGER DEFAULT 0);
CREATE INDEX idx_messages_session ON messages(session_id);
"""
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def request(own: str, name: str, **arguments: Any) -> dict[str, Any]:
    value = {"name": name, "arguments": arguments}
    return {"type": "toolRequest", "id": own, "toolCall": {"status": "success", "value": value}}


def response(own: str, said: str, **more: Any) -> dict[str, Any]:
    value = {"content": [{"type": "text", "text": said}], "isError": False, **more}
    return {"type": "toolResponse", "id": own, "toolResult": {"status": "success", "value": value}}


def say(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


CONVERSATION: list[tuple[str, list[dict[str, Any]]]] = [
    ("user", [
        say("Grease the crane."), {"type": "image", "data": _PIXEL, "mimeType": "image/png"},
    ]),
    ("assistant", [
        {"type": "thinking", "thinking": "First the shed.", "signature": ""}, say("I look."),
        request("c1", "developer__shell", command="ls shed"),
        request("c2", "text_editor", command="view", path="/home/dev/quay/crane.py"),
    ]),
    ("user", [response("c1", "grease.txt\n"), response("c2", "LIMIT = 5\n")]),
    ("assistant", [
        request("c3", "developer__text_editor", command="str_replace",
                path="/home/dev/quay/crane.py", old_str="LIMIT = 5", new_str="LIMIT = 9"),
        request("c4", "shell", command="python3 crane.py"),
        request("c5", "harbour__tide", hour=4),
        request("c6", "todo__todo_write", content="- [x] Look\n- [ ] Grease"),
    ]),
    ("user", [
        {"type": "toolResponse", "id": "c3",
         "toolResult": {"status": "error", "error": "The text is not in the file."}},
        response("c4", "jammed", isError=True,
                 structuredContent={"stdout": "", "stderr": "jammed", "exit_code": 3}),
        response("c5", "The user has declined to run this tool. DO NOT attempt to call it again."),
        response("c6", "Updated"),
    ]),
    ("assistant", [
        {"type": "toolRequest", "id": "c7",
         "toolCall": {"status": "error", "error": "no such tool: winch"}},
        request("c8", "subagent__execute_task", instructions="Count the ropes."),
    ]),
    ("user", [response("c8", "Four ropes.")]),
    ("assistant", [say("The crane is greased.")]),
]  # fmt: skip
LEDGER = [(1000, 60, 400, 100, 0.02, 0), (1300, 80, 900, 0, 0.03, 0), (2000, 90, 0, 0, 0.01, 1)]


def insert(connection: sqlite3.Connection, session: str, at: int, role: str, parts: Any) -> None:
    """A message."""
    seen = json.dumps({"userVisible": True, "agentVisible": True})
    connection.execute(
        "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp,"
        " metadata_json) VALUES (?, ?, ?, ?, ?, ?)",
        (f"msg_{session}_{at}", session, role, json.dumps(parts), START + at, seen),
    )


def write(path: Path) -> None:
    """A database with a session and its agent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(_TABLES)
        for own, name, sort, parent in (
            (MAIN, "Grease the crane", "user", None),
            (AGENT, "", "sub_agent", MAIN),
        ):
            connection.execute(
                "INSERT INTO sessions (id, name, session_type, working_dir, created_at,"
                " updated_at, model_config_json, parent_session_id) VALUES (?,?,?,?,?,?,?,?)",
                (own, name, sort, "/home/dev/quay", "2026-11-24 06:00:00", "2026-11-24 06:01:00",
                 '{"model_name": "model-1"}', parent),
            )  # fmt: skip
        for at, (role, parts) in enumerate(CONVERSATION):
            insert(connection, MAIN, at, role, parts)
        insert(connection, AGENT, 20, "user", [say("Count the ropes.")])
        insert(connection, AGENT, 21, "assistant", [request("a1", "shell", command="ls ropes")])
        for at, row in enumerate(LEDGER):
            connection.execute(
                "INSERT INTO usage_ledger (session_id, created_timestamp, model, input_tokens,"
                " output_tokens, cache_read_tokens, cache_write_tokens, cost, is_compaction)"
                " VALUES (?, ?, 'model-1', ?, ?, ?, ?, ?, ?)",
                (MAIN, START + 2 * at, *row),
            )


def older() -> bytes:
    """The same as lines of an older version."""
    header = {"working_dir": "/home/dev/quay", "description": "Grease the crane",
              "message_count": len(CONVERSATION), "total_tokens": 460, "input_tokens": 400,
              "output_tokens": 60}  # fmt: skip
    lines = [
        {"role": role, "created": START + at, "content": parts}
        for at, (role, parts) in enumerate(CONVERSATION)
    ]
    return b"".join(json.dumps(each).encode() + b"\n" for each in (header, *lines))
