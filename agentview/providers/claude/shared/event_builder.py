"""The envelope of a record, and the one place where its events are made."""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b

from agentview.domain.events import Body, Event, Facts, Hidden, Reset, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, text_of, time_of
from agentview.providers._kit.json_line import excerpt

_NO_FACTS = (None,) * 5


def digest_of(text: str) -> str:
    """A short name for a text, the same everywhere."""
    return blake2b(text.strip().encode("utf-8", "replace"), digest_size=8).hexdigest()


def queued_key(prompt: str) -> str:
    """The key under which a queued prompt waits until it is said again where it was sent."""
    return f"queued:{digest_of(prompt)}"


@lru_cache(maxsize=256)
def _facts(
    cwd: str | None, branch: str | None, model: str | None, version: str | None, mode: str | None
) -> Facts:
    return Facts(cwd, branch, model, version, mode)


class Frame:
    """A record with its envelope; `path` leads from the root of the line to the record."""

    __slots__ = (
        "_facts",
        "fields",
        "model",
        "parent_id",
        "path",
        "raw",
        "record_id",
        "response_id",
        "session_id",
        "source",
        "stream",
        "time",
        "uuid",
    )

    def __init__(
        self,
        fields: Fields,
        raw: bytes,
        source: SourceRef,
        session: SessionRef,
        stream: Stream | None = None,
        path: tuple[str | int, ...] = (),
    ) -> None:
        get = fields.get
        self.fields = fields
        self.raw = raw
        self.source = source
        self.path = path
        self.session_id = text_of(get("sessionId")) or session.session_id
        uuid = get("uuid")
        # An id has no blanks; a text that stands for a removed id must not make twins.
        self.uuid = uuid if isinstance(uuid, str) and uuid and " " not in uuid else None
        self.record_id = self.uuid or f"@{source.offset}"
        self.parent_id = text_of(get("parentUuid"))
        self.time = time_of(get("timestamp"))
        self.stream = stream or _stream(fields, session)
        self.response_id: str | None = None
        self.model: str | None = None
        """Model that wrote the record, where one did."""
        self._facts: Facts | None = None

    @property
    def facts(self) -> Facts | None:
        """What the envelope says about the session."""
        if self._facts is None:
            get = self.fields.get
            known = (
                text_of(get("cwd")),
                text_of(get("gitBranch")),
                self.model,
                text_of(get("version")),
                text_of(get("permissionMode")),
            )
            self._facts = _facts(*known) if known != _NO_FACTS else None
        return self._facts

    def event(
        self,
        suffix: str,
        body: Body,
        *,
        dedupe_key: str | None = None,
        replaces: str | None = None,
        child: Stream | None = None,
        resets: Reset | None = None,
        facts: Facts | None = None,
    ) -> Event:
        """An event of this record.

        Records copied into another session, or written twice, keep their uuid: that makes the key
        by which twins are found, unless there is a better one.
        """
        if dedupe_key is None and replaces is None and self.uuid is not None:
            dedupe_key = f"{self.uuid}:{suffix}"
        return Event(
            suffix,
            self.session_id,
            self.source,
            body,
            self.stream,
            self.time,
            self.uuid,
            self.parent_id,
            self.response_id,
            dedupe_key,
            replaces,
            resets=resets,
            child=child,
            facts=facts or self.facts,
        )

    def hidden(self, reason: str, record_type: str, *, facts: Facts | None = None) -> list[Event]:
        """The record is bookkeeping of the client."""
        return [self.event("hidden", Hidden(reason, record_type), facts=facts)]

    def unknown(self, record_type: str, suffix: str = "unknown") -> Event:
        """The record, or a block of it, has a form that nothing knows."""
        reason = f"unknown record type {record_type}"
        return self.event(suffix, Unparsed(reason, excerpt(self.raw), record_type, malformed=False))


def _stream(fields: Mapping[str, object], session: SessionRef) -> Stream:
    if session.stream.kind is not StreamKind.MAIN:
        return session.stream
    if fields.get("isSidechain") is True:
        return sidechain(text_of(fields.get("agentId")))
    return MAIN_STREAM


@lru_cache(maxsize=256)
def sidechain(agent_id: str | None) -> Stream:
    """The side conversation of an agent in the file of the main one."""
    return Stream(StreamKind.SIDECHAIN, agent_id or "sidechain")


def agent_stream(agent_id: object) -> Stream | None:
    """The stream of the agent with that id."""
    found = text_of(agent_id)
    return Stream(StreamKind.SUBAGENT, found) if found is not None else None
