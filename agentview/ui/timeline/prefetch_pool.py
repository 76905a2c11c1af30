"""Which widgets a timeline mounts beforehand, so that no row waits for one."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import ceil
from typing import Generic, TypeVar

from textual.widget import Widget

from agentview.domain.activity import Kind
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.messages import WidgetsPrepared
from agentview.ui.timeline.scrollbar import TurnSeparator

# Mounted widgets that are used again and again, by class: no row in view waits for a mount.

WidgetType = TypeVar("WidgetType", bound=Widget)

CardClasses = Mapping[int, type[ActivityWidget]]
"""Classes of the widgets of rows."""
RuleClasses = Mapping[int, type[TurnSeparator]]
"""Classes of the rules above rows."""

_SPARE = 3
"""Widgets more than needed that are made whenever some are missing."""

_POOL_LEAST = 2
"""Idle widgets of a class that are made beforehand."""


class WidgetPool(Generic[WidgetType]):
    """Widgets that show a row, and idle ones of each class."""

    def __init__(self) -> None:
        self.shown: dict[int, WidgetType] = {}
        self._idle: dict[type[WidgetType], list[WidgetType]] = {}
        self._coming: Counter[type[WidgetType]] = Counter()

    def order(self, wanted: Mapping[int, type[WidgetType]]) -> tuple[bool, list[WidgetType]]:
        """Return True if there are widgets enough for the rows, and new ones that must be mounted.

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
        """True if less than two widgets of a class in use are idle: the next row may find none."""
        return any(
            len(self._idle.get(made, ())) + self._coming[made] < _POOL_LEAST
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
            short = max(_POOL_LEAST - idle, wanted.get(made, 0) - idle - here[made])
            if short > 0:
                count = min(short, limit)
                self._coming[made] += count
                return [made() for _ in range(count)]
        return []

    def add(self, widgets: Iterable[WidgetType]) -> None:
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


SAMPLE = 4096
"""Rows, from the end of a session on, by whose kinds is reckoned what will come into view."""

_EVERY = 0.04
"""Seconds between steps."""
_STEP = 4
"""Widgets made at a time: a key waits little for them."""
_LEAST = 2
_MORE = 1.3
"""Rows of a kind come in runs."""


class PrefetchPool:
    """Mounts the widgets of rows: those that are missing at once, others when there is time."""

    def __init__(
        self,
        owner: Widget,
        widget_for: Callable[[Kind], type[ActivityWidget]],
        came: Callable[[], None],
    ) -> None:
        """`owner` is whose children they are; `came` is called when missing ones are mounted."""
        self.cards: WidgetPool[ActivityWidget] = WidgetPool()
        self.rules: WidgetPool[TurnSeparator] = WidgetPool()
        self.mounting = 0
        """How many mounts are under way, which shall ask for no layout."""
        self._owner = owner
        self._widget_for = widget_for
        self._came = came
        self._expected: dict[type[ActivityWidget], int] = {}
        self._kinds: list[tuple[Kind, int]] = []
        self._stocking = False
        self._settled = False

    def assign(self, cards: CardClasses, rules: RuleClasses) -> bool:
        """Give rows their widgets; False while some of them must be mounted first."""
        enough, fresh = self.cards.order(cards)
        enough_rules, fresh_rules = self.rules.order(rules)
        if fresh or fresh_rules:
            self._owner.call_next(self._mount_missing, fresh, fresh_rules)
        if not (enough and enough_rules):
            return False
        self.cards.assign(cards)
        self.rules.assign(rules)
        return True

    def expect(self, census: Mapping[Kind, int], height: int) -> None:
        """Expect a screen of so many titles, of kinds in these proportions."""
        rows = sum(census.values())
        self._kinds = [
            (kind, ceil(count / rows * height * _MORE)) for kind, count in census.items()
        ]
        self._stock_soon()

    def stock(self) -> None:
        if self._short:
            self._stock_soon()

    @property
    def _short(self) -> bool:
        return bool(self._kinds) or self.cards.scarce() or self.rules.scarce()

    def _take(self) -> tuple[list[ActivityWidget], list[TurnSeparator]]:
        """A few new widgets, to be mounted and given to their pools; none when all is there."""
        if self._kinds:
            # Its module may have to be imported first: one at a time.
            kind, count = self._kinds.pop()
            made = self._widget_for(kind)
            self._expected[made] = self._expected.get(made, _LEAST) + count
        cards = self.cards.stock(self._expected, _STEP)
        return cards, [] if cards else self.rules.stock({TurnSeparator: _STEP}, _STEP)

    async def _mount_missing(self, cards: list[ActivityWidget], rules: list[TurnSeparator]) -> None:
        if self._owner.is_attached:
            await self._mount(cards, rules)
            self._came()

    async def _mount(self, cards: list[ActivityWidget], rules: list[TurnSeparator]) -> None:
        self.mounting += 1
        await self._owner.mount(*cards, *rules)
        # Textual waits for the mount in a call of its own too, which comes before this one.
        self._owner.call_next(self._mounted)
        self.cards.add(cards)
        self.rules.add(rules)

    def _mounted(self) -> None:
        self.mounting -= 1

    def _stock_soon(self) -> None:
        if not self._stocking:
            self._stocking = True
            self._owner.set_timer(_EVERY, self._mount_stock)

    async def _mount_stock(self) -> None:
        """Mount some of what will be needed; nothing of it is drawn."""
        self._stocking = False
        if not self._owner.is_attached:
            return
        cards, rules = self._take()
        if cards or rules:
            await self._mount(cards, rules)
        if cards or rules or self._short:
            self._stock_soon()
        elif not self._settled:
            self._settled = True
            self._owner.post_message(WidgetsPrepared())
