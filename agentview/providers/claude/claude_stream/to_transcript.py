"""Printed records in the form of the transcript's, which the rest of the dialect reads."""

from typing import cast

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream
from agentview.normalize.json_values import text_of
from agentview.providers.claude.claude_stream.schema import Printed
from agentview.providers.claude.shared.event_builder import (
    SYNTHETIC,
    ClaudeRecord,
    record_as,
    sidechain,
)


class PrintedRecord(ClaudeRecord, gc=False):
    """A printed record in the form of a transcript's, in the stream of the agent it is of."""

    @property
    def printed(self) -> Printed:
        return cast("Printed", self.record)

    def structured(self) -> object:
        """The structured form of the result that the record has."""
        found = super().structured()
        return self.fields.get("tool_use_result") if found is None else found


def printed_record(
    record: Printed, raw: bytes, source: SourceRef, session: SessionRef
) -> PrintedRecord:
    """The record that a client printed."""
    _spell_as_transcript(record)
    printed = record_as(PrintedRecord, record, raw, source, session)
    printed.stream = stream_of(record)
    model = printed.message.model if printed.message is not None else None
    if model == SYNTHETIC and text_of(printed.value_of(record.error)):
        record.is_api_error_message = True
    return printed


def started_by(call_id: str) -> Stream:
    return sidechain(call_id)


def stream_of(record: Printed) -> Stream:
    """The conversation that a record is of: an agent's says which."""
    if record.started_by:
        return started_by(record.started_by)
    agent = record.agent or record.agent_id
    return sidechain(agent) if agent else MAIN_STREAM


def _spell_as_transcript(record: Printed) -> None:
    """Give keys of the transcript what the printed ones say; what it says itself stays."""
    record.session_id = record.session_id or record.session
    record.request_id = record.request_id or record.request
    if record.tool_use_result is None:
        record.tool_use_result = record.result
    if record.is_meta is None:
        record.is_meta = record.is_synthetic
    if record.thinking_duration_ms is None:
        record.thinking_duration_ms = record.thinking
    meta = record.result_meta[0] if record.result_meta else None
    if meta is not None:
        record.permission_decision = record.permission_decision or meta.permission_decision
        record.tool_denial_kind = record.tool_denial_kind or meta.non_execution_kind
