"""Whether a file holds what the client printed, and what its ends say about the session."""

import re
from collections.abc import Mapping
from pathlib import Path

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import is_list, records_in
from agentview.normalize.json_fields import to_json
from agentview.normalize.json_values import text_of
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.session_info import overview
from agentview.providers._kit.signatures import Signature, SignatureTable, Test, Texts, some
from agentview.providers.base import Light
from agentview.sources.files import read_ends

# Recognizes by content whether a file holds what the client printed, as lines or as one list.

_PROBED_RECORDS = 40
_SURE = 0.97
_PROBE_LIKELY = 0.9
_SOME = 0.6
_MAYBE = 0.5
_BLANKS = b"\xef\xbb\xbf\x00 \t\r\n"

_OWN_MESSAGE = re.compile(r"(?s)msg_[0-9A-Za-z].*")
_OWN_MODEL = re.compile(r"(?s).*(?:claude|<synthetic>).*")
_OTHER_LOGS = frozenset({"sessionId", "isSidechain"})
_STREAMED = frozenset(
    {
        "message_delta", "message_stop",
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
        if any(form.fits(record) for form in _FOREIGN):
            return 0.0
        best = max(best, _SIGNATURES.confidence(record))
        if best >= _SURE:
            break
    return best or _probe_cut(head.lstrip(_BLANKS).partition(b"\n")[0])


def _probe_cut(line: bytes) -> float:
    """A first line that is cut, or longer than the head: its first keys are what there is."""
    if _CUT_FIRST.match(line) is not None:
        return _PROBE_LIKELY
    return _MAYBE if _CUT.match(line) is not None and b'"init"' in line else 0.0


def _given(value: object) -> bool:
    return value is not None


def _row(confidence: float, kind: Test, values: Mapping[str, Test], **keys: Texts) -> Signature:
    """A form of what the client prints: each record names its session."""
    return Signature(
        confidence, {"type": kind, "session_id": str, **values}, without=_OTHER_LOGS, **keys
    )


def _said(confidence: float, values: Mapping[str, Test]) -> tuple[Signature, ...]:
    """A message of the model, whole or as it begins to be streamed."""
    return (
        _row(confidence, "assistant", {"message/content": str | list, **_in("message", values)}),
        _row(
            confidence, "stream_event",
            {"event/type": "message_start", **_in("event/message", values)},
        ),
    )  # fmt: skip


def _in(path: str, values: Mapping[str, Test]) -> Mapping[str, Test]:
    return {f"{path}/{key}": test for key, test in values.items()}


_INIT = {"subtype": "init"}
_FOREIGN = (
    Signature(0.0, {"type": str}, {"qwen_code_version"}, without=_OTHER_LOGS),
    Signature(0.0, {"type": str, **_INIT}, {"permission_mode"}, without=_OTHER_LOGS),
)
"""Records that another program printed."""
_SIGNATURES = SignatureTable(
    _row(_SURE, "system", _INIT, keys={"claude_code_version"}),
    # The clients that print a stream like this one name no tools, or other ones.
    _row(_PROBE_LIKELY, "system", {**_INIT, "tools": list}),
    *_said(_PROBE_LIKELY, {"id": _OWN_MESSAGE, "model": _OWN_MODEL}),
    _row(
        _PROBE_LIKELY, "user", {"message/content": _given},
        any_of={"tool_use_result", "isSynthetic", "isReplay"},
    ),
    _row(_PROBE_LIKELY, "result", {}, keys={"total_cost_usd", "num_turns"}),
    *(_row(_PROBE_LIKELY, kind, {}, keys={key}) for kind, key in _REPORTS.items()),
    *_said(0.7, {"id": _OWN_MESSAGE}),
    *_said(0.7, {"model": _OWN_MODEL}),
    _row(_SOME, "system", {**_INIT, "model": re.compile("(?s)claude-.*")}),
    *(_row(_MAYBE, "system", {"subtype": each}, keys={key}) for each, key in _SYSTEM.items()),
    _row(_MAYBE, "stream_event", {"event/type": _STREAMED}),
    _row(_MAYBE, "user", {"message/content": some("type", "tool_result")}),
    _row(_MAYBE, "user", {"message/content": _given}, any_of={"parent_tool_use_id", "uuid"}),
    *_said(0.3, {}),
)  # fmt: skip


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
