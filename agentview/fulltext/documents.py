"""Events to documents: the texts of one activity, told apart by what they are.

A call and its result are one document, as are the pieces of one text; of what a log says twice, one
document stays. So a document is what a person sees as one row.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agentview.domain.activity import Kind, RowKind, row_kind
from agentview.domain.events import (
    Event,
    Hidden,
    Title,
    TokenUsage,
    ToolInput,
    ToolProgress,
    ToolResult,
)
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall
from agentview.fulltext.columns import Column, bounded_text, texts_of
from agentview.fulltext.words import indexed

Place = tuple[int, int]
"""Byte offset of a record, and the number of an event in it."""

_KEYS_KEPT = 4096
_HELD_CALLS = 256
_LAG = 64
"""Events for which a call that has its result waits for what other records say of it."""

_LONGEST_RUN = 1_000_000
"""Characters up to which pieces of one text are put together."""

_NOTHING_TO_SEE = (Hidden, Title, TokenUsage, ToolInput)


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
    texts: dict[Column, list[str]] = field(default_factory=dict[Column, list[str]])

    def text(self, column: Column, *, full: bool = False) -> str:
        """All text of a column, without its middle where it is long, unless `full`."""
        pieces = self.texts.get(column)
        if not pieces:
            return ""
        text = "\n".join(pieces)
        return text if full else bounded_text(text, column)

    def indexed(self, column: Column, *, full: bool = False) -> str:
        """The words of a column, as the index is given them."""
        text = self.text(column, full=full)
        return indexed(text) if text else ""

    def add(self, column: Column, texts: Iterable[str]) -> None:
        """Put texts into a column, each once."""
        have = self.texts.setdefault(column, [])
        known = set(have)
        have.extend(text for text in dict.fromkeys(texts) if text not in known)

    def extend_over(self, event: Event) -> None:
        """Count the record of an event among those that the document is made of."""
        source = event.source
        if source.offset != self.last:
            self.parts += 1
        if source.offset >= self.last:
            self.last, self.end = source.offset, source.offset + source.length


class Documents:
    """Makes documents of the events of one log, given in file order.

    A document is handed out when no more is to be expected of it. Events before byte `before` are
    only remembered, for what stands behind it says some of them again.
    """

    def __init__(self, before: int = 0) -> None:
        self._before = before
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._calls: OrderedDict[str, Document] = OrderedDict()
        self._answered: deque[tuple[int, str]] = deque()
        self._runs: dict[Stream, tuple[str, Document]] = {}
        self._count = 0

    def feed(self, events: Iterable[Event]) -> Iterator[Document]:
        """Take the events of a record; gives what is complete with it."""
        for sub, event in enumerate(events):
            self._count += 1
            if not self._said_before(event) and event.source.offset >= self._before:
                yield from self._take(event, (event.source.offset, sub))
        yield from self._settled()

    def held(self) -> list[Document]:
        """What may not be complete yet."""
        return [*self._calls.values(), *(document for _, document in self._runs.values())]

    def give_up(self, below: int) -> list[Document]:
        """Hand out what is held and begins below a byte: no more is waited for."""
        calls = [name for name, held in self._calls.items() if held.place[0] < below]
        streams = [stream for stream, (_, held) in self._runs.items() if held.place[0] < below]
        given = [self._calls.pop(name) for name in calls]
        given += [self._runs.pop(stream)[1] for stream in streams]
        return [document for document in given if document.texts]

    def _said_before(self, event: Event) -> bool:
        key = event.dedupe_key
        if key is None:
            return False
        if key in self._seen:
            self._seen.move_to_end(key)
            return True
        self._seen[key] = None
        if len(self._seen) > _KEYS_KEPT:
            self._seen.popitem(last=False)
        return False

    def _settled(self) -> Iterator[Document]:
        while self._answered and self._count - self._answered[0][0] > _LAG:
            known = self._calls.pop(self._answered.popleft()[1], None)
            if known is not None:
                yield known

    def _take(self, event: Event, place: Place) -> Iterator[Document]:
        body = event.body
        if isinstance(body, ToolResult | ToolProgress):
            yield from self._answer(body, event, place)
        elif isinstance(body, ToolCall) and body.call_id:
            yield from self._end_run(event.stream)
            yield from self._call(body, event, place)
        elif not isinstance(body, _NOTHING_TO_SEE):
            document = _document(event, place)
            if event.run:
                yield from self._piece(event, event.run, document)
                return
            yield from self._end_run(event.stream)
            if document.texts:
                yield document

    def _call(self, call: ToolCall, event: Event, place: Place) -> Iterator[Document]:
        """A call waits for its result; what a later record says of it is added."""
        fresh = _document(event, place)
        known = self._calls.get(call.call_id)
        if known is None:
            self._calls[call.call_id] = fresh
            if len(self._calls) > _HELD_CALLS:
                yield self._calls.popitem(last=False)[1]
        else:
            for column, texts in fresh.texts.items():
                known.add(column, texts)
            known.extend_over(event)
        if call.ok is not None or Column.RESULT in fresh.texts:
            self._answered.append((self._count, call.call_id))

    def _answer(
        self, body: ToolResult | ToolProgress, event: Event, place: Place
    ) -> Iterator[Document]:
        known = self._calls.get(body.call_id)
        if known is None:
            document = _document(event, place)
            if document.texts and isinstance(body, ToolResult):
                yield document
            return
        if isinstance(body, ToolProgress):
            # Each one says all that came so far.
            known.texts.pop(Column.RESULT, None)
        for column, texts in texts_of(body):
            known.add(column, texts)
        known.extend_over(event)
        if isinstance(body, ToolResult):
            self._answered.append((self._count, body.call_id))

    def _piece(self, event: Event, run: str, document: Document) -> Iterator[Document]:
        """A piece of a text goes to the one before it; a whole one takes the place of all."""
        known = self._runs.get(event.stream)
        if known is None or known[0] != run or known[1].kind != document.kind:
            yield from self._end_run(event.stream)
            self._runs[event.stream] = (run, document)
        elif event.whole:
            self._runs[event.stream] = (run, document)
        else:
            _append(known[1], document)
            known[1].extend_over(event)

    def _end_run(self, stream: Stream) -> Iterator[Document]:
        known = self._runs.pop(stream, None)
        if known is not None and known[1].texts:
            yield known[1]


def _append(document: Document, piece: Document) -> None:
    for column, texts in piece.texts.items():
        have = document.texts.setdefault(column, [])
        if not have:
            have.append("")
        if len(have[0]) < _LONGEST_RUN:
            have[0] += "".join(texts)


def _document(event: Event, place: Place) -> Document:
    source, body = event.source, event.body
    kind = RowKind.RESULT if isinstance(body, ToolProgress) else row_kind(body)
    document = Document(
        place,
        source.length,
        kind,
        event.time,
        source.offset,
        source.offset + source.length,
        key=event.replaces,
    )
    for column, texts in texts_of(body):
        document.add(column, texts)
    return document
