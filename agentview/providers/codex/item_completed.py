"""Events of finished items: what a tool did, as the client recorded it for the screen.

An item has the id of the call that it belongs to, or an id of its own where a script made the call.
The call is recorded again either way, so that it has a place; what the model asked for counts.
"""

import re
from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import astuple

from agentview.domain.events import (
    Body,
    Notification,
    ToolResult,
    Topic,
    runs,
)
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    changed,
    fields_of,
    seconds_of,
    text_of,
    time_of,
)
from agentview.normalize.tools.specs import ToolSpec, known_call
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex import tools
from agentview.providers.codex.agents import STARTING, agent_note
from agentview.providers.codex.content import (
    block_of,
    blocks_of,
    ends_turn,
    message_in,
    prompt_in,
    reported_prompt_keys,
    text_in,
)
from agentview.providers.codex.event_builder import (
    CodexRecord,
    agent_stream,
    duration_of,
    made_via,
    nesting_of,
    path_of,
)
from agentview.providers.codex.plan_and_command import own_command_item, proposed
from agentview.providers.codex.response_item import said_event, thoughts, web_events
from agentview.providers.codex.schema import Failure, Outcome, Payload, Report
from agentview.providers.codex.session_meta import compaction_events

_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]")
_TOOL_NAMES = {"wait": "wait_agent"}
"""Names of agents' tools in items, where they differ from what the model calls them."""


def done(
    record: CodexRecord,
    call_id: str,
    name: str,
    args: Fields,
    outcome: ToolResult | None,
    *,
    spec: ToolSpec | None = None,
    child: Stream | None = None,
    started: float | None = None,
) -> list[LightEvent]:
    """The call that an item belongs to, at the time it began, and its outcome where it has one."""
    spec = spec or tools.spec_for(name, args)
    path = "begin" if outcome is None else "end"
    known, made = known_call(name, spec), (call_id, name, args, spec)
    nesting = nesting_of(call_id)
    call = record.call(call_id, known, _made, made, path, f"call:{call_id}", started, nesting)
    return [call] if outcome is None else [call, record.result(outcome, "event", child)]


def _made(call_id: str, name: str, args: Fields, spec: ToolSpec | None) -> ToolCall:
    return tool_call(call_id=call_id, name=name, arguments=args, spec=spec, via=made_via(call_id))


def item_completed_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of `item_completed`, by the type of its item."""
    if record.copied:
        return [hidden(record, "history of the session that started this agent", "item_completed")]
    item = record.payload.item or Payload()
    kind = item.type or "(none)"
    light = _LIGHT_MAKERS.get(kind)
    if light is not None:
        return light(record, item)
    maker = _MAKERS.get(kind)
    if maker is None:
        return [record.unknown(f"item_completed/{kind}")]
    fields = item_fields(record)
    return maker(record, fields, read_as(fields, Report))


def item_fields(record: CodexRecord) -> Fields:
    """The values of the item of a record, or of the report that says the same."""
    if record.payload.item is None:
        return record.values
    return _in_snake_case(fields_of(record.values.get("item")))


def _in_snake_case(item: Fields) -> Fields:
    """An item with the names of most versions; some write them as the interface of the client."""
    if item.get("type") == "Extension" or not any(_HUMP.search(key) for key in item):
        return item
    named = {_HUMP.sub(_flat, key): value for key, value in item.items()}
    for key in ("tool", "status") if item.get("type") == "CollabAgentToolCall" else ("status",):
        value = named.get(key)
        if isinstance(value, str):
            named[key] = _HUMP.sub(_flat, value)
    return named


def _flat(match: re.Match[str]) -> str:
    return f"_{match[0].lower()}"


def _id(record: CodexRecord, own: Report) -> str:
    return record.name if own.id is None else own.id


def _started(record: CodexRecord, duration: object) -> float | None:
    """When the work of an item began, epoch seconds."""
    at = time_of(record.payload.started_at_ms)
    if at is not None:
        return at
    took = duration_of(duration)
    return record.time - took if record.time is not None and took is not None else None


def _user(record: CodexRecord, _item: Fields, own: Report) -> Sequence[LightEvent]:
    prompt = prompt_in(own.content)
    keys = reported_prompt_keys(record, prompt.text, prompt.blocks)
    return [record.event("prompt", prompt.user, **keys)]


def _message(record: CodexRecord, item: Payload) -> Sequence[LightEvent]:
    content = record.value_of(item.content) or record.value_of(item.text)
    message = message_in(content)
    if message is None:
        return [hidden(record, "a message without text", "item_completed/AgentMessage")]
    ends = ends_turn(item.phase) if item.questions is UNSET else None
    return [said_event(record, message.text, message.blocks, ends, first=True)]


def _reasoning(record: CodexRecord, _item: Fields, own: Report) -> Sequence[LightEvent]:
    sections = [said for said in own.summary_text or () if said is not None]
    if not sections:
        return [
            hidden(record, "a thought, reported by its response item", "item_completed/Reasoning")
        ]
    return thoughts(record, sections, first=True)


def command(
    record: CodexRecord, call_id: str, item: Payload, started: float | None
) -> Sequence[LightEvent]:
    """A command that ran, with its whole output; one of the person's own is not a call."""
    if item.source == "user_shell":
        return [own_command_item(record, item_fields(record))]
    ok = _ended_well(item.exit_code, item.success, item.status)
    if ok is None:
        # It may have the names of the client's interface.
        ok = _went_well(read_as(item_fields(record), Report))
    if ok and not item.success and item_fields(record).get("exit_code") is None:
        # The client also says that of a command that it leaves behind.
        ok = None
    key = f"call:{call_id}"
    made, nesting = (record, call_id), nesting_of(call_id)
    call = record.call(call_id, _SHELL, _command_call, made, "end", key, started, nesting)
    result = record.result(ToolResult(call_id, ok), "event")
    result.make, result.args = _command_result, (record, call_id, ok)
    return [call, result]


