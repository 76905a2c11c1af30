"""Events of response items: what went to the model and came from it."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import cast

from msgspec.structs import replace

from agentview.domain.content import Block, JsonBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Level,
    Message,
    Notification,
    Reasoning,
    ToolResult,
    Topic,
    runs,
)
from agentview.domain.index_entry import EventFact, Nesting, Signal
from agentview.domain.session import StreamKind
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, text, to_json
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    changed,
    fields_of,
    items_of,
    text_of,
)
from agentview.normalize.session_state import SAID
from agentview.normalize.tools.specs import KnownCall, ToolSpec, known_call
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import MESSAGE, REASONING, LightEvent, hidden
from agentview.providers.codex import tools
from agentview.providers.codex.agents import agent_note, ended_agents, started_agent, state_of
from agentview.providers.codex.content import (
    block_of,
    ends_turn,
    is_remark,
    message_in,
    prompt_in,
    text_in,
    without_sources,
)
from agentview.providers.codex.event_builder import (
    CodexRecord,
    DuplicateKeys,
    agent_stream,
    made_via,
)
from agentview.providers.codex.plan_and_command import own_command, proposed, split_plan
from agentview.providers.codex.session_meta import compaction_events
from agentview.providers.codex.tool_outcome import result_of

_NOTIFIED = "subagent_notification"
_OWN_COMMAND = "user_shell_command"
ADDRESS = "Message Type: "
"""Beginnings of the lines in front of a message between agents."""
_PAYLOAD = "\nPayload:\n"
_FINAL = f"{ADDRESS}FINAL_ANSWER"


def is_item(record_type: object) -> bool:
    return isinstance(record_type, str) and record_type in _MAKERS


def item_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of one response item; a message may lack its type."""
    kind = record.payload.type or "(none)"
    maker = _MAKERS.get(kind)
    if maker is None:
        if "role" in record.values:
            kind = "message"
        elif kind == "(none)" and is_item(record.record.type):
            kind = str(record.record.type)
        maker = _MAKERS.get(kind)
    if record.copied:
        return [hidden(record, "history of the session that started this agent", kind)]
    return maker(record) if maker is not None else [record.unknown(f"response_item/{kind}")]


def _message(record: CodexRecord) -> Sequence[LightEvent]:
    role = record.payload.role or None
    if role == "assistant":
        return _assistant(record, record.value_of(record.payload.content))
    if role == "user":
        return _user(record, record.value_of(record.payload.content))
    if role in ("developer", "system"):
        return [hidden(record, "instructions that the client gave to the model", f"message/{role}")]
    return [record.unknown(f"message/{role}")]


def _assistant(record: CodexRecord, content: object) -> Sequence[LightEvent]:
    message = message_in(content)
    if message is None:
        return [hidden(record, "a message without text", "message/assistant")]
    said, plan = split_plan(without_sources(message.text))
    events: list[LightEvent] = []
    if said or message.blocks or plan is None:
        ends = ends_turn(record.payload.phase)
        events.append(said_event(record, said, message.blocks, ends, first=False))
    if plan is not None:
        events.extend(proposed(record, f"plan:{record.name}", plan, first=False))
    return events


def said_event(
    record: CodexRecord, said: str, blocks: tuple[Block, ...], ends: bool | None, *, first: bool
) -> EventFact:
    """A message of the agent, by one of its two records."""
    keys = record.twins("message", said, first=first)
    return record.light("message", MESSAGE, Message, (said, blocks, ends), SAID[ends], keys)


def thoughts(record: CodexRecord, sections: Iterable[str], *, first: bool) -> Sequence[LightEvent]:
    return [
        _thought(record, index, (said,), record.twins("reasoning", said, first=first))
        for index, said in enumerate(sections)
    ]


def _thought(
    record: CodexRecord, index: int, made: tuple[object, ...], keys: DuplicateKeys
) -> EventFact:
    return record.light(str(index), REASONING, Reasoning, made, Signal.AGENT, keys)


