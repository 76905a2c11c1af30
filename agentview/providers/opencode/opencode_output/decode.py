"""Events of parts and messages as they are printed, which are the rows of the tables."""

import re
from collections.abc import Sequence

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, hidden
from agentview.providers.opencode.shared.decode import row_events, row_of
from agentview.providers.opencode.shared.schema import Data, Number, Printed, Row, Summary

_START = re.compile(r'\{\s*"(?:type|info)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


class PrintedRecord(TypedBuilder[Printed], gc=False):
    """A line of a run, or a record of a document."""


def _record_of(
    record: Printed, raw: bytes, source: SourceRef, session: SessionRef
) -> PrintedRecord:
    return PrintedRecord(record, raw, source, session, session.session_id, session.stream)


def _record_events(record: PrintedRecord) -> Sequence[LightEvent]:
    own = record.record
    if own.part is not None:
        return _printed(record, own.part)
    if own.error is not None and own.session_id is not None:
        row = Row("message", time_created=own.timestamp, data=Data(error=own.error))
        return _events(record, row, ())
    if own.info is not None and own.parts is not None:
        return _message(record, own.info, own.parts)
    if own.info is not None:
        return _around(record)
    return [record.unknown(own.type or "(none)")]


def _around(record: PrintedRecord) -> Sequence[LightEvent]:
    """Facts of a document around the messages: the session itself."""
    info = record.record.info
    if info is None:
        return [hidden(record, "what is around the messages", "document")]
    row = Row(
        "session", info.id, _created(info), directory=info.directory, version=info.version,
        title=info.title,
    )  # fmt: skip
    return _events(record, row, ("info",))


LINES = TypedDocuments(Printed, _record_of, _record_events, _START, around=_around)


def _printed(record: PrintedRecord, part: Data) -> Sequence[LightEvent]:
    """A part when it is done; the end of a step says what its message used."""
    time, message, path = record.record.timestamp, part.message_id, ("part",)
    events = _events(record, Row("part", part.id, time, part, message_id=message), path)
    if part.type != "step-finish":
        return events
    used = Data(tokens=part.tokens, cost=part.cost)
    return [*events, *_events(record, Row("message", message, time, used), path)]


def _message(
    record: PrintedRecord, info: Data, parts: Sequence[Data | None]
) -> Sequence[LightEvent]:
    """A message with its parts, of which each stands at its place: ids may be removed."""
    created, own, role = _created(info), info.id, info.role
    known_by = f"{own or record.name}@{created}"
    events = [*_events(record, Row("message", own, created, info), ("info",), known_by=known_by)]
    summary = None
    if role == "assistant" and bytes(info.summary) == b"true":
        summary = Summary(info.parent_id, auto=True)
    for at, part in enumerate(parts):
        data = part or Data()
        begun = (data.time.start if data.time is not None else None) or created
        row = Row("part", data.id, begun, data, message_id=own, role=role, summary=summary)
        path = ("parts", at)
        events += _events(record, row, path, end=f"/{at}", known_by=f"{known_by}/{at}")
    return events


def _created(info: Data) -> Number:
    return info.time.created if info.time is not None else None


def _events(
    record: PrintedRecord,
    row: Row,
    path: tuple[str | int, ...],
    end: str = "",
    known_by: str | None = None,
) -> Sequence[LightEvent]:
    """Events of the row of a table, whose data is at a path of the record.

    Rows with one key, the id unless `known_by` says another, are one row that is written again.
    """
    made = row_of(row, record.raw, record.source, record.session)
    made.path, made.value_of = path, record.value_of
    made.rewritten_id = known_by or row.id
    made.suffix_end = f":{row.table}{end}" if row.id is None else ""
    return row_events(made)
