"""Events of what the command line prints as `stream-json`, and of the messages of the SDK.

Text comes in pieces that have a time and name no model call, then once more as a whole: with the
model call before a tool is called, with neither at the end of a turn. Without partial output only
the whole comes. The SDK's messages are pieces, recognized by the ids of an agent and a run.
"""

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Event,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.session import Stream, StreamKind
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    parts_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.normalize.raw_span import value_span
from agentview.providers.cursor.cursor.transcript import block_events, error_events, turn_events
from agentview.providers.cursor.shared import tools
from agentview.providers.cursor.shared.content import blocks_of, mapping_or_text, prompt_events
from agentview.providers.cursor.shared.event_builder import CursorRecord
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


def connection_events(record: CursorRecord) -> list[Event]:
    """The connection broke, or came back; the client tries again by itself."""
    subtype = text_of(record.fields.get("subtype")) or ""
    words, level = _WORDS.get(subtype, (f"Connection: {subtype}", Level.WARNING))
    attempt = whole_of(record.fields.get("attempt"))
    if attempt is not None and attempt > 1:
        words += f" (attempt {attempt})"
    return [record.event("connection", Notification(Topic.API_ERROR, words, level), run="")]


def query_events(record: CursorRecord) -> list[Event]:
    """Return what the client asks its host, which answers without a person where none is there.

    A question that names its call belongs to that call, whose own record has the answer; a plan
    may have no other record.
    """
    if text_of(record.fields.get("subtype")) == "response":
        answer = fields_of(record.fields.get("response"))
        outcome = ToolResult(_own_id(answer), ok=None)
        name = _tool(text_of(record.fields.get("query_type")))
        if name in _ONLY_ASKED and not any(map(fields_of, answer.values())):
            return [record.event("result", outcome)]
        return [record.hidden("an answer of the host", "interaction_query")]
    query = fields_of(record.fields.get("query"))
    key = text_of(record.fields.get("query_type")) or next(iter(query), "")
    asked = fields_of(query.get(key))
    name, args = _tool(key), fields_of(asked.get("args"))
    call_id = text({**asked, **args}, "toolCallId")
    if not args or (call_id is None and name not in _ONLY_ASKED):
        return [record.hidden("a question to the host", "interaction_query")]
    span = value_span(record.raw, ("query", key, "args"))
    call = tool_call(
        call_id=_own_id(query) if call_id is None else call_id,
        name=name,
        arguments=args,
        raw=record.raw[slice(*span)] if span is not None else None,
        spec=tools.find_tool(name, args),
    )
    return [record.event("call", call, run="", amends=True)]


def _own_id(query: Fields) -> str:
    return f"query:{query.get('id')}"


def _tool(query_type: str | None) -> str:
    found = query_type or ""
    return next((found.removesuffix(each) for each in _QUERIES if found.endswith(each)), found)


def task_events(record: CursorRecord, subtype: str) -> list[Event]:
    """Return what a command or an agent in the background came to."""
    words = text(record.fields, "summary", "text", "description", "status")
    words = words or subtype.replace("_", " ").capitalize()
    return [record.event("task", Notification(Topic.BACKGROUND, words), run="")]


_SAID = "text"
_THOUGHT = "thinking"
_RUNNING = frozenset({"started", "running", "pending", "delta", "progress"})
_SUFFIX = "ToolCall"
_BACKGROUND = frozenset({"task_notification", "background_shell_timeout"})


def stream_events(record: CursorRecord, record_type: str) -> list[Event]:
    """Events of a record that has a `type`."""
    maker = _MAKERS.get(record_type)
    return maker(record) if maker is not None else [record.unknown(record_type)]


def _of_sdk(record: CursorRecord) -> bool:
    return "run_id" in record.fields or "agent_id" in record.fields


def _system(record: CursorRecord) -> list[Event]:
    fields = record.fields
    subtype = text_of(fields.get("subtype"))
    model = fields.get("model")
    facts = Facts(
        cwd=text_of(fields.get("cwd")),
        model=text_of(model) or text(fields_of(model), "id", "name"),
        mode=text_of(fields.get("permissionMode")),
    )
    if subtype == "init" or (subtype is None and _of_sdk(record) and "message" not in fields):
        return [record.hidden("the session itself", "system/init", facts=facts)]
    if subtype in _BACKGROUND:
        return task_events(record, subtype)
    said = text_of(fields.get("message"))
    if said is None:
        return [record.unknown(f"system/{subtype or '(none)'}")]
    return [record.event("notice", Notification(Topic.SYSTEM, said), run="")]


def _user(record: CursorRecord) -> list[Event]:
    return prompt_events(record, fields_of(record.fields.get("message")).get("content"))


def _assistant(record: CursorRecord) -> list[Event]:
    """Return what the agent said: a piece, the whole of pieces, or a message that came at once."""
    blocks = parts_of(fields_of(record.fields.get("message")).get("content"))
    piece = _of_sdk(record) or (record.time is not None and "model_call_id" not in record.fields)
    events: list[Event] = []
    for at, block in enumerate(blocks):
        found = blocks_of([block])
        if isinstance(found[0], TextBlock) and fields_of(block).get("type") in ("text", None):
            body = Message(found[0].text)
            events.append(record.event(f"message{at}", body, run=_SAID, whole=not piece))
        else:
            events += block_events(record, at, block)
    return events or [record.hidden("a message without text", "assistant")]