_SHELL = known_call("exec_command", tools.SPECS["exec_command"])


def _command_call(record: CodexRecord, call_id: str) -> ToolCall:
    own = read_as(item_fields(record), Report)
    args: dict[str, object] = {"command": own.command}
    cwd = path_of(own.cwd)
    if cwd is not None:
        args["workdir"] = cwd
    return _made(call_id, "exec_command", args, tools.SPECS["exec_command"])


def _command_result(record: CodexRecord, call_id: str, ok: bool | None) -> ToolResult:
    return ToolResult(call_id, ok, structured=item_fields(record))


def _went_well(own: Report) -> bool | None:
    return _ended_well(own.exit_code, own.success, own.status)


def _ended_well(code: object, success: object, status: object) -> bool | None:
    if isinstance(code, int) and not isinstance(code, bool):
        return code == 0
    if isinstance(success, bool):
        return success
    return _ENDS.get(status) if isinstance(status, str) else None


_ENDS = {"completed": True, "failed": False, "declined": False}


def _command(record: CodexRecord, item: Payload) -> Sequence[LightEvent]:
    return command(record, call_id_of(item.id, record.name), item, _started(record, item.duration))


def file_change(
    record: CodexRecord, call_id: str, item: Fields, started: float | None
) -> Sequence[LightEvent]:
    """A patch that was applied or not, with what became of each file."""
    own = read_as(item, Report)
    args, ok = {"changes": own.changes}, _went_well(own)
    error = own.stderr if ok is False else None
    outcome = ToolResult(call_id, ok, structured=item, error=error)
    return done(record, call_id, "apply_patch", args, outcome, started=started)


