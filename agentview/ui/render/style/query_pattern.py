"""Marks of a query in rows: its words, phrases and patterns as rows show them."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from agentview.query.parser import Regex, Text, parse_query
from agentview.query.text_matcher import TextMatcher
from agentview.query.vocabulary import Surface
from agentview.timeline.view.sanitize import clean
from agentview.ui.render.style.highlight_matches import TextPattern


class _AnyTerm:
    """Finds the words, phrases and patterns of a query."""

    def __init__(self, matchers: Sequence[TextMatcher]) -> None:
        self._matchers = matchers

    def search(self, string: str, /) -> object:
        """The first place of the first term that is found."""
        found = (matcher.search(string) for matcher in self._matchers)
        return next((match for match in found if match is not None), None)

    def finditer(self, string: str, /) -> Iterator[re.Match[str]]:
        """All places of all terms, in order."""
        if len(self._matchers) == 1:
            return self._matchers[0].finditer(string)
        found = chain.from_iterable(matcher.finditer(string) for matcher in self._matchers)
        return iter(sorted(found, key=lambda match: match.start()))


def found_pattern(line: str) -> TextPattern | None:
    """Pattern of a query's marks: its texts as rows show them; None when nothing is visible."""
    terms = [term for term in parse_query(line, Surface.EVERYWHERE).texts if not term.negative]
    shown = [_as_shown(term) for term in terms]
    return _AnyTerm([TextMatcher(term) for term in shown]) if shown else None


def _as_shown(term: Text | Regex) -> Text | Regex:
    if isinstance(term, Regex):
        return term
    return Text(" ".join(clean(word) for word in term.text.split()))
