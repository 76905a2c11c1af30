"""Recognizes by content whether a file is a rollout, of any generation, or a printed stream."""

import re
from collections.abc import Iterable

import orjson

from agentview.normalize.json_values import fields_of, text_of
from agentview.providers._kit.discovery import probe_records
from agentview.providers._kit.signatures import Signature, SignatureTable, filled, some
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
_PAYLOAD_KEYS = frozenset(
    {"payload/id", "payload/type", "payload/role", "payload/model", "payload/cwd"}
)
_SESSION_KEYS = frozenset(
    {
        "payload/cwd", "payload/originator", "payload/cli_version", "payload/instructions",
        "payload/timestamp",
    }
)  # fmt: skip
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
_CONTENT_TYPES = frozenset({"input_text", "output_text", "input_image"})
_HEADER_KEYS = frozenset({"id", "timestamp", "instructions", "git"})
_ITEM = frozenset({"response_item", "event_msg"})
_CALLS = frozenset({"function_call", "function_call_output"})
_PASSED = frozenset({"meta", "to_tui", "from_tui"})
_TYPE, _TIME = frozenset({"type"}), frozenset({"timestamp"})


_SIGNATURES = SignatureTable(
    Signature(CERTAIN, {"type": "session_meta"}, {"timestamp", "payload/id"}, _SESSION_KEYS),
    Signature(CERTAIN, {"type": "thread.started", "thread_id": str}),
    Signature(CERTAIN, {"type": _PRINTED_ITEMS, "item/type": _PRINTED_TYPES}, {"item/id"}),
    Signature(CERTAIN, {"type": _PRINTED_ITEMS, "item/item_type": _PRINTED_TYPES}, {"item/id"}),
    # The first line of the oldest logs, and the marks between their items.
    Signature(0.9, {"record_type": "state"}, without=_TYPE),
    Signature(0.9, {"id": str}, {"instructions", "timestamp"}, only=_HEADER_KEYS),
    Signature(_LIKELY, {"type": _ITEM}, _TIME, {"payload/type", "payload/role"}),
    Signature(_LIKELY, {"type": "turn_context", "payload": filled}, _TIME),
    Signature(_LIKELY, {"type": _PRINTED_ITEMS, "item/type": _PRINTED_TYPES}),
    Signature(_LIKELY, {"type": _PRINTED_ITEMS, "item/item_type": _PRINTED_TYPES}),
    # Reports that are printed, or passed to the interface.
    Signature(_LIKELY, {"id": str, "msg/type": _REPORTS}, only=frozenset({"id", "msg"})),
    Signature(_LIKELY, {"dir": _PASSED, "kind": str}, {"ts"}, without=_TYPE),
    Signature(0.6, {"type": _RECORD_TYPES - _STRONG, "payload": filled}, _TIME),
    Signature(0.6, {"type": "turn.completed"}, {"usage/input_tokens"}),
    Signature(_MAYBE, {"type": _STRONG, "payload": filled}, _TIME),
    Signature(_MAYBE, {"type": _STRONG}, any_of=_PAYLOAD_KEYS, without=_TIME),
    Signature(_MAYBE, {"type": "thread.started"}),
    Signature(_MAYBE, {"type": "turn.started"}, only=_TYPE),
    Signature(_MAYBE, {}, {"model", "workdir", "sandbox"}, without=_TYPE),
    # Items without an envelope; the interface of the vendor has the same form.
    Signature(
        0.3, {"type": "message", "content": some("type", _CONTENT_TYPES)}, {"role"},
        without=_TIME,
    ),
    Signature(0.3, {"type": _CALLS, "call_id": str}, without=_TIME),
)  # fmt: skip
_BEGUN = b'"thread.started"'
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
    return CERTAIN if is_document(head) else probe_records(head, _SIGNATURES.confidence, _CUT_LINES)


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
