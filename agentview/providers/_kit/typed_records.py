"""From the bytes of a line to a record as its format declares it, and on to light events.

A format declares its records as `msgspec.Struct` classes in its `schema.py`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Generic, Self, TypeVar, cast

import msgspec
import orjson
from msgspec import Raw, Struct

from agentview.domain.activity import RowKind
from agentview.domain.content import Block
from agentview.domain.events import Body, Event, Facts, Hidden, Message, Reasoning, TokenUsage
from agentview.domain.index_entry import (
    KIND_CODES,
    NO_ROW,
    CallFact,
    EventFact,
    EventLinks,
    Flag,
    LightEvent,
    Nesting,
    Role,
    Signal,
    event_of,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream
from agentview.domain.tools import ToolCall
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.tools.specs import KnownCall
from agentview.providers._kit.event_builder import EventMaker
from agentview.providers._kit.json_line import UNREADABLE, json_kind
from agentview.providers._kit.typed_values import FieldFault, fitting, read_as

_BEGIN = re.compile(r'\{\s*"')

_Record = TypeVar("_Record", bound=Struct)
_Other = TypeVar("_Other", bound=Struct)
_Builder = TypeVar("_Builder", bound="TypedBuilder[Any]")


_NO_TIE = EventLinks()
_AMENDS = EventLinks(amends=True)


def in_run(light: EventFact, tie: EventLinks) -> EventFact:
    """Have a light event be a piece of a run, which needs no key."""
    light.tie, light.dedupe = tie, None
    return light


def same(body: Body) -> Body:
    """Gives a body that has been made."""
    return body


def value_of(raw: Raw | bytes) -> Any:
    """The value of a body; None where the record has none. Never raises for a body of a record."""
    text = bytes(raw)
    if not text:
        return None
    try:
        return orjson.loads(text)
    except ValueError:
        # Half a surrogate pair, bytes that are no UTF-8, a number beyond all.
        from agentview.providers._kit.json_recovery import read_pieces

        return read_pieces(text, _BEGIN)[0].value


class TypedBuilder(EventMaker, Struct, Generic[_Record], gc=False):
    """A typed record, and what all its events have in common."""

    record: _Record
    raw: bytes
    source: SourceRef
    session: SessionRef
    session_id: str
    stream: Stream
    time: float | None = None
    record_id: str | None = None
    parent_id: str | None = None
    copied_id: str | None = None
    facts: Facts | None = None
    response_id: str | None = None
    path: tuple[str | int, ...] = ()
    rewritten_id: str | None = None
    keeps_place: bool = False
    suffix_end: str = ""
    inner: "Sequence[tuple[Raw, TypedBuilder[Any]]]" = ()
    """Records that are bodies of this one."""
    faults: tuple[FieldFault, ...] = ()
    rewritten: bool = False
    """True if bodies are not the bytes of the log, since parts of the record had to be left out."""
    value_of: Callable[[Raw | bytes], Any] = value_of
    _fields: Fields | None = None

    @classmethod
    def of(
        cls, record: _Record, raw: bytes, source: SourceRef, session: SessionRef, **known: Any
    ) -> Self:
        """A record of the stream that its log is of; `known` are attributes that it says."""
        return cls(record, raw, source, session, session.session_id, session.stream, **known)

    @property
    def fields(self) -> Fields:
        """The values of the whole record, for what its format does not declare."""
        if self._fields is None:
            self._fields = fields_of(self.value_of(self.raw))
        return self._fields

    def value_at(self, *path: str | int) -> object:
        """The value at a path of what the record holds; None where there is none."""
        found: object = self.fields
        for step in (*self.path, *path):
            if isinstance(step, int):
                listed = items_of(found)
                found = listed[step] if step < len(listed) else None
            else:
                found = fields_of(found).get(step)
        return found

    def values_at(self, *path: str | int) -> Fields:
        """The values of the object at a path, for what its format does not declare of it."""
        return fields_of(self.value_at(*path))

    def read_as(self, schema: type[_Other]) -> _Other:
        """The record as another schema declares it, without the values that do not fit."""
        if self.value_of is value_of and self._fields is None:
            try:
                return _decoder(schema).decode(self.raw)
            except UNREADABLE:
                pass
        return read_as(self.fields, schema)

    @property
    def declared(self) -> tuple[tuple[str | int, ...], Struct | None]:
        """The path of what its format declares of the record, and the typed form of that."""
        return (), self.record

    def part(  # noqa: PLR0913, PLR0917  (each is a field of the event)
        self,
        suffix: str,
        kind: int,
        flags: int,
        make: Callable[..., Body],
        args: tuple[Any, ...],
        role: int = Role.NONE,
        key: str | None = None,
        signal: int = Signal.NONE,
        replaces: str | None = None,
        usage: TokenUsage | None = None,
        child: Stream | None = None,
        call: CallFact | None = None,
    ) -> EventFact:
        """A light event of the record: `make` makes its body of `args`.

        The other parameters are what the body says to who joins events: `EventFact` names them.
        Without a key it gets its `own_keys`, as with `event`.
        """
        stream, dedupe, amends = self.stream, None, False
        own = self.session.stream
        # The same object, for most records.
        main = stream is MAIN_STREAM or stream is own or stream in (MAIN_STREAM, own)
        side = None if main else stream
        if replaces is None and not (self.copied_id is None and self.rewritten_id is None):
            dedupe, replaces, amends = self.own_keys(suffix, kind, usage=usage is not None)
            if amends and role != Role.CALL:
                role, key, replaces = Role.VERSION, replaces, None
        return EventFact(
            0, kind, flags if side is None else flags | Flag.SIDE, role, key, dedupe, replaces,
            False, self.response_id, side, child, signal, self.time, usage, None, self.facts, None,
            _AMENDS if amends else None, self.record_id, self.parent_id, None, call, "", None,
            None, Nesting.NONE, None, suffix, self, make, args,
        )  # fmt: skip

    def text_part(self, suffix: str, said: str, blocks: tuple[Block, ...] = ()) -> EventFact:
        return self.part(suffix, MESSAGE, 0, Message, (said, blocks), signal=Signal.PERSON)

    def thought_part(self, suffix: str, said: str, *, withheld: bool = False) -> EventFact:
        """A thought of the model's."""
        made = (said, withheld)
        return self.part(suffix, REASONING, 0, Reasoning, made, signal=Signal.AGENT)

    def call_part(
        self,
        suffix: str,
        call_id: str,
        known: KnownCall,
        make: Callable[..., ToolCall],
        args: tuple[Any, ...],
        replaces: str | None = None,
        child: Stream | None = None,
    ) -> EventFact:
        """A light call, of which the name of its tool says enough."""
        light = self.part(
            suffix, known.code, 0, make, args, Role.CALL, call_id, known.signal, replaces, None,
            child, known.call,
        )  # fmt: skip
        light.tool = known.tool
        return light

    def call_event(
        self,
        suffix: str,
        call_id: str,
        known: KnownCall | None,
        make: Callable[..., ToolCall],
        args: tuple[Any, ...],
    ) -> LightEvent:
        """A call, made at once where the name of its tool does not say enough."""
        if known is None:
            return self.event(suffix, make(*args))
        return self.call_part(suffix, call_id, known, make, args)

    def result_part(
        self,
        suffix: str,
        call_id: str,
        make: Callable[..., Body],
        args: tuple[Any, ...],
        *,
        failed: bool | None,
        child: Stream | None = None,
    ) -> EventFact:
        """A light result of a call; `failed` is None where nobody knows how that ended."""
        signal = Signal.AGENT if failed is not None else Signal.AGENT | Signal.OUTCOME_UNKNOWN
        return self.part(
            suffix, _RESULT, Flag.PROBLEM if failed else 0, make, args, Role.RESULT, call_id,
            signal, None, None, child,
        )  # fmt: skip

    def usage_part(
        self, usage: TokenUsage, replaces: str | None = None, suffix: str = "usage"
    ) -> EventFact:
        return self.part(
            suffix, NO_ROW, 0, same, (usage,), Role.NONE, None, Signal.NONE, replaces, usage
        )

    def exact(self, body: Raw, *path: str | int) -> bytes:
        """The text of a body at a path of the record, as it is in the log."""
        found = self.text_at(*path) if self.rewritten else None
        return bytes(body) if found is None else found

    def event_of(self, fact: EventFact, body: Body) -> Event:
        """The event of this record that a light one is the beginning of."""
        tie = fact.tie or _NO_TIE
        return Event(
            fact.suffix + self.ending, self.session_id, self.source, body, self.stream,
            fact.time, fact.record, fact.parent, fact.response, fact.dedupe, fact.rewrites,
            None, tie.rewinds, tie.run, tie.whole, tie.amends, fact.child, fact.facts, fact.path,
        )  # fmt: skip


