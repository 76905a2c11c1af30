"""Events of what the command line prints as `stream-json`, and of the messages of the SDK.

Text comes in pieces that have a time and name no model call, then once more as a whole: with the
model call before a tool is called, with neither at the end of a turn. Without partial output only
the whole comes. The SDK's messages are pieces, recognized by the ids of an agent and a run.
"""

from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.events import (
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.index_entry import EventLinks, Signal
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.providers._kit.typed_records import (
    REASONING,
    LightEvent,
    Records,
    hidden,
    in_run,
    read_as,
)
from agentview.providers.cursor.cursor.event_builder import CursorLine
from agentview.providers.cursor.cursor.schema import Call, Query, Tokens
from agentview.providers.cursor.cursor.transcript import (
    block_events,
    error_events,
    turn_events,
    words_of,
)
from agentview.providers.cursor.shared import tools
from agentview.providers.cursor.shared.content import mapping_or_text, prompt_events
from agentview.providers.cursor.shared.tool_outcome import outcome_of

# Events of what the command line prints next to the conversation: its connection, its questions.

_QUERIES = ("RequestQuery", "InteractionQuery")
_ONLY_ASKED = frozenset({"createPlan", "askQuestion"})
"""Questions whose call may have no other record."""
_WORDS = {
    "reconnected": ("Connected again", Level.INFO),
    "reconnecting": ("The connection broke", Level.WARNING),
    "resuming": ("Going on where the connection broke", Level.INFO),
    "scheduled": ("Trying again soon", Level.WARNING),
    "starting": ("Trying again", Level.WARNING),
}


def connection_events(record: CursorLine) -> Sequence[LightEvent]:
    """The connection broke, or came back; the client tries again by itself."""
    subtype = record.record.subtype or ""
    words, level = _WORDS.get(subtype, (f"Connection: {subtype}", Level.WARNING))
    attempt = whole_of(record.record.attempt)
    if attempt is not None and attempt > 1:
        words += f" (attempt {attempt})"
    return [record.event("connection", Notification(Topic.API_ERROR, words, level), run="")]


def query_events(record: CursorLine) -> Sequence[LightEvent]:
    """Return the client's requests to its host, which answers without a person where none is there.

    A question that names its call belongs to that call, whose own record has the answer; a plan
    may have no other record.
    """
    own = record.record
    if own.subtype == "response":
        answer = fields_of(record.value_of(own.response))
        outcome, name = ToolResult(_own_id(answer), ok=None), _tool(own.query_type)
        if name in _ONLY_ASKED and not any(map(fields_of, answer.values())):
            return [record.event("result", outcome)]
        return [hidden(record, "an answer of the host", "interaction_query")]
    query = fields_of(record.value_of(own.query))
    key = own.query_type or next(iter(query), "")
    asked = read_as(query.get(key), Query)
    name, args = _tool(key), fields_of(asked.args)
    call_id = text({"toolCallId": asked.tool_call_id, **args}, "toolCallId")
    if not args or (call_id is None and name not in _ONLY_ASKED):
        return [hidden(record, "a question to the host", "interaction_query")]
    call = tool_call(
        call_id=_own_id(query) if call_id is None else call_id,
        name=name,
        arguments=args,
        raw=record.text_at("query", key, "args"),
        spec=tools.find_tool(name, args),
    )
    return [record.event("call", call, run="", amends=True)]


def _own_id(query: Fields) -> str:
    return f"query:{query.get('id')}"


def _tool(query_type: str | None) -> str:
    found = query_type or ""
    return next((found.removesuffix(each) for each in _QUERIES if found.endswith(each)), found)


def task_events(record: CursorLine, subtype: str) -> Sequence[LightEvent]:
    """Return the outcome of a command or an agent in the background."""
    words = text(record.fields, "summary", "text", "description", "status")
    words = words or subtype.replace("_", " ").capitalize()
    return [record.event("task", Notification(Topic.BACKGROUND, words), run="")]


_PIECE, _WHOLE = EventLinks("text"), EventLinks("text", whole=True)
_THOUGHT, _THOUGHT_WHOLE = EventLinks("thinking"), EventLinks("thinking", whole=True)
_BEGINS, _ENDS, _ALONE = EventLinks("", amends=True), EventLinks(amends=True), EventLinks("")
_RUNNING = frozenset({"started", "running", "pending", "delta", "progress"})
_SUFFIX = "ToolCall"
_ARGUMENTS = ("args", "arguments", "input")
_BACKGROUND = frozenset({"task_notification", "background_shell_timeout"})


stream_events = Records[CursorLine](hidden={"request": "the id of a request"})
"""Functions that make the events of a record with a type, by that type."""
stream_events.on("error")(error_events)
stream_events.on("turn_ended")(turn_events)
stream_events.on("connection", "retry")(connection_events)
stream_events.on("interaction_query")(query_events)


@stream_events.on("system")
def _system(record: CursorLine) -> Sequence[LightEvent]:
    own, model = record.record, record.record.model
    subtype = own.subtype or None
    facts = Facts(
        cwd=own.cwd or None,
        model=text_of(model) or text(fields_of(model), "id", "name"),
        mode=own.permission_mode or None,
    )
    if subtype == "init" or (subtype is None and record.of_sdk and "message" not in record.fields):
        return [hidden(record, "the session itself", "system/init", facts=facts)]
    if subtype in _BACKGROUND:
        return task_events(record, subtype)
    said = text_of(own.message)
    if said is None:
        return [record.unknown(f"system/{subtype or '(none)'}")]
    return [record.event("notice", Notification(Topic.SYSTEM, said), run="")]


@stream_events.on("user")
def _user(record: CursorLine) -> Sequence[LightEvent]:
    return prompt_events(record, record.content)


@stream_events.on("assistant")
def _assistant(record: CursorLine) -> Sequence[LightEvent]:
    """Return a message of the agent: a piece, the whole of pieces, or one that came at once."""
    own = record.record
    piece = record.of_sdk or (record.time is not None and own.model_call_id is UNSET)
    tie = _PIECE if piece else _WHOLE
    events: list[LightEvent] = []
    for at, block in enumerate(record.blocks):
        words = words_of(block)
        if words is not None:
            events.append(record.said(f"message{at}", words, tie))
        else:
            events += block_events(record, at, block)
    return events or [hidden(record, "a message without text", "assistant")]


@stream_events.on("thinking")
def _thinking(record: CursorLine) -> Sequence[LightEvent]:
    own = record.record
    said, ended = own.text or None, own.subtype == "completed"
    if ended and said is None:
        return [in_run(hidden(record, "the end of a thought", "thinking/completed"), _ALONE)]
    duration = None if ended else seconds_of(own.thinking_duration_ms)
    made = (said or "", False, duration)
    light = record.part("thought", REASONING, 0, Reasoning, made, signal=Signal.AGENT)
    return [in_run(light, _THOUGHT_WHOLE if ended else _THOUGHT)]


@stream_events.on("tool_call")
def _tool_call(record: CursorLine) -> Sequence[LightEvent]:
    """A call and, once it is over, its outcome; both records of a call say what it asked for."""
    own = record.record
    call_id = as_text(own.id if own.call_id is None else own.call_id)
    name, inner, path = _named(record)
    if name is None or call_id is None:
        return [record.unknown("tool_call without a name or an id")]
    status = own.subtype or own.status or ""
    begins = status in _RUNNING and not bytes(inner.result)
    made, tie = (record, call_id, name, inner, path), _BEGINS if begins else _ENDS
    call, kind = record.call("call", call_id, name, _whole_call, made, tie)
    if begins:
        return [call]
    given = record.value_of(inner.result)
    result = outcome_of(call_id, kind, given, failed=status == "error")
    return [call, record.event("result", result, child=_child(result))]


def _whole_call(
    record: CursorLine, call_id: str, name: str, inner: Call, path: tuple[str, ...]
) -> ToolCall:
    key = next((key for key in _ARGUMENTS if bytes(getattr(inner, key))), _ARGUMENTS[0])
    given = getattr(inner, key)
    arguments = mapping_or_text(record.value_of(given))
    raw = record.exact(given, *path, key)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        raw=(raw or None) if not isinstance(arguments, str) else None,
        spec=tools.find_tool(name, arguments),
        title=inner.description or None,
    )


