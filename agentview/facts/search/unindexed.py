"""Reads logs for what a query asks for, record by record, with what the index would find."""

from collections.abc import Iterable, Iterator, Sequence

from agentview.domain.index_entry import KIND_CODES, EventFact, Role
from agentview.domain.session import SessionRef
from agentview.facts.search.document_builder import DocumentBuilder, with_call
from agentview.facts.search.documents import Document
from agentview.facts.search.in_session import OWN_WORDS
from agentview.facts.search.index_query import (
    DocumentMatcher,
    IndexQuery,
    MatchHighlighter,
    Prefilter,
)
from agentview.facts.search.reading import before, records
from agentview.facts.search.results import Account, Hit, Options, snippet_of
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.timeline.rows.reading import decode_light

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
        for item in records(provider, fd, before(fd, start), end, torn=True):
            if isinstance(item, int):
                yield item
            else:
                if item.data is None and item.offset >= start:
                    self._account.too_long += 1
                light = decode_light(provider, ref, item)
                if item.data is not None and self._is_passed_over(provider, item.data, light):
                    continue
                events = [each.event() for each in light]
                made = gathering.feed(events, item.offset, item.length)
                yield from self._completed(ref, fd, made)
        yield from self._completed(ref, fd, gathering.give_up(end + 1))

    def _is_passed_over(
        self, provider: Provider, record: bytes, light: Sequence[EventFact]
    ) -> bool:
        """True if by the bytes of a record no body of its events has what is looked for."""
        # A word may be cut in two where a text is written piece by piece.
        pieces = provider.has_linked_events and len(record) < _SHORT_PIECE
        if provider.reading.light is None or pieces or self._candidates.may(record):
            return False
        return not any(each.kind in _OWN_WORDS or _is_one_of_several(each) for each in light)

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


def _is_one_of_several(fact: EventFact) -> bool:
    """Return True for a record of a call that others may describe: where it stands is for all."""
    several = bool(fact.path) or fact.replaces is not None or fact.amends
    return fact.role == Role.CALL and several
