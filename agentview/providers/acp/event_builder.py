"""A message with its frame, and the one place where its events are made."""

from collections.abc import Sequence

from agentview.domain.events import Body, Event, Facts, Hidden, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import Fields, collect, mapping, text
from agentview.normalize.raw_span import value_span
from agentview.providers._kit.event_builder import excerpt
from agentview.providers.acp.envelope import AGENT, CLIENT, Envelope, rpc_key


class Frame:
    """A message, the bytes it was read from, and where they stand."""

    __slots__ = (
        "at", "lacking", "message", "params", "raw", "sender", "session", "sided", "source",
        "stream", "time",
    )  # fmt: skip

    def __init__(self, found: Envelope, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        self.message = found.message
        self.params: Fields = mapping(found.message.get("params"))
        self.sender = found.sender
        self.sided = found.sided
        self.time = found.time
        self.at = found.at
        self.lacking = found.lacking
        self.raw = raw
        self.source = source
        self.session = session
        told = mapping(self.params.get("update")) or mapping(self.params.get("toolCall"))
        caller = text_added(told, "parentToolUseId")
        self.stream = started_by(caller) if caller is not None else session.stream

    @property
    def request(self) -> str:
        """The name of the request that this message is."""
        return rpc_key(self.sender, self.message.get("id"))

    @property
    def answered(self) -> str:
        """The name of the request that this message answers."""
        return rpc_key(CLIENT if self.sender == AGENT else AGENT, self.message.get("id"))

    def text_at(self, *path: str | int) -> bytes | None:
        """The exact bytes of a value in the message."""
        span = value_span(self.raw, (*self.at, *path[self.lacking :]))
        return self.raw[span[0] : span[1]] if span is not None else None

    def event(
        self,
        suffix: str,
        body: Body,
        *,
        run: str | None = None,
        whole: bool = False,
        amends: bool = False,
        facts: Facts | None = None,
        child: Stream | None = None,
    ) -> Event:
        """An event of this message."""
        return Event(
            suffix=suffix,
            session_id=self.session.session_id,
            source=self.source,
            body=body,
            stream=self.stream,
            time=self.time,
            run=run,
            whole=whole,
            amends=amends,
            child=child,
            facts=facts,
        )

    def hidden(self, reason: str, record_type: str, facts: Facts | None = None) -> Event:
        """The message is accounted for, and nothing of it is shown."""
        return self.event("hidden", Hidden(reason, record_type), facts=facts)

    def unknown(self, record_type: str) -> list[Event]:
        """The message has a form that nothing knows."""
        reason = f"unknown message {record_type}"
        body = Unparsed(reason, excerpt(self.raw), record_type, malformed=False)
        return [self.event("unknown", body)]


def started_by(call_id: str) -> Stream:
    """The conversation of the agent that a call started: it stands in between the others."""
    return Stream(StreamKind.SIDECHAIN, call_id)


def text_added(told: Fields, *keys: str) -> str | None:
    """The first of `keys` in what an agent adds to an update for clients that know it."""
    added = collect(mapping(told.get("_meta")).values(), dict)
    return next((said for each in added if (said := text(each, *keys))), None)


def facts(**said: str | float | None) -> Facts | None:
    """Facts, None where nothing is said."""
    known: dict[str, object] = {name: value for name, value in said.items() if value is not None}
    return Facts(**known) if known else None  # pyright: ignore[reportArgumentType]


def named(listed: Sequence[object], key: str, name: str) -> Fields:
    """The first object of a list whose `key` is `name`; an empty one where none is."""
    found = (mapping(each) for each in listed)
    return next((each for each in found if each.get(key) == name), mapping(None))
