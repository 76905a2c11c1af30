"""The piece of a text in which a match stands, in one line that acts on no terminal."""

from agentview.domain.value import Value
from agentview.fulltext.columns import Column
from agentview.fulltext.documents import Document
from agentview.fulltext.matching import Marker, Matcher
from agentview.timeline.plain import one_line

BEFORE = 40
"""Characters in front of a match."""

LENGTH = 200
_WINDOW = 2 * LENGTH


class Snippet(Value):
    """A clean line, the column that it is from, and what is to be marked in it."""

    text: str
    ranges: tuple[tuple[int, int], ...] = ()
    column: Column = Column.SAID


def snippet_of(document: Document, matcher: Matcher, marker: Marker, *, full: bool) -> Snippet:
    """The best line of a document: where the most of what is looked for stands together."""
    best: Snippet | None = None
    # Results are long and hold much; what was said or asked for tells more.
    for column in sorted(matcher.columns(document)):
        for piece in document.texts.get(column, ()):
            shown = _around(piece if full else document.text(column), marker, column)
            if shown is not None and (best is None or len(shown.ranges) > len(best.ranges)):
                best = shown
            if not full:
                break
    return best or beginning(document)


def beginning(document: Document) -> Snippet:
    """The first words of a document, for a hit that no word led to."""
    for column in (Column.SAID, Column.COMMAND, Column.PATH, Column.ARGS, Column.RESULT):
        text = one_line(document.text(column)[:_WINDOW], LENGTH)
        if text:
            return Snippet(text, (), column)
    return Snippet("")


def raw_snippet(record: str, marker: Marker) -> Snippet:
    """A line of a record as it is written, around what a pattern found in it."""
    found = _around(record, marker, Column.SAID)
    return found or Snippet(one_line(record[:_WINDOW], LENGTH))


def _around(text: str, marker: Marker, column: Column) -> Snippet | None:
    spans = marker.ranges(text)
    if not spans:
        return None
    start = max(0, spans[0][0] - BEFORE)
    line = one_line(text[start : start + _WINDOW], LENGTH)
    lead = "…" if start else ""
    ranges = tuple((a + len(lead), b + len(lead)) for a, b in marker.ranges(line))
    return Snippet(lead + line, ranges, column)