def _user(record: CodexRecord, content: object) -> Sequence[LightEvent]:
    passed_on = record.payload.internal_chat_message_metadata_passthrough
    prompt = prompt_in(content, passed_on and passed_on.content_item_kinds)
    if prompt.injected == _NOTIFIED:
        return [_agent_notified(record, text_in(content))]
    if prompt.injected == _OWN_COMMAND:
        return [own_command(record, prompt.text)]
    remark = is_remark(prompt.text, prompt.blocks)
    if remark and not prompt.typed:
        head, _, rest = prompt.text.strip().partition("\n")
        warned = Notification(Topic.SYSTEM, head, Level.WARNING, detail=rest.strip() or None)
        return [record.event("notice", warned, **record.overruled(first=True))]
    if prompt.injected is not None:
        reason = f"context that the client put in: {prompt.injected}"
        return [hidden(record, reason, "message/user")]
    keys = (
        record.overruled(first=True) if remark else record.twins("prompt", prompt.text, first=True)
    )
    return [record.event("prompt", prompt.user, **keys)]


def _agent_notified(record: CodexRecord, said: str) -> Event:
    """An agent that ended, as the client reported it to the model in the person's place."""
    inner = said.strip().removeprefix(f"<{_NOTIFIED}>").removesuffix(f"</{_NOTIFIED}>").strip()
    fields = mapping(inner)
    name = text(fields, "agent_path", "agent_id") or "an agent"
    state, final = state_of(fields.get("status"))
    note = agent_note(name, state, final or (inner if state is None else None))
    child = agent_stream(fields.get("agent_id"))
    return record.event("notified", note, child=child, path=runs(name))


def _agent_message(record: CodexRecord) -> Sequence[LightEvent]:
    return agent_said(record, text_in(record.value_of(record.payload.content)), first=False)


def agent_said(record: CodexRecord, said: str, *, first: bool) -> Sequence[LightEvent]:
    """Return a message of another agent to this one; two sorts of records may have it."""
    author = record.report.author or "an agent"
    head, _, words = said.partition(_PAYLOAD)
    ends = runs(author) if _FINAL in head else ""
    # What an agent is asked to do may be encrypted: then only the lines in front of it can be read.
    unread = not words.strip() and head.startswith(ADDRESS)
    words = words if words.strip() else head
    keys: DuplicateKeys = {} if unread else record.twins("agents", words, first=first)
    if record.session.stream.kind is not StreamKind.MAIN:
        return [record.event("prompt", spoken(words, via=author), **keys)]
    note = Notification(Topic.BACKGROUND, f"Message from {author}", detail=words or None)
    return [record.event("message", note, path=ends, **keys)]


def passed_on(record: CodexRecord) -> Sequence[LightEvent]:
    """A message between agents as the client passed it on (up to 0.14x also with its text)."""
    said = text_in(record.value_of(record.payload.content))
    kind = "inter_agent_communication"
    if record.copied:
        return [hidden(record, "history of the session that started this agent", kind)]
    if not said.strip():
        return [hidden(record, "how a message between agents was passed on", kind)]
    return agent_said(record, said, first=True)


def _reasoning(record: CodexRecord) -> Sequence[LightEvent]:
    """The sections of a thought, as the other record of it has them."""
    payload = record.payload
    sections = _sections(record.value_of(payload.summary))
    sections = sections or _sections(record.value_of(payload.content))
    if not sections:
        return [_thought(record, 0, ("", True), {})]
    return thoughts(record, sections, first=False)


