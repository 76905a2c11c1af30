"""The widget of one activity: a title line and, by detail level, a body; recycled by row."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import ClassVar

from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.activity import Activity, Kind, RowKind, row_kind
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.settings.values import TimeFormat
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.sanitize import one_line
from agentview.timeline.view.titles.title import StatusIcon, Title, title_of, without_error
from agentview.ui.render.collapsible import fold_at
from agentview.ui.render.containers import LayoutWork, RepeatedTitle, Stack, work_of
from agentview.ui.render.image import decoding
from agentview.ui.render.lazy_lines import (
    LazyLines,
    RenderContext,
    RowText,
    mark_selected,
    row_text,
    selected_text,
)
from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.highlight_matches import (
    Highlights,
    SelectedCells,
    mark_bookmark,
    mark_found,
)
from agentview.ui.render.text_lines import Rows, wrap
from agentview.ui.render.title_line import columns_of, margin_pieces, subject_fits, title_strip

_MAX_STRIPS = 400
_MAX_STYLES = 2_048
_STATES = {
    StatusIcon.FAILED: "-failed",
    StatusIcon.RUNNING: "-running",
    StatusIcon.STREAMING: "-running",
    StatusIcon.DENIED: "-denied",
}
_EXPANDED = "-expanded"
_SELECTED = "-selected"
_UNMARKED = Highlights()
_PAINTS = 2
"""Ways to paint a view that its rows are kept for: as any row and as the selected one."""


class Paint(Value, gc=True):
    """Styles under and over the rows of a view when they come to the screen."""

    base: Style
    """Under all of them: colour and background."""
    filters: tuple[LineFilter, ...] = ()
    """Take colour away where the terminal has none."""
    background: Color = Color(0, 0, 0)
    """Color that the filters mix with."""
    marks: Highlights = _UNMARKED


class RowLayout:
    """An activity laid out at one level and width: measures and renders with the same code.

    Row 0 is the title line, the rows below it are the body behind a quiet gutter; the prose of a
    story has no title line. Holds no widget, so that text output and the screen share it. `title`
    and `body`, when given, replace those that level and kind make of the activity; a body must fit
    `body_space`. The person's `note` is above the body, at every level.
    """

    work: LayoutWork | None = None
    """Work left until the activity can be laid out whole; None when it is."""

    def __init__(
        self,
        activity: Activity,
        level: DetailLevel,
        space: RenderContext,
        *,
        title: Title | None = None,
        body: LazyLines | None = None,
        note: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.activity = activity
        self.level = level
        self.title = title or title_of(activity)
        self._space = space
        self._clock = clock
        self._painted: dict[Paint, dict[int, Strip]] = {}
        self._titled = True
        shows = widget_for(row_kind(activity.body))
        if body is None and level is not DetailLevel.TITLE:
            body = shows.body(activity, level, body_space(space))
            unlabeled = space.story and shows.UNLABELED and not note
            self._titled = not (unlabeled and body is not None and body.height)
            if body is not None and shows.REPEATS_TITLE and self._titled:
                body = self._without_repetition(body)
        self._body = body if body is not None and body.height else None
        if self._body is not None:
            self.title = without_error(self.title, activity)
        self.work = work_of(self._body)
        if note:
            self._body = Stack([_note_rows(note, body_space(space)), *filter(None, (self._body,))])
        self._gutter = self._make_gutter()

    @property
    def height(self) -> int:
        """Rows, title included."""
        return self._titled + (self._body.height if self._body else 0)

    def strips(self, start: int, stop: int) -> Sequence[Strip]:
        """Rows `start` to `stop` as strips of exactly the width of the space; made again."""
        width = self._space.width
        return [strip_of(segments, width) for segments in self.segments(start, stop)]

    def texts(self, start: int, stop: int) -> Iterator[str]:
        """Yield the text of rows `start` to `stop`, without times, signs and gutters."""
        left = columns_of(self._space.width, self._space.times).mark + 2
        for strip in self.strips(start, stop):
            yield strip.crop(left).text

    def painted(self, start: int, stop: int, paint: Paint) -> Sequence[Strip]:
        """Rows `start` to `stop` as they come to the screen; kept, at most 400 a paint."""
        wanted = range(max(0, start), min(stop, self.height))
        kept = self._painted.get(paint)
        if kept is None:
            if len(self._painted) >= _PAINTS:
                self._painted.clear()
            kept = self._painted[paint] = {}
        if self.ticking or self._space.times is TimeFormat.RELATIVE:
            kept.pop(0, None)
        missing = [row for row in wanted if row not in kept]
        if missing:
            if len(kept) + len(missing) > _MAX_STRIPS:
                kept.clear()
                missing = list(wanted)
            first, last = missing[0], missing[-1]
            for row, strip in enumerate(self._paint(first, last + 1, paint), first):
                kept[row] = strip
        strips = [kept[row] for row in wanted]
        if decoding():
            self._painted.clear()
        return strips

    def _paint(self, start: int, stop: int, paint: Paint) -> Iterable[Strip]:
        # One strip a row: a strip is expensive, and each step would make another one.
        base, filters, background = paint.base, paint.filters, paint.background
        rows = self.segments(start, stop, timed=paint.marks.timed)
        marks = paint.marks
        if marks.found is not None or marks.bookmarked or marks.selected is not None:
            width = self._space.width
            rows = self._marked([strip_of(row, width) for row in rows], start, paint.marks)
        finished = _finished(base, filters, background)
        if len(finished) > _MAX_STYLES:
            finished.clear()
        for row in rows:
            segments: list[Segment] = []
            for text, style, _ in row:
                found = finished.get(style)
                if found is None:
                    found = finished[style] = _finish(style, base, filters, background)
                segments.append(Segment(text, found))
            yield strip_of(segments, self._space.width)

    def segments(self, start: int, stop: int, *, timed: bool = True) -> Iterable[Iterable[Segment]]:
        """The segments of rows `start` to `stop`, each row as wide as the space."""
        start, stop = max(0, start), min(stop, self.height)
        above = int(self._titled)
        if above and start <= 0 < stop:
            yield self._title_strip(timed=timed)
        if stop > above and self._body:
            room = self._space.width - self._gutter.cell_length
            first = max(0, start - above)
            for number, strip in enumerate(self._body.strips(first, stop - above), first):
                gutter = self._margin(timed=timed) if not above and not number else self._gutter
                left = room - strip.cell_length
                if left > 0:
                    yield [*gutter, *strip, Segment(" " * left, None)]
                elif left:
                    yield strip_of([*gutter, *strip]).adjust_cell_length(self._space.width)
                else:
                    yield [*gutter, *strip]

    def _marked(self, strips: list[Strip], start: int, marks: Highlights) -> list[Strip]:
        """Rows from `start` on with marks laid over them: none over signs, times and gutters."""
        palette, width = self._space.palette, self._space.width
        columns = columns_of(width, self._space.times)
        if marks.found is not None:
            for at, strip in enumerate(strips):
                untimed = start + at or self.title.duration is None
                end = width if untimed else width - columns.duration
                text = (columns.mark + 2, end)
                strips[at] = mark_found(strip, marks.found, palette.match, *text)
        if marks.bookmarked and strips and start <= 0:
            sign = self._space.glyphs.bookmark
            strips[0] = mark_bookmark(strips[0], columns.left, sign, palette.accent)
        if marks.selected is not None:
            for row, strip in enumerate(strips):
                strips[row] = mark_selected(
                    self, start + row, strip, marks.selected, palette.selection
                )
        return strips

    def row_text(self, row: int, cell: int) -> RowText | None:
        """Text of a row without times, signs, gutters and duration."""
        if self._titled and row == 0:
            columns = columns_of(self._space.width, self._space.times)
            timed = self.title.duration is not None
            stop = self._space.width - (columns.duration if timed else 0)
            return RowText(columns.mark + 2, stop)
        gutter = self._gutter.cell_length
        text = row_text(self._body, row - self._titled, max(0, cell - gutter))
        return text and text.behind(gutter)

    def selected(self, start: int, stop: int, cells: SelectedCells) -> Iterable[tuple[str, str]]:
        """Yield the selected text of rows, each with what separates it from the one above."""
        drawn = self.strips(start, stop)
        rows = range(start, start + len(drawn))
        return selected_text(self, rows, lambda row: drawn[row - start], cells)

    def fold_at(self, line: int) -> str | None:
        """Key of the part that a line folds or opens; None for any other line."""
        line -= self._titled
        return None if self._body is None or line < 0 else fold_at(self._body, line)

    @property
    def ticking(self) -> bool:
        """Return whether the title has a duration that grows as time goes by."""
        activity = self.activity
        running = activity.live and activity.ended is None and activity.started is not None
        return running and self.title.duration is None

    def _margin(self, *, timed: bool) -> Strip:
        pieces = margin_pieces(self.title, self._space, self._clock(), timed=timed)
        return strip_of([Segment(text, style) for text, style in pieces], self._gutter.cell_length)

    def _title_strip(self, *, timed: bool) -> Strip:
        now = self._clock()
        if not self.ticking:
            return title_strip(self.title, self._space, now, timed=timed)
        passed = max(0.0, now - (self.activity.started or 0.0))
        # Whole seconds: the row is drawn once a second, and fractions would look like more.
        title = replace(self.title, duration=float(int(passed)))
        return title_strip(title, self._space, now, timed=timed)

    def _without_repetition(self, body: LazyLines) -> LazyLines | None:
        """Only what the title does not say, or no subject in the title where it has no room."""
        is_split = isinstance(body, RepeatedTitle)
        height = body.text.height if is_split else body.height
        if height <= 1 and subject_fits(self.title, self._space.width, self._space.times):
            return body.rest if is_split else None
        self.title = replace(self.title, subject="")
        return body

    def _make_gutter(self) -> Strip:
        palette, glyphs = self._space.palette, self._space.glyphs
        column = columns_of(self._space.width, self._space.times).mark
        if not self._titled:
            return strip_of([Segment(" " * (column + 2), palette.border)], column + 2)
        by_person = self.title.kind is RowKind.USER
        sign = f" {glyphs.bar}" if by_person else f"{glyphs.gutter} "
        style = palette.user if by_person else palette.border
        return strip_of([Segment(" " * column, palette.border), Segment(sign, style)], column + 2)


class ActivityWidget(Widget):
    """Base of all widgets of the timeline; a subclass says which kinds it shows and how."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ActivityWidget {
        width: 1fr;
        height: auto;
        background: $background;
        color: $foreground;
    }
    """

    KINDS: ClassVar[tuple[Kind, ...]] = ()
    REPEATS_TITLE: ClassVar[bool] = False
    """The body begins with what the title says, so the title leaves it out above a body."""
    UNLABELED: ClassVar[bool] = False
    """In a story, the body has no title above it."""

    def __init__(self) -> None:
        super().__init__()
        self.row: int | None = None
        self._view: RowLayout | None = None
        self._states: set[str] = set()
        self._marks = _UNMARKED

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """Return the body below the title at summary or full level; None for nothing."""
        raise NotImplementedError

    def bind(self, row: int, view: RowLayout) -> None:
        """Show another activity: called for every recycling; starts no timer, mounts nothing.

        Whoever places the widget has it drawn: a refresh would go through three messages to say
        what the new place says already. The same holds for `mark` and `select`.
        """
        self.row = row
        self._view = view
        wanted: set[str] = {_STATES[view.title.mark]} if view.title.mark in _STATES else set[str]()
        if view.level is not DetailLevel.TITLE:
            wanted.add(_EXPANDED)
        if wanted != self._states:
            come = wanted - self._states
            self.remove_class(*(self._states - wanted), update=not come)
            self.add_class(*come)
            self._states = wanted

    def mark(self, marks: Highlights) -> bool:
        """Lay other marks over the rows; False when they are the same."""
        if marks == self._marks:
            return False
        self._marks = marks
        return True

    def select(self, selected: bool) -> bool:
        """Draw as the selected row or not; False if nothing changes.

        The class shows it and no rule depends on it: styles are not computed again on each key.
        """
        if selected == self.has_class(_SELECTED):
            return False
        change = self.add_class if selected else self.remove_class
        change(_SELECTED, update=False)
        return True

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows of the crop from the bound view, without the styles cache."""
        visual = self.visual_style
        base = visual.rich_style
        if self.has_class(_SELECTED):
            base += _background(self.app.theme_variables["row-selected"])  # pyright: ignore[reportUnknownMemberType]
        strips: list[Strip] = []
        if self._view:
            filters = tuple(self.get_line_filters())
            paint = Paint(base, filters, visual.background or Color(0, 0, 0), self._marks)
            strips += self._view.painted(crop.y, crop.bottom, paint)
            if crop.x or any(strip.cell_length != crop.width for strip in strips):
                strips = [strip.crop_extend(crop.x, crop.right, base) for strip in strips]
        missing = crop.height - len(strips)
        return strips + [Strip.blank(crop.width, base)] * missing

    def _set_dirty(self, *regions: Region) -> None:  # noqa: ARG002
        # Where it stands is not asked for: looking for a widget that is out of view would make the
        # compositor draw the whole screen again.
        self._repaint_regions.clear()
        if self._size:
            self._repaint_regions.add(self._size.region)

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        # Its rows are laid out by the timeline: it need not hear of its size.
        super()._size_updated(size, virtual_size, container_size, layout)
        return False


