"""Events of one line of traffic between a client and an agent."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import cast

import orjson
from msgspec import UNSET
from msgspec.json import Decoder
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
from agentview.domain.index_entry import REQUEST, CallFact, EventFact, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import Fields, as_text, first, mapping, number, text
from agentview.normalize.json_values import whole_of
from agentview.normalize.tools.specs import KnownCall, known_call
from agentview.providers._kit.acp.content import blocks_of, words_of
from agentview.providers._kit.acp.tool_calls import spec_of
from agentview.providers._kit.event_builder import excerpt
from agentview.providers._kit.json_recovery import placed, read_pieces
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    TypedLines,
    event_of,
    hidden,
    read_as,
)
from agentview.providers.acp.envelope import AGENT, FRAME_KEYS, RECORD_START, is_message
from agentview.providers.acp.event_builder import PERMISSION, AcpMessage, acp_message, facts
from agentview.providers.acp.schema import (
    AgentAnswer,
    Current,
    Failure,
    Params,
    Record,
    Result,
)
from agentview.providers.acp.session_update import (
    PROMPT_RUN,
    call_events,
    config_facts,
    update_events,
)
from agentview.providers.acp.tools import REQUESTS, attach_result, refusal
from agentview.providers.acp.turns import ADDED, answered_events

# What client and agent ask of each other, and the answers.

_OTHER_METHODS = ("mcp/", "providers/", "document/", "nes/", "auth/", "elicitation/")
"""Areas of the protocol in which nothing of the conversation is said."""


def message_events(message: AcpMessage) -> Sequence[LightEvent]:
    """Events of one message: a request, a notification, or an answer."""
    if not message.sender:
        body = Unparsed("no message of the protocol", excerpt(message.raw), malformed=False)
        return [message.event("unknown", body)]
    method = message.record.method
    if method is None:
        return _answer(message)
    make = _METHODS.get(method)
    if make is not None:
        return make(message)
    if method in REQUESTS:
        return _asked(message, method)
    if method.startswith(("_", "$/")):
        if text(message.update, "sessionUpdate") in ADDED:
            return update_events(message)
        if _awaits_client(message):
            return _asked(message, method)
        return [message.hidden("an extension of the protocol", method)]
    if method.startswith(_OTHER_METHODS):
        return [message.hidden("not part of the conversation", method)]
    return message.unknown_message(method)


def _awaits_client(message: AcpMessage) -> bool:
    return message.sided and message.sender == AGENT and message.is_numbered


def _asked(message: AcpMessage, method: str) -> Sequence[LightEvent]:
    """Return a request of the agent to its client as a call; one for permission names its call."""
    params = message.record.params
    call = params.tool_call if isinstance(params, Params) else None
    named = call.tool_call_id if call is not None else None
    known, request = _KNOWN.get(method), message.request
    if known is None or message.faults or isinstance(named, int):
        asked = message.event("request", _request_body(message, method, request))
    else:
        asked = message.call_part(
            "request", request, known, _request_body, (message, method, request)
        )
    if method != PERMISSION or call is None or named is None:
        return [asked]
    if isinstance(asked, EventFact) and isinstance(named, str):
        asked.asked_for = named
    return [*call_events(message, call), asked]


def _request_body(message: AcpMessage, method: str, request: str) -> ToolCall:
    return tool_call(
        call_id=request,
        name=method,
        arguments=message.params,
        raw=message.text_at("params"),
        spec=REQUESTS.get(method) or spec_of(method, None, None, {}),
        title=text(mapping(message.params.get("toolCall")), "title"),
    )


_KNOWN: Mapping[str, KnownCall | None] = {
    **{name: known_call(name, spec) for name, spec in REQUESTS.items()},
    PERMISSION: KnownCall(ToolKind.ASK, REQUEST, Signal.APPROVAL, CallFact(PERMISSION)),
}


def _initialize(message: AcpMessage) -> list[Event]:
    client = _label(mapping(message.params.get("clientInfo")), "A client")
    version = number(message.params, "protocolVersion")
    return [message.event("client", Notification(Topic.SYSTEM, f"{client}, protocol {version}"))]


def _label(info: Fields, default: str) -> str:
    name = text(info, "title", "name") or default
    version = text(info, "version")
    return f"{name} {version}" if version else name


def _session(message: AcpMessage) -> list[Event]:
    method = message.record.method or ""
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
    return [message.hidden("between client and agent", message.record.method or "")]


_METHODS: Mapping[str, Callable[[AcpMessage], Sequence[LightEvent]]] = {
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


def _answer(message: AcpMessage) -> Sequence[LightEvent]:
    own = message.record
    if own.error is not UNSET and (own.error is not None or own.result is UNSET):
        return _failed(message, own.error or Failure())
    if message.sender == AGENT:
        return _from_agent(message, mapping(message.fields.get("result")))
    return [_from_client(message)]


def _failed(message: AcpMessage, error: Failure) -> Sequence[LightEvent]:
    if message.sender != AGENT and message.is_numbered:
        call_id = message.answered
        return [message.result(call_id, _failed_body, (message, error, call_id), failed=True)]
    words, detail = _words(message, error)
    code = whole_of(error.code)
    said = f"{words} ({code})" if code is not None else words
    body = Notification(error_topic(words, detail, status=code), said, Level.ERROR, detail=detail)
    return [message.event("error", body)]


def _words(message: AcpMessage, error: Failure) -> tuple[str, str | None]:
    detail = as_text(message.value_of(error.data)) if error.data else None
    return error.message or "An error without a message", detail


def _failed_body(message: AcpMessage, error: Failure, call_id: str) -> ToolResult:
    words, detail = _words(message, error)
    return ToolResult(call_id, ok=False, output=_said(detail), error=words)


def _said(words: str | None) -> tuple[Block, ...]:
    return (TextBlock(words),) if words else ()


def _from_client(message: AcpMessage) -> LightEvent:
    """Return the client's answer to a request of the agent: the outcome of that call."""
    result, call_id = message.record.result, message.answered
    outcome = result.outcome if isinstance(result, Result) else None
    denial = refusal(text(outcome, "optionId")) if isinstance(outcome, dict) else None
    body = (message, call_id, denial)
    if message.faults:
        return message.event("result", _given_body(*body))
    return message.result(call_id, _given_body, body, failed=denial is not None)


