"""What happened: the events of one record, which is a node of a tree."""

from msgspec.structs import replace

from agentview.domain.events import Event, Facts, Hidden, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import collect, items, mapping, text
from agentview.normalize.json_values import Fields, call_id_of, text_of, time_of
from agentview.normalize.output_text import text_of as text_in
from agentview.providers._kit.acp.content import blocks_of, diffs_in, shown
from agentview.providers._kit.acp.tool_calls import spec_of, tool_name
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.gemini.qwen_code.discovery import is_inherited, original
from agentview.providers.gemini.qwen_code.messages import (
    assistant_events,
    result_events,
    user_events,
)
from agentview.providers.gemini.qwen_code.stream import is_printed, printed_events
from agentview.providers.gemini.qwen_code.system import END, system_events
from agentview.providers.gemini.shared.event_builder import RECORD_START, GeminiRecord

# What `/export jsonl` writes: calls with their outcomes, in the words of the agents' protocol.

_DONE = {"completed": True, "failed": False}


def head_events(record: GeminiRecord, fields: Fields) -> list[Event]:
    """The first line, which says what the session is."""
    _ = fields
    return [record.hidden("the session itself", "session_metadata")]


def call_events(record: GeminiRecord, fields: Fields) -> list[Event]:
    """A call and, where it has ended, its outcome; the tool itself is not named."""
    call_fields = mapping(fields.get("toolCall"))
    call_id = call_id_of(call_fields.get("toolCallId"), record.name)
    kind, title = text(call_fields, "kind"), text(call_fields, "title")
    args = mapping(call_fields.get("rawInput"))
    content = blocks_of(call_fields["content"]) if call_fields.get("content") is not None else ()
    places = collect(items(call_fields.get("locations")), lambda place: text(place, "path"))
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
    ok = _DONE.get(text(call_fields, "status") or "")
    if ok is not None:
        output = shown(content)
        error = None if ok else text_in(output)
        events.append(record.event("result", ToolResult(call_id, ok, output, error=error)))
    return events


_MAKERS = {
    "user": user_events,
    "assistant": assistant_events,
    "tool_result": result_events,
    "system": system_events,
    "session_metadata": head_events,
    "tool_call": call_events,
}


_OWN_KINDS = _MAKERS.keys() - {"user", "assistant"}
"""Types of records that older versions, which wrote as Gemini CLI does, do not have."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`. An old
    document has no whole value around its messages.
    """
    if record.rstrip()[-1:] != b"}" and is_inherited(record):
        return original().reading.decode(record, source, session)
    return line_events(record, source, session, LINES)


def _decode_record(record: GeminiRecord) -> list[Event]:
    fields = record.fields
    if is_printed(fields):
        return printed_events(record, fields)
    kind = text_of(fields.get("type")) or "(none)"
    own = text_of(fields.get("uuid"))
    if own is None and kind not in _OWN_KINDS and not isinstance(fields.get("message"), dict):
        return original().reading.decode(record.raw, record.source, record.session)
    if own is not None:
        record.record_id = own
        # Parts of one response are written with the same id.
        record.suffix_end = f"@{record.source.offset}"
    record.time = time_of(fields.get("timestamp"))
    record.parent_id = text_of(fields.get("parentUuid"))
    record.stream = _stream(record, fields)
    record.facts = _facts(fields)
    maker = _MAKERS.get(kind)
    events = maker(record, fields) if maker is not None else [record.unknown(kind)]
    return _ended(record, events, own) if own is not None else events


def _ended(record: GeminiRecord, events: list[Event], own: str) -> list[Event]:
    """The events, of which the last, a hidden one, has the key that its children find it by."""
    key = f"{END}{own}"
    if isinstance(events[-1].body, Hidden):
        return [*events[:-1], replace(events[-1], replaces=key)]
    body = Hidden("the end of a record", "end")
    record.response_id = None
    return [*events, record.event("end", body, replaces=key)]


def _stream(record: GeminiRecord, fields: Fields) -> Stream:
    """The agent whose record it is, where that is not the one that the whole log is of."""
    stream, agent = record.session.stream, text_of(fields.get("agentId"))
    if fields.get("isSidechain") is not True or agent is None:
        return stream
    return Stream(StreamKind.SUBAGENT, agent) if stream.kind is StreamKind.MAIN else stream


def _facts(fields: Fields) -> Facts | None:
    facts = Facts(
        cwd=text_of(fields.get("cwd")),
        branch=text_of(fields.get("gitBranch")),
        model=text_of(fields.get("model")),
        client_version=text_of(fields.get("version")),
    )
    return facts if facts != Facts() else None


LINES = RecordDecoder(
    GeminiRecord, _decode_record, RECORD_START, discovery_keys=("sessionId", "session_id")
)
