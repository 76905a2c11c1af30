"""The session screen: header, timeline, search and filter, status line."""

from collections.abc import Callable
from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from agentview.domain.activity import Activity
from agentview.query.vocabulary import Surface
from agentview.settings.values import Icons, TimeFormat
from agentview.store.changes import RowsChanged
from agentview.store.session_store import SessionStore
from agentview.timeline.detail_levels import DetailLevel
from agentview.timeline.format_numbers import counted
from agentview.timeline.header import HeaderFacts, LogPresence, OpenSession
from agentview.ui.activity_widget import RowLayout, body_space
from agentview.ui.messages import FocusChanged
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.palette import faded
from agentview.ui.render.raw import raw_body
from agentview.ui.render.render_options import timeline_space
from agentview.ui.screens.session.actions import NavigationPath
from agentview.ui.screens.session.layout import SessionBody, SessionSide
from agentview.ui.screens.session.options import TALL, ViewOptions
from agentview.ui.timeline.annotation_file import AnnotationFile
from agentview.ui.timeline.bookmarks import Bookmarks
from agentview.ui.timeline.navigation import GotoBar
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.read_progress import ReadProgress
from agentview.ui.timeline.search_bar import SearchBar
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.timeline.view_cache import RowViewFactory, stream_indent
from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.price_cache import PriceCache
from agentview.ui.widgets.session_header import SessionHeader
from agentview.ui.widgets.status_line import StatusLine

_SOON = 0.05
"""Seconds for which changes are gathered before the facts around the timeline are shown again."""

_STRIP_AFTER = 0.4
"""Seconds after the start, from which the strip is shown."""

_BRANCH_INDENT = 2
_KEEP_EVERY = 10.0
"""Seconds after which it is kept how far the session was read, if that changed."""