def _file_change(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    return file_change(record, _id(record, own), item, _started(record, own.duration))


def mcp_call(
    record: CodexRecord, call_id: str, item: Fields, started: float | None
) -> list[LightEvent]:
    """A call of an MCP server's tool: here its server is reported, whatever the model called it."""
    called = read_as(item, Report)
    server, tool = called.server or None, called.tool or None
    if server is None and tool is None:
        return [record.result(_mcp_outcome(call_id, item), "event")]
    known = tools.SPECS.get(tool or "")
    own = known is not None and known.kind is ToolKind.MCP
    bare = own or server is None
    name = tool if bare and tool else f"{tools.MCP_PREFIX}{server}__{tool}"
    outcome = _mcp_outcome(call_id, item)
    args = fields_of(called.arguments)
    spec = known if own else tools.mcp_spec(server, tool)
    return done(record, call_id, name, args, outcome, spec=spec, started=started)


def _mcp_outcome(call_id: str, item: Fields) -> ToolResult:
    """Return the answer of a server, as a result or as `Ok` or `Err` of one."""
    own = read_as(item, Report)
    inner, broken = own.answer, own.result.broken if isinstance(own.result, Outcome) else None
    error = own.error.message if isinstance(own.error, Failure) else own.error
    error, status = text_of(broken) or error or None, own.status or None
    failed = error is not None or status == "failed" or inner.is_error or inner.fails or False
    answered = any(value is not None for value in astuple(inner))
    ok = None if not answered and status is None and error is None else not failed
    if failed and error is None:
        error = text_in(inner.content) or None
    structured = changed(item, {"status": "failed" if failed else "completed"})
    return ToolResult(call_id, ok, structured=structured, error=error)


def _mcp(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    return mcp_call(record, _id(record, own), item, _started(record, own.duration))


def _dynamic(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    """A tool of the program that runs the client."""
    call_id, started = _id(record, own), _started(record, own.duration)
    outcome = ToolResult(call_id, _went_well(own), blocks_of(own.content_items), structured=item)
    name, args = tools.full_name(own.tool or "", own.namespace or None), fields_of(own.arguments)
    return done(record, call_id, name, args, outcome, started=started)


def _web_search(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    return web_events(record, fields_of(own.action), own.query or None, item, first=True)


def collaboration(
    record: CodexRecord,
    call_id: str,
    tool: str,
    item: Fields,
    receiver: object,
    started: float | None,
) -> list[LightEvent]:
    """A call that starts another agent, speaks to one, waits for some, or ends one."""
    name, own = _TOOL_NAMES.get(tool, tool), read_as(item, Report)
    args = {key: item[key] for key in ("prompt", "model") if item.get(key) is not None}
    listed = [str(each) for each in own.receiver_thread_ids or ()]
    if tool not in STARTING and listed:
        args["targets"] = listed
    child = agent_stream(receiver) if tool in STARTING else None
    # That an agent was started says nothing of how its work goes.
    ok = None if (well := _went_well(own)) and tool in STARTING else well
    outcome = ToolResult(call_id, ok, structured=item)
    return done(record, call_id, name, args, outcome, child=child, started=started)


def _collab(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    receiver, started = first_receiver(own), _started(record, own.duration)
    tool = own.tool or "send_input"
    return collaboration(record, _id(record, own), tool, item, receiver, started)


def first_receiver(own: Report) -> object:
    return own.receiver_thread_ids[0] if own.receiver_thread_ids else None


def agent_activity(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    """An agent was started by a call, was spoken to, or ended."""
    kind, child = own.kind or "", agent_stream(own.agent_thread_id)
    found = own.event_id if own.id is None else own.id
    call_id = record.name if found is None else found
    if kind == "started":
        outcome = ToolResult(call_id, ok=None, structured=item)
        return [record.result(outcome, "event", child)]
    if kind in ("interacted", "interrupted"):
        return [record.result(ToolResult(call_id, ok=None, structured=item), "event")]
    name = own.agent_path or own.agent_thread_id or "an agent"
    return [record.event("activity", agent_note(name, kind), child=child, path=runs(name))]


def _image(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    call_id, started = _id(record, own), _started(record, own.duration)
    outcome, args = ToolResult(call_id, ok=None, structured=item), {"path": path_of(own.path)}
    return done(record, call_id, "view_image", args, outcome, started=started)


def _made_image(record: CodexRecord, _item: Fields, own: Report) -> Sequence[LightEvent]:
    call_id, data = _id(record, own), text_of(own.result)
    blocks = (block_of({"type": "image", "data": data}),) if data is not None else ()
    outcome = ToolResult(call_id, None, blocks)
    result = record.result(outcome, "event")
    result.dedupe = f"image:{call_id}"
    args = {"prompt": own.revised_prompt or None}
    return [done(record, call_id, "image_generation", args, outcome)[0], result]


def _slept(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    """A pause of the agent, which ends at the latest when the person says something."""
    call_id, took = _id(record, own), seconds_of(own.duration_ms)
    began = record.time - took if record.time is not None and took is not None else None
    args = {"duration_ms": item.get("duration_ms")}
    return done(record, call_id, "sleep", args, ToolResult(call_id, ok=None), started=began)


def _plan(record: CodexRecord, _item: Fields, own: Report) -> Sequence[LightEvent]:
    return proposed(record, _id(record, own), own.text or "")


def _compacted(record: CodexRecord, _item: Fields, _own: Report) -> Sequence[LightEvent]:
    return compaction_events(record)


def _extension(record: CodexRecord, item: Fields, own: Report) -> Sequence[LightEvent]:
    """Return the outcome of an extension's tool: its call is among the response items."""
    if own.action is not None:
        return _web_search(record, item, own)
    outcome = ToolResult(_id(record, own), ok=None, structured=item)
    return [record.result(outcome, "event")]


def _review(record: CodexRecord, _item: Fields, own: Report) -> Sequence[LightEvent]:
    words = "Review began" if own.type == "EnteredReviewMode" else "Review ended"
    detail = own.review or own.user_facing_hint or None
    return [record.event("review", Notification(Topic.MODE, words, detail=detail))]


def _hook(record: CodexRecord, _item: Fields, own: Report) -> Sequence[LightEvent]:
    body: Body = Notification(Topic.HOOK, "Hook", detail=text_in(own.fragments) or None)
    return [record.event("hook", body)]


def _given(record: CodexRecord, _item: Fields, _own: Report) -> Sequence[LightEvent]:
    reason = "an output, which its response item has too"
    return [hidden(record, reason, "item_completed/FunctionCallOutput")]


_LIGHT_MAKERS = {"AgentMessage": _message, "CommandExecution": _command}
_MAKERS = {
    "UserMessage": _user,
    "Reasoning": _reasoning,
    "FileChange": _file_change,
    "McpToolCall": _mcp,
    "DynamicToolCall": _dynamic,
    "WebSearch": _web_search,
    "CollabAgentToolCall": _collab,
    "SubAgentActivity": agent_activity,
    "ImageView": _image,
    "ImageGeneration": _made_image,
    "Sleep": _slept,
    "Plan": _plan,
    "ContextCompaction": _compacted,
    "Extension": _extension,
    "EnteredReviewMode": _review,
    "ExitedReviewMode": _review,
    "HookPrompt": _hook,
    "FunctionCallOutput": _given,
}
"""Makers of events by the type of the item (0.147 to 0.171)."""
