"""What an agent reports while it works: `session/update`, of both versions of the protocol."""

import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    OPEN,
    Attachment,
    Event,
    Facts,
    Message,
    Notification,
    Reasoning,
    Title,
    TitleSource,
    ToolProgress,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import Fields, collect, first, items, mapping, number, text
from agentview.normalize.output_text import text_of
from agentview.normalize.tools.registry import FAMILIES
from agentview.providers._kit.acp.content import (
    added,
    blocks_of,
    diffs_in,
    is_terminal,
    marked_outcome,
    terminal_in,
    words_of,
)
from agentview.providers._kit.acp.tool_calls import spec_of, tool_name
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.acp.event_builder import AcpMessage, facts, named, started_by, text_added
from agentview.providers.acp.tools import REQUESTS
from agentview.providers.acp.turns import ADDED, response_events, stop_event

_DONE = {"completed": True, "failed": False, "cancelled": False}
_STATES = {"pending": ToolState.INPUT_AVAILABLE, "in_progress": ToolState.INPUT_AVAILABLE}

_TERMINAL_OUTPUT = ("terminal_output_delta", "terminal_output")
"""What has come out of a terminal since the last update, as clients ask agents to call it."""

_REMINDER = re.compile(r"\s*<system-reminder>.*</system-reminder>\s*", re.DOTALL)

PROMPT_RUN = "prompt"
"""Run of a prompt as the client sent it, and as the agent repeats it."""


def update_events(message: AcpMessage) -> list[Event]:
    """Events of one update."""
    update = mapping(message.params.get("update"))
    name = text(update, "sessionUpdate") or "(none)"
    make = _UPDATES.get(name)
    return make(message, update) if make is not None else message.unknown_message(f"update {name}")


def _text(message: AcpMessage, update: Fields) -> list[Event]:
    """A message, a thought or a prompt: a piece of it, or with the newer version all of it."""
    name = text(update, "sessionUpdate") or ""
    who, _, kind = name.partition("_")
    whole = not name.endswith("_chunk")
    kind = kind.removesuffix("_chunk")
    blocks = blocks_of(update.get("content"))
    words, rest = words_of(blocks), _not_text(blocks)
    added_by_agent = mapping(update.get("_meta"))
    if who == "user" and _injected(added_by_agent, words):
        return [message.event("context", Attachment("reminder", "note", words), run="")]
    if who == "user":
        body: User | Message | Reasoning = spoken(words, rest)
    else:
        body = Message(words, rest) if kind == "message" else Reasoning(words)
    # A prompt that the client sent is repeated as a whole by agents of the newer version.
    run = f"{who}_{kind}:{text(update, 'messageId') or ''}"
    run = PROMPT_RUN if who == "user" and whole else run
    known = facts(model=text(added_by_agent, "modelId"))
    used = response_events(message, update) if who == "agent" else []
    if not (words or rest or whole):
        return used or [message.hidden("a piece without content", name, facts=known)]
    return [message.event(kind, body, run=run, whole=whole, facts=known), *used]


def _injected(update: Fields, words: str) -> bool:
    """Return True if an agent put the words of a prompt in, which its own screen does not show."""
    unseen = update.get("hideFromScrollback") is True or update.get("hostTurn") is True
    return unseen or _REMINDER.fullmatch(words) is not None


