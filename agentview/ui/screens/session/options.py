"""How a session is shown: what its screens are given next to its rows."""

from collections.abc import Callable, Sequence

from msgspec import field
from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.unread import SeenPlace
from agentview.domain.value import Value
from agentview.settings.values import Density, Settings
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences
from agentview.timeline.view.header import OpenSession
from agentview.ui.activity_widget import RowLayout, body_space
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import Palette, faded
from agentview.ui.timeline.view_cache import fold_layout

TALL = 20
"""Rows from which there is room for empty ones around the timeline."""


class ViewOptions(Value, gc=True):
    """How a session is shown: colours, levels, the time, and what its provider did not use."""

    palette: Palette
    detail: DetailPreferences
    clock: Callable[[], float]
    unused_keys: Callable[[bytes, SourceRef], Sequence[str]]
    """JSON pointers of the keys of a record that nothing read, by its bytes and its place."""
    raw: bool = False
    settings: Settings = field(default_factory=Settings)
    masking: bool = False
    """True if secrets are masked on the screen."""
    keep_seen: Callable[[SessionRef, SeenPlace], None] = lambda _ref, _place: None
    """Takes how far a session was read."""
    annotated: Callable[[], None] = lambda: None
    """Is called when a note, the star or the title of a session has changed."""

    @property
    def ruled(self) -> bool:
        return self.settings.timeline.density is Density.COMFORTABLE

    def seen(self, activity: Activity) -> Activity:
        """The activity as it may be shown and copied."""
        if not self.masking:
            return activity
        # Imported when it is first wanted: what finds secrets takes as long as a frame to make.
        from agentview.redaction.values import masked_activity

        return masked_activity(activity)

    def layout(
        self, activity: Activity, level: DetailLevel, space: RenderContext, note: str
    ) -> RowLayout:
        """The row of an activity at a level, with the person's note; paler if it was abandoned."""
        if activity.abandoned:
            space = replace(space, palette=faded(space.palette))
        return RowLayout(self.seen(activity), level, space, note=note, clock=self.clock)

    def fold_layout(
        self, activities: Sequence[Activity], space: RenderContext, note: str
    ) -> RowLayout:
        """The row of activities that only looked, with the person's notes on them."""
        if all(activity.abandoned for activity in activities):
            space = replace(space, palette=faded(space.palette))
        return fold_layout([self.seen(activity) for activity in activities], space, note)

    def raw_layout(self, activity: Activity, space: RenderContext) -> RowLayout:
        """The row of an activity in the raw view."""
        # Imported here: it is seldom wanted.
        from agentview.ui.render.raw import raw_body

        seen = self.seen(activity)
        body = raw_body(seen, self.unused_keys, body_space(space), masking=self.masking)
        return RowLayout(seen, DetailLevel.FULL, space, body=body)


class NavigationPath(Value, gc=True):
    """How the reader came to the timeline of an agent."""

    session: OpenSession
    """The session that the first of the agents was started in."""
    names: tuple[str, ...]
    """Names of the session and of the agents, the one that is shown last."""
