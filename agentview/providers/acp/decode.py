"""What happened: the events of one line of traffic between a client and an agent."""

import re
from collections.abc import Callable, Mapping
from typing import cast

import orjson
from msgspec.structs import replace

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Event,
    Level,
    Notification,
    Title,
    TitleSource,
    ToolResult,
    Topic,
    Unparsed,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import Fields, first, items, mapping, number, text
from agentview.providers._kit.acp.content import blocks_of, words_of
from agentview.providers._kit.acp.tool_calls import spec_of
from agentview.providers._kit.event_builder import excerpt
from agentview.providers._kit.json_line import UNREADABLE
from agentview.providers._kit.json_recovery import JsonFragment, placed, read_pieces
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.acp.envelope import AGENT, RECORD_START, envelope, is_message
from agentview.providers.acp.event_builder import AcpMessage, facts
from agentview.providers.acp.session_update import (
    PROMPT_RUN,
    call_events,
    config_facts,
    update_events,
)
from agentview.providers.acp.tools import PERMISSION, REQUESTS, refusal
from agentview.providers.acp.turns import ADDED, answered_events

# What client and agent ask of each other, and the answers.

_OTHER_METHODS = ("mcp/", "providers/", "document/", "nes/", "auth/", "elicitation/")
"""Areas of the protocol in which nothing of the conversation is said."""


def message_events(message: AcpMessage) -> list[Event]:
    """Events of one message: a request, a notification, or an answer."""
    method = text(message.message, "method")
    if method is None:
        return _answer(message)
    make = _METHODS.get(method)
    if make is not None:
        return make(message)
    if method in REQUESTS:
        return _asked(message, method)
    if method.startswith(("_", "$/")):
        if text(mapping(message.params.get("update")), "sessionUpdate") in ADDED:
            return update_events(message)
        if _awaits_client(message):
            return _asked(message, method)
        return [message.hidden("an extension of the protocol", method)]
    if method.startswith(_OTHER_METHODS):
        return [message.hidden("not part of the conversation", method)]
    return message.unknown_message(method)


def _awaits_client(message: AcpMessage) -> bool:
    """True if the agent waits for an answer of the client, as far as the log states its sender."""
    return message.sided and message.sender == AGENT and message.message.get("id") is not None


def _asked(message: AcpMessage, method: str) -> list[Event]:
    """Return what the agent asks of its client, as a call; permission also says what it is for."""
    call = mapping(message.params.get("toolCall"))
    events: list[Event] = []
    if method == PERMISSION and text(call, "toolCallId") is not None:
        events = call_events(message, call, ("params", "toolCall"), asked=True)
    body = tool_call(
        call_id=message.request,
        name=method,
        arguments=message.params,
        raw=message.text_at("params"),
        spec=REQUESTS.get(method) or spec_of(method, None, None, {}),
        title=text(call, "title"),
    )
    return [*events, message.event("request", body)]


def _initialize(message: AcpMessage) -> list[Event]:
    client = _label(mapping(message.params.get("clientInfo")), "A client")
    version = number(message.params, "protocolVersion")
    return [message.event("client", Notification(Topic.SYSTEM, f"{client}, protocol {version}"))]


def _label(info: Fields, default: str) -> str:
    name = text(info, "title", "name") or default
    version = text(info, "version")
    return f"{name} {version}" if version else name


def _session(message: AcpMessage) -> list[Event]:
    method = text(message.message, "method") or ""
    known = facts(cwd=text(message.params, "cwd"))
    if method == "session/new":
        return [message.hidden("the client asks for a session", method, facts=known)]
    words = f"Session {method.removeprefix('session/')}: {text(message.params, 'sessionId') or ''}"
    return [message.event("session", Notification(Topic.SYSTEM, words), facts=known)]


