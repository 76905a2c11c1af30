"""What happened: the events of one record of a session, in any of the forms it has had."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import orjson

from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Hidden,
    Notification,
    Rewind,
    Title,
    TitleSource,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.normalize.json_document import outer_members
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of
from agentview.normalize.raw_span import Span, element_spans, value_span
from agentview.providers._kit.json_line import UNREADABLE
from agentview.providers.gemini.gemini_cli.documents import LISTS
from agentview.providers.gemini.gemini_cli.messages import (
    amending_events,
    is_message,
    message_events,
    typed,
)
from agentview.providers.gemini.gemini_cli.pair_calls import turns_in
from agentview.providers.gemini.gemini_cli.records import AMENDED, HEAD
from agentview.providers.gemini.gemini_cli.rewritten_history import copies, first_copied_line
from agentview.providers.gemini.gemini_cli.stream import (
    answer_events,
    is_answer,
    is_printed,
    printed_events,
)
from agentview.providers.gemini.shared.content import parts_of
from agentview.providers.gemini.shared.event_builder import Frame, frame_of, piece_frames

_SESSION_IDS = frozenset({"sessionId", "session_id"})


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
    if "$patch" in fields:
        return _patched(frame, fields_of(fields.get("$patch")))
    if "$rewindTo" in fields:
        return _rewound(frame, fields)
    if is_printed(fields):
        return printed_events(frame, fields)
    if is_answer(fields):
        return answer_events(frame, fields)
    kind = text_of(fields.get("type"))
    if kind == "user" and "messageId" in fields:
        return _typed(frame, fields)
    if kind == AMENDED and "id" in fields:
        return amending_events(frame, fields)
    if is_message(fields):
        return message_events(frame, fields)
    if kind in (None, HEAD) and (_SESSION_IDS & set(fields) or any(key in fields for key in LISTS)):
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
    """Changed metadata; a list of messages among them tells the history of the model anew.

    What a person saw before it stays: messages that the list has are told once, where they were
    said, and what is no longer sent to the model was said all the same.
    """
    if not isinstance(changes.get("messages"), list):
        return _metadata(frame, changes)
    events = _metadata(frame, {key: changes[key] for key in changes if key not in LISTS})
    listed = _listed(frame, ("$set", "messages"), copies(frame, changes))
    copied = first_copied_line(frame, changes, listed)
    if copied is not None:
        events[0] = replace(events[0], rewinds=Rewind(key=copied, retold=True))
    return [*events, *listed]


def _patched(frame: Frame, changes: Fields) -> list[Event]:
    """Changed messages; those that the model is no longer sent were said all the same."""
    events = [frame.hidden("a change of what the model is sent", "$patch")]
    for pointer, (start, end) in _patches(frame, changes):
        part = frame.part(start, end, pointer)
        part = replace(part, record_id=f"{frame.record_id}:{pointer}")
        message = fields_of(orjson.loads(part.raw))
        if "id" in message:
            events += amending_events(part, _unsaid(message))
    return events


def _unsaid(message: Fields) -> Fields:
    """A changed message without words that may be those of a prompt, which were said already.

    What the model says is recorded as one text, or has parts of other kinds beside it.
    """
    content = message.get("content")
    plain = all(part.text is not None and not part.thought for part in parts_of(content))
    if not isinstance(content, list) or not plain:
        return message
    return {key: value for key, value in message.items() if key != "content"}


def _patches(frame: Frame, changes: Fields) -> list[tuple[str, Span]]:
    """Where the changes of single messages stand: the record may be one, or have a list."""
    if "id" in changes:
        whole = value_span(frame.raw, ("$patch",))
        return [("/$patch", whole)] if whole is not None else []
    span = value_span(frame.raw, ("$patch", "updates"))
    found = element_spans(frame.raw, span[0]) if span is not None else []
    return [(f"/$patch/updates/{index}", each) for index, each in enumerate(found)]


def _untold(event: Event) -> Event:
    """The event of a copy: what it says stands elsewhere, but for a summary."""
    if isinstance(event.body, Compaction | Hidden):
        return event
    return replace(event, body=Hidden("said before", "message"), child=None)


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
    # Of two lists the second is what the screen showed of the first.
    for key in [key for key in LISTS if isinstance(fields.get(key), list)][:1]:
        events += _listed(frame, (key,))
    return events


def _listed(frame: Frame, path: tuple[str, ...], copied: Sequence[bool] = ()) -> list[Event]:
    """Events of the messages at `path` of the record, each at its own place in it.

    Those that are `copied` stand elsewhere too.
    """
    span = value_span(frame.raw, path)
    spans = element_spans(frame.raw, span[0]) if span is not None else []
    pointer = "/" + "/".join(path)
    events: list[Event] = []
    for index, (start, end) in enumerate(spans):
        part = frame.part(start, end, f"{pointer}/{index}")
        part = replace(part, time=None, record_id=f"{frame.record_id}:{index}")
        message = fields_of(orjson.loads(part.raw))
        if is_message(message):
            told = message_events(part, message, f"@{frame.source.offset}")
            events += map(_untold, told) if index < len(copied) and copied[index] else told
        else:
            events.append(part.unknown(text_of(message.get("type")) or "(none)"))
    return events
