"""The rows of the usage view: a key, its figures and a bar."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.message import Message

from agentview.domain.value import Value
from agentview.facts.usage.group_by import GroupKey
from agentview.sessions.spending.table import UsageRow, UsageTable
from agentview.timeline.view.format_numbers import UNKNOWN, tokens
from agentview.timeline.view.sanitize import clean, one_line
from agentview.timeline.view.sparkline import bar
from agentview.ui.widgets.lists.column_names import ColumnName
from agentview.ui.widgets.lists.session_cells import padded
from agentview.ui.widgets.lists.session_columns import GAP
from agentview.ui.widgets.lists.session_signs import UNICODE_SIGNS, Signs
from agentview.ui.widgets.lists.virtual_list import Cell, RowList

_TOKENS = 6
_COST = 9
_SESSIONS = 8
_LEAST_NAME = 12
_MOST_NAME = 60
_LEAST_BAR = 8
_MOST_BAR = 60
_TITLE = 200
_WIDE = 76
"""Cells from which kinds of tokens have columns of their own."""


class MoreRows(Value):
    """The line below the rows: how many are left out."""

    count: int


Row = UsageRow | MoreRows


class UsageColumns(Value):
    """Cells of each column, 0 for one that is left out."""

    name: int
    sessions: int
    tokens: int
    fresh: int
    cached: int
    output: int
    cost: int
    bar: int


def columns_for(table: UsageTable, names: Sequence[int], width: int) -> UsageColumns:
    """The columns that fit; `names` are the cells of the names of rows."""
    cost = max((len(row.cost.text()) for row in table.rows), default=0)
    wide = width >= _WIDE
    counts = table.by is not GroupKey.SESSION
    sizes = {
        "sessions": _SESSIONS if wide and counts else 0,
        "tokens": 0 if wide else _TOKENS if width >= 40 else 0,
        "fresh": _TOKENS if wide else 0,
        "cached": _TOKENS if wide else 0,
        "output": _TOKENS + 1 if wide else 0,
        "cost": max(_COST, cost) if width >= 24 else 0,
    }
    left = width - sum(size + GAP for size in sizes.values() if size)
    least = max(_LEAST_NAME, left - _LEAST_BAR - GAP)
    name = min(max([*names, _LEAST_NAME]), _MOST_NAME, least) if left > _LEAST_NAME else left
    room = left - name - GAP
    drawn = min(room, _MOST_BAR) if room >= _LEAST_BAR else 0
    if not drawn:
        name = left
    elif room > drawn:
        name = min(max([*names, _LEAST_NAME]), name + room - drawn)
    return UsageColumns(name=max(0, name), bar=drawn, **sizes)


class UsageList(RowList[Row]):
    """A row for each key, the cursor on one of them."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--bar", "list--cost"}

    DEFAULT_CSS = """
    UsageList {
        .list--bar { color: $accent; }
        .list--cost { color: $foreground; text-style: bold; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants to see the sessions of a row."""

        row: UsageRow

    def __init__(self, name_of: Callable[[UsageRow], str], signs: Signs = UNICODE_SIGNS) -> None:
        """`name_of` says what a row is called."""
        super().__init__()
        self._name_of = name_of
        self._signs = signs
        self._table = UsageTable(GroupKey.DAY)
        self._names: Mapping[str | None, str] = {}
        self._columns: tuple[int, UsageColumns] | None = None
        self._most = 0.0

    def set_signs(self, signs: Signs) -> None:
        """Draw with other signs."""
        self._signs = signs
        self._columns = None
        self.refresh()

    def show_table(self, table: UsageTable) -> None:
        """Show the rows of a table."""
        self._table = table
        self._names = {row.key: clean(one_line(self._name_of(row), _TITLE)) for row in table.rows}
        self._columns = None
        self._most = max((self._amount(row) for row in table.rows), default=0.0)
        more = (MoreRows(table.more),) if table.more else ()
        self.show_rows([*table.rows, *more])

    @property
    def by_cost(self) -> bool:
        """True if bars show the cost, False if they show tokens since no cost is known."""
        return bool(self._table.cost.shown)

    def _amount(self, row: UsageRow) -> float:
        return (row.cost.shown if self.by_cost else row.tally.tokens) or 0.0

    def on_resize(self) -> None:
        """Lay out for the new width."""
        self._columns = None
        super().on_resize()

    @property
    def columns(self) -> UsageColumns:
        """The columns as they are now."""
        width = self.scrollable_content_region.width
        if self._columns is None or self._columns[0] != width:
            names = list(map(cell_len, self._names.values()))
            self._columns = width, columns_for(self._table, names, width)
        return self._columns[1]

    @property
    def table(self) -> UsageTable:
        return self._table

    def column_names(self, name: str) -> Sequence[ColumnName]:
        """The names of the columns; `name` is that of the first."""
        columns = self.columns
        return (
            (name, columns.name, False),
            ("sessions", columns.sessions, True),
            ("tokens", columns.tokens, True),
            ("in", columns.fresh, True),
            ("cached", columns.cached, True),
            ("out", columns.output, True),
            ("cost", columns.cost, True),
        )

    def path_of(self, row: Row) -> str | None:
        return None if isinstance(row, MoreRows) else f"{self._table.by}:{row.key or ''}"

    def choose(self, row: Row) -> None:
        if isinstance(row, UsageRow):
            self.post_message(self.Chosen(row))

    def cells_of(self, row: Row, width: int) -> Sequence[Cell]:
        """The cells of a row."""
        if isinstance(row, MoreRows):
            return [(padded(f"… {row.count:,} more that used less", width), "list--quiet")]
        columns, usage = self.columns, row.tally.usage
        fresh = usage.input_uncached
        if fresh is not None and usage.cache_write is not None:
            fresh += usage.cache_write
        output = f"{tokens(usage.output)}{'+' if usage.unfinished else ''}"
        plot = bar(self._amount(row), self._most, columns.bar, unicode=not self._signs.ascii)
        figures = (
            (f"{row.sessions:,}", columns.sessions, "list--quiet"),
            (tokens(row.tally.tokens), columns.tokens, "list--quiet"),
            (tokens(fresh), columns.fresh, "list--quiet"),
            (tokens(usage.input_cached), columns.cached, "list--quiet"),
            (output, columns.output, "list--quiet"),
            (row.cost.text(), columns.cost, "list--cost"),
        )
        named = "list--untitled" if row.key is None else "list--title"
        cells: list[Cell] = [(padded(self._names.get(row.key, UNKNOWN), columns.name), named)]
        for text, size, style in figures:
            if size:
                cells += [(" " * GAP, "list--quiet"), (padded(text, size, right=True), style)]
        if columns.bar:
            cells += [(" " * GAP, "list--quiet"), (padded(plot, columns.bar), "list--bar")]
        return cells
