"""Printed records in the form of the transcript's, which the rest of the dialect reads."""

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream
from agentview.normalize.json_values import Fields, changed, fields_of, items_of, text_of
from agentview.providers.claude.shared.assistant_records import SYNTHETIC
from agentview.providers.claude.shared.event_builder import ClaudeRecord, sidechain

TWINS = {
    "sessionId": "session_id",
    "toolUseResult": "tool_use_result",
    "isMeta": "isSynthetic",
    "thinkingDurationMs": "thinking_duration_ms",
    "requestId": "request_id",
}
"""Keys of transcripts, and what the printed stream calls them."""

_META = {"permissionDecision": "permission_decision", "toolDenialKind": "non_execution_kind"}
"""The same of keys that are in `tool_result_meta`."""


class PrintedRecord(ClaudeRecord):
    """A printed record in the form of a transcript's, in the stream of the agent it is of."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(_twin(fields), raw, source, session)
        self.stream = stream_of(fields)


def started_by(call_id: str) -> Stream:
    """The conversation of the agent that a call started: it is printed in between the others."""
    return sidechain(call_id)


def stream_of(fields: Fields) -> Stream:
    """The conversation that a record is of: an agent's says which."""
    call_id = text_of(fields.get("parent_tool_use_id"))
    if call_id is not None:
        return started_by(call_id)
    agent = text_of(fields.get("agent_id")) or text_of(fields.get("agentId"))
    return sidechain(agent) if agent is not None else MAIN_STREAM


def _twin(fields: Fields) -> Fields:
    """The record with its keys as a transcript spells them; what it says itself stays."""
    twin: dict[str, object] = {}
    for name, printed in TWINS.items():
        if printed in fields and name not in fields:
            twin[name] = fields[printed]
    if text_of(fields.get("error")) and fields_of(fields.get("message")).get("model") == SYNTHETIC:
        twin["isApiErrorMessage"] = True
    # One record holds one result.
    meta = fields_of(next(iter(items_of(fields.get("tool_result_meta"))), None))
    for name, printed in _META.items():
        if meta and name not in fields:
            twin[name] = meta.get(printed)
    return changed(fields, twin)
