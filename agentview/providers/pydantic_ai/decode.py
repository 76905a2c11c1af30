"""Events of one message, one event of a run, or one line of llm-do's logs."""

import re
from collections.abc import Sequence
from typing import cast

from msgspec import UNSET
from msgspec.structs import replace

from agentview.domain.events import Hidden, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_document import outer_members
from agentview.normalize.raw_span import element_spans
from agentview.providers._kit.event_builder import excerpt
from agentview.providers._kit.json_documents import name_surroundings
from agentview.providers._kit.typed_records import LightEvent, TypedLines, hidden
from agentview.providers.pydantic_ai.llm_do import WORKER_TYPES, worker_events
from agentview.providers.pydantic_ai.messages import message_events
from agentview.providers.pydantic_ai.probing import LIST_KEYS
from agentview.providers.pydantic_ai.record import RunRecord, run_record
from agentview.providers.pydantic_ai.schema import Line, Said
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


class _Records(TypedLines[RunRecord]):
    """A record is a message of a list, or a line. A line may hold a list of messages."""

    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        if _AROUND.search(line) is None or outer_members(line) is None:
            return super()._damaged(line, source, session)
        made = name_surroundings(run_record(Line(), line, source, session))
        return [hidden(made, "what is around the list of messages", "document", suffix="unparsed")]

    def _without_faults(
        self, value: object, raw: bytes, source: SourceRef, session: SessionRef
    ) -> Sequence[LightEvent]:
        if isinstance(value, list):
            return self._listed(cast("list[object]", value), raw, source, session)
        return super()._without_faults(value, raw, source, session)

    def _listed(
        self, items: list[object], raw: bytes, source: SourceRef, session: SessionRef
    ) -> Sequence[LightEvent]:
        """Events of a list of messages on one line, each with its own place in it."""
        own = run_record(Line(), raw, source, session)
        spans = element_spans(raw, raw.index(b"["))
        if len(spans) != len(items) or not all(isinstance(item, dict) for item in items):
            body = Unparsed("a JSON list of something else than messages", excerpt(raw))
            return [own.event("unparsed", body)]
        events: list[LightEvent] = [own.event("unparsed", Hidden("a list of messages", "list"))]
        for start, end in spans:
            place = replace(source, offset=source.offset + start, length=end - start)
            events += self.light(raw[start:end], place, session)
        return events


def _record_events(record: RunRecord) -> Sequence[LightEvent]:
    """A message or an event of a run, by itself or in what llm-do puts around it."""
    line = record.record
    for key, inner in (("message", line.message), ("event", line.event)):
        if isinstance(inner, Said) and line.agent is not UNSET:
            record.said, record.path = inner, (key,)
            return _said(record)
    if line.seq is not UNSET and line.repr is not UNSET:
        reason = "a message that could not be written as JSON"
        return [record.event("repr", Unparsed(reason, line.repr or "", "repr", malformed=False))]
    if line.type in WORKER_TYPES and line.worker is not UNSET:
        return worker_events(record, line.type or "")
    return _said(record)


def _said(record: RunRecord) -> Sequence[LightEvent]:
    said = record.said
    if said.event_kind:
        return stream_events(record, said.event_kind)
    kind = said.kind or _kind_by_parts(said)
    if kind in ("request", "response") and said.parts is not UNSET:
        return message_events(record, responds=kind == "response")
    return [record.unknown(kind or record.record.type or "(none)")]


def _kind_by_parts(said: Said) -> str | None:
    """Kind of a message that was written without it; None without parts that show it."""
    kinds = {part.part_kind for part in said.parts or () if part is not None}
    if kinds & _RESPONDING:
        return "response"
    return "request" if kinds & _REQUESTING else None


LINES = _Records(Line, run_record, _record_events, _RECORD_START)
