"""Events of response items: what went to the model and came from it."""

from dataclasses import replace
from typing import cast

import orjson

from agentview.domain.content import JsonBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Notification,
    Reasoning,
    ToolResult,
    Topic,
)
from agentview.domain.session import StreamKind
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, text, to_json
from agentview.normalize.json_values import Fields, changed, fields_of, items_of, text_of
from agentview.normalize.raw_span import value_span
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.codex import tools
from agentview.providers.codex.content import (
    block_of,
    message_in,
    prompt_in,
    text_in,
    without_sources,
)
from agentview.providers.codex.event_builder import DuplicateKeys, Frame, agent_stream
from agentview.providers.codex.plans import parted, proposed
from agentview.providers.codex.session_meta import compaction_events
from agentview.providers.codex.tool_outcome import output_text, result_of
from agentview.providers.codex.user_shell import own_command

_NOTIFIED = "subagent_notification"
_OWN_COMMAND = "user_shell_command"
ADDRESS = "Message Type: "
"""What the lines in front of a message between agents begin with."""
_PAYLOAD = "\nPayload:\n"


def is_item(record_type: object) -> bool:
    """Whether this is the type of an item, as some writers of this format name the record."""
    return isinstance(record_type, str) and record_type in _MAKERS


def item_events(frame: Frame) -> list[Event]:
    """Events of one response item; a message may lack its type."""
    kind = text_of(frame.payload.get("type")) or "(none)"
    if kind not in _MAKERS and "role" in frame.payload:
        kind = "message"
    elif kind == "(none)" and is_item(frame.fields.get("type")):
        kind = str(frame.fields["type"])
    if frame.copied:
        return [frame.hidden("history of the session that started this agent", kind)]
    maker = _MAKERS.get(kind)
    return maker(frame) if maker is not None else [frame.unknown(f"response_item/{kind}")]


def _message(frame: Frame) -> list[Event]:
    role = text_of(frame.payload.get("role"))
    content = frame.payload.get("content")
    if role == "assistant":
        return _assistant(frame, content)
    if role == "user":
        return _user(frame, content)
    if role in ("developer", "system"):
        return [frame.hidden("instructions that the client gave to the model", f"message/{role}")]
    return [frame.unknown(f"message/{role}")]


def _assistant(frame: Frame, content: object) -> list[Event]:
    message = message_in(content)
    if message is None:
        return [frame.hidden("a message without text", "message/assistant")]
    said, plan = parted(without_sources(message.text))
    events: list[Event] = []
    if said or message.blocks or plan is None:
        keys = frame.twins("message", said, first=False)
        body = replace(message, text=said)
        events.append(frame.event("message", body, **keys, response_id=frame.sampled_id))
    if plan is not None:
        events.extend(proposed(frame, f"plan:{frame.name}", plan, first=False))
    return events


def _user(frame: Frame, content: object) -> list[Event]:
    prompt = prompt_in(content)
    if prompt.injected == _NOTIFIED:
        return [_agent_notified(frame, text_in(content))]
    if prompt.injected == _OWN_COMMAND:
        return [own_command(frame, prompt.text)]
    if prompt.injected is not None:
        reason = f"context that the client put in: {prompt.injected}"
        return [frame.hidden(reason, "message/user")]
    keys = frame.twins("prompt", prompt.text, first=True)
    return [frame.event("prompt", prompt.user, **keys)]


def _agent_notified(frame: Frame, said: str) -> Event:
    """An agent that ended, as the client told the model in the person's place."""
    inner = said.strip().removeprefix(f"<{_NOTIFIED}>").removesuffix(f"</{_NOTIFIED}>").strip()
    told = mapping(inner)
    name = text(told, "agent_path", "agent_id") or "an agent"
    status = told.get("status")
    words = next(iter(fields_of(status)), None) or text_of(status) or "reported"
    final = text(fields_of(status), "completed", "errored")
    return frame.event(
        "notified",
        Notification(Topic.BACKGROUND, f"Agent {name}: {words}", detail=final or inner),
        child=agent_stream(told.get("agent_id")),
    )


def _agent_message(frame: Frame) -> list[Event]:
    """A message between agents: the task of this one, or what another one reports."""
    return agent_said(frame, text_in(frame.payload.get("content")), first=False)