class TypedLines(Generic[_Builder]):
    """How the lines of a format that declares its records are read."""

    def __init__(
        self,
        schema: type[Struct],
        builder: Callable[[Any, bytes, SourceRef, SessionRef], _Builder],
        decode_record: Callable[[_Builder], Sequence[LightEvent]],
        begin: re.Pattern[str] = _BEGIN,
        is_record: Callable[[object], bool] | None = None,
    ) -> None:
        """`decode_record` gives the events of a record; it may raise what is `UNREADABLE`.

        `begin` is how a record begins, to find those of a line that is not plainly one; `is_record`
        is True of a value that is a record and not a part of one that begins in the same way.
        """
        self.schema = schema
        self.builder = builder
        self.decode_record = decode_record
        self.begin = begin
        self.is_record = is_record

    @cached_property
    def read(self) -> Callable[[bytes], Any]:
        """Gives the typed record of a line. Raises what `msgspec` raises."""
        return msgspec.json.Decoder(self.schema).decode

    def text(self, line: bytes) -> bytes:
        return line

    def events(self, record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
        return [event_of(each) for each in self.light(record, source, session)]

    def light(self, record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        try:
            return self.decode_record(self.builder(self.read(record), record, source, session))
        except msgspec.ValidationError:
            # It may come before a fault of the JSON.
            try:
                value: object = orjson.loads(self.text(record))
            except ValueError:
                return self._damaged(record, source, session)
            return self._without_faults(value, record, source, session)
        except msgspec.DecodeError:
            return self._damaged(record, source, session)
        except UNREADABLE as error:
            return self._failed(error, record, source, session)

    def _failed(
        self, error: Exception, line: bytes, source: SourceRef, session: SessionRef
    ) -> Sequence[LightEvent]:
        if isinstance(error, UnicodeDecodeError | RecursionError):
            return self._damaged(line, source, session)
        return [self._unreadable(f"a form that could not be read: {error}", line, source, session)]

    def record_of(self, line: bytes, source: SourceRef, session: SessionRef) -> _Builder | None:
        """The record of a line that is one, with what does not fit set aside; None of any other."""
        try:
            return self.builder(self.read(line), line, source, session)
        except UNREADABLE:
            value = fields_of(value_of(self.text(line)))
        try:
            return self._fitted(value, line, source, session) if value else None
        except UNREADABLE:
            return None

    def typed(self, text: bytes) -> Any:
        """Read the declared fields of a record, without a builder; unset if it is unreadable."""
        try:
            return self.read(text)
        except UNREADABLE:
            pass
        try:
            return fitting(fields_of(value_of(text)), self.schema)[0]
        except UNREADABLE:
            return self.schema()

    def _without_faults(
        self, value: object, raw: bytes, source: SourceRef, session: SessionRef
    ) -> Sequence[LightEvent]:
        if not isinstance(value, dict):
            reason = f"a JSON {json_kind(value)}, not an object"
            return [self._unreadable(reason, raw, source, session)]
        try:
            fitted = self._fitted(cast("Fields", value), raw, source, session)
            return self.decode_record(fitted)
        except UNREADABLE as error:
            reason = f"a form that could not be read: {error}"
            return [self._unreadable(reason, raw, source, session)]

    def _fitted(
        self, value: Fields, raw: bytes, source: SourceRef, session: SessionRef
    ) -> _Builder:
        record, faults = fitting(value, self.schema)
        builder = self.builder(record, raw, source, session)
        builder.faults, builder.rewritten = (*builder.faults, *faults), True
        return builder

    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        """Events of a line that is not plainly one JSON value."""
        # Nearly all lines are.
        from agentview.providers._kit.json_recovery import placed, read_pieces

        events: list[LightEvent] = []
        for piece, place in placed(read_pieces(line, self.begin, self.is_record), source):
            if piece.error is not None:
                reason = f"not a whole JSON value: {piece.error}"
                events.append(self._unreadable(reason, piece.raw, place, session))
            else:
                events.extend(self._without_faults(piece.value, piece.raw, place, session))
        return events

    def _unreadable(self, reason: str, raw: bytes, source: SourceRef, session: SessionRef) -> Event:
        return self.builder(self.schema(), raw, source, session).unreadable(reason)


@lru_cache(maxsize=64)
def _decoder(schema: type[_Record]) -> msgspec.json.Decoder[_Record]:
    return msgspec.json.Decoder(schema)


def copied(value: Any) -> Any:
    """A copy of the containers, so that values in them can be replaced; it reads all keys."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in cast("dict[str, Any]", value).items()}
    return [copied(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


# The registry of a format: what makes the events of a record, by its type.

_Make = Callable[[_Builder], Sequence[LightEvent]]

HIDDEN = KIND_CODES[RowKind.HIDDEN]
MESSAGE = KIND_CODES[RowKind.MESSAGE]
REASONING = KIND_CODES[RowKind.REASONING]
_RESULT = KIND_CODES[RowKind.RESULT]


class Records(Generic[_Builder]):
    """Functions by types of records: `@records.on("assistant")` registers one.

    `hidden` are types that are not shown, with the reason. All others are unknown.
    """

    def __init__(self, *, hidden: Mapping[str, str]) -> None:
        """Begin with the types that are not shown."""
        self.hidden = hidden
        self.makers: dict[str, _Make[_Builder]] = {}

    def on(self, *types: str) -> Callable[[_Make[_Builder]], _Make[_Builder]]:
        """Register a function that gives the events of records of these types, at least one."""

        def registered(make: _Make[_Builder]) -> _Make[_Builder]:
            self.makers.update(dict.fromkeys(types, make))
            return make

        return registered

    def __call__(self, record: _Builder, record_type: str | None) -> Sequence[LightEvent]:
        """Events of a record of this type; None is a record without one."""
        make = self.makers.get(record_type or "")
        if make is not None:
            return make(record)
        reason = self.hidden.get(record_type or "")
        if reason is None or record_type is None:
            return [record.unknown(record_type or "(none)")]
        return [hidden(record, reason, record_type)]


def hidden(
    record: TypedBuilder[Any],
    reason: str,
    record_type: str,
    *,
    suffix: str = "hidden",
    replaces: str | None = None,
    facts: Facts | None = None,
) -> EventFact:
    """The record, or a part of it, is accounted for, and nothing of it is shown."""
    light = record.part(
        suffix, HIDDEN, Flag.BOOKKEEPING, Hidden, (reason, record_type), replaces=replaces
    )
    if facts is not None:
        light.facts = facts
        light.signal = Signal.ENDED if facts.ended else Signal.NONE
    return light
