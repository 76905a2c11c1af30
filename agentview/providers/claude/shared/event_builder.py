"""The envelope of a record of Claude Code."""

import re
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

from agentview.domain.events import Facts
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of
from agentview.providers._kit.typed_records import TypedBuilder
from agentview.providers.claude.shared.schema import Message, Record

SYNTHETIC = "<synthetic>"
"""The model of a text that the client wrote in its place."""


def digest_of(text: str) -> str:
    """A short name for a text, the same everywhere."""
    return blake2b(text.strip().encode("utf-8", "replace"), digest_size=8).hexdigest()


def queued_key(prompt: str) -> str:
    """The key under which a queued prompt waits until it is said again where it was sent."""
    return f"queued:{digest_of(prompt)}"


@lru_cache(maxsize=256)
def _facts(
    cwd: str | None, branch: str | None, model: str | None, version: str | None, mode: str | None
) -> Facts | None:
    if not (cwd or branch or model or version or mode):
        return None
    return Facts(cwd or None, branch or None, model, version or None, mode or None)


RECORD_START = re.compile(
    r'\{"(?:type|parentUuid|sessionId|session_id|uuid|timestamp|isSidechain)"\s*:'
)


def is_record(value: object) -> bool:
    """Return True if a value inside a damaged line is a record and not a part of one."""
    fields = fields_of(value)
    return "type" in fields and any(key in fields for key in ("uuid", "sessionId", "session_id"))


class ClaudeRecord(TypedBuilder[Record], gc=False):
    """A record of a transcript, or a printed one in the same form."""

    message: Message | None = None

    def structured(self) -> object:
        return self.fields.get("toolUseResult")

    def message_fields(self) -> Fields:
        return fields_of(self.fields.get("message"))

    def block_fields(self, index: int) -> object:
        """The values of a block of the message, for what is not declared of it."""
        message = self.fields.get("message")
        blocks = items_of(fields_of(message).get("content") if fields_of(message) else message)
        return blocks[index] if index < len(blocks) else None


Form = TypeVar("Form", bound=ClaudeRecord)


def claude_record(
    record: Record, raw: bytes, source: SourceRef, session: SessionRef
) -> ClaudeRecord:
    return record_as(ClaudeRecord, record, raw, source, session)


def record_as(
    form: type[Form], record: Record, raw: bytes, source: SourceRef, session: SessionRef
) -> Form:
    """A record in the form of a transcript's."""
    # An id has no blanks; a text that stands for a removed id must not make twins. Records copied
    # into another session, or written twice, keep their id.
    uuid = record.uuid if record.uuid and " " not in record.uuid else None
    message = record.message if isinstance(record.message, Message) else None
    model = None
    if message is not None and record.type == "assistant" and message.model != SYNTHETIC:
        model = message.model or None
    stream = session.stream
    if stream.kind is StreamKind.MAIN:
        stream = sidechain(record.agent_id or None) if record.is_sidechain else MAIN_STREAM
    return form(
        record, raw, source, session, record.session_id or session.session_id, stream,
        time_of(record.timestamp), uuid, record.parent_uuid or None, uuid,
        facts_of(record, model), message=message,
    )  # fmt: skip


def facts_of(record: Record, model: str | None = None) -> Facts | None:
    return _facts(record.cwd, record.git_branch, model, record.version, record.permission_mode)


@lru_cache(maxsize=256)
def sidechain(agent_id: str | None) -> Stream:
    """The side conversation of an agent in the file of the main one."""
    return Stream(StreamKind.SIDECHAIN, agent_id or "sidechain")


def agent_stream(agent_id: object) -> Stream | None:
    """The stream of the agent with that id."""
    found = text_of(agent_id)
    return Stream(StreamKind.SUBAGENT, found) if found is not None else None
