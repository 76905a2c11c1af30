"""What happened: the events of one row of a session, which is a line of JSON."""

import re

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.normalize import build
from agentview.normalize.json_fields import items, mapping, number, real, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    changed,
    fields_of,
    time_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.opencode.shared.tools import INVALID, find_tool, server_tool

_START = re.compile(r'\{"table":"')
_UNTITLED = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT")
_REJECTED = re.compile(
    r"The user rejected permission to use this specific tool call"
    r"(?: with the following feedback: (.+))?",
    re.DOTALL,
)
_RULED_OUT = "The user has specified a rule which prevents you from using this"
_NO_SUCH_TOOL = "Model tried to call unavailable tool"
_STOPPED = re.compile(
    r"<shell_metadata>\s*((?:shell tool|bash tool)?[^<]*?(?:timeout|aborted)[^.<\n]*)"
)
"""The note behind the output of a command that was ended: it has no exit code then."""
_ON = frozenset({"tool-calls", "unknown"})
"""Reasons to finish after which the model continues."""
_STATES = {
    "pending": ToolState.INPUT_STREAMING,
    "running": ToolState.INPUT_AVAILABLE,
}
_BOOKKEEPING = {
    "step-start": "the beginning of a step",
    "snapshot": "a snapshot of the files",
    "patch": "the files that a step changed, which its calls show",
    "agent": "the agent that a prompt names",
}


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one row: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


class _Row(EventBuilder):
    """A row of a table, which the client may write again."""

    __slots__ = ("data",)

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.data = mapping(fields.get("data"))
        self.record_id = text(fields, "id")
        self.rewritten_id = self.record_id
        self.keeps_place = True
        self.time = time_of(fields.get("time_created"))


def _row_events(row: _Row) -> list[Event]:
    table = text(row.fields, "table")
    if table == "session":
        return _session(row)
    if table == "message":
        return _message(row)
    if table == "part":
        return _part(row)
    return [row.unknown(table or "(none)")]


LINES = RecordDecoder(_Row, _row_events, _START)


def _session(row: _Row) -> list[Event]:
    facts = Facts(cwd=text(row.fields, "directory"), client_version=text(row.fields, "version"))
    events = [row.hidden("the session itself", "session", facts=facts)]
    title = text(row.fields, "title")
    if title and not _UNTITLED.match(title):
        events.append(row.event("title", Title(title, TitleSource.AI)))
    return events


def _message(row: _Row) -> list[Event]:
    """Events of the row of a message: its tokens and its error; its parts have rows."""
    data = row.data
    role = text(data, "role") or "unknown"
    model = text(data, "modelID") or text(mapping(data.get("model")), "modelID")
    facts = Facts(cwd=text(mapping(data.get("path")), "cwd"), model=model, mode=text(data, "mode"))
    events = [row.hidden("a message, whose parts have rows of their own", role, facts=facts)]
    usage = _usage(mapping(data.get("tokens")))
    if usage is not None:
        cost = real(data, "cost") or None
        body = TokenUsage(row.rewritten_id or row.name, usage, model, cost=cost)
        events.append(row.event("usage", body, response_id=row.name))
    error = mapping(data.get("error"))
    ended = _failure(error) if error else _ended(row, usage)
    if ended is not None:
        events.append(row.event("error", ended))
    return events


def _ended(row: _Row, usage: Usage | None) -> Notification | None:
    """How a message ended without an answer of the model: what was written last says no more."""
    completed = mapping(row.data.get("time")).get("completed")
    if text(row.data, "role") != "assistant" or completed is None:
        return None
    if row.fields.get("refused") == 1:
        return Notification(Topic.INTERRUPT, "A call was refused")
    if text(row.data, "finish") is not None or usage is not None:
        return None
    if row.fields.get("parts") == 0:
        return Notification(Topic.INTERRUPT, "Stopped before the model answered")
    if row.fields.get("parts") is not None:
        return Notification(Topic.TURN_END, "The command of the person ended")
    return None


def _usage(tokens: Fields) -> Usage | None:
    """The tokens of a response; None while none were counted."""
    cache = mapping(tokens.get("cache"))
    counts = [number(tokens, key) for key in ("input", "output", "reasoning")]
    cached = [number(cache, key) for key in ("read", "write")]
    if not any((*counts, *cached)):
        return None
    fresh, output, reasoning = counts
    # What was thought is counted next to the output.
    whole = None if output is None else output + (reasoning or 0)
    return Usage(fresh, cached[0], cached[1], whole, reasoning)


def _failure(error: Fields) -> Notification:
    data = mapping(error.get("data"))
    name = text(error, "name") or "error"
    words = text(data, "message") or name
    if name == "MessageAbortedError":
        return Notification(Topic.INTERRUPT, words)
    return Notification(error_topic(words), words, Level.ERROR, detail=name)


def _part(row: _Row) -> list[Event]:
    kind = text(row.data, "type") or "(none)"
    if kind == "step-finish":
        return _step_end(row)
    if kind in _BOOKKEEPING:
        return [row.hidden(_BOOKKEEPING[kind], kind)]
    make = _PARTS.get(kind)
    if make is None:
        return [row.unknown(kind)]
    return make(row)


def _step_end(row: _Row) -> list[Event]:
    """The end of a step; the last one of a turn ends that too. Its tokens are its message's."""
    if (text(row.data, "reason") or "tool-calls") in _ON:
        return [row.hidden("the end of a step, whose tokens its message has", "step-finish")]
    return [row.event("end", Notification(Topic.TURN_END, "The turn ended"))]


