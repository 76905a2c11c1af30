"""Notes of the person as hits: they are in no log, and no index has them."""

from agentview.domain.activity import RowKind
from agentview.domain.annotations import Note
from agentview.domain.session import SessionRef
from agentview.query.parser import Text
from agentview.search.documents import Column, Document
from agentview.search.index_query import (
    DocumentMatcher,
    IndexQuery,
    IndexTerm,
    MatchHighlighter,
)
from agentview.search.matcher import Scope
from agentview.search.results import Added, Hit, Options, snippet_of


class NoteSearch:
    """Finds what a query looks for in notes.

    Words are looked for in the text of a note, unless the query names a place or asks for something
    that an activity has and a note has not. A query of `note:` alone finds these notes.
    """

    def __init__(self, query: IndexQuery, options: Options) -> None:
        self._options = options
        self._asked = [(DocumentMatcher(each), MatchHighlighter(each)) for each in _queries(query)]

    def hits(self, ref: SessionRef) -> tuple[Hit, ...]:
        """The notes of a session that are hits, the last place first."""
        found = (self._hit(note) for note in self._options.notes.get(ref.path, ()))
        hits = [hit for hit in found if hit is not None]
        return tuple(sorted(hits, key=lambda hit: hit.place, reverse=True))

    def _hit(self, note: Note) -> Hit | None:
        place = note.mark.offset, note.mark.number
        document = Document(place, 0, RowKind.USER, note.at, place[0], place[0])
        document.texts[Column.SAID] = [note.text]
        for matcher, marker in self._asked:
            if matcher.matches(document):
                masking = self._options.masking
                line = snippet_of(document, matcher, marker, full=True, masking=masking)
                return Hit(place, Added.NOTE, note.at, line)
        return None


def _queries(query: IndexQuery) -> list[IndexQuery]:
    if query.only_notes:
        return [IndexQuery((IndexTerm((), Text(value), False),)) for value in query.notes]
    words = any(not term.negative for term in query.terms)
    anywhere = query.scopes == (Scope(),) and query.kinds is None and not query.fields
    return [query] if words and anywhere else []
