"""Reports of Claude Code and Codex by themselves: log records and spans with names of their own.

Sources: what Claude Code 2.1.329 and Codex 0.169.0 exported in runs of the project, and the
documentation of both. Prompts, arguments and outputs are there as far as the settings of the client
allow them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha1

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    REPEATED,
    Event,
    Facts,
    Level,
    Notification,
    TokenUsage,
    ToolResult,
    User,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import items, mapping, number, real, text
from agentview.normalize.json_values import Fields, text_of
from agentview.providers._kit.chat_messages import chat_call
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.named_agent import call_of_agent
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.otel.telemetry import Export, Signal

_NAMED = re.compile(r"(claude_code|codex)\.([a-z_]+(?:\.[a-z_]+)*)")
_IDS = ("tool_use_id", "call_id", "gen_ai.tool.call.id")
_GIVEN = ("tool_input", "arguments")
_REFUSED = frozenset({"reject", "rejected", "deny", "denied", "abort"})
_OUTPUT_EVENT = "tool.output"
_REFUSERS: Mapping[str, DeniedBy] = {
    "config": DeniedBy.RULE, "hook": DeniedBy.RULE, "user": DeniedBy.PERSON,
}  # fmt: skip
"""By how the source of a decision begins."""


def client_event(signal: Signal) -> tuple[str, str] | None:
    """The client and its event, by the name of a span or by that of a log record or its body."""
    for name in (signal.body, signal.name):
        found = _NAMED.fullmatch(name) if isinstance(name, str) else None
        if found is not None:
            return found[1], found[2]
    return None


def client_events(record: Export, signal: Signal, scope: str) -> Sequence[LightEvent]:
    """Events of what a client reports itself; none of any other span or log record."""
    found = client_event(signal)
    if found is None:
        return []
    client, name = found
    record.facts = _facts(client, signal)
    make = (_RECORDS if signal.id is None else _SPANS).get(name)
    events: Sequence[LightEvent] = make(record, signal, client, scope) if make is not None else ()
    return events or [hidden(record, "what the client reports of itself", f"{client}.{name}")]


def _facts(client: str, signal: Signal) -> Facts:
    attributes = signal.attributes
    version = text(attributes, "app.version") or text(signal.resource, "service.version")
    return Facts(
        model=text(attributes, "model"),
        client_version=version,
        agent=text(signal.resource, "service.name") or client,
    )


def _prompt(record: Export, signal: Signal, client: str, scope: str) -> Sequence[LightEvent]:
    """A prompt, which the record and the span of a turn both have."""
    _ = client
    words = text(signal.attributes, "prompt", "user_prompt")
    if words is None:
        return []
    turn = signal.id or signal.parent
    own = sha1(words.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:20]
    key = f"{scope}:prompt:{turn}:{own}" if turn else None
    return [record.event("prompt", User(words), time=signal.started, dedupe_key=key)]


def _answer(record: Export, signal: Signal, client: str, scope: str) -> Sequence[LightEvent]:
    _ = client, scope
    words = text_of(signal.attributes.get("response"))
    return [record.text_part("said", words)] if words is not None else []


def _call(signal: Signal, client: str) -> ToolCall | None:
    """The call that a record or a span is of, with its arguments as far as they are there."""
    attributes = signal.attributes
    call_id, name = text(attributes, *_IDS), _tool_name(attributes)
    if call_id is None or name is None:
        return None
    given: object = text(attributes, *_GIVEN)
    if given is None:
        known = {**mapping(attributes.get("tool_parameters")), **attributes}
        pairs = (("command", "full_command"), ("file_path", "file_path"))
        given = {own: known[key] for own, key in pairs if key in known} or None
    elif not mapping(given):
        # A tool that takes a text.
        given = {"input": given}
    return call_of_agent(chat_call(call_id, name, given), client)


def _tool_name(attributes: Fields) -> str | None:
    """The name of a tool, with the server of one that a server has."""
    name = text(attributes, "tool_name", "gen_ai.tool.name")
    named = mapping(attributes.get("tool_parameters"))
    server, tool = text(named, "mcp_server_name"), text(named, "mcp_tool_name")
    if server is not None and tool is not None:
        return f"mcp__{server}__{tool}"
    space = text(attributes, "tool_namespace") or ""
    return f"{space}__{name}" if name is not None and space.startswith("mcp__") else name


def _result(record: Export, signal: Signal, client: str, scope: str) -> Sequence[LightEvent]:
    """A call that has ended: its record is written then."""
    _ = scope
    call = _call(signal, client)
    if call is None:
        return []
    attributes = signal.attributes
    said = str(attributes.get("success")).lower()
    ok = {"true": True, "false": False}.get(said)
    words = text_of(attributes.get("output"))
    error = text(attributes, "error", "error_type") if ok is False else None
    output: tuple[Block, ...] = (TextBlock(words),) if words is not None else ()
    result = ToolResult(
        call.call_id,
        ok,
        output,
        structured={"agent": client, "own": None} if output else None,
        error=error or (words if ok is False else None),
    )
    lasted = real(attributes, "duration_ms")
    began = None if lasted is None or record.time is None else record.time - lasted / 1000
    return [
        record.event("call", call, time=began, path="record", amends=True),
        record.event("result", result, path="record"),
    ]


def _decision(record: Export, signal: Signal, client: str, scope: str) -> Sequence[LightEvent]:
    """Decision on a call; of one that was refused nothing else may be recorded."""
    _ = scope
    decided = (text(signal.attributes, "decision") or "").lower()
    call = _call(signal, client) if decided in _REFUSED else None
    if call is None:
        return []
    source = (text(signal.attributes, "source") or "").lower()
    by = next((by for key, by in _REFUSERS.items() if source.startswith(key)), DeniedBy.UNKNOWN)
    result = ToolResult(call.call_id, False, denial=Denial(by))
    return [
        record.event("call", call, path=REPEATED),
        record.event("result", result, path=REPEATED),
    ]


def _tool_span(record: Export, signal: Signal, client: str, scope: str) -> Sequence[LightEvent]:
    """A call with what it brought, which no record has."""
    call = _call(signal, client)
    if call is None:
        return []
    # Its record has all of the arguments.
    events = [record.event("call", call, time=signal.started, path=REPEATED)]
    for event in signal.events:
        words = text(event.attributes, "output", "content")
        diff = text(event.attributes, "diff")
        if event.name == _OUTPUT_EVENT and (words is not None or diff is not None):
            own: object = None
            if diff is not None:
                path = text(event.attributes, "file_path")
                own = {"filePath": path, "structuredPatch": items(diff)}
            blocks = (TextBlock(words),) if words else ()
            # A call that fails has no such event.
            structured = {"agent": client, "own": own}
            result = ToolResult(call.call_id, True, blocks, structured=structured)
            key = f"{scope}:result:{call.call_id}"
            events.append(record.event("result", result, dedupe_key=key, path="span"))
    return events


def _request(record: Export, signal: Signal, client: str, scope: str) -> Sequence[LightEvent]:
    """Tokens of a request. Claude Code counts what a cache gave or took apart from the input."""
    _ = client, scope
    attributes = signal.attributes
    given = number(attributes, "input_tokens", "input_token_count")
    output = number(attributes, "output_tokens", "output_token_count")
    error = text(attributes, "error.message")
    if error is not None:
        return [_failed(record, attributes, error, Level.WARNING)]
    if given is None and output is None:
        return []
    cached, written = (
        number(attributes, "cached_token_count"),
        number(attributes, "cache_creation_tokens", "cache_write_token_count"),
    )
    if given is not None and "input_token_count" in attributes:
        given = max(0, given - (cached or 0) - (written or 0))
    usage = Usage(
        given,
        number(attributes, "cache_read_tokens") if cached is None else cached,
        written,
        output,
        number(attributes, "reasoning_token_count"),
        number(attributes, "cache_creation_1h_tokens"),
    )
    name = text(attributes, "request_id") or f"{record.name}{record.suffix_end}"
    cost = real(attributes, "cost_usd")
    body = TokenUsage(name, usage, text(attributes, "model"), cost=cost)
    return [record.usage_part(body)]


def _failure(record: Export, signal: Signal, client: str, scope: str) -> Sequence[LightEvent]:
    _ = client, scope
    words = text(signal.attributes, "error") or "The request failed"
    return [_failed(record, signal.attributes, words, Level.ERROR)]


def _failed(record: Export, attributes: Fields, words: str, level: Level) -> Event:
    status = number(attributes, "status_code", "http.response.status_code")
    return record.event("failed", Notification(error_topic(words, status=status), words, level))


_Make = Callable[[Export, Signal, str, str], Sequence[LightEvent]]

_RECORDS: Mapping[str, _Make] = {
    "user_prompt": _prompt,
    "assistant_response": _answer,
    "tool_result": _result,
    "tool_decision": _decision,
    "api_request": _request,
    "sse_event": _request,
    "websocket_event": _request,
    "api_error": _failure,
}
_SPANS: Mapping[str, _Make] = {"interaction": _prompt, "tool": _tool_span}