def _text(row: _Row) -> list[Event]:
    words = text(row.data, "text") or ""
    summary = mapping(row.fields.get("summary"))
    if summary:
        return [_compacted(row, text(summary, "of") or row.name, summary.get("auto"), words)]
    if mapping(row.data.get("metadata")).get("kilocode.lifecycle") == "transient":
        return [row.hidden("what the client is doing, which it removes again", "text")]
    if text(row.fields, "role") != "user":
        return [row.event("text", Message(words), response_id=text(row.fields, "message_id"))]
    if row.data.get("synthetic") is True or row.data.get("ignored") is True:
        return [row.hidden("text that the client put in", "text")]
    return [row.event("text", spoken(words))]


def _reasoning(row: _Row) -> list[Event]:
    time = mapping(row.data.get("time"))
    start, end = time_of(time.get("start")), time_of(time.get("end"))
    duration = end - start if start is not None and end is not None else None
    body = Reasoning(text(row.data, "text") or "", duration=duration)
    return [row.event("reasoning", body, response_id=text(row.fields, "message_id"))]


def _file(row: _Row) -> list[Event]:
    mime, name = text(row.data, "mime") or "file", text(row.data, "filename")
    path = text(mapping(row.data.get("source")), "path")
    return [row.event("file", Attachment(name or path or mime, mime, path=path))]


def _tool(row: _Row) -> list[Event]:
    """The call, and its result or its progress: the row has both, as they are by now."""
    state = mapping(row.data.get("state"))
    status = text(state, "status")
    call_id = call_id_of(row.data.get("callID"), row.name)
    metadata = mapping(state.get("metadata"))
    started = text(metadata, "sessionId")
    child = Stream(StreamKind.SUBAGENT, started) if started else None
    time = mapping(state.get("time"))
    begun = time_of(time.get("start"))
    call = _call(row, call_id, state, status)
    response = text(row.fields, "message_id")
    events = [row.event("call", call, response_id=response, time=begun, child=child)]
    if status in ("completed", "error"):
        ended = time_of(time.get("end"))
        result = _result(call, state, metadata)
        events.append(row.event("result", result, time=ended, child=child))
    elif (printed := text(metadata, "output")) is not None:
        events.append(row.event("progress", ToolProgress(call_id, printed)))
    return events


def _call(row: _Row, call_id: str, state: Fields, status: str | None) -> ToolCall:
    name = text(row.data, "tool") or ""
    given = state.get("input")
    streamed = text(state, "raw") if status == "pending" and not fields_of(given) else None
    spec = find_tool(name, mapping(given))
    if spec is None and not (text(state, "error") or "").startswith(_NO_SUCH_TOOL):
        spec = server_tool(name)
    return build.tool_call(
        call_id=call_id,
        name=name,
        arguments=streamed or mapping(given),
        raw=row.text_at("data", "state", "input") if streamed is None else None,
        spec=spec,
        state=_STATES.get(status or "", ToolState.INPUT_AVAILABLE),
        title=text(state, "title") or None,
    )


def _result(call: ToolCall, state: Fields, metadata: Fields) -> ToolResult:
    output = text(state, "output")
    media = [
        ImageBlock(media_type=text(each, "mime") or "", uri=text(each, "url"))
        for each in map(mapping, items(state.get("attachments")))
    ]
    error = text(state, "error") if text(state, "status") == "error" else None
    code = number(metadata, "exit")
    stopped = None
    if call.provider_name == INVALID:
        # A call of a tool that there is not, or with arguments that are no JSON, counts as done.
        error = error or text(mapping(state.get("input")), "error") or "an invalid call"
    elif call.kind is ToolKind.SHELL and code is None and output is not None:
        stopped = _STOPPED.search(output)
        error = error or (stopped[1].strip() if stopped else None)
    return ToolResult(
        call.call_id,
        ok=error is None and code in (None, 0),
        output=(*((TextBlock(output),) if output else ()), *media),
        structured=changed(metadata, {"exit_code": code}) if code is not None else metadata,
        error=error,
        denial=_denial(error),
        interrupted=error == "Tool execution aborted"
        or (stopped is not None and "aborted" in stopped[1]),
    )


def _denial(error: str | None) -> Denial | None:
    if error is None:
        return None
    rejected = _REJECTED.match(error)
    if rejected is not None:
        return Denial(DeniedBy.PERSON, rejected[1])
    return Denial(DeniedBy.RULE) if error.startswith(_RULED_OUT) else None


def _compaction(row: _Row) -> list[Event]:
    of = text(row.fields, "message_id") or row.name
    return [_compacted(row, of, row.data.get("auto"), None)]


def _compacted(row: _Row, of: str, automatic: object, summary: str | None) -> Event:
    """The compaction that a message asks for; its summary is the answer, and comes later."""
    trigger = "auto" if automatic in (True, 1) else "manual"
    body = Compaction(trigger=trigger, summary=summary)
    key = f"compaction:{of}"
    return row.event("compaction", body, replaces=key, resets=Reset.COMPACTED)


def _retry(row: _Row) -> list[Event]:
    error = mapping(row.data.get("error"))
    words = text(mapping(error.get("data")), "message") or text(error, "name") or "a request failed"
    body = Notification(error_topic(words), words, Level.WARNING)
    return [row.event("retry", body)]


def _subtask(row: _Row) -> list[Event]:
    return [row.event("subtask", spoken(text(row.data, "prompt") or ""))]


_PARTS = {
    "text": _text,
    "reasoning": _reasoning,
    "file": _file,
    "tool": _tool,
    "compaction": _compaction,
    "retry": _retry,
    "subtask": _subtask,
}
