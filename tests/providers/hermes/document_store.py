"""Writes the rows of a session as the document that older versions kept."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_OF_MESSAGE = ("role", "content", "tool_calls", "tool_call_id", "tool_name", "finish_reason")


def write(folder: Path, rows: Sequence[dict[str, Any]], **more: object) -> Path:
    """Write rows, of which the first is the session; return the document."""
    session = rows[0]
    said = [row for row in rows if row["table"] == "messages"]
    document = {
        "session_id": session["id"],
        "model": session["model"],
        "platform": session["source"],
        "session_start": _moment(session["started_at"]),
        "last_updated": _moment(said[-1]["timestamp"]),
        "cwd": session["cwd"],
        "message_count": len(said),
        "messages": [_message(row) for row in said],
        **more,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"session_{session['id']}.json"
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False), encoding="utf-8")
    return path


def _message(row: dict[str, Any]) -> dict[str, Any]:
    made = {key: row[key] for key in _OF_MESSAGE if row[key] is not None}
    return made | ({"reasoning": row["reasoning"]} if row["reasoning"] else {})


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