def agent_said(frame: Frame, said: str, *, first: bool) -> list[Event]:
    """What another agent said to this one; two sorts of records may tell of it."""
    author = text_of(frame.payload.get("author")) or "an agent"
    head, _, words = said.partition(_PAYLOAD)
    # What an agent is asked to do may be encrypted: then only the lines in front of it can be read.
    unread = not words.strip() and head.startswith(ADDRESS)
    words = words if words.strip() else head
    keys: DuplicateKeys = {} if unread else frame.twins("agents", words, first=first)
    if frame.session.stream.kind is not StreamKind.MAIN:
        return [frame.event("prompt", spoken(words, via=author), **keys)]
    note = Notification(Topic.BACKGROUND, f"Message from {author}", detail=words or None)
    return [frame.event("message", note, **keys)]


def passed_on(frame: Frame) -> list[Event]:
    """A message between agents as the client passed it on (up to 0.14x also with its text)."""
    said = text_in(frame.payload.get("content"))
    kind = "inter_agent_communication"
    if frame.copied:
        return [frame.hidden("history of the session that started this agent", kind)]
    if not said.strip():
        return [frame.hidden("how a message between agents was passed on", kind)]
    return agent_said(frame, said, first=True)


def _reasoning(frame: Frame) -> list[Event]:
    """The sections of a thought, one event each, as the other record of it has them."""
    sections = _sections(frame.payload.get("summary")) or _sections(frame.payload.get("content"))
    response = frame.sampled_id
    if not sections:
        return [frame.event("0", Reasoning("", withheld=True), response_id=response)]
    return [
        frame.event(
            str(index),
            Reasoning(section),
            **frame.twins("reasoning", section, first=False),
            response_id=response,
        )
        for index, section in enumerate(sections)
    ]


