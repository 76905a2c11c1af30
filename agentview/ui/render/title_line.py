"""The title of an activity as one row: columns that give way when there is little room."""

import time

from rich.style import Style
from textual.strip import Strip

from agentview.domain.activity import Kind, RowKind
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.settings.values import TimeFormat
from agentview.timeline.view.format_numbers import duration_text
from agentview.timeline.view.titles.title import StatusIcon, Title
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.strip import width_of
from agentview.ui.render.style.glyphs import family_of, family_style, icon_style, plain_cells
from agentview.ui.render.style.palette import Palette
from agentview.ui.render.text_lines import Piece, ended, fit, head, tail

_PATHS = frozenset(
    {ToolKind.READ, ToolKind.WRITE, ToolKind.EDIT, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT}
)
_QUIET = frozenset(
    {
        RowKind.REASONING,
        RowKind.NOTICE,
        RowKind.TOPIC,
        RowKind.COMPACTION,
        RowKind.ATTACHMENT,
        RowKind.HIDDEN,
        RowKind.MESSAGE,
        RowKind.BRANCH,
    }
)
_TIME_WIDTHS = {
    TimeFormat.CLOCK: 5,
    TimeFormat.SECONDS: 8,
    TimeFormat.DATE: 11,
    TimeFormat.RELATIVE: 4,
    TimeFormat.NONE: 0,
}
_TIMES = {
    TimeFormat.CLOCK: "%H:%M",
    TimeFormat.SECONDS: "%H:%M:%S",
    TimeFormat.DATE: "%m-%d %H:%M",
}
_UNITS = (("y", 31_557_600), ("d", 86_400), ("h", 3_600), ("m", 60))
_LABEL = 9
_SHORT_LABEL = 6
_MAX_LABEL = 24
_NARROW = 28
"""Cells below which a detail goes where subject and detail do not fit together."""


class Columns(Value):
    """Cells of the parts of a title row, 0 for a part that does not fit.

    `left` is empty, then come time, mark, label, subject with detail, duration.
    """

    left: int
    time: int
    label: int
    duration: int

    @property
    def mark(self) -> int:
        """Column of the mark, in which the gutter of the body stands too."""
        return self.left + (self.time + 1 if self.time else 0)

    @property
    def subject(self) -> int:
        """Column of the subject when the label is not longer than usual."""
        return self.mark + 2 + (self.label + self.gap if self.label else 0)

    @property
    def gap(self) -> int:
        """Cells between the longest usual label and the subject; at least these for any label."""
        return 2 if self.label > _SHORT_LABEL else 1


def columns_of(width: int, times: TimeFormat = TimeFormat.SECONDS) -> Columns:
    """Return the columns that fit a row of this width, with its time in this format."""
    if width >= 80:
        return Columns(left=1, time=_TIME_WIDTHS[times], label=_LABEL, duration=8)
    if width >= 60:
        short = min(_TIME_WIDTHS[times], _TIME_WIDTHS[TimeFormat.CLOCK])
        return Columns(left=1, time=short, label=_LABEL, duration=7)
    if width >= 40:
        return Columns(left=0, time=0, label=_LABEL, duration=7)
    return Columns(left=0, time=0, label=_SHORT_LABEL if width >= 24 else 0, duration=0)


def subject_fits(title: Title, width: int, times: TimeFormat = TimeFormat.SECONDS) -> bool:
    """True when the whole subject fits in a title row of this width next to what follows it."""
    columns = columns_of(width, times)
    room = width - columns.subject - (columns.duration if title.duration is not None else 0)
    detail = width_of(title.detail) + 2 if title.detail and room >= _NARROW else 0
    return width_of(title.subject) + detail <= room


def margin_pieces(
    title: Title, space: RenderContext, now: float = 0.0, *, timed: bool = True
) -> list[Piece]:
    """The time, unless it is not `timed`, the mark and the bar of a prompt, left of a title."""
    palette, glyphs = space.palette, space.glyphs
    columns = columns_of(space.width, space.times)
    pieces: list[Piece] = [(" " * columns.left, palette.dim)]
    if columns.time:
        time_text = _time(title.time, space.times, columns.time, now) if timed else ""
        pieces.append((f"{time_text:>{columns.time}} ", palette.dim))
    pieces.append(_mark(title, space))
    said_by_person = title.kind is RowKind.USER
    pieces.append((glyphs.bar if said_by_person else " ", palette.user))
    return pieces


def _mark(title: Title, space: RenderContext) -> Piece:
    if space.story and title.mark is StatusIcon.OK:
        family = family_of(title.kind)
        return space.glyphs.families[family], family_style(family, space.palette)
    return space.glyphs.marks[title.mark], icon_style(title.mark, space.palette)


