"""Which widgets a timeline mounts beforehand, so that no row waits for one."""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Self

from textual.geometry import Region
from textual.widget import Widget

from agentview.domain.activity import Kind
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.messages import AllMade
from agentview.ui.timeline.scrollbar import TurnRule
from agentview.ui.timeline.widget_pool import Pool

SAMPLE = 4096
"""Rows, from the end of a session on, by whose kinds is reckoned what will come into view."""

_EVERY = 0.04
"""Seconds between steps."""
_STEP = 4
"""Widgets made at a time: a key waits little for them."""
_LEAST = 2
_MORE = 1.3
"""Rows of a kind come in runs."""


class Stock:
    """What is short in two pools: for the kinds of a session, and for those in view now."""

    def __init__(
        self,
        cards: Pool[ActivityWidget],
        rules: Pool[TurnRule],
        widget_for: Callable[[Kind], type[ActivityWidget]],
    ) -> None:
        self._cards = cards
        self._rules = rules
        self._widget_for = widget_for
        self._expected: dict[type[ActivityWidget], int] = {}
        self._kinds: list[tuple[Kind, int]] = []

    def expect(self, census: Mapping[Kind, int], height: int) -> None:
        """Expect a screen of so many titles, of kinds in these proportions."""
        rows = sum(census.values())
        self._kinds = [
            (kind, ceil(count / rows * height * _MORE)) for kind, count in census.items()
        ]

    @property
    def short(self) -> bool:
        """Whether `take` may give something."""
        return bool(self._kinds) or self._cards.scarce() or self._rules.scarce()

    def take(self) -> tuple[list[ActivityWidget], list[TurnRule]]:
        """A few new widgets, to be mounted and given to their pools; none when all is there."""
        if self._kinds:
            # Its module may have to be imported first: one at a time.
            kind, count = self._kinds.pop()
            made = self._widget_for(kind)
            self._expected[made] = self._expected.get(made, _LEAST) + count
        cards = self._cards.stock(self._expected, _STEP)
        return cards, [] if cards else self._rules.stock({TurnRule: _STEP}, _STEP)


class StockedWidget(Widget):
    """Mounts the widgets of rows: those that are missing at once, others when there is time."""

    def __init__(
        self,
        widget_for: Callable[[Kind], type[ActivityWidget]],
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._widget_for = widget_for
        self._pool: Pool[ActivityWidget] = Pool()
        self._rules: Pool[TurnRule] = Pool()
        self._stock = Stock(self._pool, self._rules, widget_for)
        self._stocking = False
        self._settled = False
        self._mounting = 0

    def _came(self) -> None:
        """Missing widgets are there."""

    def _expect_kinds(self, census: Mapping[Kind, int], height: int) -> None:
        self._stock.expect(census, height)
        self._stock_soon()

    async def _mount_more(self, cards: list[ActivityWidget], rules: list[TurnRule]) -> None:
        if self.is_attached:
            await self._mount(cards, rules)
            self._came()

    async def _mount(self, cards: list[ActivityWidget], rules: list[TurnRule]) -> None:
        self._mounting += 1
        await self.mount(*cards, *rules)
        # Textual waits for the mount in a call of its own too, which comes before this one.
        self.call_next(self._mounted)
        self._pool.add(cards)
        self._rules.add(rules)

    def _mounted(self) -> None:
        self._mounting -= 1

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """As for any widget, but that mounting asks for no layout: the next frame has its own."""
        if self._mounting and layout:
            return self
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def _stock_soon(self) -> None:
        if not self._stocking:
            self._stocking = True
            self.set_timer(_EVERY, self._mount_stock)

    async def _mount_stock(self) -> None:
        """Mount some of what will be needed; nothing of it is drawn."""
        self._stocking = False
        if not self.is_attached:
            return
        cards, rules = self._stock.take()
        if cards or rules:
            await self._mount(cards, rules)
        if cards or rules or self._stock.short:
            self._stock_soon()
        elif not self._settled:
            self._settled = True
            self.post_message(AllMade())
