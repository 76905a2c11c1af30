"""Whether a file holds what the client printed, and what its ends say about the session."""

import re
from pathlib import Path

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import is_list, records_in
from agentview.normalize.json_fields import to_json
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.session_info import overview
from agentview.providers.base import Light
from agentview.sources.files import read_ends

# Recognizes by content whether a file holds what the client printed, as lines or as one list.

_PROBED_RECORDS = 40
_SURE = 0.97
_PROBE_LIKELY = 0.9
_SOME = 0.6
_MAYBE = 0.5
_BLANKS = b"\xef\xbb\xbf\x00 \t\r\n"

_OWN_MESSAGE = re.compile(r"msg_[0-9A-Za-z]")
_OWN_MODEL = re.compile(r"claude|<synthetic>")
_STREAMED = frozenset(
    {
        "message_start", "message_delta", "message_stop",
        "content_block_start", "content_block_delta", "content_block_stop",
    }
)  # fmt: skip
_REPORTS = {
    "auth_status": "isAuthenticating",
    "conversation_reset": "new_conversation_id",
    "rate_limit_event": "rate_limit_info",
    "tool_progress": "elapsed_time_seconds",
    "tool_use_summary": "preceding_tool_use_ids",
}
"""Types of small records, with a key that each of them has."""
_SYSTEM = {
    "api_retry": "retry_delay_ms",
    "compact_boundary": "compact_metadata",
    "hook_response": "hook_name",
    "hook_started": "hook_id",
    "permission_denied": "tool_use_id",
    "task_started": "task_id",
    "thinking_tokens": "estimated_tokens",
}
"""Subtypes of reports, with a key that each of them has."""
_CUT = re.compile(
    rb'\s*\{(?=.*"session_id"\s*:\s*"[^"]+")(?!.*"(?:qwen_code_version|permission_mode)")'
    rb'.*"(?:claude_code_version"\s*:|apiKeySource"\s*:.*"tools"\s*:|tools"\s*:.*"slash_commands")',
    re.DOTALL,
)
_CUT_FIRST = re.compile(
    rb'\s*\{"type"\s*:\s*"system"\s*,\s*"subtype"\s*:\s*"init"\s*,\s*"cwd"\s*:\s*"(?:[^"\\]|\\.)*"'
    rb'\s*,\s*"session_id"\s*:\s*"[^"]+"\s*,\s*"tools"\s*:\s*\['
)
"""The beginning of the first record as all versions write it; others have other keys here."""


def begins_list(head: bytes) -> bool:
    return is_list(head) and probe_head(head) >= _MAYBE


def probe_head(head: bytes) -> float:
    """Confidence 0..1 that a file that begins with `head` is a printed stream."""
    best = 0.0
    for number, record in enumerate(records_in(head)):
        if number == _PROBED_RECORDS:
            break
        confidence = _probe(record)
        if confidence is None:
            return 0.0
        best = max(best, confidence)
        if best >= _SURE:
            break
    return best or _probe_cut(head.lstrip(_BLANKS).partition(b"\n")[0])


def _probe_cut(line: bytes) -> float:
    """A first line that is cut, or longer than the head: its first keys are what there is."""
    if _CUT_FIRST.match(line) is not None:
        return _PROBE_LIKELY
    return _MAYBE if _CUT.match(line) is not None and b'"init"' in line else 0.0


def _probe(record: Fields) -> float | None:
    """Confidence by one record; None for one that says that another program printed it."""
    kind = text_of(record.get("type"))
    if "sessionId" in record or "isSidechain" in record or kind is None:
        return 0.0
    if "qwen_code_version" in record or (
        record.get("subtype") == "init" and "permission_mode" in record
    ):
        return None
    if not isinstance(record.get("session_id"), str):
        return 0.0
    if kind == "system":
        return _probe_system(record)
    if kind == "stream_event":
        return _probe_streamed(fields_of(record.get("event")))
    if kind in ("assistant", "user"):
        return _probe_message(record, kind)
    if kind == "result":
        return _PROBE_LIKELY if "total_cost_usd" in record and "num_turns" in record else 0.0
    return _PROBE_LIKELY if kind in _REPORTS and _REPORTS[kind] in record else 0.0


def _probe_system(record: Fields) -> float:
    subtype = text_of(record.get("subtype")) or ""
    if subtype != "init":
        known = _SYSTEM.get(subtype)
        return _MAYBE if known is not None and known in record else 0.0
    if "claude_code_version" in record:
        return _SURE
    # The clients that print a stream like this one name no tools, or other ones.
    if isinstance(record.get("tools"), list):
        return _PROBE_LIKELY
    return _SOME if (text_of(record.get("model")) or "").startswith("claude-") else 0.0


def _probe_streamed(event: Fields) -> float:
    kind = text_of(event.get("type")) or ""
    if kind == "message_start":
        return _by_message(fields_of(event.get("message")))
    return _MAYBE if kind in _STREAMED else 0.0


def _probe_message(record: Fields, kind: str) -> float:
    message = fields_of(record.get("message"))
    if kind == "assistant" and isinstance(message.get("content"), str | list):
        return _by_message(message)
    if kind == "assistant" or message.get("content") is None:
        return 0.0
    if "tool_use_result" in record or "isSynthetic" in record or "isReplay" in record:
        return _PROBE_LIKELY
    answers = any(
        fields_of(item).get("type") == "tool_result" for item in items_of(message.get("content"))
    )
    named = "parent_tool_use_id" in record or "uuid" in record
    return _MAYBE if answers or named else 0.0


def _by_message(message: Fields) -> float:
    """Confidence in a message by the vendor's way to name messages and models."""
    own = _OWN_MESSAGE.match(text_of(message.get("id")) or "") is not None
    model = _OWN_MODEL.search(text_of(message.get("model")) or "") is not None
    if own and model:
        return _PROBE_LIKELY
    return 0.7 if own or model else 0.3


NAME = "claude_stream"


class PrintedStreams(LogFiles):
    """Files that a person has kept what was printed in: they have no place of their own."""

    endings = (".jsonl", ".ndjson", ".json", ".log")
    head_bytes = 16_384
    least = 0.6

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence that a file beginning with `head` is a printed stream."""
        _ = path
        return probe_head(head)

    def session_id(self, head: bytes) -> str | None:
        """The id that the first record which has one says."""
        ids = (text_of(record.get("session_id")) for record in records_in(head))
        return next(filter(None, ids), None)

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last 128 kB of a file, which may be one list of records."""
        head, tail, _ = read_ends(Path(ref.path))
        if not begins_list(head):
            return super().info(ref, decode)
        found = (*records_in(head), *records_in(tail))
        records = (to_json(each).encode("utf-8", "replace") for each in found)
        place = SourceRef(ref.path, 0, 0)
        return overview(ref, (each for line in records for each in decode(line, place, ref)))


DISCOVERY = PrintedStreams(NAME)
