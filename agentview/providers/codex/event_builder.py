"""A record with its envelope, and the one place where its events are made."""

import re
from bisect import bisect_right
from operator import itemgetter

from agentview.domain.events import Body, Event, Facts, Hidden, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, fields_of, real_of, text_of, time_of, whole_of
from agentview.providers._kit.event_builder import excerpt
from agentview.providers.codex.dedupe import APART, NO_TWIN, DuplicateKeys, twin_keys
from agentview.providers.codex.forked_prefix import is_older

_TWINS_BYTES = 16_384
"""Bytes that lie between two twins at most: thoughts that are encrypted, and a count of tokens."""


_NESTED = re.compile(r"exec-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Id of a call that a script of code mode makes; nothing but times tells which script it was."""


def duration_of(value: object) -> float | None:
    """Seconds of a duration recorded as `{secs, nanos}`."""
    fields = fields_of(value)
    whole, part = real_of(fields.get("secs")), real_of(fields.get("nanos"))
    return None if whole is None else whole + (part or 0.0) / 1e9


def path_of(value: object) -> str | None:
    """A path, also one written as a `file://` URI, as paginated records have it."""
    found = text_of(value)
    return found.removeprefix("file://") if found is not None else None


def thread_of(session: SessionRef) -> str:
    """Id of the thread that a log is of."""
    return session.stream.id if session.stream.kind is not StreamKind.MAIN else session.session_id


def agent_stream(thread_id: object) -> Stream | None:
    """The stream of the agent that runs in that thread."""
    found = text_of(thread_id)
    return Stream(StreamKind.SUBAGENT, found) if found is not None else None


def made_via(call_id: str) -> str | None:
    """What made a call: calls that a script makes have ids of their own (0.144 on)."""
    return "script" if _NESTED.fullmatch(call_id) is not None else None


def record_id_of(source: SourceRef, session: SessionRef) -> str:
    """A name for a record that no other one has, also not one of another thread of the session.

    The ids that items carry are no names: the two records of one fact have the same.
    """
    return f"{thread_of(session)}@{source.offset}"


class Frame:
    """A record: `payload` is what its envelope carries, or the record itself where it has none."""

    __slots__ = ("fields", "payload", "raw", "record_id", "session", "source", "time", "turn_id")

    def __init__(
        self, fields: Fields, payload: Fields, raw: bytes, source: SourceRef, session: SessionRef
    ) -> None:
        self.fields = fields
        self.payload = payload
        self.raw = raw
        self.source = source
        self.session = session
        # Of records that were written again without their envelope's time the inner one is left.
        self.time = time_of(fields.get("timestamp") or payload.get("timestamp"))
        self.record_id = record_id_of(source, session)
        passed_on = fields_of(payload.get("internal_chat_message_metadata_passthrough"))
        turn_id = payload.get("turn_id") or passed_on.get("turn_id")
        self.turn_id = text_of(turn_id)

    def twins(self, kind: str, said: str, *, first: bool) -> DuplicateKeys:
        """Keys by which the two records of one fact find each other; see `twin_keys`."""
        return twin_keys(kind, said, self._told_at(first=first), first=first)

    def _told_at(self, *, first: bool) -> float | None:
        """When something was told, in seconds: how far apart two records of one fact can be.

        What a fork repeats was all written at once: there their places must do, the end of the
        first and the start of the second. Where there are no times, only what they say is left.
        """
        if self.repeated:
            place = self.source.offset + (self.source.length if first else 0)
            return place * APART / _TWINS_BYTES
        return 0.0 if self.time is None and "payload" in self.fields else self.time

    @property
    def paginated(self) -> bool:
        """Whether the log numbers its records and tells of all that was done as finished items."""
        return "ordinal" in self.fields

    @property
    def response_id(self) -> str | None:
        """The response that an item is part of: all of one were sampled from the same history.

        Known only where the client counts what it sends (0.169).
        """
        metadata = fields_of(self.fields.get("metadata"))
        sampled = whole_of(metadata.get("sampled_through_sequence"))
        return f"{self.turn_id}:{sampled}" if sampled is not None else None

    @property
    def part(self) -> tuple[int, str] | None:
        """Number and id of the session that printed the record, where others did so before it."""
        parts = self.session.parts
        at = bisect_right(parts, self.source.offset, key=itemgetter(0)) - 1
        return (at, parts[at][1]) if at >= 0 else None

    @property
    def repeated(self) -> bool:
        """Whether the record stands in front of all that the thread itself has done."""
        return self.source.offset < self.session.own_from

    @property
    def copied(self) -> bool:
        """Whether the record repeats what its agent's parent did before it started the agent.

        That is known of all records in front of the first own one, where that was found. Threads
        and turns have ids with a time in them (UUIDv7): a turn cannot be older than its thread.
        """
        thread = thread_of(self.session)
        owner = text_of(self.payload.get("thread_id"))
        if self.session.stream.kind is StreamKind.MAIN:
            return False
        if owner is not None:
            return owner != thread
        if self.repeated:
            return True
        return self.turn_id is not None and is_older(self.turn_id, thread) is True

    def event(
        self,
        suffix: str,
        body: Body,
        *,
        keys: DuplicateKeys = NO_TWIN,
        child: Stream | None = None,
        facts: Facts | None = None,
        time: float | None = None,
        response_id: str | None = None,
    ) -> Event:
        """An event of this record; `time` is when it happened, where that is not its own time."""
        return Event(
            suffix=suffix,
            session_id=self.session.session_id,
            source=self.source,
            body=body,
            stream=self.session.stream,
            time=self.time if time is None else time,
            record_id=self.record_id,
            response_id=response_id,
            dedupe_key=keys.dedupe_key,
            replaces=keys.replaces,
            child=child,
            facts=facts,
        )

    def hidden(self, reason: str, record_type: str, *, facts: Facts | None = None) -> list[Event]:
        """The record is accounted for, and nothing of it is shown."""
        return [self.event("hidden", Hidden(reason, record_type), facts=facts)]

    def unknown(self, record_type: str, suffix: str = "unknown") -> Event:
        """The record, or a part of it, has a form that nothing knows."""
        reason = f"unknown record type {record_type}"
        return self.event(suffix, Unparsed(reason, excerpt(self.raw), record_type, malformed=False))
