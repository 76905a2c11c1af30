"""Writes logs in the form of Claude Code, record by record, for tests that need one to grow."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SESSION = "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0001"
BEGAN = datetime(2026, 11, 21, 10, tzinfo=UTC).timestamp()


class ClaudeLog:
    """Builds records with ids and times that follow each other."""

    def __init__(
        self, session: str = SESSION, *, agent: str | None = None, began: float = BEGAN
    ) -> None:
        """`began` is in seconds since the epoch: a test of what is live needs a recent one."""
        self.session = session
        self.agent = agent
        self.began = began
        self._count = 0
        self.last: str | None = None
        """The id of the record that the next one goes on behind."""

    def record(self, kind: str, **fields: Any) -> bytes:
        """A record of a type, with an envelope around what is given."""
        self._count += 1
        uuid = f"{self.agent or 'main'}-{self._count:08d}"
        time = datetime.fromtimestamp(self.began + self._count % 3600, UTC)
        record = {
            "parentUuid": self.last,
            "isSidechain": self.agent is not None,
            "userType": "external",
            "cwd": "/home/dev/shop",
            "sessionId": self.session,
            "version": "2.1.329",
            "gitBranch": "main",
            "type": kind,
            "uuid": uuid,
            "timestamp": f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}Z",
            **({"agentId": self.agent} if self.agent else {}),
            **fields,
        }
        self.last = uuid
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"

    def insert(self, records: list[bytes], place: int, make: Callable[[], list[bytes]]) -> None:
        """Put records between others, where they follow from the one before them."""
        last, self.last = self.last, json.loads(records[place - 1])["uuid"]
        records[place:place] = make()
        self.last = last

    def prompt(self, text: str) -> bytes:
        return self.record("user", message={"role": "user", "content": text})

    def assistant(
        self, *blocks: dict[str, Any], tokens: int = 10, stop: str | None = None
    ) -> bytes:
        return self.record(
            "assistant",
            message={
                "id": f"msg_{self.session[:8]}{self.agent or ''}_{self._count + 1}",
                "type": "message",
                "role": "assistant",
                "model": "claude-opus-5-5",
                "content": list(blocks),
                "stop_reason": stop,
                "usage": {"input_tokens": 5, "output_tokens": tokens},
            },
        )

    def text(self, text: str, stop: str | None = None) -> bytes:
        return self.assistant({"type": "text", "text": text}, stop=stop)

    def call(self, call_id: str, name: str, **arguments: Any) -> bytes:
        return self.assistant({"type": "tool_use", "id": call_id, "name": name, "input": arguments})

    def result(self, call_id: str, text: str, structured: Any = None, **fields: Any) -> bytes:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text, **fields}
        return self.record(
            "user",
            message={"role": "user", "content": [block]},
            **({"toolUseResult": structured} if structured is not None else {}),
        )


def conversation(log: ClaudeLog, turns: int, *, size: int = 40, begin: int = 0) -> list[bytes]:
    """Records of `turns` short turns, each with a command, its output, and an answer.

    `begin` is the number of the first.
    """
    records: list[bytes] = []
    for turn in range(begin, begin + turns):
        call = f"toolu_{log.agent or ''}{turn}"
        output = f"línea {turn} ✅ " + "x" * size
        records += [
            log.prompt(f"Step {turn}: please go on"),
            log.call(call, "Bash", command=f"echo {turn}", description="Say it"),
            log.result(call, output, {"stdout": output, "stderr": "", "interrupted": False}),
            log.text(f"Step {turn} is done."),
        ]
    return records


def write(path: Path, records: list[bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(records))
    return path
