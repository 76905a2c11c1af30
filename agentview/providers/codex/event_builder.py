"""A record with its envelope, and the keys by which the two records of one fact find each other.

The client writes a text twice, for the model and for the screen, within milliseconds and without a
common id. The same words said again later are another fact, so that a time belongs to the key.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from hashlib import blake2b
from operator import itemgetter
from typing import Self, TypedDict

import msgspec
from msgspec import UNSET

from agentview.domain.events import Body, ToolResult
from agentview.domain.index_entry import EventFact, Nesting, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import ToolCall
from agentview.normalize.json_values import Fields, fields_of, real_of, text_of, time_of, whole_of
from agentview.normalize.tools.specs import KnownCall
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, same
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex.forked_prefix import is_older
from agentview.providers.codex.schema import Duration, Payload, Record, Report

APART = 1.5
"""Seconds that lie between two twins at most; 0.8 is the most that was seen."""

_SPAN = 2 * APART
_TWINS_BYTES = 16_384
"""Bytes that lie between two twins at most: thoughts that are encrypted, and a count of tokens."""


_NESTED = re.compile(r"exec-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Id of a call that a script of code mode makes; nothing but times says which script it was."""


def duration_of(value: object) -> float | None:
    """Seconds of a duration recorded as `{secs, nanos}`."""
    duration = read_as(value, Duration)
    whole, part = real_of(duration.secs), real_of(duration.nanos)
    return None if whole is None else whole + (part or 0.0) / 1e9


def path_of(value: object) -> str | None:
    """A path, also one written as a `file://` URI, as paginated records have it."""
    found = text_of(value)
    return found.removeprefix("file://") if found is not None else None


def thread_of(session: SessionRef) -> str:
    return session.stream.id if session.stream.kind is not StreamKind.MAIN else session.session_id


def agent_stream(thread_id: object) -> Stream | None:
    """The stream of the agent that runs in that thread."""
    found = text_of(thread_id)
    return Stream(StreamKind.SUBAGENT, found) if found is not None else None


def made_via(call_id: str) -> str | None:
    """Return the maker of a call: calls that a script makes have ids of their own (0.144 on)."""
    return "script" if _NESTED.fullmatch(call_id) is not None else None


def nesting_of(call_id: str) -> int:
    """Role of a call of the client for others by its id alone."""
    return Nesting.NONE if made_via(call_id) is None else Nesting.NESTED


class DuplicateKeys(TypedDict, total=False):
    """The two keys of an event; of two twins exactly one is the same."""

    dedupe_key: str
    replaces: str


