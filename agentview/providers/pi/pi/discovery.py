"""Where sessions are, and whether a file is one."""

import re
from pathlib import Path

import orjson

from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.discovery import CERTAIN, LogFiles, probe_lines
from agentview.providers.pi.pi.decode import decode
from agentview.providers.pi.pi.stream import STREAM
from agentview.providers.pi.shared.entries import ENTRY_TYPES
from agentview.providers.pi.shared.messages import ROLES

_LIKELY = 0.85
_ID = re.compile(
    rb'\A\s*\{\s*"type"\s*:\s*"session"\s*,(?:\s*"version"\s*:\s*\d+\s*,)?\s*"id"\s*:\s*"([^"\\]+)"'
)
_OWN_ROLES = ROLES - {"user", "assistant", "system", "developer", "custom"}


def _probe_line(line: bytes) -> float:
    if len(line) < 3:
        return 0.0
    try:
        record = fields_of(orjson.loads(line.strip(b"\x00 \t\r")))
    except ValueError:
        return 0.0
    return _probe_record(record)


def _probe_record(record: Fields) -> float:
    """By keys that belong together: a single one may be in the log of any program."""
    kind = text_of(record.get("type")) or ""
    if kind == "session":
        texts = (record.get("id"), record.get("timestamp"), record.get("cwd"))
        known = "version" in record or {"provider", "modelId"} <= set(record)
        return CERTAIN if all(isinstance(text, str) for text in texts) and known else 0.0
    message = fields_of(record.get("message"))
    if kind in STREAM:
        return _LIKELY if _is_message(message) else 0.0
    chained = isinstance(record.get("timestamp"), str) and kind in ENTRY_TYPES
    return _LIKELY if chained and kind == "message" and _is_message(message) else 0.0


def _is_message(message: Fields) -> bool:
    """Whether a message has what those of this client have, and no others."""
    role = message.get("role")
    if role == "assistant":
        return {"content", "provider", "model", "stopReason", "usage"} <= set(message)
    if role == "toolResult":
        return {"toolCallId", "toolName", "isError"} <= set(message)
    return isinstance(role, str) and role in _OWN_ROLES and "timestamp" in message


class PiLogs(LogFiles):
    """A file for each session in a folder for each project, or what the client printed."""

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence that a file beginning with `head` is a session of this client."""
        _ = path
        return probe_lines(head, _probe_line)

    def session_id(self, head: bytes) -> str | None:
        """The id that the first record states."""
        found = _ID.match(head.lstrip(b"\xef\xbb\xbf\x00"))
        return found[1].decode("utf-8", "replace") if found is not None else None


DISCOVERY = PiLogs("pi", decode)
