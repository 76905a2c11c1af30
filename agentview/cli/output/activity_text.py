"""Activities as lines of text, made by the renderers of the screen."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment

from agentview.domain.activity import Activity, Kind
from agentview.domain.tools import ToolCall
from agentview.timeline.view.detail_levels import DetailPreferences
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.color_depth import Depth, DepthFilter, spec_for
from agentview.ui.render.style.glyphs import ASCII, UNICODE
from agentview.ui.render.style.palette import PLAIN, palette_of
from agentview.ui.themes import load_theme, theme_directories

DEFAULT_WIDTH = 100
"""Width in cells where there is neither a terminal nor `COLUMNS`."""

DEFAULT_THEME = "ansi-16"
"""The terminal's own colours: text output has no background of its own to set others against."""

_PAGE = 400
_BRANCH = "  "
"""Stands before the lines of an abandoned branch."""

_SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
}
_DEPTHS = {ColorSystem.STANDARD: Depth.COLORS_16, ColorSystem.EIGHT_BIT: Depth.COLORS_256}


class Renderings:
    """Renders activities at the levels that the preferences give their kinds."""

    def __init__(
        self,
        width: int | None,
        preferences: DetailPreferences,
        *,
        colour: bool,
        ascii_only: bool,
        theme: str | None,
    ) -> None:
        spec = load_theme(theme or DEFAULT_THEME, theme_directories())
        self._preferences = preferences
        self._system = _color_system() if colour else None
        self._filter: DepthFilter | None = None
        depth = _DEPTHS.get(self._system) if self._system is not None else None
        if depth is not None and spec.colors.background.startswith("#"):
            self._filter = DepthFilter(depth, spec)
            spec = spec_for(spec, depth)
        self._space = RenderContext(
            width or DEFAULT_WIDTH,
            palette_of(spec) if colour else PLAIN,
            glyphs=ASCII if ascii_only else UNICODE,
        )

    def lines(self, kind: Kind, activity: Activity) -> Iterator[str]:
        """All rows of the activity."""
        names = activity.body.names if isinstance(activity.body, ToolCall) else ()
        space, indent = self._space, ""
        if activity.abandoned:
            indent = _BRANCH
            space = replace(space, width=max(1, space.width - len(indent)))
        view = RowLayout(activity, self._preferences.level(kind, names), space)
        for start in range(0, view.height, _PAGE):
            for row in view.segments(start, start + _PAGE):
                yield indent + self._text(row)

    def _text(self, segments: Iterable[Segment]) -> str:
        system = self._system
        if system is None:
            return "".join([text for text, _, _ in segments]).rstrip()
        row = list(_without_blank_end(segments))
        if self._filter is not None:
            row = self._filter.fit(row)
        return "".join(
            segment.style.render(segment.text, color_system=system)
            if segment.style
            else segment.text
            for segment in row
        )


def _without_blank_end(row: Iterable[Segment]) -> Sequence[Segment]:
    """The segments without the blanks that fill up the row, unless these have a background."""
    segments = [segment for segment in row if segment.text]
    while segments and segments[-1].text.isspace() and not _shaded(segments[-1]):
        segments.pop()
    return segments


def _shaded(segment: Segment) -> bool:
    return segment.style is not None and bool(segment.style.bgcolor or segment.style.reverse)


def _color_system() -> ColorSystem:
    """Return the colours of the terminal; if unknown, those that all terminals have."""
    name = Console(force_terminal=True).color_system
    return _SYSTEMS.get(name or "", ColorSystem.STANDARD)
