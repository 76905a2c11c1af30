"""What happened: the events of one line of a rollout, or of what the client prints."""

import re

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import fields_of, text_of
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.codex.event_builder import CodexRecord
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
from agentview.providers.codex.terminal_log import is_passed, passed_events

_AROUND = "what is around the items"
_RECORD_START = re.compile(r'\{\s*"(?:timestamp|type|payload|ordinal|record_type|id|ts)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    document = header_in(record)
    if document is not None:
        around = CodexRecord(document, record, source, session)
        return header_events(around) if document else [around.hidden(_AROUND, "document")]
    return line_events(record, source, session, LINES)


def _decode_record(record: CodexRecord) -> list[Event]:
    """A record with an envelope, a printed one, or, in the oldest logs, an item by itself."""
    fields, payload = record.fields, record.payload
    record_type = text_of(fields.get("type"))
    if record_type is None and is_passed(fields):
        return passed_events(record)
    if "payload" not in fields:
        return _bare_events(record, record_type)
    if record_type == "response_item":
        # Some writers of this format have the item one level deeper.
        inner = fields_of(payload.get("item")) if "type" not in payload else None
        return item_events(record.carry(inner) if inner else record)
    if record_type == "event_msg":
        return report_events(record)
    if record_type == "inter_agent_communication":
        return passed_on(record)
    reported = message_in(payload) if record_type == "event" else None
    if reported is not None:
        return message_events(record.carry(reported))
    name = record_type or "(none)"
    found = context_events(record, name)
    if found is None and is_item(payload.get("type", name)):
        return item_events(record)
    return found if found is not None else [record.unknown(name)]


def _bare_events(record: CodexRecord, record_type: str | None) -> list[Event]:
    fields = record.fields
    if record_type is None and "record_type" in fields:
        name = text_of(fields.get("record_type")) or "(none)"
        return context_events(record, name) or [record.unknown(name)]
    if record_type is None and "role" not in fields:
        return _untyped_events(record)
    if record_type is not None and is_printed(record_type):
        return stream_events(record, record_type)
    return item_events(record)


def _untyped_events(record: CodexRecord) -> list[Event]:
    """A first line of the oldest logs, or a line of what was printed in their time."""
    fields = record.fields
    reported = message_in(fields)
    if reported is not None:
        return message_events(record.carry(reported))
    if is_settings(fields):
        return settings_events(record)
    if is_prompt(fields):
        return prompt_events(record)
    is_header = "id" in fields and "timestamp" in fields
    return header_events(record) if is_header else [record.unknown("(none)")]


LINES = RecordDecoder(CodexRecord, _decode_record, _RECORD_START, discovery_keys=("ordinal",))