def _thinking(record: CursorRecord) -> list[Event]:
    fields = record.fields
    said = text_of(fields.get("text"))
    duration = seconds_of(fields.get("thinking_duration_ms"))
    if fields.get("subtype") == "completed":
        if said is not None:
            return [record.event("thought", Reasoning(said), run=_THOUGHT, whole=True)]
        ended = Hidden("the end of a thought", "thinking/completed")
        return [record.event("hidden", ended, run="")]
    return [record.event("thought", Reasoning(said or "", duration=duration), run=_THOUGHT)]


def _tool_call(record: CursorRecord) -> list[Event]:
    """A call and, once it is over, its outcome; both records of a call say what it asked for."""
    fields = record.fields
    call_id = text(fields, "call_id", "id")
    name, inner, path = _named(fields)
    if name is None or call_id is None:
        return [record.unknown("tool_call without a name or an id")]
    key = next((key for key in ("args", "arguments", "input") if key in inner), "args")
    arguments = mapping_or_text(inner.get(key))
    span = value_span(record.raw, [*path, key])
    call = tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        raw=record.raw[slice(*span)] if span and not isinstance(arguments, str) else None,
        spec=tools.find_tool(name, arguments),
        title=text_of(inner.get("description")),
    )
    status = text_of(fields.get("subtype")) or text_of(fields.get("status")) or ""
    begins = status in _RUNNING and "result" not in inner
    events = [record.event("call", call, run="" if begins else None, amends=True)]
    if not begins:
        result = outcome_of(call_id, call.kind, inner.get("result"), failed=status == "error")
        events.append(record.event("result", result, child=_child(result)))
    return events


def _named(fields: Fields) -> tuple[str | None, Fields, list[str | int]]:
    """Name of the tool, what the record says of the call, and where in the record it does.

    The stream has `{"<name>ToolCall": {"args", "result"}}` or a `function` with a name; the SDK
    says all of it in the record itself.
    """
    wrapped = fields_of(fields.get("tool_call"))
    if not wrapped:
        return text_of(fields.get("name")), fields, []
    keys = [key for key, value in wrapped.items() if isinstance(value, dict)]
    key = next((key for key in keys if key.endswith(_SUFFIX)), keys[0] if keys else None)
    if key is None:
        return None, {}, []
    inner = fields_of(wrapped[key])
    name = text(inner, "name") if key == "function" else None
    return name or key, inner, ["tool_call", key]


def _child(result: ToolResult) -> Stream | None:
    """The stream of the agent that a call started."""
    agent = text_of(fields_of(result.structured).get("agentId"))
    return Stream(StreamKind.SUBAGENT, agent) if agent is not None else None


def _result(record: CursorRecord) -> list[Event]:
    """The end of a turn; the answer that it repeats has been said.

    It is all there is where the client prints one object (`--output-format json`): then it stands
    at the start of the file.
    """
    fields = record.fields
    answer = text_of(fields.get("result"))
    failed = fields.get("is_error") is True or text_of(fields.get("subtype")) == "error"
    said = text(fields, "result", "error") if failed else None
    note = Notification(
        Topic.TURN_END,
        "Turn failed" if failed else "Turn complete",
        Level.ERROR if failed else Level.INFO,
        detail=said,
        duration=seconds_of(fields.get("duration_ms")),
    )
    events = [record.event("end", note, run="")]
    if record.source.offset == 0 and answer is not None and not failed:
        events.insert(0, record.event("answer", Message(answer)))
    usage = usage_of(fields.get("usage"))
    if usage is not None:
        response = text_of(fields.get("request_id")) or record.name
        events.append(record.event("usage", TokenUsage(response, usage)))
    return events


def usage_of(value: object) -> Usage | None:
    """Tokens of a turn; the four counts have no part in common, as far as their names show."""
    fields = fields_of(value)
    usage = Usage(
        input_uncached=whole_of(fields.get("inputTokens")),
        input_cached=whole_of(fields.get("cacheReadTokens")),
        cache_write=whole_of(fields.get("cacheWriteTokens")),
        output=whole_of(fields.get("outputTokens")),
        reasoning=whole_of(fields.get("reasoningTokens")),
    )
    return usage if usage != Usage() else None


def _status(record: CursorRecord) -> list[Event]:
    """Return what a run of the SDK is doing now."""
    status = text_of(record.fields.get("status")) or "(none)"
    lowered = status.lower()
    said = text_of(record.fields.get("message"))
    if lowered in ("finished", "completed"):
        return [record.event("end", Notification(Topic.TURN_END, said or "Turn complete"), run="")]
    if lowered in ("error", "expired", "failed"):
        note = Notification(Topic.API_ERROR, said or f"Run {lowered}", Level.ERROR)
        return [record.event("error", note, run="")]
    if lowered in ("cancelled", "canceled"):
        note = Notification(Topic.INTERRUPT, said or "Run cancelled", Level.WARNING)
        return [record.event("end", note, run="")]
    if said is None:
        return [record.hidden("the state of the run", f"status/{lowered}")]
    return [record.event("status", Notification(Topic.SYSTEM, said))]


def _task(record: CursorRecord) -> list[Event]:
    """A step of a run, in words."""
    said = text(record.fields, "text", "message", "status")
    if said is None:
        return [record.hidden("a step of the run", "task")]
    return [record.event("task", Notification(Topic.SYSTEM, said), run="")]


def _request(record: CursorRecord) -> list[Event]:
    return [record.hidden("the id of a request", "request")]


_MAKERS = {
    "system": _system,
    "user": _user,
    "assistant": _assistant,
    "thinking": _thinking,
    "tool_call": _tool_call,
    "result": _result,
    "error": error_events,
    "turn_ended": turn_events,
    "status": _status,
    "task": _task,
    "request": _request,
    "connection": connection_events,
    "retry": connection_events,
    "interaction_query": query_events,
}
