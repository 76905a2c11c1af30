"""What happened: the events of an entry of a task, or of a call with all that came of it."""

import re

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_documents import document_events
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers.cline.cline_tasks.entries import entry_events
from agentview.providers.cline.cline_tasks.history import exchange_events, message_events
from agentview.providers.cline.cline_tasks.turn import turn_events

_BEGIN = re.compile(r'\{\s*"(?:ts|type|say|ask|role|content)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return document_events(record, source, session, FORM, _around, _group)


def _record_events(record: EventBuilder) -> list[Event]:
    if isinstance(record.fields.get("role"), str):
        return message_events(record)
    return turn_events([record]) if _is_entry(record.fields) else entry_events(record)


def _is_entry(fields: Fields) -> bool:
    return isinstance(fields.get("say"), str) or isinstance(fields.get("ask"), str)


def _group(records: list[EventBuilder]) -> list[Event]:
    if isinstance(records[0].fields.get("role"), str):
        return exchange_events(records)
    return turn_events(records)


def _around(record: EventBuilder) -> list[Event]:
    return [record.hidden("what is around the entries", "document")]


FORM = RecordDecoder(EventBuilder, _record_events, _BEGIN)
