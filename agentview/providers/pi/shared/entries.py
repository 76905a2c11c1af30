"""Events of the entries of a session, which form a tree: each names the entry that it follows.

Source: sessions of Pi 0.73 and 0.87 and of OpenClaw, and the public source of Pi
(`session-manager.ts`). Before version 2 of the form, entries have no ids and follow each other.
"""

from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.events import Facts, Level, Notification, Title, TitleSource, Topic
from agentview.normalize.json_values import time_of
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.pi.shared.content import words_of
from agentview.providers.pi.shared.event_builder import PiRecord
from agentview.providers.pi.shared.messages import records, usage_events
from agentview.providers.pi.shared.schema import Message

_SUFFIXES = (
    "prompt", "part0", "result", "notice", "hidden", "note", "compaction", "title", "command",
    "unknown", "usage",
)  # fmt: skip
"""Suffixes that the first event of an entry may have."""


def record_keys(record: str) -> tuple[str, ...]:
    """The keys that the first event of an entry may have, by the id of the entry."""
    return tuple(f"{record}:{suffix}" for suffix in _SUFFIXES)


def entry_events(record: PiRecord) -> Sequence[LightEvent]:
    """Events of the entry that the record holds."""
    own = record.record
    record.time = time_of(own.timestamp)
    record.record_id = record.copied_id = own.id or None
    record.parent_id = own.parent_id or None
    if own.type == "message":
        return message_events(record)
    record.message = own
    return records(record, own.type or None)


def message_events(record: PiRecord) -> Sequence[LightEvent]:
    """Events of the message in a record; its own time is that at which it began."""
    message = record.message = record.record.message or _NO_MESSAGE
    record.place = ("message",)
    if record.time is None:
        record.time = time_of(message.timestamp)
    return records(record, f"message/{message.role or '(none)'}")


_NO_MESSAGE = Message()


@records.on("session")
def _header(record: PiRecord) -> Sequence[LightEvent]:
    """The session begins. Its id is that of the session, not of an entry."""
    record.record_id = record.copied_id = None
    facts = Facts(cwd=record.record.cwd or None, model=record.record.model_id or None)
    return [hidden(record, "the session begins", "session", facts=facts)]


@records.on("model_change")
def _model(record: PiRecord) -> Sequence[LightEvent]:
    """The model was chosen: at the start of the session, or later by the person."""
    name = record.record.model_id or None
    record.facts = Facts(model=name)
    first = record.parent_id is None and record.record.parent_id is not UNSET
    if name is None or first:
        return [hidden(record, "the model of the session", "model_change")]
    return [record.event("notice", Notification(Topic.MODEL, f"Model: {name}"))]


@records.on("model_change_rejected")
def _rejected(record: PiRecord) -> Sequence[LightEvent]:
    own = record.record
    text, words = f"Model refused: {own.model_id or 'unknown'}", own.reason or own.error_message
    body = Notification(Topic.MODEL, text, Level.WARNING, words or None)
    return [record.event("notice", body)]


@records.on("usage")
def _usage(record: PiRecord) -> Sequence[LightEvent]:
    """Tokens of a request that is not a response, such as one that keeps a cache warm."""
    made = usage_events(record, record.message.usage, record.message.model or None)
    return made or [hidden(record, "a request without counts", "usage")]


@records.on("context_edit")
def _context_edit(record: PiRecord) -> Sequence[LightEvent]:
    """An earlier entry reaches the model no more, or with other contents."""
    target, new = record.record.target_id or "unknown", record.record.replacement
    text, words = "An earlier entry no longer reaches the model", f"entry {target}"
    if new is not None:
        text = f"The model sees entry {target} with other contents"
        words = words_of(new.content) if isinstance(new, Message) else None
    return [record.event("notice", Notification(Topic.SYSTEM, text, detail=words))]


@records.on("session_info")
def named(record: PiRecord) -> Sequence[LightEvent]:
    """The person gave the session a name."""
    name = record.record.name
    if not name:
        return [hidden(record, "a session without a name", record.record.type or "")]
    return [record.event("title", Title(name, TitleSource.CUSTOM))]


@records.on("custom")
def _custom(record: PiRecord) -> Sequence[LightEvent]:
    name = record.message.custom_type or "(none)"
    return [hidden(record, "what an extension keeps for itself", f"custom/{name}")]


_KINDS = records.makers.keys() | records.hidden.keys()
ENTRY_TYPES = frozenset(kind.partition("/")[0] for kind in _KINDS - {"session"})
"""Types of entries; a session begins with a record of the type `session`."""
