"""Events of one line of a rollout, or of the client's printed stream."""

import re
from collections.abc import Sequence

from msgspec import UNSET, Raw

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import text_of, time_of
from agentview.providers._kit.typed_records import LightEvent, TypedLines, hidden
from agentview.providers.codex.event_builder import CodexRecord, codex_record
from agentview.providers.codex.event_msg import report_events
from agentview.providers.codex.exec_stream import (
    has_report,
    is_printed,
    is_prompt,
    is_settings,
    message_events,
    prompt_events,
    settings_events,
    stream_events,
)
from agentview.providers.codex.legacy_json import header_in
from agentview.providers.codex.response_item import is_item, item_events, passed_on
from agentview.providers.codex.schema import Record
from agentview.providers.codex.session_meta import context_events, header_events
from agentview.providers.codex.terminal_log import is_passed, passed_events

_AROUND = "what is around the items"
_RECORD_START = re.compile(r'\{\s*"(?:timestamp|type|payload|ordinal|record_type|id|ts)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    return LINES.events(record, source, session)


class _Lines(TypedLines[CodexRecord]):
    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        """Such a line may be what is around the items of a document."""
        document = header_in(line)
        if document is None:
            return super()._damaged(line, source, session)
        around = codex_record(Record(), line, source, session)
        around.time = time_of(document.get("timestamp"))
        return (
            header_events(around, document) if document else [hidden(around, _AROUND, "document")]
        )


def _decode_record(record: CodexRecord) -> Sequence[LightEvent]:
    """A record with an envelope, a printed one, or, in the oldest logs, an item by itself."""
    record_type = record.record.type or None
    if record_type is None and is_passed(record.fields):
        return passed_events(record)
    if record.record.payload is UNSET:
        return _bare_events(record, record_type)
    if record_type == "response_item":
        if record.payload.type is None:
            # Some writers of this format have the item one level deeper.
            inner = record.payload.item
            record = record if inner is None else record.carry(inner, "item")
        return item_events(record)
    if record_type == "event_msg":
        return report_events(record)
    if record_type == "history_mutation":
        return _added(record)
    if record_type == "inter_agent_communication":
        return passed_on(record)
    if record_type == "event" and has_report(record):
        return message_events(record)
    name = record_type or "(none)"
    found = context_events(record, name)
    if found is None and is_item(record.payload.type or name):
        return item_events(record)
    return found if found is not None else [record.unknown(name)]


def _added(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of the items that a record of Trae CLI adds to the history.

    What other changes than that mean is not known.
    """
    operation, items = record.report.operation or "(none)", record.payload.items
    if operation != "append" or items is None:
        return [record.unknown(f"history_mutation/{operation}")]
    events: list[LightEvent] = []
    added: list[tuple[Raw, CodexRecord]] = []
    for number, item in enumerate(items):
        inner = LINES.record_of(bytes(item), record.source, record.session)
        if inner is None:
            events.append(record.unknown("history_mutation/item", f"unknown{number}"))
            continue
        inner.time, inner.suffix_end = record.time, f"/{number}"
        inner.value_of = record.value_of
        added.append((item, inner))
        events += item_events(inner)
    record.inner = added
    return events or [hidden(record, "a change of nothing", "history_mutation")]


def _bare_events(record: CodexRecord, record_type: str | None) -> Sequence[LightEvent]:
    fields = record.fields
    if record_type is None and "record_type" in fields:
        name = text_of(fields.get("record_type")) or "(none)"
        return context_events(record, name) or [record.unknown(name)]
    if record_type is None and "role" not in fields:
        return _untyped_events(record)
    if record_type is not None and is_printed(record_type):
        return stream_events(record, record_type)
    return item_events(record)


def _untyped_events(record: CodexRecord) -> Sequence[LightEvent]:
    """A first line of the oldest logs, or a line of what was printed in their time."""
    fields = record.fields
    if has_report(record):
        return message_events(record)
    if is_settings(fields):
        return settings_events(record)
    if is_prompt(fields):
        return prompt_events(record)
    is_header = "id" in fields and "timestamp" in fields
    return header_events(record, fields) if is_header else [record.unknown("(none)")]


LINES = _Lines(Record, codex_record, _decode_record, _RECORD_START)
