"""What happened: the events of one record of a session, in any of the forms it has had."""

from collections.abc import Mapping, Sequence

import orjson
from msgspec.structs import replace

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
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    items_of,
    text_of,
    time_of,
    without,
)
from agentview.normalize.raw_span import Span, element_spans, value_span
from agentview.providers._kit.json_documents import name_surroundings
from agentview.providers._kit.json_line import RecordDecoder, damaged_events, value_events
from agentview.providers.gemini.gemini_cli.documents import LISTS
from agentview.providers.gemini.gemini_cli.messages import (
    amending_events,
    is_message,
    message_events,
    typed,
)
from agentview.providers.gemini.gemini_cli.stream import (
    answer_events,
    is_answer,
    is_printed,
    printed_events,
)
from agentview.providers.gemini.shared.content import parts_of
from agentview.providers.gemini.shared.event_builder import RECORD_START, GeminiRecord

# Which messages of a history that is reported again are copies, and where their lines begin.

_OF_RESPONSE = ("thoughts", "tokens", "toolCalls", "model")
"""Keys that a response has; in a line that is a copy they are there and empty."""

_AT_ONCE = 2.0
"""Seconds between the last copy and the change that has it."""

_SHARE = 0.9
"""Part of the copies' bytes that what they are copies of has at least."""


def copies(record: GeminiRecord, changes: Fields) -> list[bool]:
    """Of each message of a changed history, whether the client made it of what the model is sent.

    That are all where a summary takes the place of what was before it or a session is resumed, and
    those that the client says for the model (0.47 on). Messages that were lines before keep what a
    response has.
    """
    if not _has_room(record, record.source.offset):
        return []
    messages = [fields_of(item) for item in items_of(changes.get("messages"))]
    lines = any("thoughts" in each for each in messages)
    if not lines and _made_at_once(changes, messages):
        return [True] * len(messages)
    return [
        text_of(each.get("type")) == "gemini"
        and isinstance(each.get("content"), list)
        and not any(key in each for key in _OF_RESPONSE)
        for each in messages
    ]


def first_copied_line(record: GeminiRecord, changes: Fields, listed: list[Event]) -> str | None:
    """The id of the first message of a changed history that is a line for the second time.

    A client writes all messages again, as lines with new ids, when it masks outputs or somebody
    stops a call (0.47 on). None where it has not, and where there are more of them than of what is
    above, as in a session that begins with a saved chat. `listed` are the events of the messages.
    """
    messages = [fields_of(item) for item in items_of(changes.get("messages"))]
    lines = any("thoughts" in each for each in messages)
    if not lines or not _made_at_once(changes, messages):
        return None
    shown = (event for event in listed if not isinstance(event.body, Hidden | Compaction))
    first = next(shown, None)
    # The copies that are lines stand between what they are copies of and the history.
    room = _has_room(record, record.source.offset - len(record.raw))
    return first.record_id if first is not None and room else None


def _has_room(record: GeminiRecord, above: int) -> bool:
    """Return True if the messages of a record can be copies of what is in so many bytes above."""
    return above >= _SHARE * len(record.raw)


def _made_at_once(changes: Fields, messages: list[Fields]) -> bool:
    """Return True if all messages of a history are made again, of parts, when it is changed."""
    updated = time_of(changes.get("lastUpdated"))
    made = time_of(messages[-1].get("timestamp")) if messages else None
    if updated is None or made is None or not 0 <= updated - made < _AT_ONCE:
        return False
    parts = all(isinstance(each.get("content"), list) for each in messages)
    return parts and not any(each.get(key) for each in messages for key in _OF_RESPONSE)


# Turns as the vendor's interface has them: whose answer is whose, where calls have no ids.


def turns_in(record: GeminiRecord) -> list[Event] | None:
    """Events of a turn with calls and the turn that answers them; None for another record."""
    listed = b"[" + record.raw.strip(b", \t\r\n") + b"]"
    try:
        turns = [fields_of(item) for item in items_of(orjson.loads(listed))]
    except ValueError:
        return None
    if len(turns) != 2 or not all(is_message(turn) and "parts" in turn for turn in turns):
        return None
    spans = element_spans(listed, 0)
    events: list[Event] = []
    for index, turn in enumerate(_named(turns[0], turns[1], record.name)):
        raw = listed[slice(*spans[index])]
        part = record.copy()
        part.raw, part.record_id = raw, f"{record.name}:{index}"
        events += message_events(part, turn)
    return events