class SessionScreen(SessionSide):
    """One session. It reads nothing itself: all comes from the rows and facts of `session`."""

    AUTO_FOCUS = ""
    BLANK = True
    QUERIES = Surface.ACTIVITIES
    """The queries that it takes, for its help."""

    def __init__(
        self, session: OpenSession, looks: ViewOptions, trail: NavigationPath | None = None
    ) -> None:
        """`trail` says how the reader came to the timeline of an agent."""
        super().__init__()
        self.session = session
        self.looks = looks
        self.trail = trail
        self.timeline = TimelineView(
            session,
            looks.detail,
            timeline_space(looks.settings, looks.palette),
            RowViewFactory(raw_view=self._raw_view, view=self._view, indent=self._indent),
            ruled=looks.ruled,
        )
        self._header = SessionHeader(session.header(), looks.clock, looks.note)
        self._body = SessionBody()
        self._notice = EmptyState()
        self._status = StatusLine()
        self._awaited = PendingJump(self.timeline, self._status)
        self._finder = SearchBar(session, self.timeline, self._status, self._awaited)
        self._places = GotoBar(session, self.timeline, self._status, self._awaited, looks.clock)
        self._file = AnnotationFile(session.ref, self._status)
        parts = session, self.timeline, self._status, self._awaited, self._file
        self._bookmarks = Bookmarks(*parts)
        self._progress = ReadProgress(*parts, looks.clock, looks.tell_seen)
        self._empty = False
        self._changed = False
        self._gathering = False
        self._unsubscribe: Callable[[], None] | None = None
        self._prices: PriceCache | None = None

    def compose(self) -> ComposeResult:
        """From top to bottom; the notice stands in place of a timeline without rows."""
        # As the application's breakpoint will have it, so that the first layout stays.
        self.set_class(self.app.size.height >= TALL, "-tall")  # pyright: ignore[reportUnknownMemberType]
        self.set_class(not self.looks.ruled, "-compact")
        yield self._header
        if self.trail is not None:
            # Wanted for agents only, and for none of them in the first frame.
            from agentview.ui.widgets.breadcrumb import Breadcrumb

            ascii_only = self.looks.settings.timeline.icons is Icons.ASCII
            yield Breadcrumb(self.trail.names, ascii_only=ascii_only)
        with self._body:
            yield self.timeline
            yield self._notice
        yield self._finder
        yield self._places
        # The strip comes after the first frame, into a row that is there for it: nothing moves.
        yield Vertical(id="strip")
        yield self._status

    def on_mount(self) -> None:
        """Take part in what changes."""
        self._unsubscribe = self.session.subscribe(self._rows_changed)
        if isinstance(self.session, SessionStore):
            self._prices = self.session.price_of = PriceCache(self.session.announce_children)
        self.set_timer(_STRIP_AFTER, self.add_strip)
        self.call_after_refresh(self._file.load)
        self.set_interval(_KEEP_EVERY, self._progress.keep)
        self._status.show_masking(self.looks.masking)
        self.show_facts()
        if self.looks.raw:
            self.action_raw_all()

    def on_unmount(self) -> None:
        """Take part in nothing any more."""
        self._bookmarks.close()
        self._progress.close()
        self._file.close()
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self._prices is not None:
            self._prices.close()

    def set_looks(self, looks: ViewOptions) -> None:
        """Show everything in other colours, at other levels, by other settings."""
        self.looks = looks
        self.set_class(not looks.ruled, "-compact")
        space = timeline_space(looks.settings, looks.palette)
        self.timeline.set_view(space, looks.detail, ruled=looks.ruled)
        self._status.forget_keys()
        self._status.show_masking(looks.masking)
        self._show_sides_anew()

    def on_focus_changed(self, event: FocusChanged) -> None:
        """Take whether what comes from now on is seen."""
        self._progress.focus(event.focused)

    def on_minute_passed(self) -> None:
        """Show ages as they are now."""
        self.show_facts()
        if self.looks.settings.timeline.time is TimeFormat.RELATIVE:
            self.timeline.refresh_rows()

    def _view(self, activity: Activity, level: DetailLevel, space: RenderContext) -> RowLayout:
        if activity.abandoned:
            space = replace(space, palette=faded(space.palette))
        return RowLayout(self.looks.seen(activity), level, space, clock=self.looks.clock)

    def _raw_view(self, activity: Activity, level: DetailLevel, space: RenderContext) -> RowLayout:
        del level
        looks = self.looks
        seen = looks.seen(activity)
        body = raw_body(seen, looks.unused_keys, body_space(space), masking=looks.masking)
        return RowLayout(seen, DetailLevel.FULL, space, body=body)

    def _indent(self, activity: Activity) -> int:
        """None for what the agent did whose log this is; that of a branch stands further in."""
        ref = self.session.ref
        own = ref.shared or activity.first.stream == ref.stream
        branch = _BRANCH_INDENT if activity.abandoned else 0
        return branch + (0 if own else stream_indent(activity))

    # What continues in the session

    def _rows_changed(self, change: RowsChanged) -> None:
        self._finder.rows_changed(change)
        self._places.rows_changed(change)
        self._bookmarks.rows_changed(change)
        self._progress.rows_changed(change)
        self._awaited.rows_changed()
        self._tell_sides(change)
        self._changed = True
        if self._gathering:
            return
        if self._empty:
            # The notice stands until there are widgets for the first rows.
            self._gathering = True
            self.set_timer(_SOON, self._gather)
        else:
            # With the frame of what changed. Changes close upon it are gathered for another one.
            self._gather()

    def _gather(self) -> None:
        self._gathering = self._changed
        if self._changed:
            self.show_facts()
            self.set_timer(_SOON, self._gather)

    @on(SearchBar.Filtered)
    def show_facts(self) -> None:
        """Show the facts around the timeline again."""
        self._changed = False
        self._progress.show()
        facts = self.session.header()
        self._header.show(facts)
        self._status.show_facts(facts)
        self._show_follow(facts)
        self._show_notice(facts)

    @on(TimelineView.FollowChanged)
    def _follow_changed(self, event: TimelineView.FollowChanged) -> None:
        event.stop()
        self._show_follow(self.session.header())

    @on(TimelineView.SelectionChanged)
    def _selection_changed(self, event: TimelineView.SelectionChanged) -> None:
        event.stop()
        self._awaited.moved()
        self._finder.selection_changed()
        if self._panel is not None:
            self._panel.selection_changed(event.row)

    @on(TimelineView.ViewportChanged)
    def _view_moved(self, event: TimelineView.ViewportChanged) -> None:
        event.stop()
        self._progress.viewed(event.last)

    def _show_follow(self, facts: HeaderFacts) -> None:
        live = facts.presence not in (LogPresence.AWAITED, LogPresence.REMOVED) and facts.followed
        timeline = self.timeline
        self._status.show_follow(timeline.follow if live else None, timeline.new_count)

    def _show_notice(self, facts: HeaderFacts) -> None:
        """Say why there is nothing to see, when there is nothing."""
        empty = self.timeline.empty
        if empty != self._empty:
            # Said to the two alone: a class of the screen would reckon the styles of all in it.
            self._empty = empty
            self._notice.set_class(empty, "-shown")
            self.timeline.styles.display = "none" if empty else None
        if not empty:
            return
        path, line = self.session.ref.path, self._finder.filter_line
        if line is not None:
            self._notice.say("no matches", (line, "esc shows all"), "⊘")
        elif facts.presence is LogPresence.AWAITED:
            self._notice.say("waiting for the session to begin", (path,))
        elif facts.presence is LogPresence.REMOVED:
            self._notice.say("the log was removed before anything was read", (path,), "⊘")
        elif facts.indexed < 1.0:
            self._notice.say("reading", (path,))
        elif facts.rows:
            hidden = f"{counted(facts.rows, 'record')}, all of them hidden; R shows them"
            self._notice.say("nothing to show yet", (hidden, path), "○")
        else:
            self._notice.say("nothing has been written yet", (path,), "○")
