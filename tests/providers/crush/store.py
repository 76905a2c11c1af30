"""A database with the tables of the client's schema, with a conversation of our own."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

MAIN = "0f7c2a52-6c55-4f0e-9a51-2f7f3f1f0001"
AGENT = "m6$$c9"
START = 1_795_600_000

_TABLES = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0,
    updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT, todos TEXT);
CREATE TABLE files (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE messages (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
    parts TEXT NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT,
    is_summary_message INTEGER DEFAULT 0 NOT NULL);
CREATE TABLE read_files (
    session_id TEXT NOT NULL, path TEXT NOT NULL, read_at INTEGER NOT NULL,
    PRIMARY KEY (path, session_id));
CREATE INDEX idx_messages_session_id ON messages (session_id);
"""
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_FILE = "LIMIT = 5\n"
_DIFF = "--- a/notes.md\n+++ b/notes.md\n@@ -0,0 +1,1 @@\n+Grease.\n"


def part(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def call(own: str, name: str, **arguments: Any) -> dict[str, Any]:
    given = json.dumps(arguments)
    return part("tool_call", id=own, name=name, input=given, provider_executed=False, finished=True)


def result(own: str, name: str, said: str, **more: Any) -> dict[str, Any]:
    metadata = json.dumps(more.pop("metadata", None) or {})
    base = {"tool_call_id": own, "name": name, "content": said, "data": "", "mime_type": ""}
    return part("tool_result", **{**base, "metadata": metadata, "is_error": False, **more})


def ran(own: str, said: str) -> dict[str, Any]:
    told = {"start_time": (START + 2) * 1000, "end_time": (START + 3) * 1000, "output": said,
            "description": "", "working_directory": "/home/dev/quay"}  # fmt: skip
    return result(own, "bash", f"{said}\n\n<cwd>/home/dev/quay</cwd>", metadata=told)


def done(reason: str, at: int, **more: Any) -> dict[str, Any]:
    return part("finish", reason=reason, time=START + at, **more)


CONVERSATION: list[tuple[str, str, list[dict[str, Any]]]] = [
    ("m1", "user", [
        part("text", text="Grease the crane."),
        part("binary", Path="/home/dev/crane.png", MIMEType="image/png", Data=_PIXEL),
    ]),
    ("m2", "assistant", [
        part("reasoning", thinking="First the shed.", signature="", started_at=START + 1,
             finished_at=START + 3),
        part("text", text="I look."),
        call("c1", "bash", command="ls shed", description="List the shed"),
        call("c2", "view", file_path="/home/dev/quay/crane.py", offset=2, limit=1),
        call("c3", "grep", pattern="LIMIT", path="/home/dev/quay"),
        done("tool_use", 3),
    ]),
    ("m3", "tool", [
        ran("c1", "grease.txt"),
        result("c2", "view", "<file>\n     3|LIMIT = 5\n</file>\n",
               metadata={"file_path": "/home/dev/quay/crane.py", "content": _FILE}),
        result("c3", "grep", "Found 2 matches\n/home/dev/quay/crane.py:\n"
               "  Line 3, Char 1: LIMIT = 5\n\n/home/dev/quay/test.py:\n  Line 7: assert LIMIT\n",
               metadata={"number_of_matches": 2, "truncated": False}),
    ]),
    ("m4", "assistant", [
        call("c4", "edit", file_path="/home/dev/quay/crane.py", old_string="5", new_string="9"),
        call("c5", "bash", command="python3 crane.py"),
        call("c6", "bash", command="rm -rf shed"),
        call("c7", "mcp_harbour_tide", hour=4),
        call("c8", "todos", todos=[{"content": "Grease", "status": "in_progress",
                                    "active_form": "Greasing"}]),
        call("c10", "write", file_path="/home/dev/quay/notes.md", content="Grease.\n"),
        done("tool_use", 5),
    ]),
    ("m5", "tool", [
        result("c4", "edit", "<result>\nContent replaced\n</result>", metadata={
            "additions": 1, "removals": 1, "old_content": _FILE, "new_content": "LIMIT = 9\n"}),
        ran("c5", "\njammed\nExit code 3"),
        result("c6", "bash", "user denied permission", is_error=True),
        result("c7", "mcp_harbour_tide", "high"),
        result("c8", "todos", "Todo list updated successfully."),
        result("c10", "write", "File successfully written",
               metadata={"diff": _DIFF, "additions": 1, "removals": 0}),
    ]),
    ("m6", "assistant", [call("c9", "agent", prompt="Count the ropes."), done("tool_use", 7)]),
    ("m7", "tool", [result("c9", "agent", "Four ropes.")]),
    ("m8", "user", [part("shell_command", command="make test", output="2 failed", exit_code=2)]),
    ("m9", "assistant", [part("text", text="The crane is greased."), done("end_turn", 9)]),
]  # fmt: skip


def insert(
    connection: sqlite3.Connection,
    session: str,
    own: str,
    at: int,
    role: str,
    parts: Any,
    *,
    summary: bool = False,
) -> None:
    """A message."""
    model = "model-1" if role == "assistant" else None
    connection.execute(
        "INSERT INTO messages (id, session_id, role, parts, model, created_at, updated_at,"
        " provider, is_summary_message) VALUES (?, ?, ?, ?, ?, ?, ?, 'vendor', ?)",
        (own, session, role, json.dumps(parts), model, START + at, START + at, summary),
    )


def change(connection: sqlite3.Connection, own: str, parts: Any) -> None:
    """Write a message again, within the same second, as the client does while it is streamed."""
    connection.execute("UPDATE messages SET parts = ? WHERE id = ?", (json.dumps(parts), own))


def write(path: Path) -> None:
    """A database with a session and its agent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(_TABLES)
        for own, title, parent, cost in (
            (MAIN, "Grease the crane", None, 0.25),
            (AGENT, "New Agent Session", MAIN, 0.0),
        ):
            connection.execute(
                "INSERT INTO sessions (id, parent_session_id, title, prompt_tokens,"
                " completion_tokens, cost, updated_at, created_at) VALUES (?,?,?,900,60,?,?,?)",
                (own, parent, title, cost, START + 10, START),
            )
        for at, (own, role, parts) in enumerate(CONVERSATION):
            insert(connection, MAIN, own, at, role, parts)
        insert(connection, AGENT, "a1", 6, "user", [part("text", text="Count the ropes.")])
        insert(connection, AGENT, "a2", 6, "assistant", [call("x1", "ls", path="/home/dev/quay")])
