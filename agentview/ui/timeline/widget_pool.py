"""Mounted widgets that are used again and again, by class: no row in view waits for a mount."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from textual.widget import Widget

WidgetType = TypeVar("WidgetType", bound=Widget)

_SPARE = 3
"""Widgets more than needed that are made whenever some are missing."""

_LEAST = 2
"""Idle widgets of a class that are made beforehand."""


class Pool(Generic[WidgetType]):
    """Widgets that show a row, and idle ones of each class."""

    def __init__(self) -> None:
        self.shown: dict[int, WidgetType] = {}
        self._idle: dict[type[WidgetType], list[WidgetType]] = {}
        self._coming: Counter[type[WidgetType]] = Counter()

    def order(self, wanted: Mapping[int, type[WidgetType]]) -> tuple[bool, list[WidgetType]]:
        """Whether there are widgets enough for the rows, and new ones that must be mounted.

        New widgets count as coming until they are given to `add`, and are not ordered twice.
        """
        needed = Counter(wanted.values())
        here = Counter(type(widget) for widget in self.shown.values())
        enough, fresh = True, list[WidgetType]()
        for made, count in needed.items():
            missing = count - here[made] - len(self._idle.get(made, ()))
            if missing <= 0:
                continue
            enough = False
            if (short := missing - self._coming[made]) > 0:
                fresh += [made() for _ in range(short + _SPARE)]
                self._coming[made] += short + _SPARE
        return enough, fresh

    def scarce(self) -> bool:
        """Whether less than two widgets of a class in use are idle: the next row may find none."""
        return any(
            len(self._idle.get(made, ())) + self._coming[made] < _LEAST
            for made in {type(widget) for widget in self.shown.values()}
        )

    def stock(self, wanted: Mapping[type[WidgetType], int], limit: int) -> list[WidgetType]:
        """At most `limit` new widgets of one class, that must be mounted and given to `add`.

        There shall be `wanted` of each class, and two idle ones of each that is in use. Gives none
        when there are.
        """
        here = Counter(type(widget) for widget in self.shown.values())
        for made in {**wanted, **here}:
            idle = len(self._idle.get(made, ())) + self._coming[made]
            short = max(_LEAST - idle, wanted.get(made, 0) - idle - here[made])
            if short > 0:
                count = min(short, limit)
                self._coming[made] += count
                return [made() for _ in range(count)]
        return []

    def add(self, widgets: Iterable[WidgetType]) -> None:
        """Take widgets that are mounted by now."""
        for widget in widgets:
            self._coming[type(widget)] -= 1
            self._idle.setdefault(type(widget), []).append(widget)

    def assign(self, wanted: Mapping[int, type[WidgetType]]) -> None:
        """Give every row a widget of its class; a row keeps the one it has.

        There must be enough of them, see `order`.
        """
        kept: dict[int, WidgetType] = {}
        for row, widget in self.shown.items():
            if wanted.get(row) is type(widget):
                kept[row] = widget
            else:
                self._idle.setdefault(type(widget), []).append(widget)
        self.shown = {
            row: kept[row] if row in kept else self._idle[made].pop()
            for row, made in wanted.items()
        }

    def surplus(self, limit: int) -> list[WidgetType]:
        """Idle widgets beyond `limit`, taken out of the pool: to be removed from the screen."""
        gone: list[WidgetType] = []
        over = sum(map(len, self._idle.values())) - limit
        for idle in sorted(self._idle.values(), key=len, reverse=True):
            while over > 0 and len(idle) > _SPARE:
                gone.append(idle.pop())
                over -= 1
        return gone
