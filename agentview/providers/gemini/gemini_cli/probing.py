"""Tells by content whether a file is a session of this client, in any of its forms."""

import re

import orjson

from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers.gemini.gemini_cli.documents import document_confidence

SURE = 0.95
_PROBED_LINES = 40
_MESSAGE_TYPES = frozenset({"user", "gemini", "info", "warning", "error"})
_CUT = re.compile(
    rb'\s*(?:\{\s*"sessionId"\s*:\s*"[^"]*"\s*,\s*"projectHash"\s*:'
    rb'|\{\s*"\$set"\s*:\s*\{\s*"messages"\s*:\s*\[\s*\{\s*"id"\s*:'
    rb'|\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"type"\s*:\s*"gemini")'
)


def probe_head(head: bytes) -> float:
    """Confidence 0..1 that a file that begins with `head` is one of this client's."""
    best = 0.0
    for line in head.lstrip(b"\xef\xbb\xbf\x00").split(b"\n", _PROBED_LINES)[:_PROBED_LINES]:
        best = max(best, _probe_line(line))
        if best >= SURE:
            return best
    return max(best, document_confidence(head))


def _probe_line(line: bytes) -> float:
    if len(line) < 3:
        return 0.0
    try:
        value: object = orjson.loads(line.strip(b"\x00 \t\r"))
    except ValueError:
        return SURE if _CUT.match(line) is not None else 0.0
    fields = fields_of(value)
    if not fields:
        return 0.0
    return max(_probe_recorded(fields), _probe_printed(fields))


def _probe_recorded(fields: Fields) -> float:
    """A line of a session: what it says of itself, a message, or a change."""
    if "projectHash" in fields and isinstance(fields.get("sessionId"), str):
        return SURE
    changes = fields_of(fields.get("$set"))
    if changes and set(fields) == {"$set"}:
        return 0.9 if "lastUpdated" in changes or "messages" in changes else 0.5
    if isinstance(fields.get("$rewindTo"), str):
        return 0.9
    if not {"id", "type", "content"} <= set(fields):
        return 0.0
    kind = text_of(fields.get("type"))
    if kind == "gemini":
        return SURE if "thoughts" in fields or "tokens" in fields else 0.8
    if "timestamp" not in fields:
        return 0.0
    if {"thoughts", "tokens", "model"} <= set(fields):
        # Clients that grew out of this one name responses after themselves.
        return 0.8
    bare = set(fields) <= {"id", "timestamp", "type", "content", "displayContent"}
    return 0.6 if kind in _MESSAGE_TYPES and bare and _is_content(fields["content"]) else 0.0


def _is_content(content: object) -> bool:
    """Whether it is a text or a list of parts of the vendor's interface, which have no type."""
    parts = items_of(content)
    return isinstance(content, str) or (
        bool(parts) and not any("type" in fields_of(p) for p in parts)
    )


def _probe_printed(fields: Fields) -> float:
    """A line of `-o stream-json`; what others keep of it may have no times."""
    kind = fields.get("type")
    if kind == "tool_use":
        return SURE if {"tool_name", "tool_id", "parameters"} <= set(fields) else 0.0
    if kind == "tool_result":
        return 0.9 if "tool_id" in fields and "status" in fields else 0.0
    stats = fields_of(fields.get("stats"))
    if kind == "result":
        return 0.9 if "total_tokens" in stats and "status" in fields else 0.0
    if "timestamp" not in fields:
        return 0.0
    if kind == "init":
        return 0.9 if {"session_id", "model"} <= set(fields) else 0.0
    plain = set(fields) <= {"type", "timestamp", "role", "content", "delta"}
    said = kind == "message" and plain and isinstance(fields.get("content"), str)
    return 0.6 if said else 0.0