def _note_rows(text: str, space: RenderContext) -> LazyLines:
    palette = space.palette
    pieces = [(f"{space.glyphs.note} ", palette.accent), (one_line(text), palette.accent)]
    return Rows(wrap(pieces, space.width), space)


def body_space(space: RenderContext) -> RenderContext:
    """The room for a body below a title line in this space."""
    left = columns_of(space.width, space.times).mark + 2
    return replace(space, width=max(1, space.width - left))


@lru_cache(maxsize=8)
def _finished(
    _base: Style, _filters: tuple[LineFilter, ...], _background: Color
) -> dict[Style | None, Style]:
    """Styles on the screen by their originals: kept, since adding styles is expensive."""
    return {}


def _finish(
    style: Style | None, base: Style, filters: tuple[LineFilter, ...], background: Color
) -> Style:
    segment = Segment(" ", base if style is None else base + style)
    for line_filter in filters:
        segment = line_filter.apply([segment], background)[0]
    return segment.style or base


@cache
def _background(color: str) -> Style:
    return Style(bgcolor=Color.parse(color).rich_color)


@cache
def widget_for(kind: Kind) -> type[ActivityWidget]:
    """The widget class of a kind, from the module that bears its name; imported when first asked.

    A tool kind is found in `ui/tools`, any other in `ui/entries`. Raises LookupError when there is
    no module of that name, or no class in it that names the kind.
    """
    folder = "tools" if isinstance(kind, ToolKind) else "entries"
    name = f"agentview.ui.{folder}.{kind.value}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        raise LookupError(f"no module {name}") from error
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, ActivityWidget) and kind in value.KINDS:
            return value
    raise LookupError(f"no widget for {kind} in {name}")
