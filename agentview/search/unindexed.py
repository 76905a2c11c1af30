"""Reads logs for what a query asks for, record by record, with what the index would find."""

from collections.abc import Callable, Iterable, Iterator

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import KIND_CODES
from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.search.document_builder import DocumentBuilder
from agentview.search.documents import Document
from agentview.search.hydrate import with_call
from agentview.search.in_session import OWN_WORDS
from agentview.search.query import Query
from agentview.search.query_matcher import (
    PATTERN_SECONDS,
    Matcher,
    MatchHighlighter,
    Prefilter,
    pattern_holds,
)
from agentview.search.reading import before, records
from agentview.search.results import Account, Hit, Options
from agentview.search.snippet import Snippet, raw_snippet, snippet_of
from agentview.sources.line_splitter import Line
from agentview.store.decode_line import decode_line

_SHORT_PIECE = 4096
_PATIENT_RECORDS = 8
_IMPATIENT_SECONDS = 0.02
"""How long a pattern may take over a record once it took too long over several."""
_OWN_WORDS = frozenset(KIND_CODES[kind] for kind in OWN_WORDS)


class UnindexedSearch:
    """Looks at records for one query; `account` is told of those that could not be looked at."""

    def __init__(self, query: Query, account: Account, options: Options) -> None:
        self._query = query
        self._account = account
        self._options = options
        self._candidates = Prefilter(query)
        self._matcher = Matcher(query, full=options.full)
        self._marker = MatchHighlighter(query)

    def hits(self, ref: SessionRef, fd: int, start: int, end: int) -> Iterator[Hit | int]:
        """Hits among the records that begin from `start` on, in file order.

        In between come the bytes that were reached. What may be written again later comes last.
        Raises Unreadable as reading the file does.
        """
        again: dict[str, Hit] = {}
        for item in self._looked_at(ref, fd, start, end):
            if not isinstance(item, Document):
                yield item
                continue
            hit = self.look_at(item)
            if item.key is not None:
                again.pop(item.key, None)
            if hit is not None and item.key is not None:
                again[item.key] = hit
            elif hit is not None:
                yield hit
        yield from again.values()

    def _looked_at(
        self, ref: SessionRef, fd: int, start: int, end: int
    ) -> Iterator[Document | Hit | int]:
        provider = load_provider(ref.provider)
        gathering = DocumentBuilder(provider, start)
        wanted = self._wanted(provider, ref)
        for item in records(provider, fd, before(fd, start), end, torn=True, wanted=wanted):
            if isinstance(item, int):
                yield item
            elif self._query.patterns:
                if item.offset >= start:
                    yield from self._by_pattern(ref, item)
            else:
                if item.data is None and item.offset >= start:
                    self._account.too_long += 1
                events = decode_line(provider, ref, item)
                made = gathering.feed(events, item.offset, item.length)
                yield from self._completed(ref, fd, made)
        yield from self._completed(ref, fd, gathering.give_up(end + 1))

    def _wanted(self, provider: Provider, ref: SessionRef) -> Callable[[bytes], bool]:
        """Tells by its bytes whether a record is to be decoded: most are not."""
        may, has_linked_events = self._candidates.may, provider.has_linked_events
        outline = provider.index_record(ref) if provider.index_record is not None else None

        def wanted(record: bytes) -> bool:
            # A word may be cut in two where a text is written piece by piece.
            if may(record) or outline is None or (has_linked_events and len(record) < _SHORT_PIECE):
                return True
            facts = outline(record)
            return facts is None or any(fact.kind in _OWN_WORDS for fact in facts)

        return may if self._query.patterns else wanted

    def look_at(self, document: Document) -> Hit | None:
        """The hit that a document is; None for none."""
        return self._hit(document) if self._matcher.matches(document) else None

    def _completed(
        self, ref: SessionRef, fd: int, documents: Iterable[Document]
    ) -> Iterator[Document]:
        """Results with their calls, which were left out where no word of the query is in them."""
        provider = load_provider(ref.provider)
        for document in documents:
            lone = document.answers is not None
            if lone and self._matcher.matches(document, any_kind=True):
                yield with_call(provider, ref, fd, document)
            else:
                yield document

    def _hit(self, document: Document) -> Hit:
        full, masking = self._options.full, self._options.masking
        snippet = snippet_of(document, self._matcher, self._marker, full=full, masking=masking)
        return Hit(document.place, document.kind, document.time, snippet)

    def _by_pattern(self, ref: SessionRef, line: Line) -> Iterator[Hit]:
        """The hit that a record is for which the patterns hold as it is written."""
        if line.data is None:
            self._account.too_long += 1
            return
        record = line.data.decode("utf-8", "replace")
        try:
            many = self._account.undecided >= _PATIENT_RECORDS
            seconds = PATTERN_SECONDS if not many else _IMPATIENT_SECONDS
            if not pattern_holds(self._query.patterns, record, seconds):
                return
        except TimeoutError:
            self._account.undecided += 1
            return
        provider = load_provider(ref.provider)
        gathering = DocumentBuilder(provider)
        events = decode_line(provider, ref, line)
        made = [*gathering.feed(events, *line[:2]), *gathering.give_up(line.offset + 1)]
        hits = [hit for hit in map(self.look_at, made) if hit is not None]
        if not made and not self._query.terms and self._query.kinds is None:
            hits = [Hit((line.offset, 0), RowKind.HIDDEN, events[0].time, Snippet(""))]
        if hits and not any(hit.snippet.ranges for hit in hits):
            # It stands between the texts: in a key, or where it is not shown.
            first, shown = hits[0], raw_snippet(record, self._marker, masking=self._options.masking)
            hits = [Hit(first.place, first.kind, first.time, shown)]
        yield from hits