def title_strip(
    title: Title, space: RenderContext, now: float = 0.0, *, timed: bool = True
) -> Strip:
    """The row, exactly as wide as the space; `now` is the base of relative times."""
    width, palette, glyphs = space.width, space.palette, space.glyphs
    columns = columns_of(width, space.times)
    pieces = margin_pieces(title, space, now, timed=timed)
    used = columns.mark + 2
    if columns.label:
        label = _shortened(title.label, _MAX_LABEL if width >= 60 else columns.label, space)
        padding = max(columns.gap, columns.label + columns.gap - width_of(label))
        pieces.append((label + " " * padding, _label_style(title, space)))
        used += width_of(label) + padding
    duration = _duration_piece(title, columns, palette)
    room = max(0, width - used - (len(duration[0]) if duration else 0))
    pieces += _about(title, room, space)
    strip = fit(pieces, width, glyphs.ellipsis)
    if duration:
        text, style = duration
        strip = strip.adjust_cell_length(width - len(text))
        strip = Strip.join([strip, fit([(text, style)], len(text))])
    return strip.adjust_cell_length(width)


def _about(title: Title, room: int, space: RenderContext) -> list[Piece]:
    """Subject and detail in so many cells; the detail gets at most half of them."""
    palette = space.palette
    detail = title.detail
    if detail and space.glyphs.ellipsis.isascii():
        detail = plain_cells(detail)
    if detail:
        spare = room - width_of(title.subject) - 2 if title.subject else room
        detail = _shortened(detail, max(spare, room // 2 - 2), space)
        if room < _NARROW and title.subject and spare < width_of(detail):
            detail = ""
    left = room - (width_of(detail) + 2 if detail else 0)
    subject = title.subject
    if width_of(subject) > left and title.kind in _PATHS:
        mark = space.glyphs.ellipsis
        subject = mark + tail(subject, left - width_of(mark)) if left > 1 else ""
    else:
        subject = _shortened(subject, left, space)
    pieces: list[Piece] = [(subject, _subject_style(title, palette))] if subject else []
    if detail:
        gap = "  " if subject else ""
        pieces.append((gap + detail, _detail_style(title, palette)))
    return pieces


def _shortened(text: str, width: int, space: RenderContext) -> str:
    if width_of(text) <= width:
        return text
    mark = space.glyphs.ellipsis
    return ended(head(text, width - width_of(mark)), mark) if width > 1 else head(text, width)


def _time(moment: float | None, times: TimeFormat, width: int, now: float) -> str:
    """The time in at most so many cells: one that is wider is reported as hours and minutes."""
    if moment is None:
        return ""
    if times is TimeFormat.RELATIVE:
        return _passed(now - moment)
    try:
        local = time.localtime(moment)
    except (OverflowError, ValueError, OSError):
        return "?"
    fits = width >= _TIME_WIDTHS[times]
    return time.strftime(_TIMES[times if fits else TimeFormat.CLOCK], local)


def _passed(seconds: float) -> str:
    """A stretch of time in its largest unit, in four cells."""
    for unit, size in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count}{unit}" if count < 1000 else "?"
    return "now"


def _duration_piece(title: Title, columns: Columns, palette: Palette) -> Piece | None:
    if not columns.duration or title.duration is None or title.duration < 0.05:
        return None
    running = title.mark is StatusIcon.RUNNING
    text = duration_text(title.duration)
    return f" {text:>{columns.duration - 2}} ", palette.running if running else palette.dim


def _label_style(title: Title, space: RenderContext) -> Style:
    palette = space.palette
    if title.kind is RowKind.USER:
        return palette.user + _BOLD if palette.colored else palette.user
    if title.mark is StatusIcon.FAILED:
        return palette.error
    if title.mark is StatusIcon.WARNING:
        return palette.warning
    if title.kind in _QUIET:
        return palette.dim
    return family_style(family_of(title.kind), palette) if space.story else palette.accent


def _subject_style(title: Title, palette: Palette) -> Style:
    kinds: dict[Kind, Style] = {
        RowKind.USER: palette.strong,
        RowKind.TOPIC: palette.heading,
        RowKind.REASONING: palette.reasoning,
        RowKind.HIDDEN: palette.dim,
        RowKind.ATTACHMENT: palette.dim,
        RowKind.NOTICE: palette.dim if title.mark is StatusIcon.NONE else palette.text,
        RowKind.COMPACTION: palette.dim,
        RowKind.BRANCH: palette.dim,
    }
    if title.kind in _PATHS:
        return palette.path
    return kinds.get(title.kind, palette.text)


def _detail_style(title: Title, palette: Palette) -> Style:
    return {
        StatusIcon.FAILED: palette.error,
        StatusIcon.DENIED: palette.warning,
        StatusIcon.RUNNING: palette.running,
        StatusIcon.STREAMING: palette.running,
    }.get(title.mark, palette.dim)


_BOLD = Style(bold=True)
