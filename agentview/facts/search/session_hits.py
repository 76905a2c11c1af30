"""Hits in titles and in notes of the person: these are in no index, and notes are in no log."""

from collections.abc import Iterable

from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.annotations import Note
from agentview.domain.period import ALL_TIME
from agentview.domain.session import SessionRef
from agentview.facts.search.documents import Column, Document, Place
from agentview.facts.search.index_query import (
    DocumentMatcher,
    IndexQuery,
    IndexTerm,
    MatchHighlighter,
    Prefilter,
)
from agentview.facts.search.matcher import Scope
from agentview.facts.search.results import Hit, OfSession, Options, Snippet, snippet_of
from agentview.facts.search.tokenizer import folded, without_escapes
from agentview.query.parser import Text

_Asked = list[tuple[DocumentMatcher, MatchHighlighter, frozenset[str]]]
"""With words that each hit has, as `folded` has them: most texts have none of them."""


class SessionSearch:
    """Finds what a query looks for in the titles and notes of sessions.

    Words are looked for in them unless the query names a place or asks for something that only an
    activity has. A query of `note:` or `title:` alone finds these notes, or these titles. One of
    other filters of sessions alone finds these sessions, by their titles.
    """

    def __init__(self, query: IndexQuery, options: Options) -> None:
        self._options = options
        self._untitled = ("",) if query.lists_sessions else ()
        if not query.only_sessions:
            anywhere = [query] if _is_anywhere(query) else []
            notes, titles = anywhere, anywhere
        else:
            notes = [_inside([value]) for value in query.notes]
            titles = [] if query.notes else [_inside(query.titles)]
        self._notes = _asked(replace(each, period=query.period) for each in notes)
        # A title has no time.
        self._titles = _asked(replace(each, period=ALL_TIME) for each in titles)

    def notes(self, ref: SessionRef) -> tuple[Hit, ...]:
        """The notes of a session that are hits, the last place first."""
        found = (self._note(note) for note in self._options.notes.get(ref.path, ()))
        hits = [hit for hit in found if hit is not None]
        return tuple(sorted(hits, key=lambda hit: hit.order, reverse=True))

    def title(self, ref: SessionRef) -> Hit | None:
        """The first title of a session that is a hit."""
        titles = self._options.titles.get(ref.path) or self._untitled
        found = (self._line(self._titles, title, None, (0, 0)) for title in titles)
        line = next(filter(None, found), None)
        return Hit(None, OfSession.TITLE, None, line) if line is not None else None

    def _note(self, note: Note) -> Hit | None:
        place = note.mark.offset, note.mark.number
        line = self._line(self._notes, note.text, note.at, place)
        return Hit(place, OfSession.NOTE, note.at, line) if line is not None else None

    def _line(self, asked: _Asked, text: str, at: float | None, place: Place) -> Snippet | None:
        document = Document(place, 0, RowKind.USER, at, place[0], place[0])
        document.texts[Column.SAID] = [text]
        shown = folded(without_escapes(text))
        for matcher, marker, words in asked:
            if all(word in shown for word in words) and matcher.matches(document):
                masking = self._options.masking
                return snippet_of(document, matcher, marker, full=True, masking=masking)
        return None


def _asked(queries: Iterable[IndexQuery]) -> _Asked:
    return [
        (DocumentMatcher(each), MatchHighlighter(each), Prefilter(each).needed) for each in queries
    ]


def _inside(values: Iterable[str]) -> IndexQuery:
    return IndexQuery(tuple(IndexTerm((), Text(value), False) for value in values))


def _is_anywhere(query: IndexQuery) -> bool:
    words = any(not term.negative for term in query.terms)
    return words and query.scopes == (Scope(),) and query.kinds is None and not query.fields
