"""What happened: the events of one row of a session, which is a line of JSON."""

import re
from collections.abc import Iterator

from agentview.domain.content import Block, JsonBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import items, mapping, number, real, text
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of, whole_of
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import permission_request
from agentview.providers.cursor.cursor_editor.calls import call_of, result_of
from agentview.providers.cursor.shared.content import block_of, path_of
from agentview.providers.cursor.shared.event_builder import CursorRecord

_START = re.compile(r'\{"table":"')
_PERSON, _COMPACTED = 1, 22
"""A `type` and a `capabilityType`."""
_WORDS = ("text", "rawText", "content", "message")
_MOST_ATTACHED = 200


class _Row(CursorRecord):
    """A row of a table; the client writes that of a message again while it is streamed."""

    __slots__ = ("bubble", "head")

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.bubble = fields_of(fields.get("bubble"))
        self.head = fields_of(fields.get("head"))
        name = text_of(self.bubble.get("bubbleId")) or text_of(self.head.get("bubbleId"))
        self.record_id = name or f"{text(fields, 'table')}:{text(fields, 'rowid')}"
        self.rewritten_id = self.record_id
        given = (self.head.get("createdAt"), *map(self.bubble.get, ("createdAt", "timestamp")))
        self.time = next((at for at in map(time_of, given) if at is not None), None)


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one row: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _row_events(row: _Row) -> list[Event]:
    table = text(row.fields, "table")
    if table == "composer":
        return _composer(row)
    if table in ("bubble", "inline"):
        return _bubble(row)
    if table == "spent":
        return [_spent(row)]
    return [row.unknown(table or "(none)")]


LINES = RecordDecoder(_Row, _row_events, _START)


def _composer(row: _Row) -> list[Event]:
    """The session itself: its name, its folder and its model."""
    fields = row.fields
    row.time = time_of(fields.get("created_at"))
    facts = Facts(
        cwd=text(fields, "folder", "listed_folder") or path_of(text(fields, "folder_uri")),
        branch=text(fields, "branch"),
        model=_model(text(fields, "model")),
        mode=text(fields, "mode"),
    )
    events = [row.hidden("the session itself", "composer", facts=facts)]
    title = text(fields, "name", "listed_name")
    if title:
        events.append(row.event("title", Title(title, TitleSource.AI)))
    return events


def _spent(row: _Row) -> Event:
    """Return what the session cost so far, by model and in cents."""
    models = mapping(row.fields.get("usage")).values()
    cents = [real(mapping(each), "costInCents") for each in models]
    known = [each for each in cents if each is not None]
    facts = Facts(cost=sum(known) / 100) if any(known) else None
    return row.hidden("what the session cost", "spent", facts=facts)


def _model(name: str | None) -> str | None:
    """A model; `default` means that the client chooses one."""
    return name if name not in (None, "", "default") else None


def _bubble(row: _Row) -> list[Event]:
    bubble = row.bubble
    if not bubble:
        if row.fields.get("bubble") is None:
            return [row.hidden("a message that the database does not have", "bubble")]
        return [row.unknown("bubble")]
    folders = (*items_of(bubble.get("workspaceUris")), bubble.get("workspaceProjectDir"))
    folder = next(filter(None, map(text_of, folders)), None)
    model = _model(text(mapping(bubble.get("modelInfo")), "modelName"))
    if folder is not None or model is not None:
        row.facts = Facts(cwd=path_of(folder), model=model)
    if whole_of(bubble.get("type")) == _PERSON or bubble.get("type") == "user":
        return list(_prompt(row)) or [row.hidden("a message without contents", "user")]
    events = list(_answer(row))
    return events or [row.hidden("a message without contents", "assistant")]


