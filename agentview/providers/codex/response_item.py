"""Events of response items: what went to the model and came from it."""

from typing import cast

import orjson
from msgspec.structs import replace

from agentview.domain.content import JsonBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Level,
    Notification,
    Reasoning,
    ToolResult,
    Topic,
)
from agentview.domain.session import StreamKind
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, text, to_json
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    changed,
    fields_of,
    items_of,
    text_of,
)
from agentview.normalize.raw_span import value_span
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.codex import tools
from agentview.providers.codex.content import (
    block_of,
    ends_turn,
    is_remark,
    message_in,
    prompt_in,
    text_in,
    without_sources,
)
from agentview.providers.codex.event_builder import CodexRecord, DuplicateKeys, agent_stream
from agentview.providers.codex.plan_and_command import own_command, parted, proposed
from agentview.providers.codex.session_meta import compaction_events
from agentview.providers.codex.tool_outcome import output_text, result_of

_NOTIFIED = "subagent_notification"
_OWN_COMMAND = "user_shell_command"
ADDRESS = "Message Type: "
"""What the lines in front of a message between agents begin with."""
_PAYLOAD = "\nPayload:\n"


def is_item(record_type: object) -> bool:
    """True if this is the type of an item, as some writers of this format name the record."""
    return isinstance(record_type, str) and record_type in _MAKERS


def item_events(record: CodexRecord) -> list[Event]:
    """Events of one response item; a message may lack its type."""
    kind = text_of(record.payload.get("type")) or "(none)"
    if kind not in _MAKERS and "role" in record.payload:
        kind = "message"
    elif kind == "(none)" and is_item(record.fields.get("type")):
        kind = str(record.fields["type"])
    if record.copied:
        return [record.hidden("history of the session that started this agent", kind)]
    maker = _MAKERS.get(kind)
    return maker(record) if maker is not None else [record.unknown(f"response_item/{kind}")]


def _message(record: CodexRecord) -> list[Event]:
    role = text_of(record.payload.get("role"))
    content = record.payload.get("content")
    if role == "assistant":
        return _assistant(record, content)
    if role == "user":
        return _user(record, content)
    if role in ("developer", "system"):
        return [record.hidden("instructions that the client gave to the model", f"message/{role}")]
    return [record.unknown(f"message/{role}")]


def _assistant(record: CodexRecord, content: object) -> list[Event]:
    message = message_in(content)
    if message is None:
        return [record.hidden("a message without text", "message/assistant")]
    said, plan = parted(without_sources(message.text))
    events: list[Event] = []
    if said or message.blocks or plan is None:
        keys = record.twins("message", said, first=False)
        ends = ends_turn(record.payload.get("phase"))
        body = replace(message, text=said, ends_turn=ends)
        events.append(record.event("message", body, **keys, response_id=record.sampled_id))
    if plan is not None:
        events.extend(proposed(record, f"plan:{record.name}", plan, first=False))
    return events


def _user(record: CodexRecord, content: object) -> list[Event]:
    prompt = prompt_in(content)
    if prompt.injected == _NOTIFIED:
        return [_agent_notified(record, text_in(content))]
    if prompt.injected == _OWN_COMMAND:
        return [own_command(record, prompt.text)]
    if prompt.injected is None and is_remark(prompt.text, prompt.blocks):
        head, _, rest = prompt.text.strip().partition("\n")
        warned = Notification(Topic.SYSTEM, head, Level.WARNING, detail=rest.strip() or None)
        return [record.event("notice", warned, **record.overruled(first=True))]
    if prompt.injected is not None:
        reason = f"context that the client put in: {prompt.injected}"
        return [record.hidden(reason, "message/user")]
    keys = record.twins("prompt", prompt.text, first=True)
    return [record.event("prompt", prompt.user, **keys)]


def _agent_notified(record: CodexRecord, said: str) -> Event:
    """An agent that ended, as the client reported it to the model in the person's place."""
    inner = said.strip().removeprefix(f"<{_NOTIFIED}>").removesuffix(f"</{_NOTIFIED}>").strip()
    fields = mapping(inner)
    name = text(fields, "agent_path", "agent_id") or "an agent"
    status = fields.get("status")
    words = next(iter(fields_of(status)), None) or text_of(status) or "reported"
    final = text(fields_of(status), "completed", "errored")
    return record.event(
        "notified",
        Notification(Topic.BACKGROUND, f"Agent {name}: {words}", detail=final or inner),
        child=agent_stream(fields.get("agent_id")),
    )


