"""What happened: the events of one record that the client printed."""

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, text_of
from agentview.providers._kit.json_line import LineForm, line_events
from agentview.providers.claude.claude_stream.deltas import partial_events
from agentview.providers.claude.claude_stream.messages import (
    prompt_or_result_events,
    response_events,
)
from agentview.providers.claude.claude_stream.notices import report_events
from agentview.providers.claude.claude_stream.result import result_events
from agentview.providers.claude.claude_stream.system import system_events
from agentview.providers.claude.claude_stream.to_transcript import framed
from agentview.providers.claude.shared.parsing import read_pieces

_MAKERS = {
    "assistant": response_events,
    "user": prompt_or_result_events,
    "stream_event": partial_events,
    "system": system_events,
    "result": result_events,
}


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list.

    Two records on one line are both decoded; what cannot be read becomes `Unparsed`.
    """
    return line_events(record, source, session, _LINES)


def _decode_record(
    fields: Fields, raw: bytes, source: SourceRef, session: SessionRef
) -> list[Event]:
    frame = framed(fields, raw, source, session)
    name = text_of(fields.get("type"))
    if name is None:
        return [frame.unknown("(none)")]
    make = _MAKERS.get(name)
    if make is not None:
        return make(frame)
    found = report_events(frame, name)
    return found if found is not None else [frame.unknown(name)]


_LINES = LineForm(read_pieces, _decode_record)