def _prompt(row: _Row) -> Iterator[Event]:
    bubble = row.bubble
    words = text(bubble, *_WORDS) or _rich(mapping(bubble.get("richText")))
    images = tuple(_image(each) for each in items(bubble.get("images")))
    if words or images:
        yield row.event("prompt", User(words or "", images))
    given = mapping(bubble.get("context"))
    for at, selected in enumerate(items(given.get("fileSelections"))[:_MOST_ATTACHED]):
        uri = mapping(mapping(selected).get("uri"))
        place = text(uri, "fsPath", "path") or path_of(text(uri, "external"))
        if place:
            yield row.event(f"attached{at}", Attachment(place, "file", path=place))


def _rich(node: Fields, depth: int = 0) -> str:
    """The words of what was typed, which is kept as the state of an editor too."""
    if depth > 20:
        return ""
    inner = mapping(node.get("root")) or node
    parts = [_rich(mapping(each), depth + 1) for each in items(inner.get("children"))]
    return (text(inner, "text") or "") + "".join(parts)


def _image(value: object) -> Block:
    fields = mapping(value)
    return block_of({"type": "image", **fields}) if fields else JsonBlock(value)


def _answer(row: _Row) -> Iterator[Event]:
    """Return what the agent thought, called and said; one message has mostly one of these."""
    bubble = row.bubble
    row.response_id = text_of(bubble.get("serverBubbleId")) or row.record_id
    if bubble.get("capabilityType") == _COMPACTED:
        yield row.event("compaction", Compaction(), resets=Reset.COMPACTED)
    yield from _thoughts(row)
    if "toolFormerData" in bubble:
        yield from _call(row, fields_of(bubble.get("toolFormerData")))
    words = text(bubble, *_WORDS)
    if words and words.strip():
        yield row.event("text", Message(words))
    yield from _error(row, mapping(bubble.get("errorDetails")))
    counts = mapping(bubble.get("tokenCount"))
    usage = Usage(number(counts, "inputTokens"), output=number(counts, "outputTokens"))
    if usage.input_uncached or usage.output:
        body = TokenUsage(row.response_id or row.name, usage, row.facts and row.facts.model)
        yield row.event("usage", body)


def _thoughts(row: _Row) -> Iterator[Event]:
    given = row.bubble.get("thinking")
    words = given if isinstance(given, str) else text(mapping(given), "text") or ""
    withheld = bool(mapping(given)) and not words.strip()
    milliseconds = real(row.bubble, "thinkingDurationMs")
    if milliseconds is None:
        milliseconds = real(mapping(row.head.get("grouping")), "thinkingDurationMs")
    if words.strip() or withheld:
        seconds = milliseconds / 1000 if milliseconds is not None else None
        # The time of a message is that of its beginning, a thought's that of its end.
        ended = row.time + seconds if row.time is not None and seconds is not None else None
        yield row.event("thought", Reasoning(words, withheld, seconds), time=ended)


def _call(row: _Row, given: Fields) -> Iterator[Event]:
    if "name" not in given and "toolCallId" not in given:
        # Most of these say no more than that something failed.
        yield row.hidden("a call that was not made", "toolFormerData", suffix="call")
        return
    call = call_of(row.name, given)
    yield row.event("call", call)
    result = result_of(call, given, row.fields)
    if result is not None:
        yield row.event("result", result)
        return
    review = mapping(mapping(given.get("additionalData")).get("reviewData"))
    if text(review, "status") == "Requested":
        asked = permission_request(f"{call.call_id}/approval", "Allow it?", call.call_id, review)
        yield row.event("approval", asked)


def _error(row: _Row, given: Fields) -> Iterator[Event]:
    if not given:
        return
    inner = mapping(given.get("error"))
    details = mapping(inner.get("details"))
    said = text(details, "title", "detail") or text(inner, "message", "error")
    said = said or text(given, "message", "title", "detail") or "Error"
    detail = text(details, "detail")
    topic = error_topic(said, detail)
    note = Notification(topic, said, Level.ERROR, detail if detail != said else None)
    yield row.event("error", note)