def _sections(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [said for item in items_of(value) if (said := text_in([item])).strip()]


def call_event(
    frame: Frame,
    name: str,
    arguments: Fields | str | None,
    *,
    namespace: str | None = None,
    raw: bytes | None = None,
    call_id: str | None = None,
) -> Event:
    """The event of a call as the model asked for it.

    A name that nothing knows may be that of an MCP server's tool, which only the record of its
    outcome tells: that record then takes the place of this one.
    """
    given = call_id or text_of(frame.payload.get("call_id")) or text_of(frame.payload.get("id"))
    known = arguments if not isinstance(arguments, str) else mapping(arguments)
    spec = tools.spec_for(
        name, known or {}, namespace, items=frame.paginated and not frame.repeated
    )
    call: ToolCall = tool_call(
        call_id=given or frame.name,
        name=tools.full_name(name, namespace),
        arguments=arguments,
        spec=spec,
        raw=raw,
    )
    return frame.event(
        "call",
        call,
        replaces=f"call:{call.call_id}" if spec is None else None,
        response_id=frame.sampled_id,
    )


def _function_call(frame: Frame) -> list[Event]:
    name = text_of(frame.payload.get("name")) or ""
    given = frame.payload.get("arguments")
    namespace = text_of(frame.payload.get("namespace"))
    if isinstance(given, str) and given.lstrip().startswith(tools.PATCH_BEGIN):
        return [_free_call(frame, name, given, namespace)]
    if given is None or isinstance(given, str):
        return [call_event(frame, name, given, namespace=namespace)]
    exact = exact_text(frame, given, "arguments")
    arguments = (
        fields_of(cast("object", given))
        if isinstance(given, dict)
        else exact.decode("utf-8", "replace")
    )
    return [call_event(frame, name, arguments, namespace=namespace, raw=exact)]


def _custom_call(frame: Frame) -> list[Event]:
    """A call whose input is free text; it is the only argument, named `input`."""
    name = text_of(frame.payload.get("name")) or ""
    given = frame.payload.get("input")
    namespace = text_of(frame.payload.get("namespace"))
    if not isinstance(given, str):
        return _function_call(frame) if given is None else [call_event(frame, name, to_json(given))]
    if mapping(given):
        return [call_event(frame, name, given, namespace=namespace)]
    return [_free_call(frame, name, given, namespace)]


def _free_call(frame: Frame, name: str, given: str, namespace: str | None) -> Event:
    raw = given.encode("utf-8", "replace")
    return call_event(frame, name, {"input": given}, namespace=namespace, raw=raw)


def _local_shell(frame: Frame) -> list[Event]:
    action = frame.payload.get("action")
    return [
        call_event(
            frame,
            "local_shell_call",
            changed(fields_of(action), {"workdir": fields_of(action).get("working_directory")}),
            raw=exact_text(frame, action, "action"),
        )
    ]


def _output(frame: Frame) -> list[Event]:
    call_id = text_of(frame.payload.get("call_id"))
    if call_id is None:
        name = text_of(frame.payload.get("name")) or "context"
        return [frame.event("note", Attachment(name, "tool output", output_text(frame.payload)))]
    result = result_of(frame.payload, call_id)
    child = None
    told = mapping(output_text(frame.payload))
    if result.ok is not False and "agent_id" in told and "nickname" in told:
        child = agent_stream(told["agent_id"])
    return [frame.event("result", result, child=child)]


def exact_text(frame: Frame, value: object, key: str) -> bytes:
    """The text of a value as it stands in the record under the payload's `key`."""
    try:
        written = orjson.dumps(value)
    except TypeError:
        written = to_json(value).encode("utf-8", "replace")
    if written in frame.raw:
        return written
    path = (key,) if frame.payload is frame.fields else ("payload", key)
    span = value_span(frame.raw, path)
    return frame.raw[span[0] : span[1]] if span is not None else written


def web_events(
    frame: Frame, action: Fields, query: str | None, structured: object, *, first: bool
) -> list[Event]:
    """A search of the web, which the client runs itself: the call and its outcome in one record.

    Its two records have no id in common: what was asked, and when, makes them twins.
    """
    asked = {key: value for key, value in action.items() if value is not None}
    said = to_json(dict(sorted(asked.items())))
    if query is not None:
        asked.setdefault("query", query)
    keys = frame.twins("web", said, first=first)
    call_id = text_of(frame.payload.get("call_id")) or text_of(frame.payload.get("id"))
    if "dedupe_key" in keys:
        call_id = f"{keys['dedupe_key']}@{frame.source.offset}"
    call = tool_call(
        call_id=call_id or frame.name,
        name="web_search",
        arguments=asked,
        spec=tools.web_spec(action),
    )
    done = ToolResult(call.call_id, ok=None, structured=structured)
    result_keys = frame.twins("web result", said, first=first)
    return [
        frame.event("call", call, **keys, response_id=frame.sampled_id),
        frame.event("result", done, **result_keys),
    ]


def _web_call(frame: Frame) -> list[Event]:
    action = fields_of(frame.payload.get("action"))
    return web_events(frame, action, None, {"status": frame.payload.get("status")}, first=False)


def _tool_search(frame: Frame) -> list[Event]:
    given = frame.payload.get("arguments")
    exact = exact_text(frame, given, "arguments")
    return [call_event(frame, "tool_search", fields_of(given), raw=exact)]


def _tool_search_output(frame: Frame) -> list[Event]:
    call_id = text_of(frame.payload.get("call_id")) or frame.name
    found = tuple(JsonBlock(tool) for tool in items_of(frame.payload.get("tools")))
    ok = True if frame.payload.get("status") == "completed" else None
    return [frame.event("result", ToolResult(call_id, ok, found))]


def image_events(frame: Frame) -> list[Event]:
    """An image that the vendor made: the call and its outcome, in two equal records."""
    call_id = text_of(frame.payload.get("call_id")) or text_of(frame.payload.get("id"))
    call_id = call_id or frame.name
    prompt = text_of(frame.payload.get("revised_prompt"))
    call = tool_call(
        call_id=call_id,
        name="image_generation",
        arguments={"prompt": prompt} if prompt is not None else {},
        spec=tools.SPECS["image_generation"],
    )
    data = text_of(frame.payload.get("result"))
    blocks = (block_of({"type": "image", "data": data}),) if data is not None else ()
    return [
        frame.event("call", call),
        frame.event("result", ToolResult(call_id, None, blocks), dedupe_key=f"image:{call_id}"),
    ]


def _compaction(frame: Frame) -> list[Event]:
    return compaction_events(frame)


def _snapshot(frame: Frame) -> list[Event]:
    return [frame.hidden("a snapshot of the files, for undo", "ghost_snapshot")]


def _more_tools(frame: Frame) -> list[Event]:
    return [frame.hidden("tools that the model may use", "additional_tools")]


def _configuration(frame: Frame) -> list[Event]:
    return [frame.hidden("how much the model is to think from here on", "configuration_update")]


def _compaction_asked(frame: Frame) -> list[Event]:
    return [
        frame.hidden("a compaction is asked for, its outcome tells of it", "compaction_trigger")
    ]


_MAKERS = {
    "message": _message,
    "agent_message": _agent_message,
    "reasoning": _reasoning,
    "function_call": _function_call,
    "custom_tool_call": _custom_call,
    "local_shell_call": _local_shell,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "local_shell_call_output": _output,
    "web_search_call": _web_call,
    "tool_search_call": _tool_search,
    "tool_search_output": _tool_search_output,
    "image_generation_call": image_events,
    "ghost_snapshot": _snapshot,
    "additional_tools": _more_tools,
    "configuration_update": _configuration,
    "compaction_trigger": _compaction_asked,
    "compaction": _compaction,
    "context_compaction": _compaction,
    "compaction_summary": _compaction,
}
"""Makers of events by the type of the item."""