def _prompt(message: AcpMessage) -> list[Event]:
    blocks = blocks_of(first(message.params, "prompt", "content"))
    rest = tuple(block for block in blocks if not isinstance(block, TextBlock))
    return [message.event("prompt", spoken(words_of(blocks), rest), run=PROMPT_RUN)]


def _cancel(message: AcpMessage) -> list[Event]:
    return [message.event("cancel", Notification(Topic.SYSTEM, "The client cancels the turn"))]


def _set(message: AcpMessage) -> list[Event]:
    """The client chooses a mode, a model or the value of an option."""
    mode, model = text(message.params, "modeId"), text(message.params, "modelId")
    topic = Topic.MODEL if model else Topic.MODE
    option = text(message.params, "configId", "optionId") or "mode"
    words = f"Model {model}" if model else f"Mode {mode}" if mode else None
    words = words or f"Option {option}: {text(message.params, 'value')}"
    return [message.event("set", Notification(topic, words), facts=facts(mode=mode, model=model))]


def _named(message: AcpMessage) -> list[Event]:
    title = text(message.params, "title")
    if title is None:
        return _quiet(message)
    return [message.event("title", Title(title, TitleSource.CUSTOM))]


def _quiet(message: AcpMessage) -> list[Event]:
    return [message.hidden("between client and agent", text(message.message, "method") or "")]


_METHODS: Mapping[str, Callable[[AcpMessage], list[Event]]] = {
    "session/update": update_events,
    "initialize": _initialize,
    "authenticate": _quiet,
    "logout": _quiet,
    "session/new": _session,
    "session/load": _session,
    "session/resume": _session,
    "session/fork": _session,
    "session/close": _session,
    "session/delete": _session,
    "session/list": _quiet,
    "session/prompt": _prompt,
    "session/cancel": _cancel,
    "session/setTitle": _named,
    "session/set_title": _named,
    "session/set_mode": _set,
    "session/set_model": _set,
    "session/set_config_option": _set,
}


def _answer(message: AcpMessage) -> list[Event]:
    error = mapping(message.message.get("error"))
    if error or ("error" in message.message and "result" not in message.message):
        return _failed(message, error)
    result = message.message.get("result")
    if message.sender == AGENT:
        return _from_agent(message, mapping(result))
    return _from_client(message, mapping(result), result)


def _failed(message: AcpMessage, error: Fields) -> list[Event]:
    words = text(error, "message") or "An error without a message"
    detail = text(error, "data")
    if message.sender != AGENT and message.message.get("id") is not None:
        body = ToolResult(message.answered, ok=False, output=_said(detail), error=words)
        return [message.event("result", body)]
    code = number(error, "code")
    said = f"{words} ({code})" if code is not None else words
    body = Notification(error_topic(words, detail, status=code), said, Level.ERROR, detail=detail)
    return [message.event("error", body)]


def _said(words: str | None) -> tuple[Block, ...]:
    return (TextBlock(words),) if words else ()


def _from_client(message: AcpMessage, result: Fields, raw: object) -> list[Event]:
    """Return what the client gave for what the agent asked of it: the outcome of that call."""
    outcome = mapping(result.get("outcome"))
    output = _said(text(result, "content", "output", "terminalId"))
    exited = mapping(result.get("exitStatus")) or result
    code = number(exited, "exitCode")
    structured: object = raw
    if code is not None:
        structured = {**result, "exit_code": code}
    body = ToolResult(
        message.answered,
        ok=True,
        output=output,
        structured=structured if result else None,
        denial=refusal(text(outcome, "optionId")),
        interrupted=text(outcome, "outcome") == "cancelled",
    )
    return [message.event("result", body)]


