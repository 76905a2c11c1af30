"""Events to documents, in file order.

A call and its result are one document, as are the pieces of one text; of what a log says twice, one
document stays. So a document is what a person sees as one row.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from agentview.domain.events import Event, ToolInput, ToolProgress, ToolResult
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall
from agentview.providers.base import Provider
from agentview.search.documents import NOTHING_TO_SEE, Document, Record, document_of
from agentview.search.pending_calls import OpenCalls

_KEYS_KEPT = 4096
_LONGEST_RUN = 1_000_000
"""Characters up to which pieces of one text are put together."""


class _Run:
    """Pieces of a text, or of the arguments of a call, that follow each other in a stream."""

    def __init__(self, name: str, document: Document, call_id: str | None = None) -> None:
        self.name = name
        self.document = document
        self.call_id = call_id


class Gathering:
    """Makes documents of the records of one log.

    A document is handed out when no more is to be expected of it. Records before byte `before` are
    only remembered, for what stands behind says some of them again.
    """

    def __init__(self, provider: Provider, before: int = 0) -> None:
        self._before = before
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._calls = OpenCalls(provider)
        self._runs: dict[Stream, _Run] = {}

    def feed(self, events: Sequence[Event], offset: int, length: int) -> Iterator[Document]:
        """Take the events of a record; gives what is complete with it."""
        record = Record(offset, length)
        for sub, event in enumerate(events):
            if not self._said_before(event) and offset >= self._before:
                yield from self._take(event, record, sub)
        yield from self._calls.settled(len(events))

    def held(self) -> list[Document]:
        """What may not be complete yet, without its texts."""
        return [*self._calls.held(), *(run.document for run in self._runs.values())]

    def give_up(self, below: int) -> Iterator[Document]:
        """Hand out what is held and begins below a byte: no more is waited for."""
        for stream, run in list(self._runs.items()):
            if run.document.place[0] < below:
                yield from self._end_run(stream)
        yield from self._calls.give_up(below)

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

    def _take(self, event: Event, record: Record, sub: int) -> Iterator[Document]:
        body = event.body
        if isinstance(body, ToolResult | ToolProgress):
            if not self._calls.answer(body, record) and isinstance(body, ToolResult):
                yield from _with_texts(document_of(event, record, sub))
        elif isinstance(body, ToolInput):
            run = self._runs.get(event.stream)
            if run is not None and run.name == event.run and run.call_id is not None:
                self._calls.written(run.call_id, event, record)
        elif event.run == "":
            yield from self._end_run(event.stream)
            yield from self._alone(event, record, sub)
        elif event.run is not None:
            yield from self._piece(event, event.run, record, sub)
        else:
            if event.replaces is None and not isinstance(body, NOTHING_TO_SEE):
                yield from self._end_run(event.stream)
            yield from self._alone(event, record, sub)

    def _alone(self, event: Event, record: Record, sub: int) -> Iterator[Document]:
        body = event.body
        if isinstance(body, ToolCall) and body.call_id:
            self._calls.call(body, event, record, sub)
        elif not isinstance(body, NOTHING_TO_SEE):
            yield from _with_texts(document_of(event, record, sub))

    def _piece(self, event: Event, name: str, record: Record, sub: int) -> Iterator[Document]:
        """A piece of a text goes to the one before it; a whole one takes the place of all."""
        run = self._runs.get(event.stream)
        piece = document_of(event, record, sub)
        same = run is not None and run.name == name and run.document.kind == piece.kind
        if run is not None and same and not event.whole and run.call_id is None:
            _append(run.document, piece)
            run.document.extend_over(record)
            return
        if not (same and event.whole):
            yield from self._end_run(event.stream)
        call_id = event.body.call_id if isinstance(event.body, ToolCall) else None
        self._runs[event.stream] = _Run(name, piece, call_id)
        if isinstance(event.body, ToolCall):
            self._calls.call(event.body, event, record, sub)

    def _end_run(self, stream: Stream) -> Iterator[Document]:
        run = self._runs.pop(stream, None)
        if run is not None and run.call_id is None:
            yield from _with_texts(run.document)


def _with_texts(document: Document) -> Iterator[Document]:
    if document.texts:
        yield document


def _append(document: Document, piece: Document) -> None:
    for column, texts in piece.texts.items():
        have = document.texts.setdefault(column, [])
        if not have:
            have.append("")
        if len(have[0]) < _LONGEST_RUN:
            have[0] += "".join(texts)
