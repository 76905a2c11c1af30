"""The texts of one activity, by what they are, and where its records are."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind, RowKind, row_kind
from agentview.domain.events import (
    Attachment,
    Body,
    Event,
    Hidden,
    SlashCommand,
    Title,
    TokenUsage,
    ToolInput,
    ToolProgress,
    ToolResult,
    User,
)
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.facts.search.tokenizer import bounded, indexed, without_escapes
from agentview.timeline.view.activity.activity_text import (
    body_texts,
    body_tools,
    file_paths,
    said_texts,
)

RESULT_CHARS = 4096
"""Characters that are looked at from each end of a result."""

_OTHER_CHARS = (49_152, 16_384)
"""Characters that are looked at from the beginning and the end of all else."""

Texts = Iterator[tuple["Column", Iterable[str]]]


class Column(IntEnum):
    """The part of an activity that a text is."""

    SAID = 0
    """A prompt, a message, a thought, a notice: the words themselves."""
    COMMAND = 1
    PATH = 2
    ARGS = 3
    """Arguments of a call other than command and paths; the name of the tool."""
    RESULT = 4


COLUMNS = tuple(column.name.lower() for column in Column)


def bounded_text(text: str, column: Column) -> str:
    """As much of the text of a column as is looked at."""
    head, tail = (RESULT_CHARS, RESULT_CHARS) if column is Column.RESULT else _OTHER_CHARS
    return bounded(text, head, tail)


def texts_of(body: Body) -> Texts:
    for column, texts in _texts_by_column(body):
        found = [text for text in texts if text]
        if found:
            yield column, found


def _texts_by_column(body: Body) -> Texts:
    if isinstance(body, ToolCall):
        yield from _of_call(body)
    elif isinstance(body, ToolResult | ToolProgress):
        yield Column.RESULT, body_texts(body)
    elif isinstance(body, SlashCommand):
        yield Column.COMMAND, (f"{body.name} {body.args}".strip(),)
        yield Column.RESULT, (body.output or "", body.error or "")
    elif isinstance(body, Attachment):
        yield Column.PATH, (body.path or "",)
        yield Column.SAID, body_texts(body)
    elif isinstance(body, User):
        yield Column.SAID, said_texts(body)
    else:
        yield Column.SAID, body_texts(body)


def _of_call(call: ToolCall) -> Texts:
    command = call.payload.command if isinstance(call.payload, ShellPayload) else ""
    paths = file_paths(Activity(call, ()))
    yield Column.COMMAND, (command,)
    yield Column.PATH, paths
    asked = call
    if call.output or call.error or call.denial:
        asked = replace(call, output=(), error=None, denial=None)
        outcome = ToolResult(
            call.call_id, call.ok, output=call.output, error=call.error, denial=call.denial
        )
        yield Column.RESULT, body_texts(outcome)
    listed = {command, *paths}
    yield Column.ARGS, (text for text in body_texts(asked) if text not in listed)


Place = tuple[int, int]
"""Byte offset of a record, and the number of an event in it."""


class Record(Value):
    """Where a record lies: bytes."""

    offset: int
    length: int


NOTHING_TO_SEE = (Hidden, Title, TokenUsage, ToolInput)
"""Facts that no row shows."""


@dataclass(slots=True)
class Document:
    """The texts of an activity. `place` is where it begins, `length` that of its first record.

    `last` is where the last record begins that it was made of, `end` where that ends, and `parts`
    how many there are.
    """

    place: Place
    length: int
    kind: Kind
    time: float | None
    last: int
    end: int
    parts: int = 1
    key: str | None = None
    """Of documents with the same key the last one counts."""
    answers: str | None = None
    """Of a result whose call is not known: the id of the call."""
    texts: dict[Column, list[str]] = field(default_factory=dict[Column, list[str]])
    tools: tuple[str, ...] = ()
    """Names of the tool of a call."""
    joined: Callable[[], Body] | None = None
    """The body of the activity with all that is known of it, made when it is asked for."""

    def activity(self) -> Activity:
        return Activity(Hidden("", "") if self.joined is None else self.joined(), ())

    def edits(self) -> frozenset[str]:
        """Names of the files that it may have changed, as `edited_names` gives them."""
        # Imported here: who asks the index makes none of these.
        from agentview.facts.edits.edited_names import edited_names

        return frozenset() if self.joined is None else edited_names(self.joined())

    def text(self, column: Column, *, full: bool = False) -> str:
        """All text of a column without colours; unless `full`, both ends of a long one."""
        pieces = self.texts.get(column)
        if not pieces:
            return ""
        text = without_escapes("\n".join(pieces))
        return text if full else bounded_text(text, column)

    def pieces(self, column: Column, *, full: bool = False) -> list[str]:
        """The same, text by text; both ends of a long one are one."""
        text = self.text(column, full=full)
        texts = [without_escapes(each) for each in self.texts.get(column, ())]
        return texts if len(text) == sum(map(len, texts)) + len(texts) - 1 else [text]

    def indexed(self, column: Column, *, full: bool = False) -> str:
        """The words of a column, as the index is given them."""
        text = self.text(column, full=full)
        return indexed(text) if text else ""

    def say(self, body: Body) -> None:
        for column, texts in texts_of(body):
            have = self.texts.setdefault(column, [])
            known = set(have)
            have.extend(text for text in dict.fromkeys(texts) if text not in known)

    def extend_over(self, record: Record) -> None:
        """Count a record among those that the document is made of."""
        if record.offset != self.last:
            self.parts += 1
        if record.offset >= self.last:
            self.last, self.end = record.offset, record.offset + record.length


def document_of(event: Event, record: Record, sub: int) -> Document:
    """The document that an event begins."""
    body = event.body
    document = Document(
        (record.offset, sub),
        record.length,
        RowKind.RESULT if isinstance(body, ToolProgress) else row_kind(body),
        event.time,
        record.offset,
        record.offset + record.length,
        key=event.replaces,
        answers=body.call_id if isinstance(body, ToolResult) else None,
    )
    document.tools = tuple(body_tools(body))
    document.joined = partial(_itself, body)
    document.say(body)
    return document


def context_of(event: Event, record: Record, sub: int) -> Document | None:
    """The document of what the client put around a prompt; no words of the person are in it."""
    body = event.body
    if not isinstance(body, User) or not any(body.context):
        return None
    document = document_of(event, record, sub)
    document.kind = RowKind.ATTACHMENT
    document.key = None if event.replaces is None else f"{event.replaces}\0context"
    document.texts = {Column.SAID: [text for text in body.context if text]}
    return document


def _itself(body: Body) -> Body:
    return body
