"""Traces: the raw records of tool calls, results and permission requests, next to what they became.

An entry is `{v, ts, protocol, provider, client_version, kind, key, raw, normalized}`, and `call`,
the record that the call began with, where the entry is of another record. `ts` is in milliseconds;
`key` is `protocol/provider/kind/tool`. Nothing in an entry is secret: see `redaction`; long values
are cut.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from agentview.domain.events import Event, ToolResult, Unparsed
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.value import Value
from agentview.drift.call_records import Fields, call_fields, isolated, result_fields
from agentview.drift.truncate import cut
from agentview.facts.accounting.record_types import parse, record_type
from agentview.normalize.json_values import fields_of
from agentview.providers.base import Provider
from agentview.redaction.redactor import Redactor
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reading import decode_line
from agentview.timeline.view.sanitize import escaped_json

VERSION = 1
"""Version of the form of an entry."""

NAMELESS = "(none)"
"""The tool of a call that says no name, and of a result whose call is not in the log."""

_REMEMBERED = 2048
"""Calls without their result that are remembered."""


class EntryKind(StrEnum):
    """Kind of an entry of a trace."""

    CALL = "tool-call"
    UPDATE = "tool-call-update"
    """A later record of a call that is reported in several."""
    RESULT = "tool-result"
    PERMISSION = "permission-request"
    UNREAD = "unread-record"
    """A record that nothing could read: its key ends with what it calls itself."""


@dataclass(slots=True)
class _Known:
    """A call that was read, and the record it began with where that is in the trace."""

    call: ToolCall
    raw: object = None
    traced: bool = False


@dataclass(slots=True)
class Tracer:
    """Gives the entries of one log, record by record in the order of the file."""

    provider: Provider
    session: SessionRef
    redactor: Redactor
    version: str | None = None
    """Of the client, as far as the log has it."""
    _calls: dict[str, _Known] = field(default_factory=dict[str, _Known])

    def entries(self, line: Line) -> Iterator[Fields]:
        """Entries of the next record; most records have none."""
        if line.data is None:
            return
        events = decode_line(self.provider, self.session, line)
        for event in events:
            if event.facts is not None and event.facts.client_version is not None:
                self.version = event.facts.client_version
        if any(isinstance(event.body, ToolCall | ToolResult | Unparsed) for event in events):
            yield from self._entries(line.data, events)

    def _entries(self, data: bytes, events: list[Event]) -> Iterator[Fields]:
        value = parse(data)
        marks = self.provider.record_type_keys
        name = record_type(value, marks)
        protocol = marks.protocol(fields_of(value))
        raw = value if _is_whole(data, value) else data.decode("utf-8", "replace")
        asks = any(name == each or name.startswith(f"{each}/") for each in marks.asks)
        head = _Head(protocol, raw, asks=asks)
        for event in events:
            body = event.body
            if isinstance(body, ToolCall):
                yield from self._call(head, event, body)
            elif isinstance(body, ToolResult):
                yield self._result(head, event, body)
            elif isinstance(body, Unparsed):
                yield self._entry(head, event, EntryKind.UNREAD, name, raw, {"reason": body.reason})

    def _call(self, head: "_Head", event: Event, call: ToolCall) -> Iterator[Fields]:
        known = self._calls.get(call.call_id)
        if known is None:
            known = self._calls[call.call_id] = _Known(call)
            while len(self._calls) > _REMEMBERED:
                del self._calls[next(iter(self._calls))]
        if head.asks:
            if call.kind is not ToolKind.ASK:
                yield self._call_entry(head, event, EntryKind.PERMISSION, call)
            return
        if call.state is ToolState.INPUT_STREAMING and event.run and not event.whole:
            # Its arguments come in pieces; the whole of it follows later.
            return
        if not known.traced:
            known.call, known.traced = call, True
            entry = self._call_entry(head, event, EntryKind.CALL, call)
            known.raw = entry["raw"]
            yield entry
        elif event.amends:
            known.call = self.provider.reading.merge_call(known.call, call)
            entry = self._call_entry(head, event, EntryKind.UPDATE, known.call)
            yield entry if known.raw is None else {**entry, "call": known.raw}

    def _call_entry(self, head: "_Head", event: Event, kind: EntryKind, call: ToolCall) -> Fields:
        raw = isolated(self.provider, self.session, head.raw, call)
        return self._entry(head, event, kind, _name(call), raw, call_fields(call))

    def _result(self, head: "_Head", event: Event, result: ToolResult) -> Fields:
        known = self._calls.get(result.call_id)
        call = known.call if known is not None else None
        raw = isolated(self.provider, self.session, head.raw, result)
        recorded_outcome = result_fields(result, call, self.provider.reading.attach_result)
        name = _name(call) if call is not None else NAMELESS
        entry = self._entry(head, event, EntryKind.RESULT, name, raw, recorded_outcome)
        if known is not None and known.raw is not None and known.raw != entry["raw"]:
            entry["call"] = known.raw
        return entry

    def _entry(
        self,
        head: "_Head",
        event: Event,
        kind: EntryKind,
        name: str,
        raw: object,
        normalized: Fields,
    ) -> Fields:
        return {
            "v": VERSION,
            "ts": round(event.time * 1000) if event.time is not None else None,
            "protocol": head.protocol,
            "provider": self.provider.name,
            "client_version": self.version,
            "kind": kind.value,
            "key": self.redactor.text(f"{head.protocol}/{self.provider.name}/{kind.value}/{name}"),
            "raw": cut(self.redactor.value(raw)),
            "normalized": cut(self.redactor.value(normalized)),
        }


class _Head(Value):
    """Members that all entries of a record have in common."""

    protocol: str
    raw: object
    asks: bool


def _name(call: ToolCall) -> str:
    return call.name or NAMELESS


def _is_whole(data: bytes, value: object) -> bool:
    return isinstance(value, dict) and data.lstrip()[:1] == b"{" and data.rstrip()[-1:] == b"}"


def to_line(entry: Fields) -> bytes:
    """An entry as a line of JSON: lone surrogates become `?`, odd characters escapes."""
    line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace").decode()
    return escaped_json(line).encode() + b"\n"