def _agent_message(record: CodexRecord) -> list[Event]:
    """A message between agents: the task of this one, or what another one reports."""
    return agent_said(record, text_in(record.payload.get("content")), first=False)


def agent_said(record: CodexRecord, said: str, *, first: bool) -> list[Event]:
    """Return what another agent said to this one; two sorts of records may have it."""
    author = text_of(record.payload.get("author")) or "an agent"
    head, _, words = said.partition(_PAYLOAD)
    # What an agent is asked to do may be encrypted: then only the lines in front of it can be read.
    unread = not words.strip() and head.startswith(ADDRESS)
    words = words if words.strip() else head
    keys: DuplicateKeys = {} if unread else record.twins("agents", words, first=first)
    if record.session.stream.kind is not StreamKind.MAIN:
        return [record.event("prompt", spoken(words, via=author), **keys)]
    note = Notification(Topic.BACKGROUND, f"Message from {author}", detail=words or None)
    return [record.event("message", note, **keys)]


def passed_on(record: CodexRecord) -> list[Event]:
    """A message between agents as the client passed it on (up to 0.14x also with its text)."""
    said = text_in(record.payload.get("content"))
    kind = "inter_agent_communication"
    if record.copied:
        return [record.hidden("history of the session that started this agent", kind)]
    if not said.strip():
        return [record.hidden("how a message between agents was passed on", kind)]
    return agent_said(record, said, first=True)


def _reasoning(record: CodexRecord) -> list[Event]:
    """The sections of a thought, one event each, as the other record of it has them."""
    sections = _sections(record.payload.get("summary")) or _sections(record.payload.get("content"))
    response = record.sampled_id
    if not sections:
        return [record.event("0", Reasoning("", withheld=True), response_id=response)]
    return [
        record.event(
            str(index),
            Reasoning(section),
            **record.twins("reasoning", section, first=False),
            response_id=response,
        )
        for index, section in enumerate(sections)
    ]


