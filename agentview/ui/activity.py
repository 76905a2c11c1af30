"""The widget of one activity: a title line and, by detail level, a body; recycled from row to row."""

from collections.abc import Sequence
from typing import ClassVar

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.activity import Activity
from agentview.timeline.levels import DetailLevel, Kind
from agentview.ui.render.body import Body, Space


class ActivityView:
    """An activity laid out at one level and width: measures and renders with the same code.

    Row 0 is the title line, the rows below it are the body behind a quiet gutter. Holds no widget,
    so that text output and the screen share it.
    """

    def __init__(
        self,
        activity: Activity,
        level: DetailLevel,
        space: Space,
    ) -> None: ...

    @property
    def height(self) -> int:
        """Rows, title included."""
        raise NotImplementedError

    def strips(self, start: int, stop: int) -> Sequence[Strip]:
        """Rows `start` to `stop` as strips of exactly the width of the space."""
        raise NotImplementedError


class ActivityWidget(Widget):
    """Base of all widgets of the timeline; a subclass says which kinds it shows and how."""

    KINDS: ClassVar[tuple[Kind, ...]] = ()

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: Space) -> Body | None:
        """What stands below the title at summary or full level; None for nothing."""
        raise NotImplementedError

    def bind(self, row: int, view: ActivityView) -> None:
        """Show another activity: called for every recycling; starts no timer, mounts nothing."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows of the crop from the bound view, without the styles cache."""
        raise NotImplementedError