def twin_keys(kind: str, said: str, time: float | None, *, first: bool) -> DuplicateKeys:
    """Keys of a fact of that kind; `first` says which of its two records the client writes first.

    Time is cut into spans. Twins in one span have one `dedupe_key`, so that the second gives way.
    A first one in the later half of its span may have its twin in the next; both then carry the key
    of the edge between the spans, by which the second takes the place of the first.
    """
    if time is None:
        return {}
    name = blake2b(f"{kind}\x00{said.strip()}".encode("utf-8", "replace"), digest_size=12)
    span = int(time // _SPAN)
    late = time - span * _SPAN >= APART
    edge: int | None = None
    if first and late:
        edge = span
    elif not first and not late:
        edge = span - 1
    digest = name.hexdigest()
    keys: DuplicateKeys = {"dedupe_key": f"{kind}:{digest}:{span}"}
    if edge is not None:
        keys["replaces"] = f"{kind}:{digest}:{edge}+"
    return keys


class CodexRecord(TypedBuilder[Record], gc=False):
    """A record: `payload` is what its envelope carries, or the record itself where it has none."""

    payload: Payload = msgspec.field(default_factory=Payload)
    place: tuple[str, ...] = ()
    """Where in the record its payload is."""

    @property
    def values(self) -> Fields:
        """The values of the payload, for what is not declared of it."""
        found = self.fields
        for step in self.place:
            found = fields_of(found.get(step))
        return found

    @property
    def report(self) -> Report:
        return read_as(self.values, Report)

    def carry(self, payload: Payload, key: str) -> Self:
        """Take what the record is about from what its payload carries under a key."""
        self.payload, self.place = payload, (*self.place, key)
        self.time = time_of(self.record.timestamp or payload.timestamp)
        return self

    @property
    def turn_id(self) -> str | None:
        """The turn that the record is of."""
        passed_on = self.payload.internal_chat_message_metadata_passthrough
        return self.payload.turn_id or (passed_on and passed_on.turn_id) or None

    def light(
        self,
        suffix: str,
        kind: int,
        make: Callable[..., Body],
        args: tuple[object, ...],
        signal: int,
        keys: DuplicateKeys,
    ) -> EventFact:
        """A light event of what the model said or thought, with the keys that it has for that."""
        light = self.part(suffix, kind, 0, make, args, signal=signal, replaces=keys.get("replaces"))
        light.dedupe, light.response = keys.get("dedupe_key"), self.sampled_id
        return light

    def call(
        self,
        call_id: str,
        known: KnownCall | None,
        make: Callable[..., ToolCall],
        args: tuple[object, ...],
        path: str,
        replaces: str | None = None,
        time: float | None = None,
        nesting: int = Nesting.NONE,
    ) -> LightEvent:
        """An event of a call: made at once where its tool says too little of it."""
        response = self.sampled_id
        if known is None:
            body = make(*args)
            return self.event(
                "call", body, time=time, response_id=response, replaces=replaces, path=path
            )
        light = self.call_part("call", call_id, known, make, args, replaces)
        light.path, light.response, light.nesting = path, response, nesting
        light.time = self.time if time is None else time
        return light

    def result(self, result: ToolResult, path: str = "", child: Stream | None = None) -> EventFact:
        """A light event of a result."""
        unknown = result.ok is None and result.denial is None
        failed = result.ok is False or result.denial is not None
        light = self.result_part(
            "result", result.call_id, same, (result,), failed=failed, child=child
        )
        light.path = path
        if unknown:
            light.signal |= Signal.OUTCOME_UNKNOWN
        return light

    def twins(self, kind: str, said: str, *, first: bool) -> DuplicateKeys:
        """Keys by which the two records of one fact find each other; see `twin_keys`."""
        return twin_keys(kind, said, self._reported_at(first=first), first=first)

    def overruled(self, *, first: bool) -> DuplicateKeys:
        """Keys by which a record takes the place of the first one, which it follows directly."""
        place = self.source.offset + (self.source.length + 1 if first else 0)
        return {"replaces": f"overruled:{place}"}

    def _reported_at(self, *, first: bool) -> float | None:
        """Return when a fact was recorded, in seconds, to match two records of one fact.

        What a fork repeats was all written at once: there their places must do, the end of the
        first and the start of the second. Where there are no times, only what they say is left.
        """
        if self.repeated:
            place = self.source.offset + (self.source.length if first else 0)
            return place * APART / _TWINS_BYTES
        return 0.0 if self.time is None and self.record.payload is not UNSET else self.time

    @property
    def paginated(self) -> bool:
        """True if the log numbers its records and records all that was done as finished items."""
        return self.record.ordinal is not UNSET

    @property
    def sampled_id(self) -> str | None:
        """The response that an item is part of: all of one were sampled from the same history.

        Known only where the client counts what it sends (0.169).
        """
        metadata = self.record.metadata
        sampled = None if metadata is None else whole_of(metadata.sampled_through_sequence)
        return f"{self.turn_id}:{sampled}" if sampled is not None else None

    @property
    def printed_by(self) -> tuple[int, str] | None:
        """Number and id of the session that printed the record, where others did so before it."""
        parts = self.session.parts
        at = bisect_right(parts, self.source.offset, key=itemgetter(0)) - 1
        return (at, parts[at][1]) if at >= 0 else None

    @property
    def repeated(self) -> bool:
        """Return whether the record is in front of all that the thread itself has done."""
        return self.source.offset < self.session.own_from

    @property
    def copied(self) -> bool:
        """True if the record repeats what its agent's parent did before it started the agent.

        That is known of all records in front of the first own one, where that was found. Threads
        and turns have ids with a time in them (UUIDv7): a turn cannot be older than its thread.
        """
        if self.session.stream.kind is StreamKind.MAIN:
            return False
        thread, turn = thread_of(self.session), self.turn_id
        if self.payload.thread_id:
            return self.payload.thread_id != thread
        return self.repeated or (turn is not None and is_older(turn, thread) is True)


def codex_record(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> CodexRecord:
    """The builder of a record."""
    payload, place = record.payload, ("payload",)
    if payload is UNSET:
        payload, place = record, ()
    elif payload is None:
        payload = Payload()
    # No other record has this id, also not one of another thread of the session. The ids that items
    # carry are no names: the two records of one fact have the same. Of records that were written
    # again without their envelope's time the inner one is left.
    return CodexRecord(
        record, raw, source, session, session.session_id, session.stream,
        time_of(record.timestamp or payload.timestamp), f"{thread_of(session)}@{source.offset}",
        payload=payload, place=place,
    )  # fmt: skip
