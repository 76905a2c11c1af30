"""What happened: the events of one message, one event of a run, or one line of llm-do's logs."""

import re
from typing import cast

from msgspec.structs import replace

from agentview.domain.events import Event, Hidden, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_document import outer_members
from agentview.normalize.json_values import Fields, changed, fields_of, items_of, text_of
from agentview.normalize.partial_json import load
from agentview.normalize.raw_span import element_spans
from agentview.providers._kit.event_builder import EventBuilder, excerpt
from agentview.providers._kit.json_documents import name_surroundings
from agentview.providers._kit.json_line import RecordDecoder, value_events
from agentview.providers._kit.json_recovery import placed, read_pieces
from agentview.providers.pydantic_ai.event_builder import RunRecord
from agentview.providers.pydantic_ai.llm_do import WORKER_TYPES, worker_events
from agentview.providers.pydantic_ai.messages import message_events
from agentview.providers.pydantic_ai.probing import LIST_KEYS
from agentview.providers.pydantic_ai.stream import stream_events

_RECORD_START = re.compile(
    r'\{\s*"(?:kind|parts|part|index|event_kind|seq|agent|type|worker|tool_name)"\s*:'
)
_RESPONDING = frozenset({"text", "thinking", "tool-call", "builtin-tool-call", "file"})
_REQUESTING = frozenset({"user-prompt", "system-prompt", "tool-return", "retry-prompt"})
"""Kinds of parts that only responses, and only requests have."""
_AROUND = re.compile(
    rb'^\s*\].*\}\s*$|"(?:' + "|".join(LIST_KEYS).encode() + rb')"\s*:\s*\[\s*$', re.DOTALL
)
"""Beginning and end of a document whose list of messages is a member of it."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list.

    A record is a message of a list, or a line. A line may hold a list of messages.
    """
    try:
        value = load(record)
    except ValueError:
        return _decode_damaged(record, source, session)
    return _decode_value(value, record, source, session)


def _decode_damaged(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    if _AROUND.search(record) is not None and outer_members(record) is not None:
        around = EventBuilder({}, record, source, session)
        return [
            name_surroundings(around).hidden(
                "what is around the list of messages", "document", suffix="unparsed"
            )
        ]
    events: list[Event] = []
    for piece, place in placed(read_pieces(record, _RECORD_START), source):
        if piece.error is not None:
            made = RunRecord({}, piece.raw, place, session)
            events.append(made.unreadable(f"not a whole JSON value: {piece.error}"))
        else:
            events.extend(_decode_value(piece.value, piece.raw, place, session))
    return events


def _outside(body: Unparsed | Hidden, source: SourceRef, session: SessionRef) -> Event:
    """An event of something that is not a record."""
    return Event("unparsed", session.session_id, source, body)


def _decode_value(value: object, raw: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    if isinstance(value, list):
        return _decode_list(cast("list[object]", value), raw, source, session)
    return value_events(value, raw, source, session, LINES)


def _decode_list(
    items: list[object], raw: bytes, source: SourceRef, session: SessionRef
) -> list[Event]:
    """Events of a list of messages on one line, each with its own place in it."""
    spans = element_spans(raw, raw.index(b"["))
    if len(spans) != len(items) or not all(isinstance(item, dict) for item in items):
        body = Unparsed("a JSON list of something else than messages", excerpt(raw))
        return [_outside(body, source, session)]
    events = [_outside(Hidden("a list of messages", "list"), source, session)]
    for item, (start, end) in zip(items, spans, strict=True):
        place = replace(source, offset=source.offset + start, length=end - start)
        events += _decode_value(item, raw[start:end], place, session)
    return events


def _record_events(record: RunRecord) -> list[Event]:
    """A message or an event of a run, by itself or in what llm-do puts around it."""
    fields = record.fields
    for key in ("message", "event"):
        inner = fields_of(fields.get(key))
        if inner and "agent" in fields:
            record.fields, record.path = inner, (key,)
            return _said(record)
    if "seq" in fields and "repr" in fields:
        said = text_of(fields.get("repr")) or ""
        body = Unparsed(
            "a message that could not be written as JSON", said, "repr", malformed=False
        )
        return [record.event("repr", body)]
    record_type = text_of(fields.get("type"))
    if record_type in WORKER_TYPES and "worker" in fields:
        return worker_events(record, record_type or "")
    return _said(record)


def _said(record: RunRecord) -> list[Event]:
    event_kind = text_of(record.fields.get("event_kind"))
    if event_kind is not None:
        return stream_events(record, event_kind)
    kind = text_of(record.fields.get("kind")) or _kind_by_parts(record.fields)
    if kind in ("request", "response") and "parts" in record.fields:
        record.fields = changed(record.fields, {"kind": kind})
        return message_events(record)
    return [record.unknown(kind or text_of(record.fields.get("type")) or "(none)")]


def _kind_by_parts(fields: Fields) -> str | None:
    """What a message is that was written without its kind; None without parts that show it."""
    kinds = {text_of(fields_of(part).get("part_kind")) for part in items_of(fields.get("parts"))}
    if kinds & _RESPONDING:
        return "response"
    return "request" if kinds & _REQUESTING else None


LINES = RecordDecoder(RunRecord, _record_events, _RECORD_START)
