"""Writes the log of a Codex session as the client does, record by record."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

THREAD = "019cb1a0-1111-7aaa-8bbb-0123456789ab"
VERSION = "0.169.0"


def stamp(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")


class CodexLog:
    """A rollout below a home; times are epoch seconds."""

    def __init__(self, home: Path, at: float, cwd: str, thread: str = THREAD) -> None:
        self.thread = thread
        folder = home / ".codex" / "sessions" / "2026" / "03" / "02"
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"rollout-2026-03-02T10-00-00-{thread}.jsonl"
        self.add(at, "session_meta", id=thread, cwd=cwd, cli_version=VERSION, originator="codex")

    def add(self, at: float, kind: str, **payload: Any) -> None:
        record = {"timestamp": stamp(at), "type": kind, "payload": payload}
        with self.path.open("a") as file:
            file.write(json.dumps(record) + "\n")

    def report(self, at: float, kind: str, **payload: Any) -> None:
        self.add(at, "event_msg", type=kind, **payload)

    def say(self, at: float, role: str, text: str) -> None:
        """A message, as the model gets it and as the screen shows it."""
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text}]
        self.add(at, "response_item", type="message", role=role, content=content)
        shown = "agent_message" if role == "assistant" else "user_message"
        self.report(at, shown, message=text)

    def limits(self, at: float, used: float, resets: float, weekly: float = 7.0) -> None:
        """A count of tokens that only has limits."""
        stated = {
            "limit_id": "codex",
            "primary": {"used_percent": used, "window_minutes": 300, "resets_at": int(resets)},
            "secondary": {
                "used_percent": weekly,
                "window_minutes": 10_080,
                "resets_at": int(at + 3 * 86_400),
            },
        }
        self.report(at, "token_count", info=None, rate_limits=stated)
