"""The session screen: header, timeline, search and filter, status line."""

from collections.abc import Callable
from dataclasses import field
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from agentview.domain.activity import Activity
from agentview.domain.session import LiveState, Stream
from agentview.domain.value import Value
from agentview.library.catalogue import state_now
from agentview.settings.values import Density, Settings, TimeFormat
from agentview.store.changes import RowsChanged
from agentview.timeline.header import HeaderFacts, LogPresence, OpenSession
from agentview.timeline.levels import DetailLevel, DetailPreferences
from agentview.timeline.quantities import counted
from agentview.timeline.texts import output_text, subject_text
from agentview.ui.activity import ActivityView, body_space
from agentview.ui.messages import CopyAsked
from agentview.ui.render.body import Space
from agentview.ui.render.looks import timeline_space
from agentview.ui.render.palette import Palette
from agentview.ui.render.raw import UnusedKeys, raw_body
from agentview.ui.screens.session_keys import SESSION_BINDINGS
from agentview.ui.widgets.awaited import Awaited
from agentview.ui.widgets.cards import CardMakers, stream_indent
from agentview.ui.widgets.finder import Finder
from agentview.ui.widgets.notice import Notice
from agentview.ui.widgets.places import Place, Places
from agentview.ui.widgets.session_header import SessionHeader
from agentview.ui.widgets.status_line import StatusLine
from agentview.ui.widgets.timeline_view import TimelineView

_SOON = 0.05
"""Seconds for which changes are gathered before the facts around the timeline are shown anew."""

TALL = 20
"""Rows from which there is room for empty ones around the timeline."""

_MINUTE = 60.0
_LEVELS = tuple(DetailLevel)
_OVER = (LiveState.ENDED, LiveState.STALE, LiveState.INTERRUPTED)


class Looks(Value):
    """How a session is shown: colours, levels, the time, and what its provider did not use."""

    palette: Palette
    detail: DetailPreferences
    clock: Callable[[], float]
    unused_keys: UnusedKeys
    raw: bool = False
    note: str = ""
    """Stands in the header behind the provider."""
    bookmarks: dict[str, set[Place]] = field(default_factory=dict[str, set[Place]])
    """Bookmarks by the path of the log, as long as the program runs."""
    settings: Settings = field(default_factory=Settings)

    @property
    def ruled(self) -> bool:
        """Whether a rule stands above each turn."""
        return self.settings.timeline.density is Density.COMFORTABLE