def _not_text(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    return tuple(block for block in blocks if not isinstance(block, TextBlock))


def call_events(
    message: AcpMessage, call: Fields, at: tuple[str, ...], *, asked: bool = False
) -> list[Event]:
    """Return events of a call, from an update or, `asked`, from a request for permission."""
    call_id = text(call, "toolCallId") or ""
    content = blocks_of(call["content"]) if call.get("content") is not None else ()
    events = [_call(message, call, call_id, at, content, asked=asked)]
    status = text(call, "status")
    if _shown_input(call, content) is not None:
        return events
    streamed = _streamed(call)
    if status in _DONE and not asked:
        events.append(message.event("result", _result(call, call_id, content, streamed)))
    elif streamed:
        events[0] = _call(message, call, call_id, at, added(streamed), asked=asked)
    elif status == "in_progress" and not diffs_in(content) and not terminal_in(content):
        said = text_of(content)
        if said:
            events.append(message.event("progress", ToolProgress(call_id, said)))
    return events


def _call(
    message: AcpMessage,
    call: Fields,
    call_id: str,
    at: tuple[str, ...],
    content: tuple[Block, ...],
    *,
    asked: bool,
) -> Event:
    given = call.get("rawInput")
    args = mapping(given) if given is not None else None
    raw = message.text_at(*at, "rawInput") if given is not None else None
    shown = _shown_input(call, content)
    if shown is not None:
        args, content = mapping(shown) or None, ()
        raw = shown.encode() if args else None
    kind, title = text(call, "kind"), text(call, "title")
    name = tool_name(call_id, _stated(call), title, kind)
    places = collect(items(call.get("locations")), lambda place: text(place, "path"))
    body = tool_call(
        call_id=call_id,
        name=name,
        arguments=args,
        raw=raw,
        spec=spec_of(name, kind, title, args or {}, diffs_in(content), places),
        state=_STATES.get(text(call, "status") or "", ToolState.INPUT_AVAILABLE),
        title=title,
    )
    begins = call.get("sessionUpdate") == "tool_call"
    own = _recorded(call)
    if own is not None:
        content = (*content, marked_outcome(own))
    # Agents that name their tools so say of each update which call it was made for.
    starts = body.kind is ToolKind.SUBAGENT_TASK and text_added(call, "toolName") is not None
    child = started_by(call_id) if starts and call_id else None
    run = "" if begins else None
    path = _path(text(call, "status"), begins=begins, known=bool(args), asked=asked)
    return message.event("call", _with(body, content), amends=True, run=run, child=child, path=path)


def _path(status: str | None, *, begins: bool, known: bool, asked: bool) -> str:
    """The path of an update. A call is pending, then in progress, then over, which it stays.

    Some agents announce a call before its arguments are known, and again with them.
    """
    if begins:
        return f"{OPEN}:begins:known" if known else f"{OPEN}:begins"
    if status in _DONE and not asked:
        return f"{OPEN}:ends"
    return OPEN if asked or status is not None else ""


def _shown_input(call: Fields, content: tuple[Block, ...]) -> str | None:
    """Arguments that an agent, for want of another place, shows as the text of a running call.

    The text grows as the model writes it: only the whole of it is an object.
    """
    own_fields = (call.get("rawInput"), text(call, "kind"))
    if any(each is not None for each in own_fields) or text(call, "status") not in _STATES:
        return None
    said = text_of(content)
    return said if said and said.lstrip().startswith("{") else None


def _with(body: ToolCall, content: tuple[Block, ...]) -> ToolCall:
    return replace(body, output=content)


def _stated(call: Fields) -> str | None:
    """The name of the tool, in a field of its own or in what an agent adds for its client."""
    return text_added(call, "toolName", "tool_name") or text(call, "name", "toolName")


def _recorded(call: Fields) -> object:
    """The outcome as the client that the agent wraps has it; None where it is not added."""
    added_by_agent = collect(mapping(call.get("_meta")).values(), dict)
    inner = (each.get("toolResponse") for each in added_by_agent)
    return next((outcome for outcome in inner if outcome is not None), None)


def _streamed(call: Fields) -> tuple[Block, ...]:
    """Return what a terminal has put out since the last update, where an agent sends it along."""
    said = text(mapping(first(mapping(call.get("_meta")), *_TERMINAL_OUTPUT)), "data")
    return (TextBlock(said),) if said else ()


def _result(
    call: Fields, call_id: str, content: tuple[Block, ...], streamed: tuple[Block, ...]
) -> ToolResult:
    raw = call.get("rawOutput")
    fields = mapping(raw)
    structured: object = fields or None
    exited = mapping(mapping(call.get("_meta")).get("terminal_exit"))
    own = () if is_terminal(content) else content
    output = own or added(streamed) or _output_of(raw) or content
    if exited and not fields:
        structured = {"exit_code": exited.get("exit_code")}
    elif fields.get("metadata") is not None:
        inner = mapping(fields.get("metadata"))
        structured = {**inner, **{k: v for k, v in fields.items() if k != "metadata"}}
    error = fields.get("error")
    message = text(mapping(error), "message") or (error if isinstance(error, str) else None)
    status = text(call, "status") or ""
    return ToolResult(
        call_id,
        ok=_DONE.get(status),
        output=output,
        structured=structured,
        error=message if status == "failed" else None,
        interrupted=status == "cancelled",
    )


def _output_of(raw: object) -> tuple[Block, ...]:
    """The output as text or blocks, where only its recorded form is there."""
    if isinstance(raw, str):
        return (TextBlock(raw),)
    fields = mapping(raw)
    result = mapping(fields.get("result")) or fields
    listed = items(result.get("content"))
    if listed:
        return blocks_of(listed)
    said = text(fields, "output", "aggregated_output", "formatted_output", "stdout")
    if said is not None:
        return (TextBlock(said),)
    return (JsonBlock(raw),) if fields and set(fields) - {"exit_code", "error"} else ()


def _tool_call(message: AcpMessage, update: Fields) -> list[Event]:
    return call_events(message, update, ("params", "update"))


def _content_chunk(message: AcpMessage, update: Fields) -> list[Event]:
    blocks = blocks_of([update.get("content")])
    call_id = text(update, "toolCallId") or ""
    body = tool_call(call_id=call_id, name="", arguments=None, spec=spec_of("", None, None, {}))
    return [message.event("call", _with(body, added(blocks)), amends=True)]


def _plan(message: AcpMessage, update: Fields) -> list[Event]:
    """The whole plan: a list of things to do that is there at once."""
    inner = mapping(update.get("plan"))
    at = ("params", "update", "plan") if inner else ("params", "update")
    plan = inner or update
    kept = {key: value for key, value in plan.items() if key != "sessionUpdate"}
    if not items(plan.get("entries")) and text(plan, "content", "text", "markdown"):
        return [message.event("plan", Message(text(plan, "content", "text", "markdown") or ""))]
    call_id = f"plan@{message.source.offset}"
    raw = message.text_at(*at, "entries")
    body = tool_call(
        call_id=call_id,
        name="plan",
        arguments=kept,
        raw=b'{"entries":' + raw + b"}" if raw is not None else None,
        spec=FAMILIES["todo_write"],
    )
    return [
        message.event("call", body),
        message.event("result", ToolResult(call_id, ok=True)),
    ]


def _commands(message: AcpMessage, update: Fields) -> list[Event]:
    count = len(items(update.get("availableCommands")))
    return [message.hidden(f"{count} commands that the client may offer", "commands")]


def _mode(message: AcpMessage, update: Fields) -> list[Event]:
    mode = text(update, "currentModeId", "modeId") or "unknown"
    return [message.event("mode", Notification(Topic.MODE, f"Mode {mode}"), facts=facts(mode=mode))]


def _config(message: AcpMessage, update: Fields) -> list[Event]:
    options = items(update.get("configOptions"))
    said = [
        f"{text(o, 'name', 'id', 'configId')}: {text(o, 'currentValue')}"
        for o in map(mapping, options)
    ]
    known = config_facts(options)
    body = Notification(Topic.MODE, "Options changed", detail="\n".join(said) or None)
    return [message.event("config", body, facts=known)]


def config_facts(options: list[object]) -> Facts | None:
    """Model and mode among the options of a session."""
    return facts(model=_chosen(options, "model"), mode=_chosen(options, "mode"))


def _chosen(options: list[object], name: str) -> str | None:
    """The value of an option by its name, which the newer version keeps under another key."""
    found = (named(options, key, name) for key in ("id", "configId", "category"))
    return text(next(filter(None, found), mapping(None)), "currentValue")


def _info(message: AcpMessage, update: Fields) -> list[Event]:
    title = text(update, "title")
    if title is None:
        return [message.hidden("bookkeeping of the session", "session_info_update")]
    return [message.event("title", Title(title, TitleSource.AI))]


def _usage(message: AcpMessage, update: Fields) -> list[Event]:
    """How full the context is, and what the session cost: no tokens of any one response."""
    used, size = number(update, "used"), number(update, "size")
    cost = mapping(update.get("cost"))
    amount = cost.get("amount")
    dollars = text(cost, "currency") in (None, "USD") and isinstance(amount, int | float)
    known = facts(
        cost=float(amount) if dollars and isinstance(amount, int | float) else None,
        model=_answering(update),
    )
    return [message.hidden(f"{used} of {size} tokens in the context", "usage_update", facts=known)]


def _answering(update: Fields) -> str | None:
    """The model that answers, which agents add under a name that they put their own before."""
    added = mapping(update.get("_meta"))
    return next((text(added, key) for key in added if key.endswith("/model")), None)


def _state(message: AcpMessage, update: Fields) -> list[Event]:
    state = text(update, "state") or "unknown"
    reason = text(update, "stopReason")
    if state == "idle":
        return [stop_event(message, reason)]
    if state == "requires_action":
        return [message.event("state", Notification(Topic.SYSTEM, "Waiting for the person"))]
    return [message.hidden(f"the agent is {state}", "state_update")]


def _terminal(message: AcpMessage, update: Fields) -> list[Event]:
    """A terminal of the agent itself, as the newer version reports it."""
    call_id = f"terminal:{text(update, 'terminalId')}"
    kept = {key: value for key, value in update.items() if key in ("command", "args", "cwd")}
    body = tool_call(
        call_id=call_id,
        name="terminal/create",
        arguments=kept or None,
        spec=REQUESTS["terminal/create"],
    )
    said = text(update, "output", "data")
    output = added((TextBlock(said),)) if said else ()
    events = [message.event("call", _with(body, output), amends=True)]
    exited = mapping(first(update, "exitStatus", "exit"))
    if exited:
        code = number(exited, "exitCode", "exit_code")
        result = ToolResult(call_id, ok=code == 0 if code is not None else None, structured=exited)
        events.append(message.event("result", result))
    return events


_UPDATES: Mapping[str, Callable[[AcpMessage, Fields], list[Event]]] = {
    "user_message_chunk": _text,
    "agent_message_chunk": _text,
    "agent_thought_chunk": _text,
    "user_message": _text,
    "agent_message": _text,
    "agent_thought": _text,
    "tool_call": _tool_call,
    "tool_call_update": _tool_call,
    "tool_call_content_chunk": _content_chunk,
    "plan": _plan,
    "plan_update": _plan,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _config,
    "session_info_update": _info,
    "usage_update": _usage,
    "state_update": _state,
    "terminal_update": _terminal,
    "terminal_output_chunk": _terminal,
    **ADDED,
}
