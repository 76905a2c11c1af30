"""Usage of the session: tokens, cost and context over time, and by their use."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum
from typing import ClassVar

from msgspec.structs import replace
from rich.style import Style

from agentview.domain.value import Value
from agentview.facts.usage.counter import UsageCounter
from agentview.facts.usage.report import Counted, SessionUsage, TurnUsage
from agentview.facts.usage.tally import Tally
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.format_numbers import (
    UNKNOWN,
    clock_time,
    counted,
    estimated,
    span,
    tokens,
)
from agentview.timeline.view.header import HeaderFacts, OpenSession
from agentview.timeline.view.rows_protocol import LogRows
from agentview.timeline.view.sanitize import one_line
from agentview.timeline.view.sparkline import bar, columns, resampled
from agentview.timeline.view.titles.title import StatusIcon, title_of
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.text_lines import Piece
from agentview.ui.widgets.panel.tab import PanelTab, PanelView, TabLine

# What a session used, as lines of the side panel: sums, plots over time, and what they went to.

_TALL = 3
"""Rows of a plot."""

_BAR = 8
_WIDE = 50
"""Cells from which there is room for bars, and for what else is good to know."""

_COLUMNS = (6, 7, 6, 10)
"""Cells of fresh input, cached input, output and cost."""

_FULL = 0.85
_LITTLE = 0.005

Draw = Callable[[int], TabLine]
"""Gives a line for so many cells."""


class UsageLine(Value, gc=True):
    """A line; one about a turn leads to its prompt."""

    draw: Draw
    turn: TurnUsage | None = None


class UsageLines:
    """Makes the lines; `prompt` gives the words of a turn as they may be shown."""

    def __init__(self, space: RenderContext, prompt: Callable[[TurnUsage], str]) -> None:
        self._palette = space.palette
        self._glyphs = space.glyphs
        self._unicode = not space.glyphs.rule.isascii()
        self._prompt = prompt

    def lines(self, counted_usage: Counted, facts: HeaderFacts) -> list[UsageLine]:
        """All lines, from top to bottom."""
        usage = counted_usage.usage
        parts = (
            self._sums(usage),
            self._pace(usage),
            self._context(usage, facts),
            self._time(usage),
            self._models(usage),
            self._tools(usage),
            self._turns(counted_usage),
        )
        found: list[UsageLine] = []
        if counted_usage.trouble is not None:
            found.append(self._text(counted_usage.trouble, self._palette.error))
        elif counted_usage.fraction < 1.0:
            found.append(
                self._text(f"counted {counted_usage.fraction:.0%} of the log", self._palette.dim)
            )
        for part in parts:
            lines = [*part]
            if lines:
                found += [*([self._text("", self._palette.dim)] if found else []), *lines]
        return found

    # Sums

    def _sums(self, usage: SessionUsage) -> Iterator[UsageLine]:
        yield self._head("", ("in", "cached", "out", "cost"))
        yield self._tally("total", usage.total, self._palette.strong, usage.cost.text())
        if usage.no_counts is not None:
            yield self._text(usage.no_counts, self._palette.dim)
        if usage.agents.responses:
            yield self._tally("the session itself", usage.own)
            yield self._tally("its sub-agents", usage.agents)
        if usage.abandoned.responses:
            yield self._tally("of it abandoned", usage.abandoned, self._palette.dim)
        if usage.cost.client is not None:
            yield self._pair("at list prices", _estimate(usage.total))
        yield self._pair("responses", f"{usage.total.responses:,}")
        if usage.total.cost is not None and not usage.total.cost_is_whole:
            yield self._text("+ some tokens have no known price", self._palette.dim)

    def _head(self, name: str, titles: Sequence[str]) -> UsageLine:
        dim = self._palette.dim
        right = "".join(f"{title:>{size}}" for title, size in zip(titles, _COLUMNS, strict=True))
        return UsageLine(lambda _: TabLine([(name, self._palette.heading)], [(right, dim)]))

    def _tally(
        self, name: str, tally: Tally, style: Style | None = None, reported: str | None = None
    ) -> UsageLine:
        usage, palette = tally.usage, self._palette
        fresh = usage.input_uncached
        if fresh is not None and usage.cache_write is not None:
            fresh += usage.cache_write
        counts = (fresh, usage.input_cached, usage.output)
        sums = "".join(
            f"{tokens(each):>{size}}" for each, size in zip(counts, _COLUMNS[:3], strict=True)
        )
        cost = f"{tally.worth().text() if reported is None else reported:>{_COLUMNS[3]}}"
        right = [(sums, palette.text), (cost, palette.number)]
        return UsageLine(lambda _: TabLine([(name, style or palette.text)], right))

    # Over time

    def _pace(self, usage: SessionUsage) -> Iterator[UsageLine]:
        points = usage.pace
        if not points:
            return
        cost = [point.cost for point in points]
        if any(cost):
            most = f"peak {estimated(max(cost))} in {span(points[0].seconds)}"
            yield self._title("cost over time", most)
            yield from self._plot(cost, fsum, self._palette.number)
        counts = [float(point.tokens) for point in points]
        yield self._title("tokens over time", f"peak {tokens(round(max(counts)))}")
        yield from self._plot(counts, fsum, self._palette.accent, rows=2)
        yield self._ends(points[0].time, points[-1].time + points[-1].seconds)

    def _context(self, usage: SessionUsage, facts: HeaderFacts) -> Iterator[UsageLine]:
        points, palette = usage.context, self._palette
        if not points:
            return
        window = usage.window or facts.context_window
        fill = points[-1].tokens / window if window else None
        held = tokens(points[-1].tokens)
        if fill is not None:
            share = f"{fill:.0%}" if fill >= _LITTLE or not fill else "<1%"
            held = f"{held} of {tokens(window)}, {share}"
        yield self._title("context", held)
        values = [float(point.tokens) for point in points]
        style = palette.warning if fill is not None and fill >= _FULL else palette.accent
        yield from self._plot(values, max, style, highest=float(window or 0))
        marked = [at for at, point in enumerate(points) if point.compacted]
        if usage.compactions:
            yield self._marks(marked, len(points))
            yield self._text(counted(usage.compactions, "compaction"), palette.warning)

    def _plot(
        self,
        values: Sequence[float],
        joined: Callable[[Iterable[float]], float],
        style: Style,
        *,
        rows: int = _TALL,
        highest: float = 0.0,
    ) -> Iterator[UsageLine]:
        """Columns over the width of the panel; where they are joined, the scale is theirs."""

        def row(at: int) -> Draw:
            def draw(width: int) -> TabLine:
                cells = resampled(values, width, joined)
                top = max([highest, *cells])
                return TabLine([(columns(cells, top, rows, unicode=self._unicode)[at], style)])

            return draw

        for at in range(rows):
            yield UsageLine(row(at))

    def _marks(self, marked: Sequence[int], count: int) -> UsageLine:
        sign = "▴" if self._unicode else "^"

        def draw(width: int) -> TabLine:
            cells = {at * width // count if count > 1 else 0 for at in marked}
            line = "".join(sign if cell in cells else " " for cell in range(width))
            return TabLine([(line, self._palette.warning)])

        return UsageLine(draw)

    def _ends(self, start: float, end: float) -> UsageLine:
        dim = self._palette.dim
        took = [(clock_time(end), dim)]
        return UsageLine(lambda _: TabLine([(clock_time(start), dim)], took))

    def _time(self, usage: SessionUsage) -> Iterator[UsageLine]:
        time, palette = usage.time, self._palette
        total = time.total
        if not total:
            return
        yield self._title("time", span(total))
        parts = (
            ("model", time.model, palette.accent),
            ("tools", time.tools, palette.success),
            ("waiting for you", time.person, palette.user),
            ("unknown", time.unknown, palette.dim),
        )
        for name, seconds, style in parts:
            if seconds:
                yield self._share(name, seconds, total, span(seconds), style)

    # What it went to

    def _models(self, usage: SessionUsage) -> Iterator[UsageLine]:
        models = sorted(usage.by_model.items(), key=lambda item: -(item[1].tokens or 0))
        if models:
            yield self._head("model", ("in", "cached", "out", "cost"))
        for name, tally in models:
            yield self._tally(one_line(name or UNKNOWN), tally)

    def _tools(self, usage: SessionUsage) -> Iterator[UsageLine]:
        tools = sorted(usage.tools.items(), key=lambda item: (-item[1].calls, item[0]))
        if tools:
            yield self._head("tool", ("calls", "time", "out", "cost"))
        for tool, _ in tools:
            yield self._tool(usage, tool)

    def _tool(self, usage: SessionUsage, tool: str) -> UsageLine:
        each, tally, palette = usage.tools[tool], usage.by_tool.get(tool, Tally()), self._palette
        cost = tally.worth().text()
        cells = (f"{each.calls:,}", span(each.seconds), tokens(tally.usage.output))
        counts = "".join(f"{text:>{size}}" for text, size in zip(cells, _COLUMNS[:3], strict=True))
        left: list[Piece] = [(one_line(tool, 24), palette.text)]
        if each.problems:
            left.append(
                (f" {each.problems:,}{self._glyphs.marks[StatusIcon.FAILED]}", palette.error)
            )
        right = [(counts, palette.text), (f"{cost:>{_COLUMNS[3]}}", palette.number)]
        return UsageLine(lambda _: TabLine(left, right))

    def _turns(self, counted_usage: Counted) -> Iterator[UsageLine]:
        turns = counted_usage.usage.turns
        if not turns:
            return
        most = max(turn.tally.tokens or 0 for turn in turns)
        yield self._title("turn", "tokens     cost")
        for turn in turns:
            yield self._turn(turn, most)
        if counted_usage.turns > len(turns):
            left = counted(counted_usage.turns - len(turns), "turn")
            yield self._text(f"{left} that used less", self._palette.dim)

    def _turn(self, turn: TurnUsage, most: int) -> UsageLine:
        palette, used = self._palette, turn.tally.tokens
        cost = turn.tally.worth().text()
        number = f"{turn.number} " if turn.number else ""

        def draw(width: int) -> TabLine:
            right: list[Piece] = [(f"{tokens(used):>6}", palette.text)]
            right.append((f"{cost:>{_COLUMNS[3]}}", palette.number))
            if width >= _WIDE:
                drawn = bar(used or 0, most, _BAR, unicode=self._unicode)
                right.insert(0, (drawn.ljust(_BAR), palette.accent))
            words = self._prompt(turn) if turn.place else "before the first prompt"
            if turn.abandoned:
                return TabLine([("abandoned ", palette.dim), (words, palette.dim)], right)
            return TabLine([(number, palette.dim), (words, palette.text)], right)

        return UsageLine(draw, turn)

    # Forms

    def _share(self, name: str, part: float, whole: float, amount: str, style: Style) -> UsageLine:
        palette = self._palette

        def draw(width: int) -> TabLine:
            room = max(4, width - 30)
            drawn = bar(part, whole, room, unicode=self._unicode)
            left = [(f"{name:<16}", palette.text), (drawn, style)]
            return TabLine(left, [(f"{amount:>5} {part / whole:>4.0%}", palette.dim)])

        return UsageLine(draw)

    def _title(self, name: str, heads: str) -> UsageLine:
        palette = self._palette
        return UsageLine(lambda _: TabLine([(name, palette.heading)], [(heads, palette.dim)]))

    def _pair(self, name: str, value: str) -> UsageLine:
        palette = self._palette
        return UsageLine(lambda _: TabLine([(name, palette.dim)], [(value, palette.text)]))

    def _text(self, text: str, style: Style) -> UsageLine:
        return UsageLine(lambda _: TabLine([(text, style)]))


def _estimate(tally: Tally) -> str:
    return estimated(tally.cost, whole=tally.cost_is_whole)


_EVERY = 1.0
"""Seconds between two counts of a log that grows, at least."""


class UsageTab(PanelTab):
    """Counted by a worker, which is started when the tab is first seen and then kept.

    It counts on while the tab is seen and the log grows.
    """

    NAME: ClassVar[str] = "Usage"

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._counter: UsageCounter | None = None
        self._counted: Counted | None = None
        self._lines: list[UsageLine] = []
        self._trouble: str | None = None
        self._due = False
        """Whether a count is to follow."""

    def begin(self) -> None:
        """Show what was counted last, and count on."""
        if self._counter is None:
            self._trouble = None
            self._counter = UsageCounter(self.session.ref, self._take_count, self._counter_ended)
        self._counter.ask()
        self._show()

    def take(self, change: RowsChanged) -> None:
        if (change.appended or change.updated) and not self._due:
            self._due = True
            self.set_timer(_EVERY, self._count_on)

    def on_unmount(self) -> None:
        """Count no more."""
        super().on_unmount()
        if self._counter is not None:
            self._counter.close()

    def row_of_line(self, index: int) -> int | None:
        """The prompt of a turn."""
        turn = self._lines[index].turn if index < len(self._lines) else None
        return None if turn is None else self._row(turn)

    def line(self, index: int, width: int) -> TabLine:
        """A line of what was counted."""
        if index < len(self._lines):
            return self._lines[index].draw(width)
        text = "counting" if self._trouble is None else self._trouble
        return TabLine([(text, self.view.space.palette.dim)])

    def _count_on(self) -> None:
        self._due = False
        if self.visible_now and self._counter is not None:
            self._counter.ask()

    def _take_count(self, count: Counted) -> None:
        self._counted = count
        if self.visible_now:
            self._show()

    def _counter_ended(self) -> None:
        self._counter = None
        self._trouble = "counting stopped: its process ended"
        if self.visible_now:
            self._show()

    def _show(self) -> None:
        if self._counted is not None:
            making = UsageLines(self.view.space, self._prompt)
            count = replace(self._counted, trouble=self._trouble or self._counted.trouble)
            self._lines = making.lines(count, self.session.header())
        self.show_lines(max(1, len(self._lines)))

    def _row(self, turn: TurnUsage) -> int | None:
        if turn.place is None or not isinstance(self.session.store, LogRows):
            return None
        return self.session.store.row_of(*turn.place)

    def _prompt(self, turn: TurnUsage) -> str:
        row = self._row(turn)
        if row is None:
            return self.view.space.glyphs.ellipsis
        return title_of(self.view.seen(self.session.store.activity(row))).subject
