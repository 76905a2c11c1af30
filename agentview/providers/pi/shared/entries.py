"""Events of the entries of a session, which form a tree: each names the entry that it follows.

Source: sessions of Pi 0.73 and 0.87 and of OpenClaw, and the public source of Pi
(`session-manager.ts`). Before version 2 of the form, entries have no ids and follow each other.
"""

from collections.abc import Callable, Mapping

from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Level,
    Notification,
    Reset,
    Rewind,
    Title,
    TitleSource,
    Topic,
)
from agentview.normalize.json_values import Fields, fields_of, text_of, time_of, whole_of
from agentview.normalize.output_text import text_of as text_in
from agentview.providers.pi.shared.content import blocks_of
from agentview.providers.pi.shared.event_builder import PiRecord
from agentview.providers.pi.shared.messages import custom_events, message_events, usage_event

_SUFFIXES = (
    "prompt", "part0", "result", "notice", "hidden", "note", "compaction", "title", "command",
    "unknown", "usage",
)  # fmt: skip
"""Suffixes that the first event of an entry may have."""


def record_keys(record: str) -> tuple[str, ...]:
    """The keys that the first event of an entry may have, by the id of the entry."""
    return tuple(f"{record}:{suffix}" for suffix in _SUFFIXES)


def entry_events(record: PiRecord) -> list[Event]:
    """Events of the entry that the record holds."""
    fields = record.fields
    record.time = time_of(fields.get("timestamp"))
    record.record_id = text_of(fields.get("id"))
    record.parent_id = text_of(fields.get("parentId"))
    record.copied_id = record.record_id
    kind = text_of(fields.get("type")) or "(none)"
    make = _MAKERS.get(kind)
    return make(record, fields) if make is not None else [record.unknown(kind)]


def _header(record: PiRecord, fields: Fields) -> list[Event]:
    """The session begins. Its id is that of the session, not of an entry."""
    record.record_id = record.copied_id = None
    facts = Facts(cwd=text_of(fields.get("cwd")), model=text_of(fields.get("modelId")))
    return [record.hidden("the session begins", "session", facts=facts)]


def _message(record: PiRecord, fields: Fields) -> list[Event]:
    return message_events(record, fields_of(fields.get("message")), ("message",))


def _model(record: PiRecord, fields: Fields) -> list[Event]:
    """The model was chosen: at the start of the session, or later by the person."""
    name = text_of(fields.get("modelId"))
    facts = Facts(model=name)
    if name is None or (record.parent_id is None and "parentId" in fields):
        return [record.hidden("the model of the session", "model_change", facts=facts)]
    return [_notice(record, Topic.MODEL, f"Model: {name}", facts=facts)]


def _rejected(record: PiRecord, fields: Fields) -> list[Event]:
    name = text_of(fields.get("modelId")) or "unknown"
    words = text_of(fields.get("reason")) or text_of(fields.get("errorMessage"))
    return [_notice(record, Topic.MODEL, f"Model refused: {name}", Level.WARNING, words)]


def _compaction(record: PiRecord, fields: Fields) -> list[Event]:
    """Return what came before was summed up. The summary may have cost tokens."""
    body = Compaction(
        trigger="extension" if fields.get("fromHook") is True else None,
        tokens_before=whole_of(fields.get("tokensBefore")),
        tokens_after=whole_of(fields.get("tokensAfter")),
        summary=text_of(fields.get("summary")),
    )
    event = record.event("compaction", body, resets=Reset.COMPACTED)
    return [event, *usage_event(record, fields_of(fields.get("usage")), None)]


def _branch_summary(record: PiRecord, fields: Fields) -> list[Event]:
    """The person went back in the tree, and the branch that was left was summed up."""
    summary = text_of(fields.get("summary"))
    body = Notification(Topic.REWIND, "The branch that was left, summed up", detail=summary)
    # It is the first entry of the branch that continues.
    back = Rewind(after=record.parent_id) if record.parent_id is not None else None
    event = record.event("notice", body, rewinds=back)
    return [event, *usage_event(record, fields_of(fields.get("usage")), None)]


def _usage(record: PiRecord, fields: Fields) -> list[Event]:
    """Tokens of a request that is not a response, such as one that keeps a cache warm."""
    made = usage_event(record, fields_of(fields.get("usage")), text_of(fields.get("model")))
    return made or [record.hidden("a request without counts", "usage")]


def _context_edit(record: PiRecord, fields: Fields) -> list[Event]:
    """An earlier entry reaches the model no more, or with other contents."""
    target = text_of(fields.get("targetId")) or "unknown"
    replacement = fields.get("replacement")
    if replacement is None:
        text = "An earlier entry no longer reaches the model"
        return [_notice(record, Topic.SYSTEM, text, detail=f"entry {target}")]
    new = fields_of(replacement)
    words = text_in(blocks_of(new.get("content")))
    text = f"The model sees entry {target} with other contents"
    return [_notice(record, Topic.SYSTEM, text, detail=words)]


def _custom_message(record: PiRecord, fields: Fields) -> list[Event]:
    return custom_events(record, fields)


def _info(record: PiRecord, fields: Fields) -> list[Event]:
    name = text_of(fields.get("name"))
    if name is None:
        return [record.hidden("a session without a name", "session_info")]
    return [record.event("title", Title(name, TitleSource.CUSTOM))]


def _custom(record: PiRecord, fields: Fields) -> list[Event]:
    name = text_of(fields.get("customType")) or "(none)"
    return [record.hidden("what an extension keeps for itself", f"custom/{name}")]


def _silent(reason: str) -> Callable[[PiRecord, Fields], list[Event]]:
    def make(record: PiRecord, fields: Fields) -> list[Event]:
        return [record.hidden(reason, text_of(fields.get("type")) or "(none)")]

    return make


def _notice(
    record: PiRecord,
    topic: Topic,
    text: str,
    level: Level = Level.INFO,
    detail: str | None = None,
    facts: Facts | None = None,
) -> Event:
    return record.event("notice", Notification(topic, text, level, detail), facts=facts)


_MAKERS: Mapping[str, Callable[[PiRecord, Fields], list[Event]]] = {
    "session": _header,
    "message": _message,
    "model_change": _model,
    "model_change_rejected": _rejected,
    "thinking_level_change": _silent("how much the model thinks"),
    "configuration_update": _silent("a setting of the session"),
    "compaction": _compaction,
    "branch_summary": _branch_summary,
    "usage": _usage,
    "context_edit": _context_edit,
    "custom_message": _custom_message,
    "custom": _custom,
    "label": _silent("a bookmark of the person"),
    "session_info": _info,
}
ENTRY_TYPES = frozenset(_MAKERS) - {"session"}
"""Types of entries; a session begins with a record of the type `session`."""
