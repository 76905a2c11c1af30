"""Random sequences of all that can happen, against a document laid out in full.

What the terminal shows is compared, frame by painted frame: every line of the viewport is the line
of the document that belongs there, and the row that is held stays on its line.
"""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.pilot import Pilot

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from agentview.ui.timeline.timeline_view import TimelineView
from tests.ui.widgets.painted import MAKERS, TimelineApp, shown
from tests.ui.widgets.timeline_rows import MemoryRows, one, session, text_of

LEVELS = tuple(DetailLevel)
SOME_KINDS: tuple[Kind, ...] = (RowKind.MESSAGE, RowKind.USER, RowKind.REASONING)


class Walk:
    """A reader's walk through a session, with the whole session laid out beside it."""

    def __init__(self, app: TimelineApp, rows: MemoryRows, pilot: Pilot[None]) -> None:
        self.app, self.rows, self.pilot = app, rows, pilot
        self.view: TimelineView = app.timeline
        self.raw: set[int] = set()
        self.at = 0
        self.passes: Callable[[int], bool] | None = None

    def lines(self, row: int) -> list[str]:
        """All lines of a row as they must stand on the screen."""
        source = self.rows.items[row - self.rows.first]
        width = self.view.size.width - 1
        indent = min(MAKERS.indent(source), width // 4)
        make = MAKERS.raw_view if row in self.raw else MAKERS.view
        view = make(source, self.view.level(row), RenderContext(width - indent, PLAIN))
        texts = [" " * indent + strip.text for strip in view.strips(0, view.height)]
        rule: list[str] = []
        if self.rows.starts_turn(row):
            rows = range(self.rows.first, row + 1)
            number = sum(self.rows.starts_turn(each) for each in rows)
            rule = [" " * indent + f"── {number} ".ljust(width - indent, "─")]
        return [line.rstrip() for line in rule + texts]

    def document(self) -> tuple[list[str], dict[int, int]]:
        """The lines of all shown rows, and the first line of each row."""
        lines: list[str] = []
        tops: dict[int, int] = {}
        for row in range(self.rows.first, self.rows.end):
            if self.view.is_shown(row):
                tops[row] = len(lines)
                lines += self.lines(row)
        return lines, tops

    async def look(self) -> int:
        """Line of the document on the first line of the screen; everything painted is checked."""
        await self.pilot.pause()
        await self.pilot.pause()
        self.at = self.top()
        self.check_widgets()
        return self.at

    def check_widgets(self) -> None:
        """Each widget in view tells of its own row, whichever row it showed before."""
        view = self.view
        placements = view.arrange(view.size).placements
        placed = [item.widget for item in placements if isinstance(item.widget, ActivityWidget)]
        ends = (placed[0].row, placed[-1].row) if placed else (None, None)
        assert ends == (view.first_visible, view.last_visible)
        for widget in placed:
            row = widget.row
            assert row is not None
            expanded = row in self.raw or view.level(row) is not DetailLevel.TITLE
            assert widget.has_class("-expanded") == expanded
            assert widget.has_class("-selected") == (row == view.selected)
        marked = [widget for widget in view.query(".-selected") if widget not in placed]
        assert not marked
        assert self.app.focused is None

    def top(self) -> int:
        lines, tops = self.document()
        painted = self.app.painted
        expected_at = (
            range(max(0, len(lines) - len(painted)) + 1)
            if self.view.first_visible is None
            else range(tops[self.view.first_visible], len(lines))
        )
        for top in expected_at:
            expected = lines[top : top + len(painted)]
            expected += [""] * (len(painted) - len(expected))
            if painted == expected:
                assert top <= max(0, len(lines) - len(painted))
                return top
        raise AssertionError(f"painted {painted} is no part of the document")

    def held(self, top: int, *, resized: bool) -> tuple[int, int]:
        """The row that must stay, and its line."""
        _, tops = self.document()
        height = self.view.size.height
        inside = [row for row in tops if top <= tops[row] < top + height]
        if self.view.selected in inside and not resized:
            inside = [self.view.selected]
        row = inside[0] if inside else (self.view.first_visible or 0)
        return row, tops[row] - top

    async def passive(self, change: Callable[[], object], *, resized: bool = False) -> None:
        """Do what must not move the held row, and see that it does not."""
        top, follow = self.at, self.view.follow
        _, tops = self.document()
        row, line = self.held(top, resized=resized) if tops else (0, 0)
        selected = self.view.selected
        result = change()
        if asyncio.iscoroutine(result):
            await result
        after = await self.look()
        lines, tops = self.document()
        limit = max(0, len(lines) - self.view.size.height)
        if follow:
            assert after == limit
        elif row in tops:
            height = len(self.lines(row))
            wanted = min(max(tops[row] - max(line, 1 - height), 0), limit)
            moved_to_selected = resized and selected == self.view.selected
            assert after == wanted or (moved_to_selected and self.selected_in_view(after, tops))

    def selected_in_view(self, top: int, tops: dict[int, int]) -> bool:
        selected = self.view.selected
        return selected is not None and top <= tops[selected] < top + self.view.size.height

    async def step(self, name: str, number: int) -> None:
        """One thing that happens, or that the reader does."""
        view, rows = self.view, self.rows
        if name in CHANGES:
            await self.passive(lambda: CHANGES[name](self, number))
        elif name == "resize":
            size = 12 + number % 70, 3 + number % 29
            await self.passive(lambda: self.pilot.resize_terminal(*size), resized=True)
        elif name in MOVES:
            MOVES[name](view, number)
            await self.look()
        elif view.selected is not None:
            await self.expand(name, view.selected)
        assert len(rows.listeners) == 1

    async def expand(self, name: str, row: int) -> None:
        """Turn over or expand the selected row: its first line stays, or shows what came."""
        top = self.at
        line = self.document()[1][row] - top
        if name == "raw":
            self.raw ^= {row}
            self.view.toggle_raw(row)
        else:
            self.view.cycle_level(row)
        after = await self.look()
        lines, tops = self.document()
        if 0 <= line < self.view.size.height:
            height, seen = self.view.size.height, len(self.lines(row))
            low = line + min(seen, height // 3) > height
            at_edge = after in (0, max(0, len(lines) - height))
            assert tops[row] - after == line or low or at_edge
            assert tops[row] >= after


def update(walk: Walk, number: int) -> None:
    row = walk.rows.first + number % max(1, walk.rows.end - walk.rows.first)
    if not walk.rows.items:
        return
    name = text_of(walk.rows.items[row - walk.rows.first].body).split(".")[0][1:]
    walk.rows.replace(row, one(int(name), 1 + number % 9))


def add_filter(walk: Walk, number: int) -> None:
    walk.passes = (lambda row: row % (2 + number % 5) == 0) if number % 3 else None
    walk.view.set_filter(walk.passes)


def add_rows(count: int, start: int) -> list[Activity]:
    return session(count, start=start)


CHANGES: dict[str, Callable[[Walk, int], object]] = {
    "append": lambda walk, number: walk.rows.append(*add_rows(number % 7, walk.rows.end)),
    "prepend": lambda walk, number: walk.rows.prepend(
        *add_rows(number % 40, walk.rows.first - number % 40)
    ),
    "update": update,
    "level": lambda walk, number: walk.view.set_level_all(LEVELS[number % 3]),
    "kind": lambda walk, number: walk.view.set_level_kind(
        SOME_KINDS[number % 3], LEVELS[number // 3 % 3]
    ),
    "hidden": lambda walk, number: walk.view.set_show_hidden(bool(number % 2)),
    "filter": add_filter,
    "looks": lambda walk, _: walk.view.set_view(
        RenderContext(1, PLAIN), DetailPreferences(), ruled=True
    ),
    "theme": lambda walk, number: setattr(
        walk.app, "theme", ("nord", "gruvbox", "textual-light")[number % 3]
    ),
}
MOVES: dict[str, Callable[[TimelineView, int], object]] = {
    "j": lambda view, _: view.move(1),
    "k": lambda view, _: view.move(-1),
    "page down": lambda view, _: view.page(1),
    "page up": lambda view, _: view.page(-1),
    "scroll": lambda view, number: view.scroll_lines(number % 31 - 15),
    "home": lambda view, _: view.home(),
    "end": lambda view, _: view.end(),
    "turn": lambda view, number: view.next_turn(1 if number % 2 else -1),
    "drag": lambda view, number: view.show_fraction(number % 21 / 20),
}
NAMES = [*CHANGES, *MOVES, "resize", "cycle", "raw", "j", "k", "page up", "scroll"]


@pytest.mark.slow
@settings(max_examples=12)
@given(
    st.integers(0, 60),
    st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 10_000)), min_size=4, max_size=18),
)
def test_nothing_moves_on_the_screen_that_was_not_moved(
    count: int, steps: list[tuple[str, int]]
) -> None:
    async def walk() -> None:
        rows = MemoryRows(session(count))
        async with shown(rows) as (app, _, pilot):
            walking = Walk(app, rows, pilot)
            await walking.look()
            for name, number in steps:
                await walking.step(name, number)

    asyncio.run(walk())
