"""Events of one row of a session, which is a line of JSON."""

import re
from collections.abc import Sequence

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
from agentview.domain.index_entry import Flag, Role, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.normalize import build
from agentview.normalize.json_fields import as_text, items, mapping, text
from agentview.normalize.json_values import changed, fields_of, real_of, time_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.result_text import refusal
from agentview.providers._kit.typed_records import (
    HIDDEN,
    MESSAGE,
    REASONING,
    LightEvent,
    Records,
    TypedLines,
    hidden,
    same,
)
from agentview.providers.opencode.shared.projected import projected
from agentview.providers.opencode.shared.row import FINE, ON, OpenCodeRow, placed, row_of, usage_of
from agentview.providers.opencode.shared.schema import (
    Failure,
    Metadata,
    Model,
    Row,
    State,
    Times,
    Words,
)
from agentview.providers.opencode.shared.tools import INVALID, find_tool, named, server_tool

_START = re.compile(r'\{"table":"')
_UNTITLED = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT")
_REFUSALS = (
    (
        (
            r"(?s)The user rejected permission to use this specific tool call"
            r"(?: with the following feedback: (?P<words>.+))?"
        ),
        DeniedBy.PERSON,
    ),
    ("The user has specified a rule which prevents you from using this", DeniedBy.RULE),
)
_NO_SUCH_TOOL = "Model tried to call unavailable tool"
_STOPPED = re.compile(
    r"<shell_metadata>\s*((?:shell tool|bash tool)?[^<]*?(?:timeout|aborted)[^.<\n]*)"
)
"""The note behind the output of a command that was ended: it has no exit code then."""
_HIDDEN = {
    "step-start": "the beginning of a step",
    "snapshot": "a snapshot of the files",
    "patch": "the files that a step changed, which its calls show",
    "agent": "the agent that a prompt names",
}
_NO_METADATA, _NO_TIMES = Metadata(), Times()


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def row_events(row: OpenCodeRow) -> Sequence[LightEvent]:
    """Events of a row of any table."""
    table = row.record.table
    if table == "part":
        return _parts(row, row.data.type or None)
    if table == "message":
        return _message(row)
    if table == "session":
        return _session(row)
    if table == "session_message":
        return projected(row, row.record.type or None)
    return [row.unknown(table or "(none)")]


LINES = TypedLines(Row, row_of, row_events, _START)


def _session(row: OpenCodeRow) -> Sequence[LightEvent]:
    own = row.record
    facts = Facts(cwd=own.directory, client_version=own.version)
    events: list[LightEvent] = [hidden(row, "the session itself", "session", facts=facts)]
    if own.title and not _UNTITLED.match(own.title):
        events.append(row.event("title", Title(own.title, TitleSource.AI)))
    return events


def _message(row: OpenCodeRow) -> Sequence[LightEvent]:
    """Events of the row of a message: its tokens and its error; its parts have rows."""
    data = row.data
    model = data.model_id
    if model is None and isinstance(data.model, Model):
        model = data.model.model_id
    facts = placed(data.path.cwd if data.path is not None else None, model, data.mode)
    role = data.role or "unknown"
    events: list[LightEvent] = [
        hidden(row, "a message, whose parts have rows of their own", role, facts=facts)
    ]
    usage = usage_of(data.tokens) if data.tokens is not None else None
    if usage is not None:
        cost = real_of(data.cost) or None
        body = TokenUsage(row.rewritten_id or row.name, usage, model, cost=cost)
        light = row.usage_part(body)
        light.response = row.name
        events.append(light)
    ended = _failure(data.error) if data.error else _ended(row, usage)
    if ended is not None:
        events.append(row.event("error", ended))
    return events


