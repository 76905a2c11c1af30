"""The texts of one activity, told apart by what they are, and where its records lie."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from agentview.domain.activity import Activity, Kind, RowKind, row_kind
from agentview.domain.events import (
    Body,
    Event,
    Hidden,
    Title,
    TokenUsage,
    ToolInput,
    ToolProgress,
    ToolResult,
)
from agentview.search.fields import Column, bounded_text, texts_of
from agentview.search.tokenizer import indexed, without_escapes
from agentview.timeline.activity_text import body_tools

Place = tuple[int, int]
"""Byte offset of a record, and the number of an event in it."""


class Record(NamedTuple):
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
        """The activity, as far as it tells how it ended."""
        return Activity(Hidden("", "") if self.joined is None else self.joined(), ())

    def text(self, column: Column, *, full: bool = False) -> str:
        """All text of a column without colours; unless `full`, both ends of a long one."""
        pieces = self.texts.get(column)
        if not pieces:
            return ""
        text = without_escapes("\n".join(pieces))
        return text if full else bounded_text(text, column)

    def indexed(self, column: Column, *, full: bool = False) -> str:
        """The words of a column, as the index is given them."""
        text = self.text(column, full=full)
        return indexed(text) if text else ""

    def say(self, body: Body) -> None:
        """Take the texts of a fact, each once."""
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


def _itself(body: Body) -> Body:
    return body
