"""The widget of one activity: a title line and, by detail level, a body; recycled by row."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.activity import Activity, Kind, RowKind, row_kind
from agentview.domain.tools import ToolKind
from agentview.settings.values import TimeFormat
from agentview.timeline.levels import DetailLevel
from agentview.timeline.titles import Mark, title_of
from agentview.ui.messages import ActivityClicked
from agentview.ui.render.body import Body, Space
from agentview.ui.render.marking import Marks, mark_bookmark, mark_found
from agentview.ui.render.title_line import columns_of, subject_fits, title_strip

_MAX_STRIPS = 400
_STATES = {
    Mark.FAILED: "-failed",
    Mark.RUNNING: "-running",
    Mark.STREAMING: "-running",
    Mark.DENIED: "-denied",
}
_EXPANDED = "-expanded"
_UNMARKED = Marks()


class ActivityView:
    """An activity laid out at one level and width: measures and renders with the same code.

    Row 0 is the title line, the rows below it are the body behind a quiet gutter. Holds no widget,
    so that text output and the screen share it. `body`, when given, stands in place of the one
    that level and kind make of the activity; it must fit `body_space`.
    """

    def __init__(
        self,
        activity: Activity,
        level: DetailLevel,
        space: Space,
        *,
        body: Body | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.activity = activity
        self.level = level
        self.title = title_of(activity)
        self._space = space
        self._clock = clock
        self._strips: dict[int, Strip] = {}
        shows = widget_for(row_kind(activity.body))
        if body is None and level is not DetailLevel.TITLE:
            body = shows.body(activity, level, body_space(space))
            if body is not None and shows.REPEATS_TITLE:
                body = self._without_repetition(body)
        self._body = body if body is not None and body.height else None
        self._gutter = self._make_gutter()

    @property
    def height(self) -> int:
        """Rows, title included."""
        return 1 + (self._body.height if self._body else 0)

    def strips(self, start: int, stop: int) -> Sequence[Strip]:
        """Rows `start` to `stop` as strips of exactly the width of the space."""
        wanted = range(max(0, start), min(stop, self.height))
        missing = [row for row in wanted if row and row not in self._strips]
        if missing and self._body:
            if len(self._strips) + len(missing) > _MAX_STRIPS:
                self._strips.clear()
                missing = [row for row in wanted if row]
            made = self._body.strips(missing[0] - 1, missing[-1])
            for row, strip in enumerate(made, missing[0]):
                joined = Strip.join([self._gutter, strip])
                self._strips[row] = joined.adjust_cell_length(self._space.width)
        blank = Strip.blank(self._space.width)
        return [self._strips.get(row, blank) if row else self._title_strip() for row in wanted]

    def marked(self, strips: Sequence[Strip], start: int, marks: Marks) -> Sequence[Strip]:
        """Rows from `start` on with marks laid over them: none over signs, times and gutters."""
        palette, width = self._space.palette, self._space.width
        columns = columns_of(width, self._space.times)
        rows = list(strips)
        if marks.found is not None:
            for row, strip in enumerate(rows, max(0, start)):
                end = width if row or self.title.duration is None else width - columns.duration
                text = (columns.mark + 2, end)
                rows[row - max(0, start)] = mark_found(strip, marks.found, palette.match, *text)
        if marks.bookmarked and rows and start <= 0:
            sign = self._space.glyphs.bookmark
            rows[0] = mark_bookmark(rows[0], columns.left, sign, palette.accent)
        return rows

    def _title_strip(self) -> Strip:
        running = self.activity.live and self.activity.ended is None
        if running and self.title.duration is None and self.activity.started is not None:
            passed = max(0.0, self._clock() - self.activity.started)
            # Whole seconds: the row is drawn once a second, and fractions would look like more.
            title = replace(self.title, duration=float(int(passed)))
            return title_strip(title, self._space, self._clock())
        if self._space.times is TimeFormat.RELATIVE:
            return title_strip(self.title, self._space, self._clock())
        if 0 not in self._strips:
            self._strips[0] = title_strip(self.title, self._space)
        return self._strips[0]

    def _without_repetition(self, body: Body) -> Body | None:
        """No body where the title says it all, else no subject in the title."""
        if body.height <= 1 and subject_fits(self.title, self._space.width, self._space.times):
            return None
        self.title = replace(self.title, subject="")
        return body

    def _make_gutter(self) -> Strip:
        palette, glyphs = self._space.palette, self._space.glyphs
        column = columns_of(self._space.width, self._space.times).mark
        by_person = self.title.kind is RowKind.USER
        sign = f" {glyphs.bar}" if by_person else f"{glyphs.gutter} "
        style = palette.user if by_person else palette.border
        return Strip([Segment(" " * column, palette.border), Segment(sign, style)], column + 2)


class ActivityWidget(Widget):
    """Base of all widgets of the timeline; a subclass says which kinds it shows and how."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ActivityWidget {
        width: 1fr;
        height: auto;
        background: $background;
        color: $foreground;
        &.-selected {
            background: $row-selected;
        }
    }
    """

    KINDS: ClassVar[tuple[Kind, ...]] = ()
    REPEATS_TITLE: ClassVar[bool] = False
    """The body begins with what the title says, so the title leaves it out above a body."""

    def __init__(self) -> None:
        super().__init__()
        self.row: int | None = None
        self._view: ActivityView | None = None
        self._states: set[str] = set()
        self._marks = _UNMARKED

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: Space) -> Body | None:
        """What stands below the title at summary or full level; None for nothing."""
        raise NotImplementedError

    def bind(self, row: int, view: ActivityView) -> None:
        """Show another activity: called for every recycling; starts no timer, mounts nothing."""
        self.row = row
        self._view = view
        wanted: set[str] = {_STATES[view.title.mark]} if view.title.mark in _STATES else set[str]()
        if view.level is not DetailLevel.TITLE:
            wanted.add(_EXPANDED)
        if wanted != self._states:
            self.remove_class(*(self._states - wanted))
            self.add_class(*(wanted - self._states))
            self._states = wanted
        self.refresh()

    def mark(self, marks: Marks) -> bool:
        """Lay other marks over the rows; False when they are the same."""
        if marks == self._marks:
            return False
        self._marks = marks
        self.refresh()
        return True

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows of the crop from the bound view, without the styles cache."""
        style = self.visual_style.rich_style
        made = self._view.strips(crop.y, crop.bottom) if self._view else ()
        if self._view and self._marks is not _UNMARKED:
            made = self._view.marked(made, crop.y, self._marks)
        strips = [strip.apply_style(style).crop_extend(crop.x, crop.right, style) for strip in made]
        filters = self.get_line_filters()
        if filters:
            background = self.background_colors[1]
            for line_filter in filters:
                strips = [strip.apply_filter(line_filter, background) for strip in strips]
        missing = crop.height - len(strips)
        return strips + [Strip.blank(crop.width, style)] * missing

    def on_click(self, event: events.Click) -> None:
        """Say which row was clicked, on which of its lines."""
        if self.row is not None:
            event.stop()
            self.post_message(ActivityClicked(self.row, event.y, event.chain))


def body_space(space: Space) -> Space:
    """The room for a body below a title line in this space."""
    left = columns_of(space.width, space.times).mark + 2
    return replace(space, width=max(1, space.width - left))


@cache
def widget_for(kind: Kind) -> type[ActivityWidget]:
    """The widget class of a kind, from the module that bears its name; imported when first asked.

    A tool kind is found in `ui/tools`, any other in `ui/prose`. Raises LookupError when there is
    no module of that name, or no class in it that names the kind.
    """
    folder = "tools" if isinstance(kind, ToolKind) else "prose"
    name = f"agentview.ui.{folder}.{kind.value}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        raise LookupError(f"no module {name}") from error
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, ActivityWidget) and kind in value.KINDS:
            return value
    raise LookupError(f"no widget for {kind} in {name}")
