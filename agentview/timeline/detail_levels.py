"""Which level each row is shown at: the preferences, and what the reader changed since."""

from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType

from agentview.domain.activity import Kind, RowKind
from agentview.domain.tools import ToolKind
from agentview.timeline.levels import DetailLevel, DetailPreferences

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

    def raw(self, row: int) -> bool:
        """Whether the row shows its raw records."""
        return self._raw_all != (row in self._raw)

    def estimate(self, row: int, kind: Kind) -> int:
        """Lines that the row is likely to take."""
        return _RAW_LINES if self.raw(row) else estimated_height(kind, self.level(row, kind))

    def estimate_kind(self, kind: Kind) -> int:
        """Lines that a row of the kind is likely to take when it was not changed on its own."""
        return _RAW_LINES if self._raw_all else estimated_height(kind, self.kind_level(kind))

    def changed(self) -> Iterable[int]:
        """Rows that do not go by their kind."""
        return self._rows.keys() | self._raw

    def set_all(self, level: DetailLevel) -> None:
        """Every row at one level; what was chosen for kinds and rows is forgotten."""
        self._all = level
        self._by_kind.clear()
        self._rows.clear()

    def set_kind(self, kind: Kind, level: DetailLevel, kind_of: Callable[[int], Kind]) -> None:
        """All rows of a kind at one level, also those that were changed one by one."""
        self._by_kind[kind] = level
        self._rows = {row: kept for row, kept in self._rows.items() if kind_of(row) != kind}

    def set_row(self, row: int, level: DetailLevel) -> None:
        """One row at a level."""
        self._rows[row] = level

    def cycle(self, row: int, kind: Kind) -> None:
        """The row at the level that expanding it leads to."""
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
        """Turn the card of the row over."""
        self._raw ^= {row}

    def set_raw_all(self, raw: bool) -> None:
        """All cards turned over, or none."""
        self._raw_all = raw
        self._raw.clear()

    def forget_rows(self) -> None:
        """Drop what was chosen for single rows."""
        self._rows.clear()
        self._raw.clear()
