"""Tells by content whether a file is a session of this client."""

import re
from itertools import islice

import orjson

from agentview.normalize.json_document import is_list, records_in
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of

SURE = 0.95
_LIKELY = 0.8
_PROBED_LINES = 40
_ENVELOPE = frozenset({"uuid", "parentUuid", "sessionId", "timestamp", "type"})
_OWN_SUBTYPES = frozenset(
    {
        "ui_telemetry", "chat_compression", "attribution_snapshot", "at_command", "slash_command",
        "session_model", "session_approval_mode", "branch_checkpoint", "file_history_snapshot",
        "custom_title", "rewind", "session_notes", "session_artifact_snapshot", "turn_result",
        "goal_state", "parent_session", "session_source",
    }
)  # fmt: skip
_CUT_PRINTED = re.compile(rb'\s*\{\s*"type"\s*:\s*"system".*"qwen_code_version"\s*:')
_CUT = re.compile(
    rb'\s*\{\s*"uuid"\s*:\s*"[^"]*"\s*,\s*"parentUuid"\s*:\s*(?:null|"[^"]*")\s*,\s*"sessionId"\s*:'
    rb'\s*"[^"]*"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"type"\s*:\s*"(?:user|assistant|tool_result'
    rb'|system)"\s*,\s*(?:"\w+"\s*:\s*(?:"[^"]*"|true|false)\s*,\s*){0,4}'
    rb'"cwd"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"version"\s*:'
)


def begins_list(head: bytes) -> bool:
    """Whether a file is all that was printed as one JSON list (`--output-format json`)."""
    return is_list(head) and probe_head(head) > 0


def probe_head(head: bytes) -> float:
    """Confidence 0..1 that a file that begins with `head` is one of this client's."""
    if is_list(head):
        return max(map(_probe_record, islice(records_in(head), _PROBED_LINES)), default=0.0)
    best = 0.0
    for line in head.lstrip(b"\xef\xbb\xbf\x00").split(b"\n", _PROBED_LINES)[:_PROBED_LINES]:
        best = max(best, _probe_line(line))
        if best >= SURE:
            break
    return best


def _probe_line(line: bytes) -> float:
    if len(line) < 3:
        return 0.0
    try:
        value: object = orjson.loads(line.strip(b"\x00 \t\r"))
    except ValueError:
        found = _CUT.match(line) or _CUT_PRINTED.match(line)
        return _LIKELY if found is not None else 0.0
    return _probe_record(fields_of(value))


def _probe_record(record: Fields) -> float:
    if "qwen_code_version" in record and isinstance(record.get("session_id"), str):
        return SURE
    if "sessionId" not in record:
        return 0.0
    whole = set(record) >= _ENVELOPE
    kind = record.get("type")
    if kind == "system":
        known = text_of(record.get("subtype")) in _OWN_SUBTYPES and "systemPayload" in record
        return SURE if known else 0.0
    message = fields_of(record.get("message"))
    if kind == "tool_result" and "toolCallResult" in record:
        return SURE
    known = kind in ("user", "assistant", "tool_result")
    if not known or not isinstance(message.get("parts"), list):
        return 0.0
    if not whole and not message["parts"]:
        # What others make of a log has less around the messages.
        return 0.0
    typed = any("type" in fields_of(part) for part in items_of(message.get("parts")))
    return 0.0 if typed else SURE
