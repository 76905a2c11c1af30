"""Settings as the space that rows are drawn in."""

from agentview.settings.values import DiffMode, Icons, Settings
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.glyphs import ASCII, UNICODE
from agentview.ui.render.style.palette import Palette

_SPLIT = {DiffMode.AUTO: None, DiffMode.UNIFIED: False, DiffMode.SPLIT: True}


def timeline_space(settings: Settings, palette: Palette) -> RenderContext:
    """The space of rows in the timeline, which gives it its width."""
    timeline = settings.timeline
    return RenderContext(
        1,
        palette,
        split=_SPLIT[settings.diff.mode],
        glyphs=ASCII if timeline.icons is Icons.ASCII else UNICODE,
        wrap=timeline.wrap,
        times=timeline.time,
        story=True,
        sliced=True,
    )


def detail_space(settings: Settings, palette: Palette, width: int) -> RenderContext:
    return RenderContext(
        width,
        palette,
        split=_SPLIT[settings.diff.mode],
        glyphs=ASCII if settings.timeline.icons is Icons.ASCII else UNICODE,
        times=settings.timeline.time,
        sliced=True,
    )
