"""Events of one record of a session, in any of the forms it has had."""

from collections.abc import Mapping, Sequence

import orjson
from msgspec import UNSET
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
from agentview.domain.index_entry import EventFact, EventLinks
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
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
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.typed_records import LightEvent, Records, event_of, hidden
from agentview.providers.gemini.gemini_cli.documents import LISTS
from agentview.providers.gemini.gemini_cli.event_builder import GeminiRecord, gemini_record
from agentview.providers.gemini.gemini_cli.messages import (
    TYPES,
    amending_events,
    is_message,
    kind_in,
    message_events,
    typed,
)
from agentview.providers.gemini.gemini_cli.schema import Record, Session
from agentview.providers.gemini.gemini_cli.stream import (
    answer_events,
    is_answer,
    is_printed,
    printed_events,
)
from agentview.providers.gemini.shared.content import parts_of
from agentview.providers.gemini.shared.event_builder import RECORD_START

# Which messages of a history that is reported again are copies, and where their lines begin.

_OF_RESPONSE = ("thoughts", "tokens", "toolCalls", "model")
"""Keys that a response has; in a line that is a copy they are there and empty."""

_AT_ONCE = 2.0
"""Seconds between the last copy and the change that has it."""

_SHARE = 0.9
"""Part of the copies' bytes that what they are copies of has at least."""


def copies(record: GeminiRecord, messages: list[Fields], updated: float | None) -> list[bool]:
    """Of each message of a changed history, whether the client made it of what the model is sent.

    That are all where a summary takes the place of what was before it or a session is resumed, and
    those that the client says for the model (0.47 on). Messages that were lines before keep what a
    response has. `updated` is when the history was changed.
    """
    if not _has_room(record, record.source.offset):
        return []
    lines = any("thoughts" in each for each in messages)
    if not lines and _made_at_once(messages, updated):
        return [True] * len(messages)
    return [
        text_of(each.get("type")) == "gemini"
        and isinstance(each.get("content"), list)
        and not any(key in each for key in _OF_RESPONSE)
        for each in messages
    ]


def first_copied_line(
    record: GeminiRecord, messages: list[Fields], updated: float | None, listed: list[Event]
) -> str | None:
    """The id of the first message of a changed history that is a line for the second time.

    A client writes all messages again, as lines with new ids, when it masks outputs or somebody
    stops a call (0.47 on). None where it has not, and where there are more of them than of what is
    above, as in a session that begins with a saved chat. `listed` are the events of the messages.
    """
    lines = any("thoughts" in each for each in messages)
    if not lines or not _made_at_once(messages, updated):
        return None
    shown = (event for event in listed if not isinstance(event.body, Hidden | Compaction))
    first = next(shown, None)
    # The copies that are lines stand between what they are copies of and the history.
    room = _has_room(record, record.source.offset - len(record.raw))
    return first.record_id if first is not None and room else None


def _has_room(record: GeminiRecord, above: int) -> bool:
    """Return True if the messages of a record can be copies of what is in so many bytes above."""
    return above >= _SHARE * len(record.raw)


def _made_at_once(messages: list[Fields], updated: float | None) -> bool:
    """Return True if all messages of a history are made again, of parts, when it is changed."""
    made = time_of(messages[-1].get("timestamp")) if messages else None
    if updated is None or made is None or not 0 <= updated - made < _AT_ONCE:
        return False
    parts = all(isinstance(each.get("content"), list) for each in messages)
    return parts and not any(each.get(key) for each in messages for key in _OF_RESPONSE)


# Turns as the vendor's interface has them: whose answer is whose, where calls have no ids.


def turns_in(record: GeminiRecord) -> Sequence[LightEvent] | None:
    """Events of a turn with calls and the turn that answers them; None for another record."""
    listed = b"[" + record.raw.strip(b", \t\r\n") + b"]"
    try:
        turns = [fields_of(item) for item in items_of(orjson.loads(listed))]
    except ValueError:
        return None
    if len(turns) != 2 or not all(is_message(turn) and "parts" in turn for turn in turns):
        return None
    spans = element_spans(listed, 0)
    events: list[LightEvent] = []
    for index, turn in enumerate(_named(turns[0], turns[1], record.name)):
        part = record.piece(turn, listed[slice(*spans[index])], f":{index}")
        events += message_events(part, kind_in(turn))
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


_SESSION_IDS = ("sessionId", "session_id")


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _message(record: GeminiRecord) -> Sequence[LightEvent]:
    kind = record.record.type or ""
    return message_events(record, kind if kind in TYPES else "gemini")


def _error(record: GeminiRecord) -> Sequence[LightEvent]:
    return printed_events(record) if is_printed(record.fields) else _message(record)


def _said_by_person(record: GeminiRecord) -> Sequence[LightEvent]:
    own = record.record
    if own.message_id is None:
        return _message(record)
    # A line of `logs.json`, which has the prompts of all sessions of a project.
    record.time = time_of(own.timestamp)
    said = own.message or ""
    if not said.strip():
        return [hidden(record, "an empty message", "user")]
    return [record.event("prompt", typed(said))]


