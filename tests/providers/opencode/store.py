"""A database as the client writes it: a session with messages and parts that are written again."""

import json
import sqlite3
from pathlib import Path

SESSION = "ses_0123456789abcdefghijklmnop"

_TABLES = """
CREATE TABLE IF NOT EXISTS project (id text PRIMARY KEY);
CREATE TABLE IF NOT EXISTS session (
    id text PRIMARY KEY, project_id text, parent_id text, directory text NOT NULL,
    title text NOT NULL, version text NOT NULL, slug text, model text,
    time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE IF NOT EXISTS message (
    id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE IF NOT EXISTS part (
    id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
"""


class Store:
    """A client at work: one connection that stays open, in the mode of a write-ahead log."""

    def __init__(self, path: Path, *, wal: bool = True) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.now: int = 1_795_000_000_000
        self._connection = sqlite3.connect(path, isolation_level=None)
        if wal:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        self._connection.executescript(_TABLES)

    def log(self, session: str = SESSION) -> Path:
        return self.path / session

    def session(
        self, own: str = SESSION, parent: str | None = None, title: str = "Fix the sums"
    ) -> None:
        self._insert("session", own, None, parent, "/home/dev/shop", title, "1.18.33", "s", None)

    def message(self, own: str, role: str, session: str = SESSION, **data: object) -> None:
        self._insert("message", own, session, data=json.dumps({"role": role, **data}))

    def part(self, own: str, message: str, session: str = SESSION, **data: object) -> None:
        self._insert("part", own, message, session, data=json.dumps(data))

    def change(self, own: str, **data: object) -> None:
        """Write a part again, as the client does while it is streamed or its tool is running."""
        self.now += 5
        self._connection.execute(
            "UPDATE part SET data = ?, time_updated = ? WHERE id = ?",
            (json.dumps(data), self.now, own),
        )

    def remove(self, own: str) -> None:
        self._connection.execute("DELETE FROM part WHERE id = ?", (own,))

    def run(self, sql: str, *values: object) -> None:
        self._connection.execute(sql, values)

    def close(self) -> None:
        self._connection.close()

    def conversation(self) -> None:
        """A prompt, a text, and a call that is running."""
        self.session()
        self.message("msg_1", "user")
        self.part("prt_1", "msg_1", type="text", text="Round the shares.")
        self.message("msg_2", "assistant", modelID="model-1")
        self.part("prt_2", "msg_2", type="text", text="I look at")
        self.part("prt_3", "msg_2", type="tool", tool="bash", callID="c1", state=running("6"))

    def _insert(self, table: str, *values: object, data: str | None = None) -> None:
        self.now += 5
        row = (*values, self.now, self.now, *((data,) if data is not None else ()))
        self._connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)  # noqa: S608


PENDING: dict[str, object] = {"status": "pending", "input": {}, "raw": ""}
"""The state of a call whose arguments are not there yet."""


def running(output: str) -> dict[str, object]:
    """The state of a command that has printed so much."""
    return {
        "status": "running",
        "input": {"command": "make test"},
        "metadata": {"output": output},
        "time": {"start": 1_795_000_000_000},
    }


def completed(output: str, code: int = 0) -> dict[str, object]:
    """The state of a command that has ended."""
    return {
        "status": "completed",
        "input": {"command": "make test"},
        "output": output,
        "title": "Runs the tests",
        "metadata": {"output": output, "exit": code},
        "time": {"start": 1_795_000_000_000, "end": 1_795_000_003_000},
    }
