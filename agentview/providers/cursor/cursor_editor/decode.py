"""Events of one row of a session, which is a line of JSON."""

import re
from collections.abc import Iterator, Sequence

from msgspec import field

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
from agentview.domain.index_entry import Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import as_text, items, mapping, real, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import permission_request
from agentview.providers._kit.typed_records import (
    MESSAGE,
    REASONING,
    LightEvent,
    TypedBuilder,
    TypedLines,
    hidden,
    read_as,
)
from agentview.providers.cursor.cursor_editor.calls import call_of, result_of
from agentview.providers.cursor.cursor_editor.schema import (
    Attached,
    Bubble,
    Called,
    Explained,
    Grouping,
    Head,
    Row,
    Shown,
    Uri,
)
from agentview.providers.cursor.shared.content import block_of, path_of
from agentview.providers.cursor.shared.tools import named

_START = re.compile(r'\{"table":"')
_PERSON, _COMPACTED = 1, 22
"""A `type` and a `capabilityType`."""
_MOST_ATTACHED = 200


class EditorRow(TypedBuilder[Row], gc=False):
    """A row of a table; the client writes that of a message again while it is streamed."""

    bubble: Bubble = field(default_factory=Bubble)
    head: Head = field(default_factory=Head)

    @property
    def words(self) -> str | None:
        """The words of a message, where it has some by themselves."""
        own = self.bubble
        given = (own.text, own.raw_text, own.content, own.message)
        return as_text(next((each for each in given if each is not None), None))


def _row(record: Row, raw: bytes, source: SourceRef, session: SessionRef) -> EditorRow:
    bubble, head = record.bubble or Bubble(), record.head or Head()
    named = bubble.bubble_id or head.bubble_id
    own = named or f"{as_text(record.table)}:{as_text(record.rowid)}"
    times = map(time_of, (head.created_at, bubble.created_at, bubble.timestamp))
    return EditorRow.of(
        record, raw, source, session, time=next((at for at in times if at is not None), None),
        record_id=own, rewritten_id=own, bubble=bubble, head=head,
    )  # fmt: skip


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _row_events(row: EditorRow) -> Sequence[LightEvent]:
    table = as_text(row.record.table)
    if table == "composer":
        return _composer(row)
    if table in ("bubble", "inline"):
        return _bubble(row)
    if table == "spent":
        return [_spent(row)]
    return [row.unknown(table or "(none)")]


LINES = TypedLines(Row, _row, _row_events, _START)


def _composer(row: EditorRow) -> Sequence[LightEvent]:
    """The session itself: its name, its folder and its model."""
    fields = row.fields
    row.time = time_of(fields.get("created_at"))
    facts = Facts(
        cwd=text(fields, "folder", "listed_folder") or path_of(text(fields, "folder_uri")),
        branch=text(fields, "branch"),
        model=_model(text(fields, "model")),
        mode=text(fields, "mode"),
    )
    events: list[LightEvent] = [hidden(row, "the session itself", "composer", facts=facts)]
    title = text(fields, "name", "listed_name")
    if title:
        events.append(row.event("title", Title(title, TitleSource.AI)))
    return events


def _spent(row: EditorRow) -> LightEvent:
    """Return the cost of the session so far, by model and in cents."""
    models = mapping(row.fields.get("usage")).values()
    cents = [real(mapping(each), "costInCents") for each in models]
    known = [each for each in cents if each is not None]
    facts = Facts(cost=sum(known) / 100) if any(known) else None
    return hidden(row, "what the session cost", "spent", facts=facts)


def _model(name: str | None) -> str | None:
    return name if name not in (None, "", "default") else None


def _bubble(row: EditorRow) -> Sequence[LightEvent]:
    bubble = row.bubble
    if row.record.bubble is None:
        if row.fields.get("bubble") is None:
            return [hidden(row, "a message that the database does not have", "bubble")]
        return [row.unknown("bubble")]
    folders = (*(bubble.workspace_uris or ()), bubble.workspace_project_dir)
    folder = next(filter(None, map(text_of, folders)), None)
    model = _model(as_text(bubble.model_info.model_name) if bubble.model_info is not None else None)
    if folder is not None or model is not None:
        row.facts = Facts(cwd=path_of(folder), model=model)
    person = whole_of(bubble.type) == _PERSON or bubble.type == "user"
    events = list(_prompt(row) if person else _answer(row))
    if not events and not row.fields.get("bubble"):
        return [row.unknown("bubble")]
    sort = "user" if person else "assistant"
    return events or [hidden(row, "a message without contents", sort)]


