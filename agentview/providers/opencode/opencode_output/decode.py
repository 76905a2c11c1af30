"""What happened: parts and messages as they are printed, which are the rows of the tables."""

import re

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import Fields, changed, fields_of
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_documents import document_events
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers.opencode.shared.decode import LINES as ROWS

_START = re.compile(r'\{\s*"(?:type|info)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return document_events(record, source, session, LINES, _around)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    if "part" in fields:
        return _printed(record, fields_of(fields.get("part")))
    if "error" in fields and "sessionID" in fields:
        return _row(record, "message", {"data": {"error": fields.get("error")}}, "error")
    if "info" in fields and "parts" in fields:
        return _message(record)
    if "info" in fields:
        return _around(record)
    return [record.unknown(text(fields, "type") or "(none)")]


LINES = RecordDecoder(EventBuilder, _record_events, _START)


def _around(record: EventBuilder) -> list[Event]:
    """Return what is around the messages of a document: the session itself."""
    info = fields_of(record.fields.get("info"))
    if not info:
        return [record.hidden("what is around the messages", "document")]
    created = mapping(info.get("time")).get("created")
    return _row(record, "session", changed(info, {"time_created": created}), text(info, "id"))


def _printed(record: EventBuilder, part: Fields) -> list[Event]:
    """A part when it is done; the end of a step says what its message used."""
    own, message = text(part, "id"), text(part, "messageID")
    about = {"time_created": record.fields.get("timestamp"), "message_id": message}
    events = _row(record, "part", {**about, "data": part}, own)
    if text(part, "type") == "step-finish":
        used = {key: part[key] for key in ("tokens", "cost") if key in part}
        events += _row(record, "message", {**about, "data": used}, message)
    return events


def _message(record: EventBuilder) -> list[Event]:
    """A message with its parts, of which each stands at its place: ids may be removed."""
    info = fields_of(record.fields.get("info"))
    created = mapping(info.get("time")).get("created")
    own, role = text(info, "id"), text(info, "role")
    known_by = f"{own or record.name}@{created}"
    message = {"time_created": created, "data": info}
    events = _row(record, "message", message, own, known_by=known_by)
    about: dict[str, object] = {"role": role, "message_id": own}
    if role == "assistant" and info.get("summary") is True:
        about["summary"] = {"of": text(info, "parentID"), "auto": True}
    for at, each in enumerate(items(record.fields.get("parts"))):
        part = fields_of(each)
        begun = mapping(part.get("time")).get("start") or created
        fields = {**about, "time_created": begun, "data": part}
        own_key = f"{known_by}/{at}"
        events += _row(record, "part", fields, text(part, "id"), f"/{at}", known_by=own_key)
    return events


def _row(
    record: EventBuilder,
    table: str,
    fields: Fields,
    own: str | None,
    end: str = "",
    known_by: str | None = None,
) -> list[Event]:
    """Events of the row of a table, with the id `own` where it has one.

    Rows with one key, the id unless `known_by` says another, are one row that is written again.
    """
    named = changed({**fields}, {"table": table, "id": own})
    row = ROWS.builder(named, record.raw, record.source, record.session)
    row.rewritten_id = known_by or own
    row.suffix_end = f":{table}{end}" if own is None else ""
    return ROWS.decode_record(row)