def _named(asked: Fields, answered: Fields, own: str) -> tuple[Fields, Fields]:
    """The two turns, each call with the id of the first answer to its tool that is not taken."""
    parts = [fields_of(part) for part in items_of(answered.get("parts"))]
    answers = [fields_of(part.get("functionResponse")) for part in parts]
    ids = [text_of(answer.get("id")) or f"{own}#{at}" for at, answer in enumerate(answers)]
    free = [at for at, answer in enumerate(answers) if answer]
    calls: list[Fields] = []
    for part in map(fields_of, items_of(asked.get("parts"))):
        call = fields_of(part.get("functionCall"))
        same = (at for at in free if answers[at].get("name") == call.get("name"))
        found = next(same, None) if call and "id" not in call else None
        if found is None:
            calls.append(part)
        else:
            free.remove(found)
            calls.append(changed(part, {"functionCall": changed(call, {"id": ids[found]})}))
    answered_parts: Sequence[Mapping[str, object]] = [
        changed(part, {"functionResponse": changed(answer, {"id": own_id})}) if answer else part
        for part, answer, own_id in zip(parts, answers, ids, strict=True)
    ]
    return changed(asked, {"parts": calls}), changed(answered, {"parts": answered_parts})


_HEAD = "session_metadata"
"""Type of a first line that has one."""
_AMENDED = "message_update"
"""Type of a line that says more of a response."""
_SESSION_IDS = ("sessionId", "session_id")


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line, or of one piece of a document: pure, never raises, never empty.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return _decode_other(record, source, session)
    return value_events(value, record, source, session, LINES)


