"""A message of the protocol, and what its envelope says."""

from collections.abc import Sequence

from agentview.domain.events import Event, Facts, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import Fields, collect, mapping, text
from agentview.providers._kit.event_builder import EventBuilder, excerpt
from agentview.providers.acp.envelope import AGENT, CLIENT, Envelope, rpc_key


class AcpMessage(EventBuilder):
    """A message of the protocol in what a client wrote around it."""

    __slots__ = ("lacking", "message", "params", "sender", "sided")

    def __init__(self, found: Envelope, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(found.message, raw, source, session)
        self.message = found.message
        self.params: Fields = mapping(found.message.get("params"))
        self.sender = found.sender
        self.sided = found.sided
        self.time = found.time
        self.path = found.at
        self.lacking = found.lacking
        update = mapping(self.params.get("update")) or mapping(self.params.get("toolCall"))
        caller = text_added(update, "parentToolUseId")
        if caller is not None:
            self.stream = started_by(caller)

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
        return super().text_at(*path[self.lacking :])

    def unknown_message(self, name: str) -> list[Event]:
        """The message has a form that is not known."""
        body = Unparsed(f"unknown message {name}", excerpt(self.raw), name, malformed=False)
        return [self.event("unknown", body)]


def started_by(call_id: str) -> Stream:
    """The conversation of the agent that a call started: it is between the others."""
    return Stream(StreamKind.SIDECHAIN, call_id)


def text_added(update: Fields, *keys: str) -> str | None:
    """The first of `keys` in what an agent adds to an update for clients that know it."""
    meta = update.get("_meta")
    if not meta:
        return None
    added = collect(mapping(meta).values(), dict)
    return next((said for each in added if (said := text(each, *keys))), None)


def facts(**said: str | float | None) -> Facts | None:
    """Facts, None where nothing is said."""
    known: dict[str, object] = {name: value for name, value in said.items() if value is not None}
    return Facts(**known) if known else None  # pyright: ignore[reportArgumentType]


def named(listed: Sequence[object], key: str, name: str) -> Fields:
    """The first object of a list whose `key` is `name`; an empty one where none is."""
    found = (mapping(each) for each in listed)
    return next((each for each in found if each.get(key) == name), mapping(None))