def _given_body(message: AcpMessage, call_id: str, denial: Denial | None) -> ToolResult:
    raw = message.fields.get("result")
    result = mapping(raw)
    exited = mapping(result.get("exitStatus")) or result
    code = number(exited, "exitCode")
    structured: object = raw
    if code is not None:
        structured = {**result, "exit_code": code}
    return ToolResult(
        call_id,
        ok=True,
        output=_said(text(result, "content", "output", "terminalId")),
        structured=structured if result else None,
        denial=denial,
        interrupted=text(mapping(result.get("outcome")), "outcome") == "cancelled",
    )


def _from_agent(message: AcpMessage, result: Fields) -> Sequence[LightEvent]:
    """Answers of the agent to the client's requests: its name, its session, the end of a turn."""
    if "stopReason" in result:
        return answered_events(message, result)
    answer = read_as(result, AgentAnswer)
    if "protocolVersion" in result:
        info = mapping(answer.agent_info)
        known = facts(client_version=text(info, "version"))
        words = f"{_label(info, 'An agent')}, protocol {number(result, 'protocolVersion')}"
        return [message.event("agent", Notification(Topic.SYSTEM, words), facts=known)]
    model = as_text((answer.models or Current()).current_model_id)
    mode = as_text((answer.modes or Current()).current_mode_id)
    chosen = config_facts(answer.config_options or [])
    known = facts(
        model=model or (chosen.model if chosen else None),
        mode=mode or (chosen.mode if chosen else None),
    )
    return [hidden(message, "an answer of the agent", "result", facts=known)]


_PLAIN = re.compile(rb"\s*\[([a-z]{3,12})\]\s++(?!\[?\s*\{)(\S.*)", re.DOTALL)
"""A line of a client's log that is not a message."""
_LEVELS = {"error": Level.ERROR, "warning": Level.WARNING, "warn": Level.WARNING}
_PREFIX = re.compile(rb"[^{}\"]{1,120}?(?=\[?\{)")
"""Text that may stand before a message on its line, or before a list of them."""
_BEFORE_LIST = re.compile(rb"[^{]*?(?=\[\s*\{)")


class _Lines(TypedLines[AcpMessage]):
    """Lines with a message, with several of them, or with a note of the client."""

    @cached_property
    def read(self) -> Callable[[bytes], Record]:
        """Gives the typed record of a line."""
        decode = Decoder(Record).decode
        return lambda line: decode(line if line[:1] == b"{" else self.text(line))

    def text(self, line: bytes) -> bytes:
        """The JSON text of a line, without what stands before it."""
        found = None if line[:1] == b"{" else _PREFIX.match(line)
        return line if found is None else line[found.end() :]

    def _without_faults(
        self, value: object, raw: bytes, source: SourceRef, session: SessionRef
    ) -> Sequence[LightEvent]:
        if isinstance(value, list):
            return self._batch(cast("list[object]", value), raw, source, session)
        return super()._without_faults(value, raw, source, session)

    def _batch(
        self, values: list[object], raw: bytes, source: SourceRef, session: SessionRef
    ) -> list[Event]:
        """Events of several messages sent as one list."""
        found = _BEFORE_LIST.match(raw)
        before = b"" if found is None else found[0]
        events: list[Event] = []
        for index, value in enumerate(values):
            if not is_message(mapping(value)):
                return [self._unreadable("a list that holds no messages", raw, source, session)]
            text = before + orjson.dumps(value)
            made = map(event_of, self._without_faults(mapping(value), text, source, session))
            events += (replace(event, suffix=f"{index}:{event.suffix}") for event in made)
        return events or [self._unreadable("an empty list", raw, source, session)]

    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        plain = _PLAIN.match(line)
        if plain is not None:
            words = plain[2].decode("utf-8", "replace").strip()
            body = Notification(Topic.SYSTEM, words, _LEVELS.get(plain[1].decode(), Level.INFO))
            return [AcpMessage.of(Record(), line, source, session).event("note", body)]
        events: list[LightEvent] = []
        before = b""
        for piece, place in placed(read_pieces(line, RECORD_START), source):
            if piece.error is not None:
                reason = f"not a whole JSON value: {piece.error}"
                events.append(self._unreadable(reason, piece.raw, place, session))
                before = piece.raw.replace(b"{", b" ")
            else:
                text = before + piece.raw
                events += self._without_faults(piece.value, text, place, session)
        return events

    def _unreadable(self, reason: str, raw: bytes, source: SourceRef, session: SessionRef) -> Event:
        return AcpMessage.of(Record(), raw, source, session).unreadable(reason)


LINES = _Lines(Record, acp_message, message_events)


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def unused_keys(record: bytes, source: SourceRef, session: SessionRef) -> Sequence[str]:
    """JSON pointers of the keys of a message that nothing reads, or whose values do not fit."""
    # Imported here: only the raw view asks for them.
    from agentview.providers._kit.undeclared_keys import undeclared_keys

    found = undeclared_keys(record, source, session, LINES, REQUESTS, attach_result, whole=True)
    # Next to an update that is logged alone there is its frame.
    return [each for each in found if each[1:] not in FRAME_KEYS]
