"""Reports of an agent while it works: `session/update`, of both versions of the protocol."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from msgspec import Raw
from msgspec.structs import replace

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    OPEN,
    Attachment,
    Event,
    Facts,
    Notification,
    Reasoning,
    Title,
    TitleSource,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.events import Message as AgentMessage
from agentview.domain.index_entry import EventLinks, Flag, Role, Signal
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
from agentview.providers._kit.acp.tool_calls import spec_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    HIDDEN,
    MESSAGE,
    REASONING,
    LightEvent,
    hidden,
    same,
)
from agentview.providers.acp.event_builder import AcpMessage, facts, named, started_by, text_added
from agentview.providers.acp.schema import Call, Params, Update
from agentview.providers.acp.tools import REQUESTS, known_tool, name_of
from agentview.providers.acp.turns import ADDED, response_events, stop_event

_DONE = {"completed": True, "failed": False, "cancelled": False}
_MISSING = (b"", b"null")
_EMPTY = (*_MISSING, b"[]")
_STATES = {"pending": ToolState.INPUT_AVAILABLE, "in_progress": ToolState.INPUT_AVAILABLE}

_TERMINAL_OUTPUT = ("terminal_output_delta", "terminal_output")
"""Output of a terminal since the last update, as clients ask agents to call it."""

_REMINDER = re.compile(r"\s*<system-reminder>.*</system-reminder>\s*", re.DOTALL)

PROMPT_RUN = "prompt"
"""Run of a prompt as the client sent it, and as the agent repeats it."""


def update_events(message: AcpMessage) -> Sequence[LightEvent]:
    """Events of one update."""
    params = message.record.params
    update = params.update if isinstance(params, Params) else None
    name = (update and update.session_update) or "(none)"
    if update is not None:
        piece = _PIECES.get(name)
        if piece is not None:
            return _text(message, update, *piece)
        if name in _CALLS:
            return call_events(message, update)
    make = _UPDATES.get(name)
    if make is None:
        return message.unknown_message(f"update {name}")
    return make(message, message.update)


_PIECES: Mapping[str, tuple[str, str, bool]] = {
    f"{who}_{kind}{end}": (who, kind, not end)
    for who, kind in (("user", "message"), ("agent", "message"), ("agent", "thought"))
    for end in ("_chunk", "")
}
"""Updates that are texts: who wrote it, what it is, and whether it is all of it."""
_CALLS = frozenset({"tool_call", "tool_call_update"})


def _text(
    message: AcpMessage, update: Update, who: str, kind: str, whole: bool
) -> Sequence[LightEvent]:
    """A message, a thought or a prompt: a piece of it, or with the newer version all of it."""
    blocks = blocks_of(message.value_of(update.content))
    words, rest = words_of(blocks), _not_text(blocks)
    added_by_agent = update.meta or {}
    if who == "user" and _injected(added_by_agent, words):
        return [message.event("context", Attachment("reminder", "note", words), run="")]
    known = facts(model=text(added_by_agent, "modelId")) if added_by_agent else None
    # A prompt that the client sent is repeated as a whole by agents of the newer version.
    run = _run(who, kind, "" if who == "user" and whole else update.message_id or "", whole)
    used = response_events(message, added_by_agent) if who == "agent" and added_by_agent else []
    if not (words or rest or whole):
        said = update.session_update or ""
        return used or [hidden(message, "a piece without content", said, facts=known)]
    if who == "user":
        said = spoken(words, rest)
        return [message.event(kind, said, run=run.run, whole=whole, facts=known)]
    light = (
        message.part(kind, MESSAGE, 0, AgentMessage, (words, rest), signal=Signal.PERSON)
        if kind == "message"
        else message.part(kind, REASONING, 0, Reasoning, (words,), signal=Signal.AGENT)
    )
    light.tie, light.facts = run, known
    return [light, *used] if used else [light]


@lru_cache(maxsize=64)
def _run(who: str, kind: str, message_id: str | int, whole: bool) -> EventLinks:
    is_prompt = who == "user" and whole
    return EventLinks(PROMPT_RUN if is_prompt else f"{who}_{kind}:{message_id}", whole)


def _injected(update: Fields, words: str) -> bool:
    """Return True if an agent put the words of a prompt in, which its own screen does not show."""
    unseen = update.get("hideFromScrollback") is True or update.get("hostTurn") is True
    return unseen or _REMINDER.fullmatch(words) is not None


def _not_text(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    return tuple(block for block in blocks if not isinstance(block, TextBlock))


def call_events(message: AcpMessage, call: Call) -> Sequence[LightEvent]:
    """Events of a call, from an update or from a request for permission."""
    status, meta = call.status, call.meta
    may_show = status in _STATES and call.kind is None and bytes(call.raw_input) in _MISSING
    read = may_show or status == "in_progress" or _may_have_diff(call.content)
    content = _content(message, call) if read else None
    shown = _shown_input(content) if may_show and content else None
    if shown is not None:
        return [_call(message, call, (), shown)]
    streamed = _streamed(meta) if meta else ()
    if status in _DONE and not message.asks:
        made = (message, call, streamed)
        failed = status != "completed"
        return [
            _call(message, call, content),
            message.result(call.call_id, _result, made, failed=failed),
        ]
    event = _call(message, call, added(streamed) or content)
    said = None
    if status == "in_progress" and content and not streamed:
        said = None if diffs_in(content) or terminal_in(content) else text_of(content)
    return [event, _progress(message, call.call_id, said)] if said else [event]


def _progress(message: AcpMessage, call_id: str, said: str) -> LightEvent:
    body = ToolProgress(call_id, said)
    return message.part("progress", HIDDEN, Flag.BOOKKEEPING, same, (body,), Role.PROGRESS, call_id)


def _content(message: AcpMessage, call: Call) -> tuple[Block, ...]:
    content = bytes(call.content)
    return () if content in _EMPTY else blocks_of(message.value_of(content))


def _may_have_diff(content: Raw) -> bool:
    """Return True unless content, which is not read, shows that it has no diff."""
    text = bytes(content)
    return b'"diff"' in text or b"\\u006" in text


_BEGINS, _AMENDS = EventLinks(run="", amends=True), EventLinks(amends=True)


def _call(
    message: AcpMessage, call: Call, content: tuple[Block, ...] | None, shown: str | None = None
) -> LightEvent:
    """The call of a record; `content` is None where it is not read yet, and has no diffs."""
    call_id, begins = call.call_id, call.session_update == "tool_call"
    args = _arguments(message, call, shown)
    name = name_of(call_id, _stated(call), call.title, call.kind)
    known = known_tool(name, call.kind, call.title, args, diffs_in(content) if content else ())
    path = _path(call.status, begins=begins, known=bool(args), asked=message.asks)
    made = (message, call, name, args, content, shown)
    if known is None:
        body = _call_body(*made)
        # Agents that name their tools so say of each update which call it was made for.
        is_task = body.kind is ToolKind.SUBAGENT_TASK
        starts = is_task and call_id and text_added(call.meta, "toolName") is not None
        child = started_by(call_id) if starts else None
        run = "" if begins else None
        return message.event("call", body, amends=True, run=run, child=child, path=path)
    light = message.call_part("call", call_id, known, _call_body, made)
    light.tie, light.path = _BEGINS if begins else _AMENDS, path
    return light


def _arguments(message: AcpMessage, call: Call, shown: str | None) -> Fields | None:
    if shown is not None:
        return mapping(shown) or None
    given = message.value_of(call.raw_input) if call.raw_input else None
    return mapping(given) if given is not None else None


def _call_body(
    message: AcpMessage,
    call: Call,
    name: str,
    args: Fields | None,
    content: tuple[Block, ...] | None,
    shown: str | None,
) -> ToolCall:
    content = _content(message, call) if content is None else content
    raw = shown.encode() if args is not None and shown is not None else None
    if args is not None and raw is None:
        at = "toolCall" if message.asks else "update"
        raw = message.exact(call.raw_input, "params", at, "rawInput")
    locations = message.value_of(call.locations) if call.locations else None
    places = collect(items(locations), lambda place: text(place, "path"))
    body = tool_call(
        call_id=call.call_id,
        name=name,
        arguments=args,
        raw=raw,
        spec=spec_of(name, call.kind, call.title, args or {}, diffs_in(content), places),
        state=_STATES.get(call.status or "", ToolState.INPUT_AVAILABLE),
        title=call.title,
    )
    own = _recorded(call.meta) if call.meta else None
    return replace(body, output=content if own is None else (*content, marked_outcome(own)))


def _path(status: str | None, *, begins: bool, known: bool, asked: bool) -> str:
    """The path of an update. A call is pending, then in progress, then over, which it stays.

    Some agents announce a call before its arguments are known, and again with them.
    """
    if begins:
        return f"{OPEN}:begins:known" if known else f"{OPEN}:begins"
    if status in _DONE and not asked:
        return f"{OPEN}:ends"
    return OPEN if asked or status is not None else ""


def _shown_input(content: tuple[Block, ...]) -> str | None:
    """Arguments that an agent, for want of another place, shows as the text of a running call.

    The text grows as the model writes it: only the whole of it is an object.
    """
    said = text_of(content)
    return said if said and said.lstrip().startswith("{") else None


def _stated(call: Call) -> str | None:
    """The name of the tool, in a field of its own or in what an agent adds for its client."""
    own = call.name if call.name is not None else call.tool_name
    return text_added(call.meta, "toolName", "tool_name") or own


def _recorded(meta: Fields) -> object:
    """The outcome as the client that the agent wraps has it; None where it is not added."""
    inner = (each.get("toolResponse") for each in collect(meta.values(), dict))
    return next((outcome for outcome in inner if outcome is not None), None)


def _streamed(meta: Fields) -> tuple[Block, ...]:
    """Return the new output of a terminal since the last update, where an agent sends it along."""
    said = text(mapping(first(meta, *_TERMINAL_OUTPUT)), "data")
    return (TextBlock(said),) if said else ()


def _result(message: AcpMessage, call: Call, streamed: tuple[Block, ...]) -> ToolResult:
    content = _content(message, call)
    raw = message.value_of(call.raw_output) if call.raw_output else None
    fields = mapping(raw)
    structured: object = fields or None
    exited = mapping((call.meta or {}).get("terminal_exit"))
    own = () if is_terminal(content) else content
    output = own or added(streamed) or _output_of(raw) or content
    if exited and not fields:
        structured = {"exit_code": exited.get("exit_code")}
    elif fields.get("metadata") is not None:
        inner = mapping(fields.get("metadata"))
        structured = {**inner, **{k: v for k, v in fields.items() if k != "metadata"}}
    error = fields.get("error")
    said = text(mapping(error), "message") or (error if isinstance(error, str) else None)
    status = call.status or ""
    return ToolResult(
        call.call_id,
        ok=_DONE.get(status),
        output=output,
        structured=structured,
        error=said if status == "failed" else None,
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


def _content_chunk(message: AcpMessage, update: Fields) -> list[Event]:
    blocks = blocks_of([update.get("content")])
    call_id = text(update, "toolCallId") or ""
    body = tool_call(call_id=call_id, name="", arguments=None, spec=spec_of("", None, None, {}))
    return [message.event("call", replace(body, output=added(blocks)), amends=True)]


def _plan(message: AcpMessage, update: Fields) -> list[Event]:
    """The whole plan: a list of things to do that is there at once."""
    inner = mapping(update.get("plan"))
    at = ("params", "update", "plan") if inner else ("params", "update")
    plan = inner or update
    kept = {key: value for key, value in plan.items() if key != "sessionUpdate"}
    if not items(plan.get("entries")) and text(plan, "content", "text", "markdown"):
        return [
            message.event("plan", AgentMessage(text(plan, "content", "text", "markdown") or ""))
        ]
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


def _usage(message: AcpMessage, update: Fields) -> Sequence[LightEvent]:
    """How full the context is, and what the session cost: no tokens of any one response."""
    used, size = number(update, "used"), number(update, "size")
    cost = mapping(update.get("cost"))
    amount = cost.get("amount")
    dollars = text(cost, "currency") in (None, "USD") and isinstance(amount, int | float)
    known = facts(
        cost=float(amount) if dollars and isinstance(amount, int | float) else None,
        model=_answering(update),
    )
    return [hidden(message, f"{used} of {size} tokens in the context", "usage_update", facts=known)]


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
    events = [message.event("call", replace(body, output=output), amends=True)]
    exited = mapping(first(update, "exitStatus", "exit"))
    if exited:
        code = number(exited, "exitCode", "exit_code")
        result = ToolResult(call_id, ok=code == 0 if code is not None else None, structured=exited)
        events.append(message.event("result", result))
    return events


_UPDATES: Mapping[str, Callable[[AcpMessage, Fields], Sequence[LightEvent]]] = {
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