def _ended(row: OpenCodeRow, usage: Usage | None) -> Notification | None:
    """How a message ended without an answer of the model: what was written last says no more."""
    data, own = row.data, row.record
    if data.role != "assistant" or data.time is None or data.time.completed is None:
        return None
    if own.refused == 1:
        return Notification(Topic.INTERRUPT, "A call was refused")
    if data.finish is not None or usage is not None:
        return None
    if own.parts == 0:
        return Notification(Topic.INTERRUPT, "Stopped before the model answered")
    if own.parts is not None:
        return Notification(Topic.TURN_END, "The command of the person ended")
    return None


def _failure(error: Failure | str) -> Notification:
    found = _as_failure(error)
    words = found.words or "error"
    if found.name == "MessageAbortedError":
        return Notification(Topic.INTERRUPT, words)
    return Notification(error_topic(words), words, Level.ERROR, detail=found.name)


def _as_failure(error: Failure | str | None) -> Failure:
    return error if isinstance(error, Failure) else Failure(data=Words(error))


_parts = Records[OpenCodeRow](hidden=_HIDDEN)
"""Functions that make the events of a part, by its type."""


@_parts.on("step-finish")
def _step_end(row: OpenCodeRow) -> Sequence[LightEvent]:
    """The end of a step; the last one of a turn ends that too. Its tokens are its message's."""
    if (row.data.reason or "") in ON:
        return [hidden(row, "the end of a step, whose tokens its message has", "step-finish")]
    return [row.event("end", Notification(Topic.TURN_END, "The turn ended"))]


@_parts.on("text")
def _text(row: OpenCodeRow) -> Sequence[LightEvent]:
    own, data = row.record, row.data
    words, summary = data.text or "", own.summary
    if summary is not None:
        return [_compacted(row, summary.of or row.name, summary.auto, words)]
    if data.metadata is not None and data.metadata.lifecycle == "transient":
        return [hidden(row, "what the client is doing, which it removes again", "text")]
    if own.role != "user":
        row.response_id = own.message_id or None
        return [row.part("text", MESSAGE, 0, Message, (words,), signal=Signal.PERSON)]
    if data.synthetic is True or data.ignored is True:
        return [hidden(row, "text that the client put in", "text")]
    return [row.event("text", spoken(words))]


@_parts.on("reasoning")
def _reasoning(row: OpenCodeRow) -> Sequence[LightEvent]:
    time = row.data.time or _NO_TIMES
    start, end = time_of(time.start), time_of(time.end)
    duration = end - start if start is not None and end is not None else None
    made = (row.data.text or "", False, duration)
    row.response_id = row.record.message_id or None
    return [row.part("reasoning", REASONING, 0, Reasoning, made, signal=Signal.AGENT)]


@_parts.on("file")
def _file(row: OpenCodeRow) -> Sequence[LightEvent]:
    data = row.values
    mime, name = text(data, "mime") or "file", text(data, "filename")
    path = text(mapping(data.get("source")), "path")
    return [row.event("file", Attachment(name or path or mime, mime, path=path))]


@_parts.on("tool")
def _tool(row: OpenCodeRow) -> Sequence[LightEvent]:
    """The call, and its result or its progress: the row has both, as they are by now."""
    data, state = row.data, row.state
    metadata, time = state.metadata or _NO_METADATA, state.time or _NO_TIMES
    name, call_id = data.tool or "", row.name if data.call_id is None else data.call_id
    child = Stream(StreamKind.SUBAGENT, metadata.session_id) if metadata.session_id else None
    call, kind = _begun(row, name, call_id, child, time_of(time.start))
    if state.status in ("completed", "error"):
        failed = row.exit not in FINE or _error(row, name, kind)[0] is not None
        made = (row, name, call_id, kind)
        result = row.result_part("result", call_id, _result, made, failed=failed, child=child)
        result.time = time_of(time.end) or row.time
        return [call, result]
    printed = as_text(row.value_of(metadata.output))
    if printed is None:
        return [call]
    made, flags = (ToolProgress(call_id, printed),), Flag.BOOKKEEPING
    return [call, row.part("progress", HIDDEN, flags, same, made, Role.PROGRESS, call_id)]