def _named(record: CursorLine) -> tuple[str | None, Call, tuple[str, ...]]:
    """Name of the tool, what the record says of the call, and where in the record it does.

    The stream has `{"<name>ToolCall": {"args", "result"}}` or a `function` with a name; the SDK
    says all of it in the record itself.
    """
    own = record.record
    held = {key: call for key, call in (own.tool_call or {}).items() if call is not None}
    if not own.tool_call:
        return own.name or None, own, ()
    key = next((key for key in held if key.endswith(_SUFFIX)), next(iter(held), None))
    if key is None:
        return None, own, ()
    inner = held[key]
    return (inner.name if key == "function" else None) or key, inner, ("tool_call", key)


def _child(result: ToolResult) -> Stream | None:
    """The stream of the agent that a call started."""
    agent = text_of(fields_of(result.structured).get("agentId"))
    return Stream(StreamKind.SUBAGENT, agent) if agent is not None else None


@stream_events.on("result")
def _result(record: CursorLine) -> Sequence[LightEvent]:
    """The end of a turn; the answer that it repeats has been said.

    It is all there is where the client prints one object (`--output-format json`): then it stands
    at the start of the file.
    """
    own = record.record
    answer = text_of(record.value_of(own.result))
    failed = own.is_error is True or own.subtype == "error"
    said = text(record.fields, "result", "error") if failed else None
    note = Notification(
        Topic.TURN_END,
        "Turn failed" if failed else "Turn complete",
        Level.ERROR if failed else Level.INFO,
        detail=said,
        duration=seconds_of(own.duration_ms),
    )
    events: list[LightEvent] = [record.event("end", note, run="")]
    if record.source.offset == 0 and answer is not None and not failed:
        events.insert(0, record.event("answer", Message(answer)))
    usage = _usage(own.usage or Tokens())
    if usage is not None:
        response = own.request_id or record.name
        events.append(record.event("usage", TokenUsage(response, usage)))
    return events


