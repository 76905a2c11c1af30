"""A message of the protocol, and what its envelope says."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import cast

from msgspec import UNSET, Struct
from msgspec.structs import replace

from agentview.domain.events import Event, Facts, ToolResult, Unparsed
from agentview.domain.index_entry import EventFact
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import Fields, mapping, text
from agentview.normalize.json_values import fields_of
from agentview.providers._kit.event_builder import excerpt
from agentview.providers._kit.json_line import escaped
from agentview.providers._kit.typed_records import TypedBuilder, fitting, value_of
from agentview.providers.acp.envelope import (
    AGENT,
    CLIENT,
    Envelope,
    envelope,
    moment_of,
    sender_in,
    sender_of,
    stamp,
)
from agentview.providers.acp.schema import Message, Params, Record, Result

_CLIENT_METHODS = frozenset({"initialize", "authenticate", "logout"})
_SERVED = frozenset({"session/update", "session/request_permission", "session/elicitation"})

PERMISSION = "session/request_permission"

_times = attrgetter("t", "ts", "time", "timestamp", "created_at")
_sides = attrgetter("dir", "direction", "written_by", "sender", "source", "side", "type")
_given = attrgetter("action", "content", "terminal_id", "output", "exit_code", "signal")
"""Keys next to an outcome that only clients answer."""
_OUTER = ("update", "params")
"""Outer keys of an update, from within."""


class AcpMessage(TypedBuilder[Message], gc=False):
    """A message of the protocol in what a client wrote around it."""

    sender: str = ""
    """Empty where the record has no message."""
    sided: bool = False
    """True if the frame states the sender; otherwise it is inferred from the form."""
    lacking: int = 0
    """How many of the outer keys of the message the record has not: some log updates alone."""

    @property
    def fields(self) -> Fields:
        """The values of the message."""
        if self._fields is None:
            value = self.value_of(self.raw)
            for key in self.path:
                value = mapping(value).get(str(key))
            self._fields = mapping(value)
            for key in _OUTER[2 - self.lacking :]:
                self._fields = {key: self._fields}
        return self._fields

    @property
    def declared(self) -> tuple[tuple[str | int, ...], Struct | None]:
        """The part of the message that the record has, and its place."""
        params = self.record.params
        if self.lacking and isinstance(params, Params):
            return self.path, params if self.lacking == 1 else params.update
        return self.path, self.record if self.sender else None

    @property
    def params(self) -> Fields:
        return mapping(self.fields.get("params"))

    @property
    def update(self) -> Fields:
        return mapping(self.params.get("update"))

    @property
    def asks(self) -> bool:
        return self.record.method == PERMISSION

    @property
    def request(self) -> str:
        return self._number_of(self.sender)

    @property
    def answered(self) -> str:
        return self._number_of(CLIENT if self.sender == AGENT else AGENT)

    @property
    def is_numbered(self) -> bool:
        return self.record.id is not UNSET and self.record.id is not None

    def _number_of(self, maker: str) -> str:
        # Ids count for each side by itself.
        return f"rpc:{maker}:{self.record.id if self.is_numbered else None}"

    def result(
        self,
        call_id: str,
        make: Callable[..., ToolResult],
        args: tuple[object, ...],
        *,
        failed: bool,
    ) -> EventFact:
        return self.result_part("result", call_id, make, args, failed=failed)

    def text_at(self, *path: str | int) -> bytes | None:
        return super().text_at(*path[self.lacking :])

    def unknown_message(self, name: str) -> list[Event]:
        """The message has a form that is not known."""
        body = Unparsed(f"unknown message {name}", excerpt(self.raw), name, malformed=False)
        return [self.event("unknown", body)]


def acp_message(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> AcpMessage:
    """The message in a record: bare, or in a frame; before it there may be text without braces."""
    prefix = ""
    if raw[:1] != b"{":
        start = max(raw.find(b"{"), 0)
        prefix, raw = raw[:start].decode("utf-8", "replace"), raw[start:]
    made = AcpMessage(record, raw, source, session, session.session_id, session.stream)
    inner = record.msg
    if _is_message(record):
        sender = sender_of(prefix) if prefix else sender_in(_sides(record))
        made.time = (stamp(prefix) if prefix else None) or moment_of(_times(record))
    elif isinstance(inner, Message) and _is_message(inner):
        made.record, made.path = inner, ("msg",)
        sender, made.time = sender_in(_sides(record)), moment_of(_times(record))
    else:
        found = envelope(fields_of(value_of(raw)), prefix)
        if found is None:
            return made
        sender = found.sender
        _unfold(made, found)
    made.sided = sender is not None
    made.sender = sender or _by_form(made.record)
    params = made.record.params
    if isinstance(params, Params):
        update = params.update or params.tool_call
        if update is not None and update.meta:
            caller = text_added(update.meta, "parentToolUseId")
            made.stream = made.stream if caller is None else started_by(caller)
    return made


def _is_message(record: Message) -> bool:
    if record.method is not None:
        return record.jsonrpc is not UNSET or record.params is not UNSET
    return record.id is not UNSET and not (record.result is UNSET and record.error is UNSET)


def _unfold(made: AcpMessage, found: Envelope) -> None:
    """Take the message of a frame that is not declared."""
    made.record, faults = fitting(found.message, Message)
    made.time, made.path, made.lacking, made.rewritten = found.time, found.at, found.lacking, True
    outer = "".join(f"/{escaped(key)}" for key in made.path)
    inner = "".join(f"/{key}" for key in reversed(_OUTER[2 - found.lacking :]))
    made.faults = tuple(
        replace(each, pointer=outer + each.pointer.removeprefix(inner)) for each in faults
    )


def _by_form(message: Message) -> str:
    """Who sends messages of that form, where nothing else shows it."""
    method, result = message.method, message.result
    if method is not None:
        own = method in _CLIENT_METHODS or (method.startswith("session/") and method not in _SERVED)
        return CLIENT if own else AGENT
    given = isinstance(result, Result) and (result.outcome is not UNSET or any(_given(result)))
    return CLIENT if given else AGENT


def started_by(call_id: str) -> Stream:
    return Stream(StreamKind.SIDECHAIN, call_id)


def text_added(meta: Fields | None, *keys: str) -> str | None:
    """The first of `keys` in what an agent adds to an update for clients that know it."""
    for added in meta.values() if meta else ():
        said = text(cast("Fields", added), *keys) if isinstance(added, dict) else None
        if said:
            return said
    return None


def facts(**said: str | float | None) -> Facts | None:
    """Facts, None where nothing is said."""
    known: dict[str, object] = {name: value for name, value in said.items() if value is not None}
    return Facts(**known) if known else None  # pyright: ignore[reportArgumentType]


def named(listed: Sequence[object], key: str, name: str) -> Fields:
    """The first object of a list whose `key` is `name`; an empty one where none is."""
    found = (mapping(each) for each in listed)
    return next((each for each in found if each.get(key) == name), mapping(None))
