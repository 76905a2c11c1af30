"""Queries as the surfaces ask them."""

from agentview.facts.search.matcher import Matcher
from agentview.query.parser import Text, parse_query
from agentview.query.vocabulary import Surface
from agentview.sessions.library.filters import LibraryFilter, library_filter
from agentview.timeline.view.filter.filters import Filter, row_filter
from agentview.timeline.view.filter.search import Test
from agentview.timeline.view.rows_protocol import Rows


def parse_filter(line: str, rows: Rows | None = None) -> Filter | None:
    """The filter of a timeline."""
    query = parse_query(line, Surface.ACTIVITIES)
    return row_filter(query, rows, lambda term, places: Matcher(term, places).fits)


def sessions_filter(line: str, now: float) -> LibraryFilter | None:
    """The filter of the library."""
    return library_filter(parse_query(line, Surface.SESSIONS), now)


def text_test(text: str) -> Test:
    """Whether an activity holds a text."""
    return Matcher(Text(text)).fits