def _sections(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [said for item in items_of(value) if (said := text_in([item])).strip()]


def call_event(
    record: CodexRecord,
    name: str,
    arguments: Fields | str | None,
    *,
    namespace: str | None = None,
    raw: bytes | None = None,
    call_id: str | None = None,
) -> Event:
    """The event of a call as the model asked for it.

    A name that nothing knows may be that of an MCP server's tool, which only the record of its
    outcome shows: that record then replaces this one.
    """
    given = text(record.payload, "call_id", "id") if call_id is None else call_id
    known = arguments if not isinstance(arguments, str) else mapping(arguments)
    spec = tools.spec_for(
        name, known or {}, namespace, items=record.paginated and not record.repeated
    )
    call: ToolCall = tool_call(
        call_id=record.name if given is None else given,
        name=tools.full_name(name, namespace),
        arguments=arguments,
        spec=spec,
        raw=raw,
    )
    return record.event(
        "call",
        call,
        replaces=f"call:{call.call_id}" if spec is None else None,
        response_id=record.sampled_id,
        path="model",
    )


def _function_call(record: CodexRecord) -> list[Event]:
    name = text_of(record.payload.get("name")) or ""
    given = record.payload.get("arguments")
    namespace = text_of(record.payload.get("namespace"))
    if isinstance(given, str) and given.lstrip().startswith(tools.PATCH_BEGIN):
        return [_free_call(record, name, given, namespace)]
    if given is None or isinstance(given, str):
        return [call_event(record, name, given, namespace=namespace)]
    exact = exact_text(record, given, "arguments")
    arguments = (
        fields_of(cast("object", given))
        if isinstance(given, dict)
        else exact.decode("utf-8", "replace")
    )
    return [call_event(record, name, arguments, namespace=namespace, raw=exact)]


def _custom_call(record: CodexRecord) -> list[Event]:
    """A call whose input is free text; it is the only argument, named `input`."""
    name = text_of(record.payload.get("name")) or ""
    given = record.payload.get("input")
    namespace = text_of(record.payload.get("namespace"))
    if not isinstance(given, str):
        return (
            _function_call(record) if given is None else [call_event(record, name, to_json(given))]
        )
    if mapping(given):
        return [call_event(record, name, given, namespace=namespace)]
    return [_free_call(record, name, given, namespace)]


def _free_call(record: CodexRecord, name: str, given: str, namespace: str | None) -> Event:
    raw = given.encode("utf-8", "replace")
    return call_event(record, name, {"input": given}, namespace=namespace, raw=raw)


def _local_shell(record: CodexRecord) -> list[Event]:
    action = record.payload.get("action")
    return [
        call_event(
            record,
            "local_shell_call",
            changed(fields_of(action), {"workdir": fields_of(action).get("working_directory")}),
            raw=exact_text(record, action, "action"),
        )
    ]


def _output(record: CodexRecord) -> list[Event]:
    call_id = text(record.payload, "call_id")
    if call_id is None:
        name = text_of(record.payload.get("name")) or "context"
        return [record.event("note", Attachment(name, "tool output", output_text(record.payload)))]
    result = result_of(record.payload, call_id)
    child = None
    fields = mapping(output_text(record.payload))
    if result.ok is not False and "agent_id" in fields and "nickname" in fields:
        child = agent_stream(fields["agent_id"])
    return [record.event("result", result, child=child)]


def exact_text(record: CodexRecord, value: object, key: str) -> bytes:
    """The text of a value as it is in the record under the payload's `key`."""
    try:
        written = orjson.dumps(value)
    except TypeError:
        written = to_json(value).encode("utf-8", "replace")
    if written in record.raw:
        return written
    path = (key,) if record.payload is record.fields else ("payload", key)
    span = value_span(record.raw, path)
    return record.raw[span[0] : span[1]] if span is not None else written


def web_events(
    record: CodexRecord, action: Fields, query: str | None, structured: object, *, first: bool
) -> list[Event]:
    """A search of the web, which the client runs itself: the call and its outcome in one record.

    Its two records have no id in common: what was asked, and when, makes them twins.
    """
    asked = {key: value for key, value in action.items() if value is not None}
    said = to_json(dict(sorted(asked.items())))
    if query is not None:
        asked.setdefault("query", query)
    keys = record.twins("web", said, first=first)
    call_id = text_of(record.payload.get("call_id")) or text_of(record.payload.get("id"))
    if "dedupe_key" in keys:
        call_id = f"{keys['dedupe_key']}@{record.source.offset}"
    call = tool_call(
        call_id=call_id or record.name,
        name="web_search",
        arguments=asked,
        spec=tools.web_spec(action),
    )
    done = ToolResult(call.call_id, ok=None, structured=structured)
    result_keys = record.twins("web result", said, first=first)
    return [
        record.event("call", call, **keys, response_id=record.sampled_id),
        record.event("result", done, **result_keys),
    ]


def _web_call(record: CodexRecord) -> list[Event]:
    action = fields_of(record.payload.get("action"))
    return web_events(record, action, None, {"status": record.payload.get("status")}, first=False)


def _tool_search(record: CodexRecord) -> list[Event]:
    given = record.payload.get("arguments")
    exact = exact_text(record, given, "arguments")
    return [call_event(record, "tool_search", fields_of(given), raw=exact)]


def _tool_search_output(record: CodexRecord) -> list[Event]:
    call_id = call_id_of(record.payload.get("call_id"), record.name)
    found = tuple(JsonBlock(tool) for tool in items_of(record.payload.get("tools")))
    ok = True if record.payload.get("status") == "completed" else None
    return [record.event("result", ToolResult(call_id, ok, found))]


def image_events(record: CodexRecord) -> list[Event]:
    """An image that the vendor made: the call and its outcome, in two equal records."""
    call_id = text_of(record.payload.get("call_id")) or text_of(record.payload.get("id"))
    call_id = call_id or record.name
    prompt = text_of(record.payload.get("revised_prompt"))
    call = tool_call(
        call_id=call_id,
        name="image_generation",
        arguments={"prompt": prompt} if prompt is not None else {},
        spec=tools.SPECS["image_generation"],
    )
    data = text_of(record.payload.get("result"))
    blocks = (block_of({"type": "image", "data": data}),) if data is not None else ()
    return [
        record.event("call", call, dedupe_key=f"image call:{call_id}"),
        record.event("result", ToolResult(call_id, None, blocks), dedupe_key=f"image:{call_id}"),
    ]


def _compaction(record: CodexRecord) -> list[Event]:
    return compaction_events(record)


def _snapshot(record: CodexRecord) -> list[Event]:
    return [record.hidden("a snapshot of the files, for undo", "ghost_snapshot")]


def _more_tools(record: CodexRecord) -> list[Event]:
    return [record.hidden("tools that the model may use", "additional_tools")]


def _configuration(record: CodexRecord) -> list[Event]:
    return [record.hidden("how much the model is to think from here on", "configuration_update")]


def _compaction_asked(record: CodexRecord) -> list[Event]:
    return [record.hidden("a requested compaction, reported by its outcome", "compaction_trigger")]


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
