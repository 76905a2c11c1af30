"""Which columns of the list of sessions there is room for, and how wide each is."""

from collections.abc import Mapping
from functools import lru_cache

from agentview.domain.sort_order import Column
from agentview.domain.value import Value
from agentview.sessions.library.client_marks import CELLS

GAP = 2
"""Cells between columns."""

_MARK = 1
_STATE_WORD = 13
"""Least cells of the mark of a state with its word."""

_WIDTHS: Mapping[Column, int] = {
    Column.PROVIDER: CELLS,
    Column.PROJECT: 12,
    Column.BRANCH: 10,
    Column.STARTED: 8,
    Column.ACTIVE: 7,
    Column.LENGTH: 7,
    Column.TURNS: 6,
    Column.TOOLS: 6,
    Column.PROBLEMS: 5,
    Column.TOKENS: 7,
    Column.COST: 8,
}
"""Least cells of each column; state and title are always there."""

_NEEDED: tuple[Column, ...] = (
    Column.ACTIVE,
    Column.PROVIDER,
    Column.PROJECT,
    Column.STATE,
    Column.COST,
    Column.PROBLEMS,
    Column.TURNS,
    Column.TOKENS,
    Column.BRANCH,
    Column.TOOLS,
    Column.LENGTH,
    Column.STARTED,
)
"""The most needed first; the state is there in any case, but without a word."""

_GROWING = (
    (Column.STATE, 16),
    (Column.PROJECT, 22),
    (Column.PROVIDER, 11),
    (Column.BRANCH, 20),
    (Column.PROJECT, 30),
)
"""Columns that get what a title of `_EASY` cells leaves, up to a width."""

_EASY = 44
_NARROW = 100
"""Cells below which other columns count more than the title."""
_LEAST_TITLE = 8

HEADINGS: Mapping[Column, tuple[str, ...]] = {
    Column.STATE: ("state", ""),
    Column.PROVIDER: ("client", ""),
    Column.PROBLEMS: ("problems", "prob"),
}
"""Names of columns from the longest to the shortest, where they are not those of the column."""

RIGHT = frozenset(
    {
        Column.STARTED,
        Column.ACTIVE,
        Column.LENGTH,
        Column.TURNS,
        Column.TOOLS,
        Column.PROBLEMS,
        Column.TOKENS,
        Column.COST,
    }
)
"""Columns whose content stands at their right end."""


class Layout(Value):
    """The columns of a list in their order, each with where it begins and its width in cells."""

    places: Mapping[Column, tuple[int, int]]

    def at(self, x: int) -> Column | None:
        """The column at a cell, or the one before the gap there."""
        found = None
        for column, (start, _) in self.places.items():
            if start <= x:
                found = column
        return found


@lru_cache(maxsize=8)
def layout(width: int, sort: Column) -> Layout:
    """Columns for a list of `width` cells; the one it is sorted by is among them if it can be."""
    widths = {Column.STATE: _MARK}
    left = width - _MARK - GAP
    title = max(_LEAST_TITLE, width * (32 if width < _NARROW else 40) // 100)
    wanted = list(_NEEDED)
    if sort in _WIDTHS:
        wanted.remove(sort)
        wanted.insert(0, sort)
    for column in wanted:
        more = _STATE_WORD - _MARK if column is Column.STATE else _WIDTHS[column] + GAP
        if left - more < title:
            if left < _EASY * 2:
                break
            continue
        widths[column] = _STATE_WORD if column is Column.STATE else _WIDTHS[column]
        left -= more
    for column, most in _GROWING:
        if widths.get(column, 0) > _MARK:
            more = max(0, min(left - max(_EASY, width * 2 // 5), most - widths[column]))
            widths[column] += more
            left -= more
    widths[Column.TITLE] = max(0, left)
    places: dict[Column, tuple[int, int]] = {}
    start = 0
    for column in Column:
        size = widths.get(column, 0)
        if size:
            places[column] = start, size
            start += size + GAP
    return Layout(places)


def heading_of(column: Column, width: int) -> str:
    """The name of a column in at most so many cells."""
    names = HEADINGS.get(column, (column.value,))
    return next((name for name in names if len(name) <= width), names[-1][:width])
