"""Tells by content whether a file is a stream, a transcript, or messages of the SDK."""

import re

import orjson

from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers.cursor.text_transcript import begins_plain

_PROBED_LINES = 20
_SURE = 0.97
_LIKELY = 0.8
_MAYBE = 0.3

_FOREIGN = frozenset(
    {"uuid", "parent_tool_use_id", "tools", "mcp_servers", "sessionId", "num_turns"}
)
"""Keys of other clients' records of the same types."""

_SDK_TYPES = frozenset(
    {"system", "user", "assistant", "thinking", "tool_call", "status", "task", "request"}
)
_BLOCKS = frozenset(
    {"text", "tool_use", "tool_call", "thinking", "reasoning", "tool_result", "image"}
)
_CUT = re.compile(
    rb'\s*\{\s*(?:"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{\s*"content"\s*:'
    rb'|"type"\s*:\s*"tool_call"\s*,\s*"subtype"\s*:\s*"(?:started|completed)"\s*,\s*"call_id"'
    rb'|"type"\s*:\s*"thinking"\s*,\s*"subtype"\s*:\s*"delta")'
)
_PLAIN_ANSWER = re.compile(rb"^(?:assistant:|\[(?:Thinking|Tool call)\])", re.MULTILINE)


def probe_head(head: bytes) -> float:
    """Confidence 0..1 that a file that begins with `head` is one of this client's."""
    if begins_plain(head):
        return 0.9 if _PLAIN_ANSWER.search(head) else 0.4
    best = 0.0
    for line in head.lstrip(b"\xef\xbb\xbf\x00").split(b"\n", _PROBED_LINES)[:_PROBED_LINES]:
        best = max(best, _probe_line(line))
        if best >= _SURE:
            break
    return best


def _probe_line(line: bytes) -> float:
    if len(line) < 2:
        return 0.0
    try:
        value: object = orjson.loads(line.strip(b"\x00 \t\r"))
    except ValueError:
        return _LIKELY if _CUT.match(line) is not None else 0.0
    record = fields_of(value)
    if not record or record.keys() & _FOREIGN:
        return 0.0
    kind = text_of(record.get("type"))
    if kind is None:
        return _probe_transcript(record)
    if "run_id" in record and "agent_id" in record:
        return _SURE if kind in _SDK_TYPES else 0.0
    return max(_probe_stream(record, kind), _probe_mark(record, kind))


def _probe_transcript(record: Fields) -> float:
    """`{"role": …, "message": {"content": […]}}` and, of clients to come, a little more."""
    message = fields_of(record.get("message"))
    if record.get("role") not in ("user", "assistant") or not isinstance(
        message.get("content"), list
    ):
        return 0.0
    if "id" in message or "role" in message or "timestamp" in record:
        return 0.0
    kinds = {
        (text_of(fields_of(item).get("type")) or "").replace("-", "_")
        for item in items_of(message.get("content"))
    }
    known = bool(kinds & _BLOCKS) or not kinds
    return _LIKELY if known else _MAYBE


def _probe_stream(record: Fields, kind: str) -> float:
    subtype = record.get("subtype")
    if "session_id" not in record:
        return 0.0
    if kind == "system" and subtype == "init":
        return _SURE if "apiKeySource" in record and "permissionMode" in record else 0.0
    if kind == "thinking":
        return _SURE if subtype in ("delta", "completed") else 0.0
    if kind == "tool_call":
        known = subtype in ("started", "completed") and "call_id" in record
        return _SURE if known and fields_of(record.get("tool_call")) else 0.0
    if kind == "result":
        return 0.6 if "request_id" in record and "duration_api_ms" in record else 0.0
    if kind in ("user", "assistant"):
        message = fields_of(record.get("message"))
        return 0.5 if message.get("role") == kind and not {"id", "usage"} & message.keys() else 0.0
    return 0.0


def _probe_mark(record: Fields, kind: str) -> float:
    """A line between the messages of a transcript."""
    if kind == "turn_ended":
        return _MAYBE if set(record) <= {"type", "status"} else 0.0
    said = record.get("error")
    return 0.2 if kind == "error" and set(record) == {"type", "error"} and text_of(said) else 0.0
