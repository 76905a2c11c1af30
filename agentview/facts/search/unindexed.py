"""Reads logs for what a query asks for, record by record, with what the index would find."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cache

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import KIND_CODES, EventFact, Role
from agentview.domain.session import SessionRef
from agentview.facts.kept.index_file import LogKey
from agentview.facts.search.document_builder import DocumentBuilder, with_call
from agentview.facts.search.documents import Document, texts_of
from agentview.facts.search.in_session import OWN_WORDS
from agentview.facts.search.index_query import (
    DocumentMatcher,
    IndexQuery,
    MatchHighlighter,
    Prefilter,
)
from agentview.facts.search.kept_words import KeptWords
from agentview.facts.search.reading import before, is_document, keep_buffers, records, whole_lines
from agentview.facts.search.results import Account, Hit, Options, snippet_of
from agentview.facts.search.tokenizer import folded, without_escapes
from agentview.normalize.tools.registry import FAMILIES
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.timeline.rows.reading import decode_light

_OWN_WORDS = frozenset(KIND_CODES[kind] for kind in (*OWN_WORDS, RowKind.REQUEST))


@cache
def _tool_names(name: str) -> str:
    """Names of tools that a provider may give to a call, as words are looked for in them."""
    families = (spec.canonical_name for spec in FAMILIES.values())
    return folded("\n".join((*load_provider(name).reading.tool_kinds, *families)))


class UnindexedSearch:
    """Searches records for one query; `account` counts those that could not be searched."""

    def __init__(
        self,
        query: IndexQuery,
        account: Account,
        options: Options,
        kept: KeptWords | None = None,
    ) -> None:
        keep_buffers()
        self._account = account
        self._kept = KeptWords() if kept is None else kept
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
        if (yield from self.has_no_match(ref, fd, start, end)):
            return
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

    def has_no_match(
        self, ref: SessionRef, fd: int, start: int, end: int
    ) -> Generator[int, None, bool]:
        """True if a word that each match has is in no record from `start` on, nor shown of one.

        In between it gives the bytes that were looked at.
        """
        provider = load_provider(ref.provider)
        missing: frozenset[str] = self._candidates.needed
        if not missing or provider.reading.light is None:
            return False
        missing, reached = _not_in(_tool_names(provider.name), missing), before(fd, start)
        # Of the log as it is before it is read: it may be written meanwhile.
        key = None if start else self._kept.key(ref)
        for piece in whole_lines(fd, reached, end):
            missing = self._candidates.missing(piece, missing) if piece else frozenset()
            if not missing:
                return False
            reached += len(piece or b"")
            yield reached
        known = self._kept.find(key)
        if known is not None:
            return bool(_not_in(known, missing))
        return (yield from self._shows_not(missing, ref, fd, (start, end), key))

    def _shows_not(
        self,
        missing: frozenset[str],
        ref: SessionRef,
        fd: int,
        span: tuple[int, int],
        key: LogKey | None,
    ) -> Generator[int, None, bool]:
        """True if a word that is in no record is not among what is shown of one besides."""
        (start, end), provider = span, load_provider(ref.provider)
        texts, oversize = list[str](), 0
        for item in records(provider, fd, before(fd, start), end, torn=True):
            if isinstance(item, int):
                yield item
                continue
            oversize += item.data is None and item.offset >= start
            for light in decode_light(provider, ref, item):
                if _is_piece(light):
                    # A word may be cut in two.
                    return False
                if light.kind in _OWN_WORDS:
                    texts.append(_shown_of(light))
                    missing = _not_in(texts[-1], missing)
            if not missing:
                return False
        self._account.too_long += oversize
        self._kept.put(None if oversize else key, ref, texts)
        return True

    def _looked_at(
        self, ref: SessionRef, fd: int, start: int, end: int
    ) -> Iterator[Document | Hit | int]:
        provider = load_provider(ref.provider)
        gathering = DocumentBuilder(provider, start)
        # The call of a result is looked for by lines.
        whole = is_document(provider, fd)
        called: set[str] = set()
        for item in records(provider, fd, before(fd, start), end, torn=True):
            if isinstance(item, int):
                yield item
            else:
                if item.data is None and item.offset >= start:
                    self._account.too_long += 1
                light = decode_light(provider, ref, item)
                calls = [each.key for each in light if each.key and each.role == Role.CALL]
                # The result of a call that takes the id of one that is held is not for that one.
                spared = item.data if not whole and called.isdisjoint(calls) else None
                if spared is not None and self._is_passed_over(provider, spared, light):
                    continue
                called.update(calls)
                events = [each.event() for each in light]
                made = gathering.feed(events, item.offset, item.length)
                yield from self._completed(ref, fd, made)
        yield from self._completed(ref, fd, gathering.give_up(end + 1))

    def _is_passed_over(
        self, provider: Provider, record: bytes, light: Sequence[EventFact]
    ) -> bool:
        """True if by the bytes of a record no body of its events has what is looked for."""
        # What another record says more of, or what ends a text in pieces, is needed all the same.
        whole = provider.reading.light is not None and not provider.has_linked_events
        if not whole or self._candidates.may(record):
            return False
        words = self._candidates.words
        named = len(_not_in(_tool_names(provider.name), words)) < len(words)
        return not any(
            each.kind in _OWN_WORDS
            or (named and each.role == Role.CALL)
            or _is_one_of_several(each)
            or _is_without_id(each, record)
            for each in light
        )

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


def _not_in(text: str, words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words if word not in text)


def _is_piece(fact: EventFact) -> bool:
    return fact.tie is not None and bool(fact.tie.run)


def _shown_of(light: EventFact) -> str:
    """All texts of an event, as words are looked for in them."""
    texts = (text for _, column in texts_of(light.event().body) for text in column)
    return folded("\n".join(map(without_escapes, texts)))


def _is_without_id(fact: EventFact, record: bytes) -> bool:
    """Return True for a call whose id its record does not have, by which it could be found."""
    key = (fact.key or "").encode("utf-8", "replace")
    return fact.role == Role.CALL and key not in record


def _is_one_of_several(fact: EventFact) -> bool:
    """Return True for a record of a call that others may describe: where it stands is for all."""
    several = bool(fact.path) or fact.replaces is not None or fact.amends
    return fact.role == Role.CALL and several
