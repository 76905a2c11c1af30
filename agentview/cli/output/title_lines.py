"""Activities as one line of text each, without any of the screen's renderers."""

from collections.abc import Mapping

from rich.cells import cell_len, set_cell_size

from agentview.domain.activity import Activity, RowKind
from agentview.timeline.view.format_numbers import clock_seconds
from agentview.timeline.view.titles.title import (
    ASCII_ICONS,
    UNICODE_ICONS,
    IconColor,
    icon_color,
    title_of,
)

_LABEL = 9
_GAP = 2
"""Cells between a label and the subject, at least."""

_RESET = "\x1b[0m"
_DIM = "\x1b[2m"
_BOLD = "\x1b[1m"
_COLOURS: Mapping[IconColor, str] = {
    "success": "\x1b[32m",
    "error": "\x1b[31m",
    "running": "\x1b[36m",
    "warning": "\x1b[33m",
    "dim": _DIM,
}


class TitleLines:
    """Writes titles in lines of at most `width` cells; None is not a limit."""

    def __init__(self, width: int | None, *, colour: bool, ascii_only: bool) -> None:
        self._width = width
        self._colour = colour
        self._marks = ASCII_ICONS if ascii_only else UNICODE_ICONS
        self._bar = "|" if ascii_only else "▎"
        self._ellipsis = "~" if ascii_only else "…"

    def line(self, activity: Activity) -> str:
        """The title of the activity: time, mark, label, what it is about, what came of it."""
        title = title_of(activity)
        said = title.kind is RowKind.USER
        ends = [title.detail] if title.detail else []
        if title.duration is not None and title.duration >= 0.05:
            ends.append(f"{title.duration:.1f}s")
        label = title.label + " " * max(_GAP, _LABEL + _GAP - cell_len(title.label))
        begin = f" {clock_seconds(title.time):8} "
        mark = self._marks[title.mark]
        bar = self._bar if said else " "
        used = len(begin) + 2 + cell_len(label)
        subject, end = self._fit(title.subject, "  ".join(ends), used)
        if not self._colour:
            return f"{begin}{mark}{bar}{label}{subject}{end}".rstrip()
        subject = f"{_BOLD}{subject}{_RESET}" if said else subject
        mark = f"{_COLOURS[icon_color(title.mark)]}{mark}{_RESET}"
        return f"{_DIM}{begin}{_RESET}{mark}{bar}{label}{subject}{_DIM}{end}{_RESET}"

    def _fit(self, subject: str, end: str, used: int) -> tuple[str, str]:
        """The two parts in what is left of the line, the second with its gap before it."""
        if end and subject:
            end = f"  {end}"
        if self._width is None:
            return subject, end
        room = max(0, self._width - used)
        end = self._cut(end, room if not subject else max(room // 2, room - cell_len(subject)))
        return self._cut(subject, room - cell_len(end)), end

    def _cut(self, text: str, size: int) -> str:
        if cell_len(text) <= size:
            return text
        return set_cell_size(text, size - 1) + self._ellipsis if size > 0 else ""
