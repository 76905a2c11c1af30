"""Reads logs for what a query asks for, record by record, with what the index would find."""

from collections.abc import Callable, Iterable, Iterator

from agentview.domain.index_entry import KIND_CODES
from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.search.document_builder import DocumentBuilder, with_call
from agentview.search.documents import Document
from agentview.search.in_session import OWN_WORDS
from agentview.search.index_query import DocumentMatcher, IndexQuery, MatchHighlighter, Prefilter
from agentview.search.reading import before, records
from agentview.search.results import Account, Hit, Options, snippet_of
from agentview.store.decode_line import decode_line

_SHORT_PIECE = 4096
_OWN_WORDS = frozenset(KIND_CODES[kind] for kind in OWN_WORDS)


class UnindexedSearch:
    """Searches records for one query; `account` counts those that could not be searched."""

    def __init__(self, query: IndexQuery, account: Account, options: Options) -> None:
        self._account = account
        self._options = options
        self._full = options.full or query.has_pattern
        self._candidates = Prefilter(query)
        self._matcher = DocumentMatcher(query, full=options.full)
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
            hit = self.look_at(item) if item.texts else None
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
            else:
                if item.data is None and item.offset >= start:
                    self._account.too_long += 1
                events = decode_line(provider, ref, item)
                made = gathering.feed(events, item.offset, item.length)
                yield from self._completed(ref, fd, made)
        yield from self._completed(ref, fd, gathering.give_up(end + 1))

    def _wanted(self, provider: Provider, ref: SessionRef) -> Callable[[bytes], bool]:
        """Return a test by its bytes whether a record is to be decoded: most are not."""
        may, has_linked_events = self._candidates.may, provider.has_linked_events
        outline = provider.reading.outline(ref)

        def wanted(record: bytes) -> bool:
            # A word may be cut in two where a text is written piece by piece.
            if may(record) or outline is None or (has_linked_events and len(record) < _SHORT_PIECE):
                return True
            facts = outline(record)
            return facts is None or any(fact.kind in _OWN_WORDS for fact in facts)

        return wanted

    def look_at(self, document: Document) -> Hit | None:
        """The hit that a document is; None for none."""
        found = self._matcher.matches(document)
        self._account.undecided = self._matcher.late
        return self._hit(document) if found else None

    def _completed(
        self, ref: SessionRef, fd: int, documents: Iterable[Document]
    ) -> Iterator[Document]:
        """Results with their calls, which were left out where no word of the query is in them."""
        provider = load_provider(ref.provider)
        for document in documents:
            lone = document.answers is not None
            if lone and self._matcher.matches(document, alone=True):
                yield with_call(provider, ref, fd, document)
            else:
                yield document

    def _hit(self, document: Document) -> Hit:
        masking = self._options.masking
        snippet = snippet_of(
            document, self._matcher, self._marker, full=self._full, masking=masking
        )
        return Hit(document.place, document.kind, document.time, snippet)