class SessionScreen(Screen[None]):
    """One session. It reads nothing itself: all comes from the rows and facts of `session`."""

    BINDINGS: ClassVar[list[BindingType]] = [*SESSION_BINDINGS]
    AUTO_FOCUS = ""
    BLANK = True

    class DetailAsked(Message):
        """The person wants one activity on a screen of its own."""

        def __init__(self, screen: "SessionScreen", row: int) -> None:
            self.screen = screen
            self.row = row
            super().__init__()

    class AgentAsked(Message):
        """The person wants to see what the agent of `stream` did that a call started."""

        def __init__(self, screen: "SessionScreen", stream: Stream) -> None:
            self.screen = screen
            self.stream = stream
            super().__init__()

    class LeaveAsked(Message):
        """The person is done with the session; `hard` also when nothing is behind it."""

        def __init__(self, *, hard: bool) -> None:
            self.hard = hard
            super().__init__()

    def __init__(self, session: OpenSession, looks: Looks) -> None:
        super().__init__()
        self.session = session
        self.looks = looks
        self.timeline = TimelineView(
            session,
            looks.detail,
            timeline_space(looks.settings, looks.palette),
            CardMakers(raw_view=self._raw_view, view=self._view, indent=self._indent),
            ruled=looks.ruled,
        )
        self._header = SessionHeader(session.header(), looks.clock, looks.note)
        self._notice = Notice()
        self._status = StatusLine()
        self._awaited = Awaited(self.timeline, self._status)
        self._finder = Finder(session, self.timeline, self._status, self._awaited)
        marked = looks.bookmarks.setdefault(session.ref.path, set())
        self._places = Places(
            session, self.timeline, self._status, self._awaited, looks.clock, marked
        )
        self._changed = False
        self._gathering = False
        self._raw_all = False
        self._unsubscribe: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        """From top to bottom; the notice stands in place of a timeline without rows."""
        # As the application's breakpoint will have it, so that the first layout stays.
        self.set_class(self.app.size.height >= TALL, "-tall")  # pyright: ignore[reportUnknownMemberType]
        self.set_class(not self.looks.ruled, "-compact")
        yield self._header
        yield self.timeline
        yield self._notice
        yield self._finder
        yield self._places
        yield self._status

    def on_mount(self) -> None:
        """Take part in what changes."""
        self._unsubscribe = self.session.subscribe(self._rows_changed)
        self.set_interval(_MINUTE, self._minute_passed)
        self._show_facts()
        if self.looks.raw:
            self.action_raw_all()

    def on_unmount(self) -> None:
        """Take part in nothing any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    def set_looks(self, looks: Looks) -> None:
        """Show everything in other colours, at other levels, by other settings."""
        self.looks = looks
        self.set_class(not looks.ruled, "-compact")
        space = timeline_space(looks.settings, looks.palette)
        self.timeline.set_view(space, looks.detail, ruled=looks.ruled)
        self._status.forget_keys()

    def _minute_passed(self) -> None:
        self._show_facts()
        if self.looks.settings.timeline.time is TimeFormat.RELATIVE:
            self.timeline.refresh_rows()

    def _view(self, activity: Activity, level: DetailLevel, space: Space) -> ActivityView:
        return ActivityView(activity, level, space, clock=self.looks.clock)

    def _raw_view(self, activity: Activity, level: DetailLevel, space: Space) -> ActivityView:
        del level
        body = raw_body(activity, self.looks.unused_keys, body_space(space))
        return ActivityView(activity, DetailLevel.FULL, space, body=body)

    def _indent(self, activity: Activity) -> int:
        """None for what the agent did whose log this is."""
        return 0 if activity.first.stream == self.session.ref.stream else stream_indent(activity)

    # What goes on in the session

    def _rows_changed(self, change: RowsChanged) -> None:
        self._finder.rows_changed(change)
        self._places.rows_changed(change)
        self._awaited.rows_changed()
        self._changed = True
        if self._gathering:
            return
        if self.has_class("-empty"):
            # The notice stands until there are widgets for the first rows.
            self._gathering = True
            self.set_timer(_SOON, self._gather)
        else:
            # With the frame of what changed. Changes close upon it are gathered for another one.
            self._gather()

    def _gather(self) -> None:
        self._gathering = self._changed
        if self._changed:
            self._show_facts()
            self.set_timer(_SOON, self._gather)

    @on(Finder.Filtered)
    def _show_facts(self) -> None:
        self._changed = False
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

    def _show_follow(self, facts: HeaderFacts) -> None:
        silence = None if facts.last_activity is None else self.looks.clock() - facts.last_activity
        over = state_now(facts.state, silence) in _OVER
        live = facts.presence in (LogPresence.PRESENT, LogPresence.REPLACED) and not over
        timeline = self.timeline
        self._status.show_follow(timeline.follow if live else None, timeline.new_count)

    def _show_notice(self, facts: HeaderFacts) -> None:
        """Say why there is nothing to see, when there is nothing."""
        empty = self.timeline.selected is None
        self.set_class(empty, "-empty")
        if not empty:
            return
        path, line = self.session.ref.path, self._finder.filter_line
        if line is not None:
            self._notice.say("no activity passes the filter", (line, "esc shows all"), "⊘")
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

    # Moving

    def action_move(self, delta: int) -> None:
        """Select the activity `delta` further."""
        self.timeline.move(delta)

    def action_page(self, delta: int) -> None:
        """Move by screens."""
        self.timeline.page(delta)

    def action_half(self, direction: int) -> None:
        """Move by half a screen."""
        self.timeline.scroll_lines(direction * max(1, self.timeline.size.height // 2))

    def action_start(self) -> None:
        """Go to the first activity."""
        self._places.start()

    def action_end(self) -> None:
        """Go to the newest activity, and follow."""
        self.timeline.end()

    def action_follow(self) -> None:
        """Follow, or stop."""
        self.timeline.follow = not self.timeline.follow

    def action_turn(self, step: int) -> None:
        """Go to the next or previous turn."""
        self._places.turn(step)

    def action_problem(self, step: int) -> None:
        """Go to the next or previous problem."""
        self._places.problem(step)

    # Detail

    def action_expand(self) -> None:
        """Show more of the selected activity, after everything the title alone."""
        if self.timeline.selected is not None:
            self.timeline.cycle_level(self.timeline.selected)

    def action_level(self, level: str) -> None:
        """Show all activities at one level."""
        self.timeline.set_level_all(DetailLevel(level))
        self._status.say(f"all activities: {level}")

    def action_kind_level(self) -> None:
        """Show all activities of the selected one's kind at the level after its own."""
        row = self.timeline.selected
        if row is None:
            return
        kind = self.session.kind(row)
        level = _LEVELS[(_LEVELS.index(self.timeline.level(row)) + 1) % len(_LEVELS)]
        self.timeline.set_level_kind(kind, level)
        self._status.say(f"all of kind {kind.value}: {level.value}")

    def action_raw(self) -> None:
        """Turn the selected activity over."""
        if self.timeline.selected is not None:
            self.timeline.toggle_raw(self.timeline.selected)

    def action_raw_all(self) -> None:
        """Turn all activities over and show hidden records, or neither."""
        self._raw_all = not self._raw_all
        self.timeline.set_show_hidden(self._raw_all)
        self.timeline.set_raw_all(self._raw_all)
        self._show_facts()
        if self._raw_all:
            self._status.say("raw debug: hidden records stand in their places")

    # Find

    async def action_search(self) -> None:
        """Let the person type what to search for."""
        await self._finder.search()

    async def action_filter(self) -> None:
        """Let the person type what to leave in."""
        await self._finder.filter()

    def action_match(self, direction: int) -> None:
        """Go to the next or previous match."""
        self._finder.step(direction)

    async def action_jump(self) -> None:
        """Let the person type where to go."""
        await self._places.jump()

    def action_bookmark(self) -> None:
        """Bookmark the selected activity, or no longer."""
        self._places.toggle_bookmark()

    def action_next_bookmark(self) -> None:
        """Go to the next bookmark."""
        self._places.next_bookmark()

    # Copy and open

    def action_copy_subject(self) -> None:
        """Copy what the selected activity is about."""
        self._copy(subject_text, "nothing to copy")

    def action_copy_output(self) -> None:
        """Copy the output of the selected activity."""
        self._copy(output_text, "no output to copy")

    def _copy(self, text_of: Callable[[Activity], str], nothing: str) -> None:
        row = self.timeline.selected
        text = text_of(self.session.activity(row)) if row is not None else ""
        if text:
            self.post_message(CopyAsked(text))
            self._status.say(f"copied {counted(len(text), 'character')}")
        else:
            self._status.say(nothing)

    @on(TimelineView.ActivityOpened)
    def action_open(self) -> None:
        """Show the selected activity on a screen of its own."""
        if self.timeline.selected is not None:
            self.post_message(self.DetailAsked(self, self.timeline.selected))

    def action_agent(self) -> None:
        """Show what the agent did that the selected call started."""
        row = self.timeline.selected
        stream = self.session.activity(row).child if row is not None else None
        if stream is None:
            self._status.say("no agent was started here")
        else:
            self.post_message(self.AgentAsked(self, stream))

    def action_dismiss_or_back(self) -> None:
        """End the filter or search, else go back if there is something behind this screen."""
        if not (self._places.dismiss() or self._finder.dismiss()):
            self.post_message(self.LeaveAsked(hard=False))

    def action_back(self) -> None:
        """Go back, or end the program when there is nothing behind this screen."""
        self.post_message(self.LeaveAsked(hard=True))

    def say(self, text: str) -> None:
        """Say something in the status line for a few seconds."""
        self._status.say(text)

    def neighbour(self, row: int, step: int) -> int | None:
        """The activity shown after (1) or before (-1) a row, selected; None at either end."""
        self.timeline.select(row)
        self.timeline.move(step)
        found = self.timeline.selected
        return None if found == row else found

    def show_row(self, row: int | None) -> None:
        """Select a row that was looked at elsewhere."""
        if row is not None:
            self.timeline.select(row)
