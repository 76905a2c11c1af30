"""Which level each row is shown at: the preferences, and what the reader changed since."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from msgspec import field

from agentview.domain.activity import Kind, RowKind
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value

# How much of an activity is shown, and what the reader prefers for each kind.


class DetailLevel(StrEnum):
    """How much of an activity is shown."""

    TITLE = "title"
    """One line."""
    SUMMARY = "summary"
    """The line and a short body."""
    FULL = "full"
    """Everything."""


__all__ = ["DEFAULT_LEVELS", "DetailLevel", "DetailPreferences", "Kind", "RowKind"]

_TITLE = (
    ToolKind.READ,
    ToolKind.GLOB,
    ToolKind.GREP,
    ToolKind.LS,
    ToolKind.SEM_SEARCH,
    ToolKind.READ_LINTS,
    ToolKind.MCP,
    ToolKind.SKILL,
    ToolKind.TOOL_SEARCH,
    ToolKind.MEMORY,
    ToolKind.SCHEDULE,
    ToolKind.GOAL,
    RowKind.REASONING,
    RowKind.NOTICE,
    RowKind.TOPIC,
    RowKind.ATTACHMENT,
    RowKind.HIDDEN,
    RowKind.BRANCH,
)
_FULL = (
    ToolKind.TODOS,
    ToolKind.PLAN,
    ToolKind.ASK,
    RowKind.REQUEST,
    RowKind.USER,
    RowKind.MESSAGE,
)

DEFAULT_LEVELS: Mapping[Kind, DetailLevel] = {
    **dict.fromkeys(_TITLE, DetailLevel.TITLE),
    **dict.fromkeys(_FULL, DetailLevel.FULL),
}
_CYCLE: Mapping[DetailLevel, DetailLevel] = {
    DetailLevel.TITLE: DetailLevel.SUMMARY,
    DetailLevel.SUMMARY: DetailLevel.FULL,
    DetailLevel.FULL: DetailLevel.TITLE,
}


class DetailPreferences(Value):
    """Level by name of a tool and by kind, and what expanding a row leads to.

    The first of these that says something: `default`, for all kinds; `by_name`, what the reader set
    for the tool; `chosen`, for the kind; `others`, for all kinds that the reader did not name;
    `by_tool`; else summary.
    """

    default: DetailLevel | None = None
    by_tool: Mapping[Kind, DetailLevel] = field(default_factory=lambda: dict(DEFAULT_LEVELS))
    by_name: Mapping[str, DetailLevel] = field(default_factory=dict[str, DetailLevel])
    others: DetailLevel | None = None
    chosen: Mapping[Kind, DetailLevel] = field(default_factory=dict[Kind, DetailLevel])
    expanded: DetailLevel | None = None
    """Level that a row is expanded to; None goes from title to summary to full."""
    expanded_by_kind: Mapping[Kind, DetailLevel] = field(default_factory=dict[Kind, DetailLevel])
    expanded_by_name: Mapping[str, DetailLevel] = field(default_factory=dict[str, DetailLevel])
    fold_looks: bool = False
    """Neighbouring rows that only looked are one row, until a level is chosen for them."""

    @property
    def has_names(self) -> bool:
        """True if names of tools matter, which only their records have."""
        return bool(self.by_name or self.expanded_by_name)

    def level(self, kind: Kind, names: Sequence[str] = ()) -> DetailLevel:
        """The level that a row of this kind, of a tool with these names, is shown at at first."""
        chosen = self.default or self._named(names) or self.chosen.get(kind) or self.others
        return chosen or self.by_tool.get(kind, DetailLevel.SUMMARY)

    def _named(self, names: Sequence[str]) -> DetailLevel | None:
        if not names:
            return None
        return next((self.by_name[name] for name in names if name in self.by_name), None)

    def after(self, level: DetailLevel, kind: Kind, names: Sequence[str] = ()) -> DetailLevel:
        """The level that expanding a row leads to; at the end of its way the row closes again."""
        by_name = self.expanded_by_name
        named = next((by_name[name] for name in names if name in by_name), None)
        target = named or self.expanded_by_kind.get(kind) or self.expanded
        if target is None:
            return _CYCLE[level]
        if level is not target:
            return target
        resting = self.level(kind, names)
        return resting if resting is not target else DetailLevel.TITLE


_FULL_LINES: MappingProxyType[Kind, int] = MappingProxyType(
    {
        RowKind.USER: 3,
        RowKind.NOTICE: 2,
        ToolKind.READ: 60,
        ToolKind.WRITE: 60,
        ToolKind.EDIT: 20,
        ToolKind.SHELL: 20,
        ToolKind.TODOS: 7,
        ToolKind.ASK: 7,
        RowKind.REQUEST: 7,
    }
)
_RAW_LINES = 40


def estimated_height(kind: Kind, level: DetailLevel) -> int:
    """Lines that a row of this kind is likely to take, before it is measured."""
    if level is DetailLevel.TITLE:
        return 1
    if level is DetailLevel.SUMMARY:
        return min(6, _FULL_LINES.get(kind, 12))
    return _FULL_LINES.get(kind, 12)


class Detail:
    """Levels and raw cards of the rows of one timeline."""

    def __init__(
        self, preferences: DetailPreferences, names_of: Callable[[int], Sequence[str]]
    ) -> None:
        """`names_of` gives the names of the tool of a row; it is asked only where they matter."""
        self._preferences = preferences
        self._names_of = names_of
        self._all: DetailLevel | None = None
        self._by_kind: dict[Kind, DetailLevel] = {}
        self._rows: dict[int, DetailLevel] = {}
        self._raw: set[int] = set()
        self._raw_all = False

    def kind_level(self, kind: Kind) -> DetailLevel:
        """Level of the rows of this kind that the reader did not change one by one."""
        return self._by_kind.get(kind) or self._all or self._preferences.level(kind)

    def level(self, row: int, kind: Kind) -> DetailLevel:
        """Level of the row."""
        chosen = self._rows.get(row) or self._by_kind.get(kind) or self._all
        return chosen or self._preferences.level(kind, self._names(row, kind))

    def folds(self, row: int, kind: Kind) -> bool:
        """Return True if a row that only looked may be part of a fold: nobody chose its level."""
        preferences = self._preferences
        if not preferences.fold_looks or self._all is not None or kind in self._by_kind:
            return False
        if row in self._rows or self.raw(row):
            return False
        usual = preferences.by_tool.get(kind, DetailLevel.SUMMARY)
        return preferences.level(kind, self._names(row, kind)) is usual

    def raw(self, row: int) -> bool:
        return self._raw_all != (row in self._raw)

    def estimate(self, row: int, kind: Kind) -> int:
        return _RAW_LINES if self.raw(row) else estimated_height(kind, self.level(row, kind))

    def estimate_kind(self, kind: Kind) -> int:
        """Lines that a row of the kind is likely to take when it was not changed on its own."""
        return _RAW_LINES if self._raw_all else estimated_height(kind, self.kind_level(kind))

    def changed(self) -> Iterable[int]:
        """Rows that do not go by their kind."""
        return self._rows.keys() | self._raw

    def set_all(self, level: DetailLevel | None) -> None:
        """Every row at one level, None for that of the preferences; other choices are forgotten."""
        self._all = level
        self._by_kind.clear()
        self._rows.clear()

    def set_kind(self, kind: Kind, level: DetailLevel, kind_of: Callable[[int], Kind]) -> None:
        """All rows of a kind at one level, also those that were changed one by one."""
        self._by_kind[kind] = level
        self._rows = {row: kept for row, kept in self._rows.items() if kind_of(row) != kind}

    def set_row(self, row: int, level: DetailLevel) -> None:
        self._rows[row] = level

    def cycle(self, row: int, kind: Kind) -> None:
        self._rows[row] = self._preferences.after(
            self.level(row, kind), kind, self._names(row, kind)
        )

    def _names(self, row: int, kind: Kind) -> Sequence[str]:
        named = self._preferences.has_names and isinstance(kind, ToolKind)
        return self._names_of(row) if named else ()

    def prefer(self, preferences: DetailPreferences) -> None:
        """Other preferences, which take the place of what was chosen for all rows and for kinds."""
        if preferences != self._preferences:
            self._preferences = preferences
            self._all = None
            self._by_kind.clear()

    def toggle_raw(self, row: int) -> None:
        self._raw ^= {row}

    def set_raw_all(self, raw: bool) -> None:
        """All cards turned over, or none."""
        self._raw_all = raw
        self._raw.clear()

    def forget_rows(self) -> None:
        """Drop what was chosen for single rows."""
        self._rows.clear()
        self._raw.clear()