def _from_agent(message: AcpMessage, result: Fields) -> list[Event]:
    """What the agent says to the client's requests: who it is, its session, the end of a turn."""
    if "stopReason" in result:
        return answered_events(message, result)
    if "protocolVersion" in result:
        info = mapping(result.get("agentInfo"))
        known = facts(client_version=text(info, "version"))
        words = f"{_label(info, 'An agent')}, protocol {number(result, 'protocolVersion')}"
        return [message.event("agent", Notification(Topic.SYSTEM, words), facts=known)]
    model = text(mapping(result.get("models")), "currentModelId")
    mode = text(mapping(result.get("modes")), "currentModeId")
    chosen = config_facts(items(result.get("configOptions")))
    known = facts(
        model=model or (chosen.model if chosen else None),
        mode=mode or (chosen.mode if chosen else None),
    )
    return [message.hidden("an answer of the agent", "result", facts=known)]


_PLAIN = re.compile(rb"\s*\[([a-z]{3,12})\]\s+(?!\{)(\S.*)", re.DOTALL)
"""A line of a client's log that is not a message."""
_LEVELS = {"error": Level.ERROR, "warning": Level.WARNING, "warn": Level.WARNING}
_PREFIX = re.compile(rb"[^{}\"]{1,120}?(?=\{)")


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Several messages on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    found = _PREFIX.match(record)
    prefix = found[0] if found is not None else b""
    try:
        value: object = orjson.loads(record[len(prefix) :])
    except ValueError:
        return _decode_damaged(record, source, session)
    before = prefix.decode("utf-8", "replace")
    return _decode_value(value, record[len(prefix) :], before, source, session)


def _decode_damaged(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    plain = _PLAIN.match(record)
    if plain is not None:
        words = plain[2].decode("utf-8", "replace").strip()
        level = _LEVELS.get(plain[1].decode(), Level.INFO)
        return [_outside(Notification(Topic.SYSTEM, words, level), "note", source, session)]
    events: list[Event] = []
    prefix = ""
    for piece, place in placed(read_pieces(record, RECORD_START), source):
        if piece.error is not None:
            events.append(_unreadable(piece, place, session))
            prefix = piece.raw.decode("utf-8", "replace")
        else:
            events.extend(_decode_value(piece.value, piece.raw, prefix, place, session))
    return events


def _unreadable(piece: JsonFragment, source: SourceRef, session: SessionRef) -> Event:
    body = Unparsed(f"not a whole JSON value: {piece.error}", excerpt(piece.raw))
    return _outside(body, "unparsed", source, session)


def _outside(
    body: Unparsed | Notification, suffix: str, source: SourceRef, session: SessionRef
) -> Event:
    """An event of something that is not a message."""
    return Event(suffix, session.session_id, source, body, session.stream)


def _decode_value(
    value: object, raw: bytes, prefix: str, source: SourceRef, session: SessionRef
) -> list[Event]:
    if isinstance(value, list):
        return _batch(cast("list[object]", value), raw, prefix, source, session)
    if not isinstance(value, dict):
        body = Unparsed(f"a JSON {type(value).__name__}, not an object", excerpt(raw))
        return [_outside(body, "unparsed", source, session)]
    try:
        found = envelope(cast("Fields", value), prefix)
        if found is None:
            body = Unparsed("no message of the protocol", excerpt(raw), malformed=False)
            return [_outside(body, "unknown", source, session)]
        return message_events(AcpMessage(found, raw, source, session))
    except UNREADABLE as error:
        body = Unparsed(f"a form that could not be read: {error}", excerpt(raw))
        return [_outside(body, "unparsed", source, session)]


def _batch(
    values: list[object], raw: bytes, prefix: str, source: SourceRef, session: SessionRef
) -> list[Event]:
    """Events of several messages sent as one list."""
    events: list[Event] = []
    for index, value in enumerate(values):
        fields = mapping(value)
        if not is_message(fields):
            body = Unparsed("a list that holds no messages", excerpt(raw))
            return [_outside(body, "unparsed", source, session)]
        found = _decode_value(dict(fields), orjson.dumps(value), prefix, source, session)
        events += (replace(event, suffix=f"{index}:{event.suffix}") for event in found)
    return events or [_outside(Unparsed("an empty list", "[]"), "unparsed", source, session)]
