"""What happened: the events of one record of a session, in any of the forms it has had."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import orjson

from agentview.dialects.gemini.frame import Frame, frame_of, piece_frames
from agentview.dialects.gemini.parts import snapshot_in
from agentview.domain.events import (
    Event,
    Facts,
    Hidden,
    Notification,
    Reset,
    Rewind,
    Title,
    TitleSource,
    Topic,
)
from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.source import SourceRef
from agentview.normalize.document import outer_members
from agentview.normalize.line import UNREADABLE
from agentview.normalize.spans import element_spans, value_span
from agentview.normalize.values import Fields, fields_of, items_of, text_of, time_of
from agentview.providers.gemini_cli.messages import is_message, message_events, typed
from agentview.providers.gemini_cli.stream import (
    answer_events,
    is_answer,
    is_printed,
    printed_events,
)
from agentview.providers.gemini_cli.turns import turns_in

_LISTS = ("messages", "history")
_SESSION_IDS = frozenset({"sessionId", "session_id"})
_SNAPSHOT = b"<state_snapshot>"
_OF_RESPONSE = frozenset({"thoughts", "tokens", "toolCalls", "model"})


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line, or of one piece of a document: pure, never raises, never empty.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    frame = frame_of(record, source, session)
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return _decode_other(frame)
    return _decode_value(value, frame)


def _decode_other(frame: Frame) -> list[Event]:
    """Events of what surrounds the messages of a document, else of a damaged line."""
    members = outer_members(frame.raw)
    if members is not None:
        return _guarded(frame, _metadata, {key: members[key] for key in members})
    turns = turns_in(frame)
    if turns is not None:
        return turns
    events: list[Event] = []
    for piece, part in piece_frames(frame.raw, frame.source, frame.session):
        if piece.error is not None:
            events.append(part.unreadable(f"not a whole JSON value: {piece.error}"))
        else:
            events.extend(_decode_value(piece.value, part))
    return events


def _decode_value(value: object, frame: Frame) -> list[Event]:
    if not isinstance(value, dict):
        return [frame.unreadable(f"a JSON {type(value).__name__}, not an object")]
    return _guarded(frame, _decode_record, fields_of(cast("object", value)))


def _guarded(
    frame: Frame, read: Callable[[Frame, Fields], list[Event]], fields: Fields
) -> list[Event]:
    try:
        return read(frame, fields)
    except UNREADABLE as error:
        return [frame.unreadable(f"a form that could not be read: {error}")]


def _decode_record(frame: Frame, fields: Fields) -> list[Event]:
    if "$set" in fields:
        return _changed(frame, fields_of(fields.get("$set")))
    if "$rewindTo" in fields:
        return _rewound(frame, fields)
    if is_printed(fields):
        return printed_events(frame, fields)
    if is_answer(fields):
        return answer_events(frame, fields)
    kind = text_of(fields.get("type"))
    if kind == "user" and "messageId" in fields:
        return _typed(frame, fields)
    if is_message(fields):
        return message_events(frame, fields)
    if kind is None and (_SESSION_IDS & set(fields) or any(key in fields for key in _LISTS)):
        return _metadata(frame, fields)
    return [frame.unknown(kind or "(none)")]


def _typed(frame: Frame, fields: Fields) -> list[Event]:
    """A line of `logs.json`, which has the prompts of all sessions of a project."""
    frame = replace(frame, time=time_of(fields.get("timestamp")))
    said = text_of(fields.get("message")) or ""
    if not said.strip():
        return [frame.hidden("an empty message", "user")]
    return [frame.event("prompt", typed(said))]


def _rewound(frame: Frame, fields: Fields) -> list[Event]:
    """The person went back: the message that is named and all behind it are taken back."""
    target = text_of(fields.get("$rewindTo"))
    notice = Notification(Topic.REWIND, "Went back to an earlier point")
    event = frame.event("rewind", notice)
    return [replace(event, rewinds=Rewind(key=target or ""))]


def _changed(frame: Frame, changes: Fields) -> list[Event]:
    """Changed metadata; a list of messages among them takes the place of all before it.

    Where it is a summary of these and messages that are among them, they stay; and where it has
    only the context that a session begins with, which resuming one writes again (0.47 on).
    """
    if not isinstance(changes.get("messages"), list):
        return _metadata(frame, changes)
    events = _metadata(frame, {key: changes[key] for key in changes if key not in _LISTS})
    listed = _listed(frame, ("$set", "messages"))
    messages = [fields_of(item) for item in items_of(changes.get("messages"))]
    if _SNAPSHOT in frame.raw and _only_summed_up(messages):
        return [*events, *(event for event in listed if event.resets is Reset.COMPACTED)]
    if any(not isinstance(event.body, Hidden) for event in listed):
        events[0] = replace(events[0], resets=Reset.REPLACED)
    return [*events, *listed]


def _only_summed_up(messages: list[Fields]) -> bool:
    """Whether a history is a summary, the answer to it, and messages as they were before it.

    Messages that are made anew of what the model was sent have no more than their content.
    """
    summed = (at for at, each in enumerate(messages) if snapshot_in(each.get("content")))
    first = next(summed, None)
    if first is None:
        return False
    began = time_of(messages[first].get("timestamp"))
    behind = messages[first + 1 :]
    kept = [each for each in behind if _OF_RESPONSE & set(each)]
    times = (time_of(each.get("timestamp")) for each in kept)
    return len(behind) < 2 or any(time and began and time < began for time in times)


def _metadata(frame: Frame, fields: Fields) -> list[Event]:
    """What a session says of itself, and the messages of a document that is one record."""
    frame = replace(frame, time=time_of(fields.get("startTime")))
    named = items_of(fields.get("directories")) if fields.get("kind") == "subagent" else []
    facts = Facts(cwd=text_of(named[0])) if named else None
    reason = Hidden("the session itself", "session")
    events = [replace(frame, facts=facts).event("session", reason)]
    summary = text_of(fields.get("summary"))
    # That of an agent is what it came to.
    if summary is not None and frame.session.stream.kind is StreamKind.MAIN:
        events.append(frame.event("title", Title(summary, TitleSource.SUMMARY)))
    for key in _LISTS:
        if items_of(fields.get(key)):
            events += _listed(frame, (key,))
    return events


def _listed(frame: Frame, path: tuple[str, ...]) -> list[Event]:
    """Events of the messages at `path` of the record, each at its own place in it."""
    span = value_span(frame.raw, path)
    spans = element_spans(frame.raw, span[0]) if span is not None else []
    pointer = "/" + "/".join(path)
    events: list[Event] = []
    for index, (start, end) in enumerate(spans):
        part = frame.part(start, end, f"{pointer}/{index}")
        part = replace(part, time=None, record_id=f"{frame.record_id}:{index}")
        message = fields_of(orjson.loads(part.raw))
        generation = f"@{frame.source.offset}"
        if is_message(message):
            events += message_events(part, message, generation)
        else:
            events.append(part.unknown(text_of(message.get("type")) or "(none)"))
    return events