def _begun(
    row: OpenCodeRow, name: str, call_id: str, child: Stream | None, time: float | None
) -> tuple[LightEvent, ToolKind]:
    """The call, and its kind."""
    response, known = row.record.message_id or None, _known(name)
    if known is None or _is_missing(row.state):
        body = _call(row, name, call_id)
        call = row.event("call", body, response_id=response, time=time, child=child)
        return call, body.kind
    call = row.call_part("call", call_id, known, _call, (row, name, call_id), child=child)
    call.response, call.time = response, time or row.time
    return call, known.kind


_known = known_calls(named)


def _is_missing(state: State) -> bool:
    """True if there is no such tool, so that its name says nothing of a server."""
    return state.error is not None and state.error.startswith(_NO_SUCH_TOOL)


def _call(row: OpenCodeRow, name: str, call_id: str) -> ToolCall:
    state, pending = row.state_values, row.state.status == "pending"
    given = state.get("input")
    streamed = text(state, "raw") if pending and not fields_of(given) else None
    spec = find_tool(name, mapping(given))
    if spec is None and not _is_missing(row.state):
        spec = server_tool(name)
    return build.tool_call(
        call_id=call_id,
        name=name,
        arguments=streamed or ({} if given is None else given),
        spec=spec,
        state=ToolState.INPUT_STREAMING if pending else ToolState.INPUT_AVAILABLE,
        title=text(state, "title") or None,
    )


def _error(row: OpenCodeRow, name: str, kind: ToolKind) -> tuple[str | None, re.Match[str] | None]:
    """Error of a call, and the note that says that it was ended."""
    error = row.state.error if row.state.status == "error" else None
    if name == INVALID:
        # A call of a tool that there is not, or with arguments that are no JSON, counts as done.
        given = mapping(row.state_values.get("input"))
        return error or text(given, "error") or "an invalid call", None
    if kind is not ToolKind.SHELL or row.exit is not None:
        return error, None
    output = text(row.state_values, "output")
    stopped = None if output is None else _STOPPED.search(output)
    return (stopped[1].strip() if stopped and not error else error), stopped


def _result(row: OpenCodeRow, name: str, call_id: str, kind: ToolKind) -> ToolResult:
    state = row.state_values
    metadata, output = mapping(state.get("metadata")), text(state, "output")
    media = [
        ImageBlock(media_type=text(each, "mime") or "", uri=text(each, "url"))
        for each in map(mapping, items(state.get("attachments")))
    ]
    code = row.exit
    error, stopped = _error(row, name, kind)
    return ToolResult(
        call_id,
        ok=error is None and code in FINE,
        output=(*((TextBlock(output),) if output else ()), *media),
        structured=changed(metadata, {"exit_code": code}) if code is not None else metadata,
        error=error,
        denial=refusal(error or "", _REFUSALS),
        interrupted=error == "Tool execution aborted"
        or (stopped is not None and "aborted" in stopped[1]),
    )


@_parts.on("compaction")
def _compaction(row: OpenCodeRow) -> Sequence[LightEvent]:
    of = row.record.message_id or row.name
    return [_compacted(row, of, row.values.get("auto"), None)]


def _compacted(row: OpenCodeRow, of: str, automatic: object, summary: str | None) -> Event:
    """The compaction that a message asks for; its summary is the answer, and comes later."""
    trigger = "auto" if automatic in (True, 1) else "manual"
    body = Compaction(trigger=trigger, summary=summary)
    key = f"compaction:{of}"
    return row.event("compaction", body, replaces=key, resets=Reset.COMPACTED)


@_parts.on("retry")
def _retry(row: OpenCodeRow) -> Sequence[LightEvent]:
    words = _as_failure(row.data.error).words or "a request failed"
    body = Notification(error_topic(words), words, Level.WARNING)
    return [row.event("retry", body)]


@_parts.on("subtask")
def _subtask(row: OpenCodeRow) -> Sequence[LightEvent]:
    return [row.event("subtask", spoken(text(row.values, "prompt") or ""))]