def _sections(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [said for item in items_of(value) if (said := text_in([item])).strip()]


_ARGUED = frozenset({"apply_patch", "exec", "wait"})
"""Tools whose arguments have a say in what a call of them is."""
_Given = tuple[Fields | str | None, bytes | None]
"""Arguments, and the exact text of those that are an object."""


@lru_cache(maxsize=256)
def _tool(name: str, namespace: str | None) -> tuple[ToolSpec | None, KnownCall | None]:
    """Tool of a call by its name alone."""
    spec = tools.spec_for(name, {}, namespace)
    return spec, known_call(tools.full_name(name, namespace), spec)


def _call(
    record: CodexRecord, name: str, given: Callable[[CodexRecord], _Given]
) -> Sequence[LightEvent]:
    """A call as the model asked for it; `given` gives its arguments.

    A name that nothing knows may be that of an MCP server's tool, which only the record of its
    outcome shows: that record then replaces this one.
    """
    payload = record.payload
    namespace = payload.namespace or None
    container = False
    if name in _ARGUED:
        arguments, items = mapping(given(record)[0]), record.paginated and not record.repeated
        spec = tools.spec_for(name, arguments, namespace, items=items)
        known = known_call(tools.full_name(name, namespace), spec)
        container = tools.is_container(name, arguments, items=items)
    else:
        spec, known = _tool(name, namespace)
    call_id = as_text(payload.id if payload.call_id is None else payload.call_id)
    call_id = record.name if call_id is None else call_id
    key = f"call:{call_id}" if spec is None else None
    made = (record, name, call_id, given, spec, container)
    nesting = Nesting.CONTAINER if container else Nesting.NONE
    return [record.call(call_id, known, _made, made, "model", key, nesting=nesting)]


def _made(
    record: CodexRecord,
    name: str,
    call_id: str,
    given: Callable[[CodexRecord], _Given],
    spec: ToolSpec | None,
    container: bool,
) -> ToolCall:
    arguments, raw = given(record)
    name = tools.full_name(name, record.payload.namespace or None)
    call = tool_call(call_id=call_id, name=name, arguments=arguments, spec=spec, raw=raw)
    return replace(call, is_container=True) if container else call


def _function_call(record: CodexRecord) -> Sequence[LightEvent]:
    return _call(record, record.payload.name or "", _arguments)


def _arguments(record: CodexRecord) -> _Given:
    given = record.value_of(record.payload.arguments)
    if isinstance(given, str) and given.lstrip().startswith(tools.PATCH_BEGIN):
        return _free(given)
    if given is None or isinstance(given, str):
        return given, None
    exact = record.exact(record.payload.arguments, *record.place, "arguments")
    if isinstance(given, dict):
        return fields_of(cast("object", given)), exact
    return exact.decode("utf-8", "replace"), exact


def _free(given: str) -> _Given:
    return {"input": given}, given.encode("utf-8", "replace")


def _custom_call(record: CodexRecord) -> Sequence[LightEvent]:
    return _call(record, record.payload.name or "", _input)


def _input(record: CodexRecord) -> _Given:
    """The input of a call, which is free text; it is the only argument, named `input`."""
    given = record.value_of(record.payload.input)
    if not isinstance(given, str):
        return _arguments(record) if given is None else (to_json(given), None)
    return (given, None) if mapping(given) else _free(given)


def _local_shell(record: CodexRecord) -> Sequence[LightEvent]:
    return _call(record, "local_shell_call", _action)


def _action(record: CodexRecord) -> _Given:
    action = fields_of(record.value_of(record.payload.action))
    arguments = changed(action, {"workdir": action.get("working_directory")})
    return arguments, record.exact(record.payload.action, *record.place, "action")


def _output(record: CodexRecord) -> Sequence[LightEvent]:
    payload, output = record.payload, record.value_of(record.payload.output)
    call_id = as_text(payload.call_id)
    if call_id is None:
        body = Attachment(payload.name or "context", "tool output", text_in(output))
        return [record.event("note", body)]
    result, running = result_of(output, call_id)
    answer = mapping(output if isinstance(output, str) else text_in(output))
    agent = None if result.ok is False else started_agent(answer)
    child = agent_stream(answer.get("agent_id")) if agent else None
    light = record.result(result, runs(running or agent), child)
    if "timed_out" not in answer:
        return [light]
    return [light, *ended_agents(record, mapping(answer.get("status")))]


_ASKED = ("type", "query", "queries", "url", "pattern")
"""Members of an action that say what is looked for."""


def web_events(
    record: CodexRecord, action: Fields, query: str | None, structured: object, *, first: bool
) -> Sequence[LightEvent]:
    """A search of the web, which the client runs itself: the call and its outcome in one record.

    Its two records have no id in common: what was asked, and when, makes them twins. A member that
    only one of them has says more of it.
    """
    asked = {key: value for key, value in action.items() if value is not None}
    same = {key: asked[key] for key in _ASKED if key in asked}
    said = to_json(dict(sorted((same or asked).items())))
    if query is not None:
        asked.setdefault("query", query)
    keys = record.twins("web", said, first=first)
    call_id = text_of(record.payload.call_id) or text_of(record.payload.id)
    via = None if call_id is None else made_via(call_id)
    if "dedupe_key" in keys:
        call_id = f"{keys['dedupe_key']}@{record.source.offset}"
    call = tool_call(
        call_id=call_id or record.name,
        name="web_search",
        arguments=asked,
        spec=tools.web_spec(action),
        via=via,
    )
    done = ToolResult(call.call_id, ok=None, structured=structured)
    result_keys = record.twins("web result", said, first=first)
    return [
        record.event("call", call, **keys, response_id=record.sampled_id),
        record.event("result", done, **result_keys),
    ]


def _web_call(record: CodexRecord) -> Sequence[LightEvent]:
    action = fields_of(record.value_of(record.payload.action))
    return web_events(record, action, None, {"status": record.payload.status}, first=False)


def _tool_search(record: CodexRecord) -> Sequence[LightEvent]:
    return _call(record, "tool_search", _searched)


def _searched(record: CodexRecord) -> _Given:
    given = record.value_of(record.payload.arguments)
    return fields_of(given), record.exact(record.payload.arguments, *record.place, "arguments")


def _tool_search_output(record: CodexRecord) -> Sequence[LightEvent]:
    call_id = call_id_of(record.payload.call_id, record.name)
    found = tuple(JsonBlock(tool) for tool in record.report.tools or ())
    ok = True if record.payload.status == "completed" else None
    return [record.result(ToolResult(call_id, ok, found))]


def image_events(record: CodexRecord) -> Sequence[LightEvent]:
    """An image that the vendor made: the call and its outcome, in two equal records."""
    call_id = text_of(record.payload.call_id) or text_of(record.payload.id)
    call_id = call_id or record.name
    own = record.report
    prompt = own.revised_prompt or None
    call = tool_call(
        call_id=call_id,
        name="image_generation",
        arguments={"prompt": prompt} if prompt is not None else {},
        spec=tools.SPECS["image_generation"],
    )
    data = text_of(own.result)
    blocks = (block_of({"type": "image", "data": data}),) if data is not None else ()
    return [
        record.event("call", call, dedupe_key=f"image call:{call_id}"),
        record.event("result", ToolResult(call_id, None, blocks), dedupe_key=f"image:{call_id}"),
    ]


def _compaction(record: CodexRecord) -> Sequence[LightEvent]:
    return compaction_events(record)


def _snapshot(record: CodexRecord) -> Sequence[LightEvent]:
    return [hidden(record, "a snapshot of the files, for undo", "ghost_snapshot")]


def _more_tools(record: CodexRecord) -> Sequence[LightEvent]:
    return [hidden(record, "tools that the model may use", "additional_tools")]


def _configuration(record: CodexRecord) -> Sequence[LightEvent]:
    return [hidden(record, "how much the model is to think from here on", "configuration_update")]


def _compaction_asked(record: CodexRecord) -> Sequence[LightEvent]:
    return [hidden(record, "a requested compaction, reported by its outcome", "compaction_trigger")]


def _interface(record: CodexRecord) -> Sequence[LightEvent]:
    return [hidden(record, "what only the client's interface shows", "trae_extra_info")]


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
    "trae_extra_info": _interface,
    "configuration_update": _configuration,
    "compaction_trigger": _compaction_asked,
    "compaction": _compaction,
    "context_compaction": _compaction,
    "compaction_summary": _compaction,
}
"""Makers of events by the type of the item."""
