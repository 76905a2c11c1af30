"""The envelope of a record of Claude Code."""

import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b

from agentview.domain.events import Facts
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, fields_of, text_of, time_of
from agentview.providers._kit.event_builder import EventBuilder

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


RECORD_START = re.compile(
    r'\{"(?:type|parentUuid|sessionId|session_id|uuid|timestamp|isSidechain)"\s*:'
)


def is_record(value: object) -> bool:
    """Return True if a value inside a damaged line is a record and not a part of one."""
    fields = fields_of(value)
    return "type" in fields and any(key in fields for key in ("uuid", "sessionId", "session_id"))


class ClaudeRecord(EventBuilder):
    """A record of a transcript, or a printed one in the same form."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        get = fields.get
        self.session_id = text_of(get("sessionId")) or session.session_id
        uuid = get("uuid")
        # An id has no blanks; a text that stands for a removed id must not make twins.
        self.record_id = uuid if isinstance(uuid, str) and uuid and " " not in uuid else None
        # Records copied into another session, or written twice, keep their id.
        self.copied_id = self.record_id
        self.parent_id = text_of(get("parentUuid"))
        self.time = time_of(get("timestamp"))
        self.stream = _stream(fields, session)
        self.facts = facts_of(fields)


def facts_of(fields: Fields, model: str | None = None) -> Facts | None:
    """What the envelope of a record says about the session; `model` is the one that wrote it."""
    get = fields.get
    known = (
        text_of(get("cwd")),
        text_of(get("gitBranch")),
        model,
        text_of(get("version")),
        text_of(get("permissionMode")),
    )
    return _facts(*known) if known != _NO_FACTS else None


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
