"""Requests and results of a search: hits with a piece of text, by session."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich.cells import cell_len, set_cell_size

from agentview.domain.activity import Kind
from agentview.domain.annotations import Note
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.search.documents import Column, Document, Place
from agentview.facts.search.index_query import DocumentMatcher, MatchHighlighter
from agentview.redaction.secrets import masked_part
from agentview.timeline.view.sanitize import one_line

BEFORE = 40
"""Characters in front of a match."""

LENGTH = 200
_WINDOW = 2 * LENGTH
_WORD_END = re.compile(r"\w{0,20}")


class Snippet(Value):
    """A clean line, the column that it is from, and what is to be marked in it."""

    text: str
    ranges: tuple[tuple[int, int], ...] = ()
    column: Column = Column.SAID


def snippet_of(
    document: Document,
    matcher: DocumentMatcher,
    marker: MatchHighlighter,
    *,
    full: bool,
    masking: bool = False,
) -> Snippet:
    """The line of a document in which the most of what is looked for stands together.

    With `masking` secrets in it are masked.
    """
    best: Snippet | None = None
    # Results are long; messages and arguments say more.
    for column in sorted(matcher.columns(document)):
        shown = _around(document.text(column, full=full), marker, column, masking=masking)
        if shown is not None and (best is None or len(shown.ranges) > len(best.ranges)):
            best = shown
    return best or beginning(document, masking=masking)


def beginning(document: Document, *, masking: bool = False) -> Snippet:
    """The first words of a document, for a hit that no word led to."""
    for column in (Column.SAID, Column.COMMAND, Column.PATH, Column.ARGS, Column.RESULT):
        line = one_line(_cut(document.text(column), 0, masking=masking), LENGTH)
        if line:
            return Snippet(line, (), column)
    return Snippet("")


def _around(
    text: str, marker: MatchHighlighter, column: Column, *, masking: bool
) -> Snippet | None:
    spans = marker.ranges(text) if text else []
    if not spans:
        return None
    start = max(0, spans[0][0] - BEFORE)
    if start:
        # Not in the middle of a word, unless that is a long one.
        cut = _WORD_END.match(text, start, spans[0][0])
        start = cut.end() if cut is not None else start
    line = one_line(_cut(text, start, masking=masking), LENGTH)
    lead = "…" if start else ""
    ranges = tuple((a + len(lead), b + len(lead)) for a, b in marker.ranges(line))
    return Snippet(lead + line, ranges, column)


def _cut(text: str, start: int, *, masking: bool) -> str:
    end = start + _WINDOW
    return masked_part(text, start, end) if masking else text[start:end]


def fitted(snippet: Snippet, width: int | None) -> Snippet:
    """The part of a snippet around its first match that fits into so many cells."""
    text, ranges = snippet.text, snippet.ranges
    if width is None or cell_len(text) <= width:
        return snippet
    if ranges and cell_len(text[: ranges[0][1]]) > width - 1:
        cut = max(0, ranges[0][0] - width // 3)
        text = "…" + text[cut:]
        ranges = tuple((start - cut + 1, end - cut + 1) for start, end in ranges)
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…"
    kept = tuple(span for span in ranges if span[1] < len(text))
    return Snippet(text, kept, snippet.column)


class Order(StrEnum):
    """The order of results."""

    TIME = "time"
    """The session with the newest activity."""
    RANK = "rank"
    """The session with the best match."""


NO_NOTES: Mapping[str, Sequence[Note]] = {}
NO_TITLES: Mapping[str, Sequence[str]] = {}


class Options(Value):
    """How to search. `per_log` is how many hits of a session are reported, None for all."""

    per_log: int | None = None
    whole: frozenset[str] = frozenset()
    """Paths of logs of which all hits are reported."""
    groups: int | None = None
    """How many sessions with hits are reported, about; None for all."""
    full: bool = False
    """Look at all of long texts; nothing is asked of the index then."""
    masking: bool = False
    """Mask secrets in snippets."""
    order: Order = Order.TIME
    seconds: float | None = None
    """How long logs are read directly, None for as long as it takes."""
    notes: Mapping[str, Sequence[Note]] = NO_NOTES
    """The person's notes, by the path of the log that they are in."""
    titles: Mapping[str, Sequence[str]] = NO_TITLES
    """The titles of sessions, by the path of the log."""


class OfSession(StrEnum):
    """Kinds of hits that are no activities."""

    NOTE = "note"
    TITLE = "title"


class Hit(Value):
    """An activity, a note at one, or a title that is what was looked for.

    `place` is that of the event that the activity begins with, None for a title.
    """

    place: Place | None
    kind: Kind | OfSession
    time: float | None
    snippet: Snippet

    @property
    def order(self) -> Place:
        """The place, by which hits of a session are sorted; a title stands before all."""
        return self.place or (-1, 0)


class Group(Value):
    """Hits of one session, the last ones first; a later group of the same session replaces it."""

    ref: SessionRef
    hits: tuple[Hit, ...]
    more: int = 0
    """Number of further hits that are not listed."""
    least: bool = False
    """There are more than that: they were not all counted."""
    whole: bool = True
    """False while the log is being read."""


@dataclass(slots=True)
class Account:
    """Sessions and logs that were searched so far."""

    all_logs: int
    logs: int = 0
    """Sessions that are done."""
    directly: int = 0
    """Of those: read, wholly or in part, because the index does not hold them."""
    reading: str | None = None
    """Path of the log that is being read."""
    unreadable: int = 0
    too_long: int = 0
    """Records that are too long to be looked at."""
    undecided: int = 0
    """Records over which a pattern took too long."""
    late: int = 0
    """Sessions that were not read to their end, because time was up."""
    more: bool = False
    """Further sessions have hits, or may have: the requested number is reached."""
    done: bool = False


SearchUpdate = Group | Account