def _usage(tokens: Tokens) -> Usage | None:
    """Tokens of a turn; the four counts have no part in common, as far as their names show."""
    usage = Usage(
        input_uncached=whole_of(tokens.input_tokens),
        input_cached=whole_of(tokens.cache_read_tokens),
        cache_write=whole_of(tokens.cache_write_tokens),
        output=whole_of(tokens.output_tokens),
        reasoning=whole_of(tokens.reasoning_tokens),
    )
    return usage if usage != Usage() else None


@stream_events.on("status")
def _status(record: CursorLine) -> Sequence[LightEvent]:
    """Return the present activity of a run of the SDK."""
    status = record.record.status or "(none)"
    lowered = status.lower()
    said = text_of(record.record.message)
    if lowered in ("finished", "completed"):
        return [record.event("end", Notification(Topic.TURN_END, said or "Turn complete"), run="")]
    if lowered in ("error", "expired", "failed"):
        note = Notification(Topic.API_ERROR, said or f"Run {lowered}", Level.ERROR)
        return [record.event("error", note, run="")]
    if lowered in ("cancelled", "canceled"):
        note = Notification(Topic.INTERRUPT, said or "Run cancelled", Level.WARNING)
        return [record.event("end", note, run="")]
    if said is None:
        return [hidden(record, "the state of the run", f"status/{lowered}")]
    return [record.event("status", Notification(Topic.SYSTEM, said))]


@stream_events.on("task")
def _task(record: CursorLine) -> Sequence[LightEvent]:
    """A step of a run, in words."""
    said = text(record.fields, "text", "message", "status")
    if said is None:
        return [hidden(record, "a step of the run", "task")]
    return [record.event("task", Notification(Topic.SYSTEM, said), run="")]