def _prompt(row: EditorRow) -> Iterator[LightEvent]:
    bubble = row.bubble
    words = row.words or _rich(mapping(row.value_of(bubble.rich_text)))
    images = tuple(_image(each) for each in items(row.value_of(bubble.images)))
    if words or images:
        yield row.event("prompt", User(words or "", images))
    given = read_as(mapping(row.value_of(bubble.context)), Attached)
    for at, selected in enumerate(given.file_selections[:_MOST_ATTACHED]):
        uri = (selected.uri if selected is not None else None) or Uri()
        place = uri.fs_path or uri.path or path_of(uri.external)
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


def _answer(row: EditorRow) -> Iterator[LightEvent]:
    """Return the agent's thoughts, calls and words; one message has mostly one of these."""
    bubble = row.bubble
    row.response_id = bubble.server_bubble_id or row.record_id
    if bubble.capability_type == _COMPACTED:
        yield row.event("compaction", Compaction(), resets=Reset.COMPACTED)
    yield from _thoughts(row)
    if bytes(bubble.tool_former_data):
        yield from _call(row, fields_of(row.value_of(bubble.tool_former_data)))
    words = row.words
    if words and words.strip():
        yield row.part("text", MESSAGE, 0, Message, (words,), signal=Signal.PERSON)
    yield from _error(row, mapping(row.value_of(bubble.error_details)))
    if bubble.token_count is None:
        return
    given, output = bubble.token_count.input_tokens, bubble.token_count.output_tokens
    usage = Usage(whole_of(given), output=whole_of(output))
    if usage.input_uncached or usage.output:
        body = TokenUsage(row.response_id or row.name, usage, row.facts and row.facts.model)
        yield row.usage_part(body)


def _thoughts(row: EditorRow) -> Iterator[LightEvent]:
    given = row.value_of(row.bubble.thinking)
    words = given if isinstance(given, str) else text(mapping(given), "text") or ""
    withheld = bool(mapping(given)) and not words.strip()
    milliseconds = real_of(row.bubble.thinking_duration_ms)
    if milliseconds is None:
        milliseconds = real_of((row.head.grouping or Grouping()).thinking_duration_ms)
    if words.strip() or withheld:
        seconds = milliseconds / 1000 if milliseconds is not None else None
        made = (words, withheld, seconds)
        light = row.part("thought", REASONING, 0, Reasoning, made, signal=Signal.AGENT)
        if row.time is not None and seconds is not None:
            # The time of a message is that of its beginning, a thought's that of its end.
            light.time = row.time + seconds
        yield light


_known = known_calls(named)


def _call(row: EditorRow, given: Fields) -> Iterator[LightEvent]:
    if "name" not in given and "toolCallId" not in given:
        # Most of these say no more than that something failed.
        yield hidden(row, "a call that was not made", "toolFormerData", suffix="call")
        return
    called = read_as(given, Called)
    call_id = call_id_of(called.tool_call_id, row.name)
    name = called.name or "(no name)"
    known = _known(name)
    if known is not None:
        kind = known.kind
        yield row.call_part("call", call_id, known, call_of, (call_id, name, given))
    else:
        call = call_of(call_id, name, given)
        kind = call.kind
        yield row.event("call", call)
    result = result_of(call_id, kind, given, row.fields)
    if result is not None:
        yield row.event("result", result)
        return
    review = mapping(read_as(mapping(called.additional_data), Shown).review_data)
    if text(review, "status") == "Requested":
        asked = permission_request(f"{call_id}/approval", "Allow it?", call_id, review)
        yield row.event("approval", asked)


def _error(row: EditorRow, given: Fields) -> Iterator[LightEvent]:
    if not given:
        return
    whole = read_as(given, Explained)
    inner = read_as(mapping(whole.error), Explained)
    details = read_as(mapping(inner.details), Explained)
    said = details.title or details.detail or inner.message or text_of(inner.error)
    said = said or whole.message or whole.title or whole.detail or "Error"
    detail = details.detail
    topic = error_topic(said, detail)
    note = Notification(topic, said, Level.ERROR, detail if detail != said else None)
    yield row.event("error", note)