def _decode_other(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of what surrounds the messages of a document, else of a damaged line."""
    members = outer_members(record)
    if members is not None:
        return value_events(members, record, source, session, _AROUND)
    turns = turns_in(GeminiRecord({}, record, source, session))
    return damaged_events(record, source, session, LINES) if turns is None else turns


def _around(record: GeminiRecord) -> list[Event]:
    owner = record.name.rpartition("@")[0]
    return _metadata(name_surroundings(record, owner), record.fields)


def _decode_record(record: GeminiRecord) -> list[Event]:
    fields = record.fields
    if "$set" in fields:
        return _changed(record, fields_of(fields.get("$set")))
    if "$patch" in fields:
        return _patched(record, fields_of(fields.get("$patch")))
    if "$rewindTo" in fields:
        return _rewound(record, fields)
    if is_printed(fields):
        return printed_events(record, fields)
    if is_answer(fields):
        return answer_events(record, fields)
    kind = text_of(fields.get("type"))
    if kind == "user" and "messageId" in fields:
        return _typed(record, fields)
    if kind == _AMENDED and "id" in fields:
        return amending_events(record, fields)
    if is_message(fields):
        return message_events(record, fields)
    if kind in (None, _HEAD) and any(key in fields for key in (*_SESSION_IDS, *LISTS)):
        return _metadata(record, fields)
    return [record.unknown(kind or "(none)")]


def _typed(record: GeminiRecord, fields: Fields) -> list[Event]:
    """A line of `logs.json`, which has the prompts of all sessions of a project."""
    record.time = time_of(fields.get("timestamp"))
    said = text_of(fields.get("message")) or ""
    if not said.strip():
        return [record.hidden("an empty message", "user")]
    return [record.event("prompt", typed(said))]


def _rewound(record: GeminiRecord, fields: Fields) -> list[Event]:
    """The person went back: the message that is named and all behind it are taken back."""
    target = text_of(fields.get("$rewindTo"))
    notice = Notification(Topic.REWIND, "Went back to an earlier point")
    return [record.event("rewind", notice, rewinds=Rewind(key=target or ""))]


def _changed(record: GeminiRecord, changes: Fields) -> list[Event]:
    """Changed metadata; a list of messages among them repeats the history of the model.

    What a person saw before it stays: messages that the list has are reported once, at their first
    place, and messages that the model does not get any more are kept.
    """
    if not isinstance(changes.get("messages"), list):
        return _metadata(record, changes)
    events = _metadata(record, without(changes, LISTS))
    messages = items_of(changes.get("messages"))
    listed = _listed(record, ("$set", "messages"), messages, copies(record, changes))
    copied = first_copied_line(record, changes, listed)
    if copied is not None:
        events[0] = replace(events[0], rewinds=Rewind(key=copied, repeats=True))
    return [*events, *listed]


def _patched(record: GeminiRecord, changes: Fields) -> list[Event]:
    """Changed messages; those that are no longer sent to the model are kept."""
    events = [record.hidden("a change of what the model is sent", "$patch")]
    for pointer, message, (start, end) in _patches(record, changes):
        if "id" in message:
            part = record.part(message, start, end, pointer)
            events += amending_events(part, _unsaid(message))
    return events


def _unsaid(message: Fields) -> Fields:
    """A changed message without words that may be those of a prompt, which were said already.

    What the model says is recorded as one text, or has parts of other kinds next to it.
    """
    content = message.get("content")
    plain = all(part.text is not None and not part.thought for part in parts_of(content))
    if not isinstance(content, list) or not plain:
        return message
    return without(message, ("content",))


def _patches(record: GeminiRecord, changes: Fields) -> list[tuple[str, Fields, Span]]:
    """The changes of single messages with their places: the record may be one, or have a list."""
    if "id" in changes:
        whole = value_span(record.raw, ("$patch",))
        return [("/$patch", changes, whole)] if whole is not None else []
    span = value_span(record.raw, ("$patch", "updates"))
    spans = element_spans(record.raw, span[0]) if span is not None else []
    found = zip(items_of(changes.get("updates")), spans, strict=False)
    return [
        (f"/$patch/updates/{index}", fields_of(item), each)
        for index, (item, each) in enumerate(found)
    ]


def _hidden_copy(event: Event) -> Event:
    """Return the event of a copy: its text is elsewhere, except for a summary."""
    if isinstance(event.body, Compaction | Hidden):
        return event
    return replace(event, body=Hidden("said before", "message"), child=None)


def _metadata(record: GeminiRecord, fields: Fields) -> list[Event]:
    """Return what a session says of itself, and the messages of a document that is one record."""
    record.time = time_of(fields.get("startTime"))
    named = items_of(fields.get("directories")) if fields.get("kind") == "subagent" else []
    facts = Facts(cwd=text_of(named[0])) if named else None
    reason = Hidden("the session itself", "session")
    events = [record.event("session", reason, facts=facts)]
    summary = text_of(fields.get("summary"))
    # That of an agent is what it came to.
    if summary is not None and record.session.stream.kind is StreamKind.MAIN:
        events.append(record.event("title", Title(summary, TitleSource.SUMMARY)))
    # Of two lists the second is what the screen showed of the first.
    for key in [key for key in LISTS if isinstance(fields.get(key), list)][:1]:
        events += _listed(record, (key,), items_of(fields.get(key)))
    return events


def _listed(
    record: GeminiRecord,
    path: tuple[str, ...],
    messages: Sequence[object],
    copied: Sequence[bool] = (),
) -> list[Event]:
    """Events of the messages that are at `path` of the record, each at its own place in it.

    Those that are `copied` are elsewhere too.
    """
    span = value_span(record.raw, path)
    spans = element_spans(record.raw, span[0]) if span is not None else []
    pointer = "/" + "/".join(path)
    events: list[Event] = []
    for index, (item, (start, end)) in enumerate(zip(messages, spans, strict=False)):
        message = fields_of(item)
        part = record.part(message, start, end, f"{pointer}/{index}")
        part.record_id = f"{record.name}:{index}"
        if is_message(message):
            found = message_events(part, message, f"@{record.source.offset}")
            events += map(_hidden_copy, found) if index < len(copied) and copied[index] else found
        else:
            events.append(part.unknown(text_of(message.get("type")) or "(none)"))
    return events


LINES = RecordDecoder(GeminiRecord, _decode_record, RECORD_START)
_AROUND = RecordDecoder(GeminiRecord, _around, RECORD_START)
