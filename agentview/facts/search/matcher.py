"""Terms of a query looked for in events and activities: texts, names of tools, paths."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from agentview.domain.activity import Activity, Kind, RowKind, row_kind
from agentview.domain.events import Body
from agentview.domain.value import Value
from agentview.facts.search.byte_prefilter import BytePattern
from agentview.facts.search.documents import Column, texts_of
from agentview.query.parser import Field, Regex, Term, Text
from agentview.query.text_matcher import TextMatcher
from agentview.query.vocabulary import places_named
from agentview.timeline.view.activity.activity_text import (
    body_paths,
    body_texts,
    body_tools,
    file_paths,
    searchable,
    tool_names,
)

_LEAST = 2
"""Letters that a part of a pattern needs to be looked for in bytes."""

_BEHIND = "?*{"
_SPECIAL = ".^$|)]}+?*{"


class Scope(Value):
    """Columns in which words count, of activities of one kind or of all."""

    columns: frozenset[Column] = frozenset(Column)
    kind: Kind | None = None


_PLACES = {
    "prompt": Scope(frozenset({Column.SAID}), RowKind.USER),
    "message": Scope(frozenset({Column.SAID}), RowKind.MESSAGE),
    "reasoning": Scope(frozenset({Column.SAID}), RowKind.REASONING),
    "command": Scope(frozenset({Column.COMMAND})),
    "path": Scope(frozenset({Column.PATH})),
    "args": Scope(frozenset({Column.COMMAND, Column.PATH, Column.ARGS})),
    "result": Scope(frozenset({Column.RESULT})),
}


def scopes_of(places: Iterable[str]) -> tuple[Scope, ...]:
    """The columns that the values of `in:` stand for; several add up, none is everywhere."""
    named = [_PLACES[place] for value in places for place in places_named(value)]
    return tuple(named) or (Scope(),)


def columns_of(scopes: Iterable[Scope], kind: Kind) -> frozenset[Column]:
    """Columns in which words count in an activity of a kind."""
    allowed = (scope.columns for scope in scopes if scope.kind in (None, kind))
    return frozenset[Column]().union(*allowed)


class Matcher:
    """Whether events and activities hold a term, in the places that `in:` allows."""

    def __init__(self, term: Term, places: Sequence[str] = ()) -> None:
        self._field = term.name if isinstance(term, Field) else ""
        self._scopes = scopes_of(places) if places else ()
        text = Text(term.value.lower()) if isinstance(term, Field) else term
        self._texts = TextMatcher(text)
        self._name = text.text if isinstance(text, Text) else ""
        self.needle: BytePattern | None = needle_of(text)
        """The bytes that every matching record contains; None if there are none."""
        if self._field == "tool":
            # A tool is found by its canonical name, too, which need not be in the log.
            self.needle = None

    def covers(self, kind: Kind) -> bool:
        """Return True if anything of an activity of a kind is looked at."""
        return not self._scopes or bool(columns_of(self._scopes, kind))

    def finds(self, body: Body) -> bool:
        """Return True if one event matches, without what it is joined with."""
        if self._field == "tool":
            return self._names(body_tools(body))
        if self._field == "file":
            return self._names(body_paths(body))
        return self._texts.finds(self._scoped(body) if self._scopes else body_texts(body))

    def fits(self, activity: Activity) -> bool:
        """Return True if an activity matches as a whole."""
        if self._field == "tool":
            return self._names(tool_names(activity))
        if self._field == "file":
            return self._names(file_paths(activity))
        if not self._scopes:
            return self._texts.finds(searchable(activity))
        if self._texts.finds(self._scoped(activity.body)):
            return True
        progress = activity.progress if activity.ended is None else None
        in_result = Column.RESULT in columns_of(self._scopes, row_kind(activity.body))
        return bool(progress) and in_result and self._texts.finds((progress or "",))

    def _scoped(self, body: Body) -> Iterator[str]:
        columns = columns_of(self._scopes, row_kind(body))
        for column, texts in texts_of(body):
            if column in columns:
                yield from texts

    def _names(self, names: Iterable[str]) -> bool:
        return any(self._name in name.lower() for name in names)


def matcher_test(term: Term, places: Sequence[str]) -> Callable[[Activity], bool]:
    return Matcher(term, places).fits


def needle_of(term: Text | Regex) -> BytePattern | None:
    """Return the bytes that every record with the term contains; None if there are none."""
    if isinstance(term, Text):
        return BytePattern(term.text)
    literal = required(term.source)
    return BytePattern(literal.lower()) if len(literal) >= _LEAST else None


def required(source: str) -> str:
    """Return the longest text in all matches of a pattern; empty if it is not easily found."""
    runs, run, at = [""], "", 0
    if "|" in source or "(?" in source:
        return ""
    while at < len(source):
        char, at = source[at], at + 1
        if char == "\\" and at < len(source):
            escaped, at = source[at], at + 1
            char = "" if escaped.isalnum() else escaped
        elif char in "([":
            char, at = "", _behind(source, at, char)
        elif char in _SPECIAL:
            char = ""
        if char and not (at < len(source) and source[at] in _BEHIND):
            run += char
        else:
            runs.append(run)
            run = ""
        if char and at < len(source) and source[at] == "+":
            runs.append(run)
            run = ""
    return max([*runs, run], key=len)


def _behind(source: str, at: int, opened: str) -> int:
    """Behind what closes a group or a set of characters; nothing of it is taken as required."""
    depth, inside = 1, opened == "["
    begin = at
    while at < len(source) and depth:
        char = source[at]
        if char == "\\":
            at += 1
        elif inside:
            if char == "]" and at > begin + (source[begin] == "^"):
                inside = False
                depth -= opened == "["
        elif char == "[":
            inside, begin = True, at + 1
        else:
            depth += (char == "(") - (char == ")")
        at += 1
    return at
