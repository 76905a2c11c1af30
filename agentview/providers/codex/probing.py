"""Recognizes by content whether a file is a rollout, of any generation, or a printed stream."""

import re
from collections.abc import Iterable

import orjson

from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.discovery import probe_records
from agentview.providers.base import CERTAIN
from agentview.providers.codex.legacy_json import is_document

_LIKELY = 0.8
_MAYBE = 0.4

_RECORD_TYPES = frozenset(
    {
        "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state",
        "inter_agent_communication", "inter_agent_communication_metadata", "token_usage_record",
        "security_risk_score", "retained_context", "realtime_item",
    }
)  # fmt: skip
_STRONG = frozenset({"session_meta", "turn_context", "response_item", "event_msg"})
_PAYLOAD_KEYS = frozenset({"id", "type", "role", "model", "cwd"})
_SESSION_KEYS = ("cwd", "originator", "cli_version", "instructions", "timestamp")
_PRINTED_ITEMS = frozenset({"item.started", "item.updated", "item.completed"})
_PRINTED_TYPES = frozenset(
    {
        "agent_message", "assistant_message", "reasoning", "command_execution", "file_change",
        "mcp_tool_call", "collab_tool_call", "web_search", "todo_list", "plan", "error",
    }
)  # fmt: skip
_REPORTS = frozenset(
    {
        "session_configured", "task_started", "agent_message", "agent_reasoning", "token_count",
        "exec_command_begin", "exec_command_end", "task_complete", "agent_message_delta", "error",
    }
)  # fmt: skip
_BEGUN = b'"thread.started"'
_CONTENT_TYPES = frozenset({"input_text", "output_text", "input_image"})
_HEADER_KEYS = frozenset({"id", "timestamp", "instructions", "git"})
_CUT = re.compile(
    rb'\s*\{(?=[^{}]*"timestamp"\s*:\s*"[^"]*")[^{}]*"type"\s*:\s*"'
    rb'(?P<type>session_meta|turn_context|response_item|event_msg|compacted|world_state)"'
    rb'\s*,\s*"payload"\s*:\s*\{'
)
_CUT_SESSION = re.compile(
    rb'\s*\{\s*"timestamp"\s*:\s*"[^"]*"\s*,(?:\s*"ordinal"\s*:\s*\d+\s*,)?'
    rb'\s*"type"\s*:\s*"session_meta"'
)
_CUT_HEADER = re.compile(
    rb'\s*\{\s*"id"\s*:\s*"[0-9a-f-]{36}"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"instructions"\s*:'
)
_CUT_LINES = ((_CUT_SESSION, CERTAIN), (_CUT, _LIKELY), (_CUT_HEADER, 0.9))


def probe_head(head: bytes) -> float:
    return CERTAIN if is_document(head) else probe_records(head, _probe_record, _CUT_LINES)


def _probe_record(record: Fields) -> float:
    kind = text_of(record.get("type"))
    if kind is None:
        return _probe_untyped(record)
    if kind in _RECORD_TYPES:
        return _probe_wrapped(record, kind)
    return max(_probe_printed(record, kind), _probe_bare(record, kind))


def _probe_wrapped(record: Fields, kind: str) -> float:
    payload = fields_of(record.get("payload"))
    if not payload:
        return 0.0
    if "timestamp" not in record:
        return _MAYBE if kind in _STRONG and payload.keys() & _PAYLOAD_KEYS else 0.0
    if kind == "session_meta":
        known = "id" in payload and any(key in payload for key in _SESSION_KEYS)
        return CERTAIN if known else _MAYBE
    if kind in ("response_item", "event_msg"):
        return _LIKELY if "type" in payload or "role" in payload else _MAYBE
    return _LIKELY if kind in _STRONG else 0.6


def _probe_printed(record: Fields, kind: str) -> float:
    if kind == "thread.started":
        return CERTAIN if isinstance(record.get("thread_id"), str) else _MAYBE
    if kind in _PRINTED_ITEMS:
        item = fields_of(record.get("item"))
        named = text_of(item.get("type")) or text_of(item.get("item_type"))
        return 0.0 if named not in _PRINTED_TYPES else CERTAIN if "id" in item else _LIKELY
    if kind == "turn.completed":
        return 0.6 if "input_tokens" in fields_of(record.get("usage")) else 0.0
    return _MAYBE if kind == "turn.started" and set(record) == {"type"} else 0.0


def _probe_untyped(record: Fields) -> float:
    """The first line of the oldest logs, the marks between their items, or a printed report."""
    if record.get("record_type") == "state":
        return 0.9
    if isinstance(record.get("id"), str) and set(record) == {"id", "msg"}:
        reported = text_of(fields_of(record.get("msg")).get("type"))
        return _LIKELY if reported in _REPORTS else 0.0
    if "dir" in record and "kind" in record:
        # Imported here: few files get this far.
        from agentview.providers.codex.terminal_log import is_passed

        return _LIKELY if is_passed(record) else 0.0
    if "model" in record and {"workdir", "sandbox"} <= set(record):
        return _MAYBE
    header = "instructions" in record and isinstance(record.get("id"), str)
    return 0.9 if header and "timestamp" in record and set(record) <= _HEADER_KEYS else 0.0


def _probe_bare(record: Fields, kind: str) -> float:
    """An item without an envelope; the interface of the vendor has the same form."""
    if kind == "message" and "role" in record and "timestamp" not in record:
        types = {text_of(fields_of(item).get("type")) for item in items_of(record.get("content"))}
        return 0.3 if types & _CONTENT_TYPES else 0.0
    if kind in ("function_call", "function_call_output") and "timestamp" not in record:
        return 0.3 if isinstance(record.get("call_id"), str) else 0.0
    return 0.0


def sessions_in(lines: Iterable[bytes]) -> tuple[tuple[int, str], ...]:
    """Byte offset of the first line of each session that was printed into one file, and its id.

    None of a file that holds one: what is printed to it has no other that it could be taken for.
    """
    found: list[tuple[int, str]] = []
    offset = 0
    for line in lines:
        if _BEGUN in line:
            thread = _begun(line)
            if thread is not None:
                found.append((offset, thread))
        offset += len(line)
    return tuple(found) if len(found) > 1 else ()


def _begun(line: bytes) -> str | None:
    try:
        value: object = orjson.loads(line.lstrip(b"\xef\xbb\xbf"))
    except ValueError:
        return None
    record = fields_of(value)
    return text_of(record.get("thread_id")) if record.get("type") == "thread.started" else None
