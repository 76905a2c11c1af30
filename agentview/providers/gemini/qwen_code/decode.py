"""Events of one record, which is a node of a tree."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec import UNSET

from agentview.domain.events import Event, Facts, ToolResult
from agentview.domain.index_entry import EventFact
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import time_of
from agentview.normalize.output_text import text_of as text_in
from agentview.providers._kit.acp.content import blocks_of, diffs_in, shown
from agentview.providers._kit.acp.tool_calls import spec_of, tool_name
from agentview.providers._kit.typed_records import (
    HIDDEN,
    LightEvent,
    Records,
    TypedLines,
    hidden,
    read_as,
)
from agentview.providers.gemini.qwen_code.discovery import is_inherited, original
from agentview.providers.gemini.qwen_code.event_builder import QwenRecord, qwen_record
from agentview.providers.gemini.qwen_code.messages import (
    assistant_events,
    result_events,
    user_events,
)
from agentview.providers.gemini.qwen_code.schema import ExportedCall, Record
from agentview.providers.gemini.qwen_code.stream import CONTROL, TYPES, printed_events
from agentview.providers.gemini.qwen_code.system import END, system_events
from agentview.providers.gemini.shared.event_builder import RECORD_START

# What `/export jsonl` writes: calls with their outcomes, in the words of the agents' protocol.

_DONE = {"completed": True, "failed": False}


def head_events(record: QwenRecord) -> Sequence[LightEvent]:
    return [hidden(record, "the session itself", "session_metadata")]


def call_events(record: QwenRecord) -> Sequence[LightEvent]:
    """A call and, where it has ended, its outcome; the tool itself is not named."""
    exported = read_as(record.value_of(record.record.tool_call), ExportedCall)
    call_id = record.name if exported.tool_call_id is None else exported.tool_call_id
    kind, title, args = exported.kind, exported.title, mapping(exported.raw_input)
    content = blocks_of(exported.content) if exported.content is not None else ()
    places = [each.path for each in exported.locations or () if each is not None and each.path]
    name = tool_name(call_id, None, title, kind)
    written = record.text_at("toolCall", "rawInput") or b""
    call = tool_call(
        call_id=call_id,
        name=name,
        arguments=args or None,
        raw=written if written.startswith(b"{") else None,
        spec=spec_of(name, kind, title, args, diffs_in(content), places),
        title=title,
    )
    events = [record.event("call", call)]
    ok = _DONE.get(exported.status or "")
    if ok is not None:
        output = shown(content)
        error = None if ok else text_in(output)
        events.append(record.event("result", ToolResult(call_id, ok, output, error=error)))
    return events


records = Records[QwenRecord](hidden={})
records.on("user")(user_events)
records.on("assistant")(assistant_events)
records.on("tool_result")(result_events)
records.on("system")(system_events)
records.on("session_metadata")(head_events)
records.on("tool_call")(call_events)

_OWN_KINDS = records.makers.keys() - {"user", "assistant"}
"""Types of records that older versions, which wrote as Gemini CLI does, do not have."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _decode_record(record: QwenRecord) -> Sequence[LightEvent]:
    own = record.record
    kind, uuid = own.type or "(none)", own.uuid or None
    is_named = own.printed_of is not UNSET and own.log_of is UNSET
    if kind in CONTROL or (is_named and kind in TYPES):
        return printed_events(record)
    if uuid is None and kind not in _OWN_KINDS and own.message is None:
        return inherited(record.raw, record.source, record.session)
    record.time, record.parent_id = time_of(own.timestamp), own.parent_uuid or None
    record.stream = _stream(record.session.stream, own)
    record.facts = _facts(own.cwd, own.git_branch, own.model, own.version)
    if uuid is None:
        return records(record, kind)
    record.record_id = uuid
    # Parts of one response are written with the same id.
    record.suffix_end = f"@{record.source.offset}"
    return _ended(record, records(record, kind), f"{END}{uuid}")


def _ended(record: QwenRecord, events: Sequence[LightEvent], key: str) -> Sequence[LightEvent]:
    """The events, of which the last, a hidden one, has the key that its children find it by."""
    last = events[-1]
    if isinstance(last, EventFact) and last.kind == HIDDEN:
        last.replaces = key
        return events
    record.response_id = None
    return [*events, hidden(record, "the end of a record", "end", suffix="end", replaces=key)]


def _stream(stream: Stream, own: Record) -> Stream:
    """The agent whose record it is, where that is not the one that the whole log is of."""
    if own.is_sidechain is not True or not own.agent_id or stream.kind is not StreamKind.MAIN:
        return stream
    return Stream(StreamKind.SUBAGENT, own.agent_id)


@lru_cache(maxsize=256)
def _facts(
    cwd: str | None, branch: str | None, model: str | None, version: str | None
) -> Facts | None:
    facts = Facts(cwd or None, branch or None, model or None, version or None)
    return facts if facts != Facts() else None


def inherited(record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
    """Events of a record in the form of Gemini CLI."""
    light = original().reading.light
    return light(record, source, session) if light is not None else ()


class _Lines(TypedLines[QwenRecord]):
    """Lines, and pieces of old documents, which have no whole value around their messages."""

    def light(self, record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        if record.rstrip()[-1:] != b"}" and is_inherited(record):
            return inherited(record, source, session)
        return super().light(record, source, session)


LINES = _Lines(Record, qwen_record, _decode_record, RECORD_START)
