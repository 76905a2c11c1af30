"""Reads logs for what a query asks for, record by record, with what the index would find."""

from collections.abc import Iterable, Iterator

from agentview.domain.activity import RowKind
from agentview.domain.session import SessionRef
from agentview.fulltext.answers import Account, Hit
from agentview.fulltext.documents import Document, Documents
from agentview.fulltext.matching import Candidates, Marker, Matcher, pattern_holds
from agentview.fulltext.query import Query
from agentview.fulltext.reading import before, records
from agentview.fulltext.snippet import Snippet, raw_snippet, snippet_of
from agentview.providers import load_provider
from agentview.store.decoding import decode_line
from agentview.tailing import Line

_SHORT_PIECE = 4096


class DirectLook:
    """Looks at records for one query; `account` is told of those that could not be looked at."""

    def __init__(self, query: Query, account: Account, *, full: bool = False) -> None:
        self._query = query
        self._account = account
        self._full = full
        self._candidates = Candidates(query)
        self._matcher = Matcher(query, full=full)
        self._marker = Marker(query)

    def hits(self, ref: SessionRef, fd: int, start: int, end: int) -> Iterator[Hit | int]:
        """Hits among the records that begin from `start` on, in file order.

        In between come the bytes that were reached. Raises Unreadable as reading the file does.
        """
        provider = load_provider(ref.provider)
        documents = Documents(start)
        candidates, tied = self._candidates, provider.tied

        def wanted(record: bytes) -> bool:
            # A word may be cut in two where a text is written piece by piece.
            return (tied and len(record) < _SHORT_PIECE) or candidates.may(record)

        for item in records(provider, fd, before(fd, start), end, torn=True, wanted=wanted):
            if isinstance(item, int):
                yield item
            elif self._query.patterns:
                if item.offset >= start:
                    yield from self._by_pattern(ref, item)
            else:
                if item.data is None and item.offset >= start:
                    self._account.too_long += 1
                yield from self._among(documents.feed(decode_line(provider, ref, item)))
        yield from self._among(documents.give_up(end + 1))

    def look_at(self, document: Document) -> Hit | None:
        """The hit that a document is; None for none."""
        return self._hit(document) if self._matcher.matches(document) else None

    def _among(self, documents: Iterable[Document]) -> Iterator[Hit]:
        for document in documents:
            if self._matcher.matches(document):
                yield self._hit(document)

    def _hit(self, document: Document) -> Hit:
        snippet = snippet_of(document, self._matcher, self._marker, full=self._full)
        return Hit(document.place, document.kind, document.time, snippet)

    def _by_pattern(self, ref: SessionRef, line: Line) -> Iterator[Hit]:
        """The hit that a record is for which the patterns hold as it is written."""
        if line.data is None:
            self._account.too_long += 1
            return
        record = line.data.decode("utf-8", "replace")
        try:
            if not pattern_holds(self._query.patterns, record):
                return
        except TimeoutError:
            self._account.undecided += 1
            return
        documents = Documents()
        events = decode_line(load_provider(ref.provider), ref, line)
        made = [*documents.feed(events), *documents.give_up(line.offset + 1)]
        hits = [*self._among(made)]
        if not made and not self._query.terms and self._query.kinds is None:
            hits = [Hit((line.offset, 0), RowKind.HIDDEN, events[0].time, Snippet(""))]
        if hits and not any(hit.snippet.ranges for hit in hits):
            # It stands between the texts: in a key, or where it is not shown.
            first, shown = hits[0], raw_snippet(record, self._marker)
            hits = [Hit(first.place, first.kind, first.time, shown)]
        yield from hits
