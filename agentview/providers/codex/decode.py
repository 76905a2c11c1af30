"""What happened: the events of one line of a rollout, or of what the client prints."""

import re

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import fields_of, text_of
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.codex.event_builder import Frame
from agentview.providers.codex.event_msg import report_events
from agentview.providers.codex.exec_stream import (
    is_printed,
    is_prompt,
    is_settings,
    message_events,
    message_in,
    prompt_events,
    settings_events,
    stream_events,
)
from agentview.providers.codex.legacy_json import header_in
from agentview.providers.codex.response_item import is_item, item_events, passed_on
from agentview.providers.codex.session_meta import context_events, header_events

_RECORD_START = re.compile(r'\{\s*"(?:timestamp|type|payload|ordinal|record_type|id)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    document = header_in(record)
    if document is not None:
        return header_events(Frame(document, record, source, session))
    return line_events(record, source, session, LINES)


def _decode_record(frame: Frame) -> list[Event]:
    """A record with an envelope, a printed one, or, in the oldest logs, an item by itself."""
    fields, payload = frame.fields, frame.payload
    record_type = text_of(fields.get("type"))
    if "payload" not in fields:
        return _bare_events(frame, record_type)
    if record_type == "response_item":
        # Some writers of this format have the item one level deeper.
        inner = fields_of(payload.get("item")) if "type" not in payload else None
        return item_events(frame.carry(inner) if inner else frame)
    if record_type == "event_msg":
        return report_events(frame)
    if record_type == "inter_agent_communication":
        return passed_on(frame)
    reported = message_in(payload) if record_type == "event" else None
    if reported is not None:
        return message_events(frame.carry(reported))
    name = record_type or "(none)"
    found = context_events(frame, name)
    if found is None and is_item(payload.get("type", name)):
        return item_events(frame)
    return found if found is not None else [frame.unknown(name)]


def _bare_events(frame: Frame, record_type: str | None) -> list[Event]:
    fields = frame.fields
    if record_type is None and "record_type" in fields:
        name = text_of(fields.get("record_type")) or "(none)"
        return context_events(frame, name) or [frame.unknown(name)]
    if record_type is None and "role" not in fields:
        return _untyped_events(frame)
    if record_type is not None and is_printed(record_type):
        return stream_events(frame, record_type)
    return item_events(frame)


def _untyped_events(frame: Frame) -> list[Event]:
    """A first line of the oldest logs, or a line of what was printed in their time."""
    fields = frame.fields
    reported = message_in(fields)
    if reported is not None:
        return message_events(frame.carry(reported))
    if is_settings(fields):
        return settings_events(frame)
    if is_prompt(fields):
        return prompt_events(frame)
    is_header = "id" in fields and "timestamp" in fields
    return header_events(frame) if is_header else [frame.unknown("(none)")]


LINES = RecordDecoder(Frame, _decode_record, _RECORD_START, discovery_keys=("ordinal",))