def _untyped(record: GeminiRecord) -> Sequence[LightEvent]:
    """A change of the session, the answer that is printed, a turn, or the session itself."""
    own = record.record
    if own.changed is not UNSET:
        return _changed(record, own.changed or Session())
    if bytes(own.patch):
        return _patched(record, fields_of(record.value_of(own.patch)))
    if own.rewind_to is not UNSET:
        return _rewound(record, own.rewind_to)
    fields = record.fields
    if is_answer(fields):
        return answer_events(record)
    if is_message(fields):
        return message_events(record, kind_in(fields))
    if any(key in fields for key in (*_SESSION_IDS, *LISTS)):
        return _session(record)
    return [record.unknown("(none)")]


def _session(record: GeminiRecord) -> Sequence[LightEvent]:
    """Facts of a session on itself, and the messages of a document that is one record."""
    own = record.record
    bodies = {"messages": own.messages, "clientHistory": own.client_history, "history": own.history}
    lists = {key: record.value_of(body) for key, body in bodies.items()}
    # Of two lists the second is what the screen showed of the first.
    key = next((key for key in LISTS if isinstance(lists[key], list)), None)
    about, titles = _about(record, own)
    listed = [] if key is None else _listed(record, (key,), items_of(lists[key]))
    return [about, *titles, *listed]


records = Records[GeminiRecord](hidden={})
records.on("")(_untyped)
records.on(*TYPES)(_message)
records.on("user")(_said_by_person)
records.on("error")(_error)
records.on("message_update")(amending_events)
records.on("session_metadata")(_session)
records.on("init", "message", "tool_use", "tool_result", "result")(printed_events)


def _decode_record(record: GeminiRecord) -> Sequence[LightEvent]:
    kind = record.record.type or ""
    return records(record, kind if kind in records.makers else kind_in(record.fields))


def _rewound(record: GeminiRecord, target: str | None) -> Sequence[LightEvent]:
    """The person went back: the message that is named and all behind it are taken back."""
    notice = Notification(Topic.REWIND, "Went back to an earlier point")
    return [record.event("rewind", notice, rewinds=Rewind(key=target or ""))]


def _changed(record: GeminiRecord, changes: Session) -> Sequence[LightEvent]:
    """Changed metadata; a list of messages among them repeats the history of the model.

    What a person saw before it stays: messages that the list has are reported once, at their first
    place, and messages that the model does not get any more are kept.
    """
    about, titles = _about(record, changes)
    history = [fields_of(item) for item in items_of(record.value_of(changes.messages))]
    if not history:
        return [about, *titles]
    updated = time_of(changes.last_updated)
    listed = _listed(record, ("$set", "messages"), history, copies(record, history, updated))
    copied = first_copied_line(record, history, updated, listed)
    if copied is not None:
        about.tie = EventLinks(rewinds=Rewind(key=copied, repeats=True))
    return [about, *titles, *listed]


def _patched(record: GeminiRecord, changes: Fields) -> Sequence[LightEvent]:
    """Changed messages; those that are no longer sent to the model are kept."""
    events: list[LightEvent] = [hidden(record, "a change of what the model is sent", "$patch")]
    for pointer, message, span in _patches(record, changes):
        if "id" in message:
            events += amending_events(_at(record, _unsaid(message), span, pointer, pointer))
    return events


def _at(record: GeminiRecord, message: Fields, span: Span, pointer: str, name: str) -> GeminiRecord:
    """A message in a record, at its own place."""
    start, end = span
    made = record.piece(message, record.raw[start:end], name)
    offset = record.source.offset + start
    made.source = replace(record.source, offset=offset, length=end - start, pointer=pointer)
    return made


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


def _about(record: GeminiRecord, session: Session) -> tuple[EventFact, list[Event]]:
    """Facts of a session on itself, and its title."""
    record.time = time_of(session.start_time)
    named = session.directories if session.kind == "subagent" else None
    facts = Facts(cwd=text_of(named[0])) if named else None
    about = hidden(record, "the session itself", "session", suffix="session", facts=facts)
    # The summary of an agent is what it came to.
    if not session.summary or record.session.stream.kind is not StreamKind.MAIN:
        return about, []
    return about, [record.event("title", Title(session.summary, TitleSource.SUMMARY))]


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
    for index, (item, span) in enumerate(zip(messages, spans, strict=False)):
        message = fields_of(item)
        part = _at(record, message, span, f"{pointer}/{index}", str(index))
        if is_message(message):
            found = message_events(part, kind_in(message), f"@{record.source.offset}")
            made = map(event_of, found)
            events += map(_hidden_copy, made) if index < len(copied) and copied[index] else made
        else:
            events.append(part.unknown(text_of(message.get("type")) or "(none)"))
    return events


class _Records(TypedDocuments[GeminiRecord]):
    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        turns = turns_in(gemini_record(Record(), line, source, session))
        return super()._damaged(line, source, session) if turns is None else turns


LINES = _Records(Record, gemini_record, _decode_record, RECORD_START, around=_session)
