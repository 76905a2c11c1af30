"""The session screen: header, timeline, search and filter, status line."""

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from agentview.domain.activity import Activity, RowKind
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.providers import load_provider
from agentview.query.vocabulary import Surface
from agentview.sessions.following.live_session import FollowedClient
from agentview.settings.values import Icons, OnEnter, TimeFormat
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.header import ABSENT, HeaderFacts, OpenSession
from agentview.timeline.view.rows_protocol import FoldingRows, LogRows
from agentview.ui.activity_widget import RowLayout
from agentview.ui.messages import (
    AgentChosen,
    BlameRequested,
    CopyRequested,
    EditRequested,
    FocusChanged,
    RowRequested,
    RowsFiltered,
    SessionChosen,
)
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.render_options import timeline_space
from agentview.ui.screens.diff_mode import diff_mode_turned
from agentview.ui.screens.session.bindings import SESSION_BINDINGS
from agentview.ui.screens.session.body import SessionBody
from agentview.ui.screens.session.options import TALL, NavigationPath, ViewOptions
from agentview.ui.screens.session.strip import Strip
from agentview.ui.timeline.annotation_file import AnnotationFile
from agentview.ui.timeline.bookmarks import Bookmarks
from agentview.ui.timeline.navigation import Navigation
from agentview.ui.timeline.own_marks import OwnMarks
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.read_progress import ReadProgress
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.timeline.turn_heading import TurnInView
from agentview.ui.timeline.view_cache import RowViewFactory, stream_indent
from agentview.ui.widgets.late_part import LatePart
from agentview.ui.widgets.price_cache import PriceCache
from agentview.ui.widgets.session_header import SessionHeader
from agentview.ui.widgets.sliced_work import in_slices
from agentview.ui.widgets.status_line import StatusLine

_OFTEN = 0.05
"""Seconds for which the facts around the timeline stay while changes come."""

_LATE = 0.1
"""Seconds after which they are shown in a frame of their own, without a change to go with."""

_BRANCH_INDENT = 2
_LEVELS = tuple(DetailLevel)
_KEEP_EVERY = 10.0
"""Seconds after which it is kept how far the session was read, if that changed."""


class SessionScreen(Screen[None]):
    """One session. It reads nothing itself: all comes from the rows and facts of `session`."""

    BINDINGS: ClassVar[list[BindingType]] = [*SESSION_BINDINGS]
    AUTO_FOCUS = ""
    BLANK = True
    QUERIES = Surface.ACTIVITIES
    """The queries that it takes, for its help."""

    class DetailRequested(Message):
        """The person wants one activity on a screen of its own."""

        def __init__(self, screen: "SessionScreen", row: int) -> None:
            self.screen = screen
            self.row = row
            super().__init__()

    class AgentRequested(Message):
        """The person wants to see what agents did, of which each was started by the one before.

        The first of the streams is of an agent that the session of the screen started.
        """

        def __init__(
            self, screen: "SessionScreen", way: Sequence[Stream], row: int | None = None
        ) -> None:
            """`row` is where to go in the log of the last one."""
            self.screen = screen
            self.way = tuple(way)
            self.row = row
            super().__init__()

    class BranchRequested(Message):
        """The person wants the timeline of the abandoned branch that is folded at a row."""

        def __init__(self, screen: "SessionScreen", row: int) -> None:
            self.screen = screen
            self.row = row
            super().__init__()

    class LeaveRequested(Message):
        """The person is done with the session; `hard` also when nothing is behind it."""

        def __init__(self, *, hard: bool) -> None:
            self.hard = hard
            super().__init__()

    def __init__(
        self, session: OpenSession, options: ViewOptions, trail: NavigationPath | None = None
    ) -> None:
        """`trail` says how the reader came to the timeline of an agent."""
        super().__init__()
        self.session = session
        self.options = options
        self.trail = trail
        self.timeline = TimelineView(
            session.store,
            options.detail,
            self._space(),
            RowViewFactory(self._raw_view, self._view, fold=self._fold, indent=self._indent),
            ruled=options.ruled,
        )
        self.timeline.turn_in_view = self._turn = TurnInView(session, self.timeline.select)
        self._header = SessionHeader(session.header(), options.clock)
        self._body = SessionBody(session, self.timeline, lambda: self.options)
        self._status = StatusLine()
        self._awaited = PendingJump(self.timeline, self._status)
        self._finder = LatePart(self._search_bar)
        self._goto = LatePart(self._goto_bar)
        self._file = AnnotationFile(session.ref, self._status)
        parts = session, self.timeline, self._status, self._awaited, self._file
        self._navigation = Navigation(*parts[:4])
        self._bookmarks = Bookmarks(*parts)
        self._progress = ReadProgress(*parts, options.clock, options.keep_seen)
        self._own = OwnMarks(
            self.timeline,
            self._status,
            self._bookmarks,
            self._file,
            options.clock,
            self._own_changed,
        )
        self._own_bar = LatePart(self._own_marks_bar)
        self._export_bar = LatePart(self._file_line)
        self._raw_all = False
        self._commands: Mapping[str, Sequence[str]] = {}
        self._bind_own_commands()
        self._strip = Strip(session.store, self.timeline, self._space)
        self._client = FollowedClient()
        self._shown = 0.0
        self._late: Timer | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._prices: PriceCache | None = None

    def compose(self) -> ComposeResult:
        """From top to bottom; the notice replaces a timeline without rows."""
        # As the application's breakpoint will have it, so that the first layout stays.
        self.set_class(self.app.size.height >= TALL, "-tall")  # pyright: ignore[reportUnknownMemberType]
        self.set_class(not self.options.ruled, "-compact")
        yield self._header
        if self.trail is not None:
            # Wanted for agents only, and for none of them in the first frame.
            from agentview.ui.widgets.breadcrumb import Breadcrumb

            ascii_only = self.options.settings.timeline.icons is Icons.ASCII
            yield Breadcrumb(self.trail.names, ascii_only=ascii_only)
        yield self._turn
        yield self._body
        yield self._finder
        yield self._goto
        yield self._own_bar
        yield self._export_bar
        # The strip comes after the first frame, into a row that is there for it: nothing moves.
        yield self._strip
        yield self._status

    def on_mount(self) -> None:
        """Take part in what changes."""
        self._unsubscribe = self.session.store.subscribe(self._rows_changed)
        store = self.session.store
        if isinstance(store, SessionStore):
            self._prices = store.price_of = PriceCache(store.announce_children)
        self.call_after_refresh(self._file.load)
        self.set_interval(_KEEP_EVERY, self._progress.keep)
        self._status.show_masking(self.options.masking)
        self.show_facts()
        if self.options.raw:
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

    def set_options(self, options: ViewOptions) -> None:
        """Show everything in other colours, at other levels, by other settings."""
        self.options = options
        self.set_class(not options.ruled, "-compact")
        self.timeline.set_view(self._space(), options.detail, ruled=options.ruled)
        self._bind_own_commands()
        self._status.forget_keys()
        self._status.show_masking(options.masking)
        self._body.refresh_view()
        self._strip.refresh_view()

    def _space(self) -> RenderContext:
        return timeline_space(self.options.settings, self.options.palette)

    def on_focus_changed(self, event: FocusChanged) -> None:
        self._progress.focus(event.focused)

    def on_minute_passed(self) -> None:
        """Show ages as they are now."""
        self.show_facts()
        if self.options.settings.timeline.time is TimeFormat.RELATIVE:
            self.timeline.refresh_rows()

    def _view(self, activity: Activity, level: DetailLevel, space: RenderContext) -> RowLayout:
        note = self._own.note_of(str(activity.first.id))
        return self.options.layout(activity, level, space, note)

    def _fold(self, activities: Sequence[Activity], space: RenderContext) -> RowLayout:
        notes = (self._own.note_of(str(activity.first.id)) for activity in activities)
        return self.options.fold_layout(activities, space, " · ".join(filter(None, notes)))

    def _raw_view(self, activity: Activity, level: DetailLevel, space: RenderContext) -> RowLayout:
        del level
        return self.options.raw_layout(activity, space)

    def _indent(self, activity: Activity) -> int:
        """None for what the agent did whose log this is; that of a branch stands further in."""
        ref = self.session.ref
        own = ref.shared or activity.first.stream == ref.stream
        branch = _BRANCH_INDENT if activity.abandoned else 0
        return branch + (0 if own else stream_indent(activity))

    # Parts that come late, as do what is copied, opened and shown raw: see ARCHITECTURE.md

    def _search_bar(self):
        from agentview.ui.timeline.search_bar import SearchBar

        parts = self.session.store, self.timeline, self._status, self._awaited
        return SearchBar(*parts, self._own.rows_with)

    def _goto_bar(self):
        from agentview.ui.timeline.goto_bar import GotoBar

        clock = self.options.clock
        return GotoBar(self.session, self.timeline, self._status, self._awaited, clock)

    def _own_marks_bar(self):
        from agentview.ui.timeline.own_marks import OwnMarksBar

        return OwnMarksBar(self._own, self._status.forget_keys)

    def _file_line(self):
        from agentview.ui.timeline.export_bar import ExportBar

        return ExportBar(self.session, self.timeline, self.say, self._status.forget_keys)

    def _give_up_jump(self) -> bool:
        """Go to no place any more; False when none was awaited."""
        goto = self._goto.part
        return self._awaited.give_up() if goto is None else goto.dismiss()

    # What continues in the session

    def _rows_changed(self, change: RowsChanged) -> None:
        if (finder := self._finder.part) is not None:
            finder.rows_changed(change)
        if change.reset:
            self._give_up_jump()
        self._bookmarks.rows_changed(change)
        self._progress.rows_changed(change)
        self._awaited.rows_changed()
        self._body.rows_changed(change)
        self._strip.rows_changed(change)
        # The notice stands until there are widgets for the first rows.
        if not self._body.empty and monotonic() - self._shown >= _OFTEN:
            # In the frame of what changed.
            self.show_facts()
        elif self._late is None:
            self._late = self.set_timer(_LATE, self.show_facts)

    @on(RowsFiltered)
    def show_facts(self) -> None:
        """Show the facts around the timeline again."""
        if self._late is not None:
            self._late.stop()
            self._late = None
        self._shown = monotonic()
        self._progress.show()
        facts = self.session.header()
        looping = self._turn.show_notice(facts, self.options.clock(), self.options.settings.looping)
        self._header.show(self._own.headed(facts), starred=self._own.starred, looping=looping)
        self._status.show_facts(facts)
        self._show_follow(facts)
        followed = self.trail is None and self.timeline.follow and self.is_current
        if (ref := self._client.next_session(facts, followed=followed)) is not None:
            self.post_message(SessionChosen(ref, continues=True))
        finder = self._finder.part
        self._body.show_notice(facts, None if finder is None else finder.filter_line)

    @on(TimelineView.FollowChanged)
    def _follow_changed(self, event: TimelineView.FollowChanged) -> None:
        event.stop()
        self._show_follow(self.session.header())

    @on(TimelineView.SelectionChanged)
    def _selection_changed(self, event: TimelineView.SelectionChanged) -> None:
        event.stop()
        self._awaited.moved()
        if (finder := self._finder.part) is not None:
            finder.selection_changed()
        self._body.selection_changed(event.row)

    @on(TimelineView.ViewportChanged)
    def _view_moved(self, event: TimelineView.ViewportChanged) -> None:
        event.stop()
        self._progress.viewed(event.last)
        self._strip.set_viewport(event.first, event.last)

    def _show_follow(self, facts: HeaderFacts) -> None:
        live = facts.presence not in ABSENT and facts.followed
        timeline = self.timeline
        self._status.show_follow(timeline.follow if live else None, timeline.new_count)

    # The side panel

    async def action_panel(self) -> None:
        await self._body.toggle_panel()

    def on_resize(self, event: events.Resize) -> None:
        self._body.suit_width(event.size.width)

    def on_descendant_focus(self) -> None:
        self._status.forget_keys()

    def on_descendant_blur(self) -> None:
        self._status.forget_keys()

    @on(RowRequested)
    def _row_asked(self, event: RowRequested) -> None:
        event.stop()
        self.show_place(event.row)
        self._body.uncover()

    # Places

    async def open_at(self, place: tuple[int, int] | None, query: str) -> None:
        """Show the activity of a place in full once it is read, with a search for the query."""
        if query:
            (await self._finder.ask()).begin(query)
        if place is not None:
            self._awaited.go("what was found", lambda: self._arrive(place))

    def _arrive(self, place: tuple[int, int]) -> bool:
        rows = self.session.store
        row = rows.row_of(*place) if isinstance(rows, LogRows) else None
        if row is None:
            all_read = self.session.header().all_read
            if all_read:
                self._status.say("the match is not in the log any more")
            return all_read
        if self.show_place(row) and (selected := self.timeline.selected) is not None:
            self.timeline.set_level(selected, DetailLevel.FULL)
            if (finder := self._finder.part) is not None:
                finder.show_in(selected)
        return True

    def show_place(self, row: int) -> bool:
        """Select the activity that shows a row; False, and said why, where none is shown."""
        return self._navigation.show(row)

    # Moving

    def action_move(self, delta: int) -> None:
        self.timeline.move(delta)

    def action_page(self, delta: int) -> None:
        self.timeline.page(delta)

    def action_half(self, direction: int) -> None:
        self.timeline.scroll_lines(direction * max(1, self.timeline.size.height // 2))

    def action_start(self) -> None:
        self._navigation.start()

    def action_end(self) -> None:
        self.timeline.end()

    def action_follow(self) -> None:
        self.timeline.follow = not self.timeline.follow

    def action_turn(self, step: int) -> None:
        self._navigation.turn(step)

    def action_problem(self, step: int) -> None:
        self._navigation.problem(step)

    def action_contradiction(self) -> None:
        self._navigation.contradiction()

    # Detail

    def action_expand(self) -> None:
        """Show more of the selected activity, after everything the title alone.

        An abandoned branch opens in place, and folds again.
        """
        row, rows = self.timeline.selected, self.session.store
        if row is None:
            return
        if rows.kind(row) is not RowKind.BRANCH or not isinstance(rows, FoldingRows):
            self.timeline.cycle_level(row)
            return
        opened = not rows.is_open(row)
        rows.open_fold(row, opened)
        self.timeline.set_level(row, DetailLevel.FULL if opened else DetailLevel.TITLE)

    def action_level(self, level: str = "") -> None:
        """Show all activities at one level, or each kind at its usual one, with looks folded."""
        self.timeline.set_level_all(DetailLevel(level) if level else None)
        self._status.say(f"all activities: {level or 'usual detail'}")

    def action_kind_level(self) -> None:
        """Show all activities of the selected one's kind at the level after its own."""
        row = self.timeline.selected
        if row is None:
            return
        kind = self.session.store.kind(row)
        level = _LEVELS[(_LEVELS.index(self.timeline.level(row)) + 1) % len(_LEVELS)]
        self.timeline.set_level_kind(kind, level)
        self._status.say(f"all of kind {kind.value}: {level.value}")

    def action_fold(self) -> None:
        if self.timeline.selected is not None:
            self.timeline.fold(self.timeline.selected)

    def action_diff_mode(self) -> None:
        """Show diffs side by side, or one below the other."""
        split = self.timeline.shows_split
        self.post_message(diff_mode_turned(split=split, say=self._status.say))

    def action_raw(self) -> None:
        if self.timeline.selected is not None:
            self.timeline.toggle_raw(self.timeline.selected)

    def action_raw_all(self) -> None:
        """Turn all activities over and show hidden records, or neither."""
        self._raw_all = not self._raw_all
        self.timeline.set_show_hidden(self._raw_all)
        self.timeline.set_raw_all(self._raw_all)
        self.show_facts()
        if self._raw_all:
            self._status.say("raw view: hidden records are shown")

    # Find

    async def action_search(self) -> None:
        await (await self._finder.ask()).search()

    async def action_filter(self) -> None:
        await (await self._finder.ask()).filter()

    async def action_match(self, direction: int) -> None:
        (await self._finder.ask()).step(direction)

    async def action_jump(self) -> None:
        await (await self._goto.ask()).jump()

    def action_bookmark(self) -> None:
        self._bookmarks.toggle()

    def action_next_bookmark(self) -> None:
        self._bookmarks.next()

    async def action_note(self) -> None:
        if (row := self.timeline.selected) is not None:
            event = str(self.session.store.activity(row).first.id)
            await (await self._own_bar.ask()).note(row, self._own.note_of(event))
            self._status.forget_keys()

    def action_star(self) -> None:
        self._own.toggle_star()

    async def action_title(self) -> None:
        """Let the person type a title for the session."""
        await (await self._own_bar.ask()).title()
        self._status.forget_keys()

    def _own_changed(self) -> None:
        """Show the own title and the star, in lists too."""
        self.show_facts()
        self.options.annotated()

    def action_unread(self) -> None:
        self._progress.go()

    # Copy and open

    async def action_copy_subject(self) -> None:
        """Copy the text that is selected, else what the selected activity is about."""
        from agentview.timeline.view.activity.clipboard_text import copied_subject

        selection = self.timeline.selection
        text = await in_slices(selection.text()) if selection else self.get_selected_text()
        if text:
            selection.clear()
            self.clear_selection()
            self.post_message(CopyRequested(text, "selection", self.say))
            return
        self._copy(copied_subject, "nothing to copy")

    def action_copy_output(self) -> None:
        """Copy the output of the selected activity."""
        from agentview.timeline.view.activity.clipboard_text import copied_output

        self._copy(copied_output, "no output to copy")

    def _copy(self, part: Callable[[Activity], tuple[str, str]], nothing: str) -> None:
        row = self.timeline.selected
        what, text = ("", "") if row is None else part(self._seen(row))
        if text:
            self.post_message(CopyRequested(text, what, self.say))
        else:
            self._status.say(nothing)

    def _seen(self, row: int) -> Activity:
        return self.options.seen(self.session.store.activity(row))

    def action_edit(self) -> None:
        self._post_file(EditRequested)

    def action_blame(self) -> None:
        self._post_file(BlameRequested)

    async def action_own_command(self, key: str) -> None:
        """Run the person's own program of a key with the selected activity."""
        row = self.timeline.selected
        if row is not None:
            from agentview.ui.screens.session.own_commands import run_command

            self.say(await run_command(self._commands[key], self._seen(row), self.session.ref))

    def _bind_own_commands(self) -> None:
        commands = self.options.settings.commands
        if commands != self._commands:
            # Imported here: most have none.
            from agentview.ui.screens.session.own_commands import bind_commands

            bind_commands(self._bindings, commands)
            self._commands = commands

    def _post_file(self, asked: type[EditRequested | BlameRequested]) -> None:
        """Ask for something with the file that the selected activity is about."""
        from agentview.timeline.view.activity.file_location import file_place

        row = self.timeline.selected
        place = None if row is None else file_place(self.session.store.activity(row))
        if place is None:
            self._status.say("no file is named here")
        else:
            self.post_message(asked(place, self.say))

    @on(TimelineView.ActivityOpened)
    def action_open(self) -> None:
        if self.timeline.selected is not None:
            self.post_message(self.DetailRequested(self, self.timeline.selected))

    def action_agent(self) -> None:
        """Show what the agent did that the selected call started."""
        row = self.timeline.selected
        stream = self.session.store.activity(row).child if row is not None else None
        if stream is None:
            self._status.say("no agent was started here")
        else:
            self.post_message(self.AgentRequested(self, (stream,)))

    @on(AgentChosen)
    def _agent_chosen(self, event: AgentChosen) -> None:
        event.stop()
        self.post_message(self.AgentRequested(self, event.way, event.row))

    def action_enter(self) -> None:
        """Enter the agent that the selected call started, or an abandoned branch.

        Open or expand any other activity.
        """
        row = self.timeline.selected
        if row is None:
            return
        kind = self.session.store.kind(row)
        agent = kind is ToolKind.SUBAGENT_TASK
        if kind is RowKind.BRANCH:
            self.post_message(self.BranchRequested(self, row))
        elif agent and self.session.store.activity(row).child is not None:
            self.action_agent()
        elif self.options.settings.detail.on_enter is OnEnter.OPEN:
            self.action_open()
        else:
            self.action_expand()

    async def action_export(self) -> None:
        """Let the person name the file that the session is written to, without secrets."""
        title = self._own.headed(self.session.header()).title
        await (await self._export_bar.ask()).ask(title)

    def action_resume(self) -> None:
        """Copy the command with which its client continues with the session."""
        # Not wanted for the first frame.
        from agentview.timeline.view.resume_command import resume_line

        session = self.trail.session if self.trail is not None else self.session
        provider = load_provider(session.ref.provider)
        line = resume_line(provider, session.ref, session.header().cwd)
        if line is None:
            self._status.say(f"{provider.label} has no command that resumes this session")
        else:
            self.post_message(CopyRequested(line, "command", lambda _: self.say(f"copied: {line}")))

    def action_continuation(self) -> None:
        """Show the session with which its client continued."""
        session = self.trail.session if self.trail is not None else self.session
        if (continued := session.header().continued) is None:
            self._status.say("it is not known to continue in another session")
        else:
            self.post_message(SessionChosen(continued.ref))

    def action_dismiss_or_back(self) -> None:
        """Clear the filter or search, else go back if there is something behind this screen."""
        finder = self._finder.part
        given_up = self.timeline.selection.clear() or self._give_up_jump()
        if not (given_up or (finder is not None and finder.dismiss())):
            self.post_message(self.LeaveRequested(hard=False))

    def on_breadcrumb_left(self) -> None:
        self.post_message(self.LeaveRequested(hard=False))

    def action_back(self) -> None:
        self.post_message(self.LeaveRequested(hard=True))

    def say(self, text: str) -> None:
        self._status.say(text)

    def neighbour(self, row: int, step: int) -> int | None:
        """The activity shown after (1) or before (-1) a row, selected; None at either end."""
        self.timeline.select(row)
        self.timeline.move(step)
        found = self.timeline.selected
        return None if found == row else found

    def show_row(self, row: int | None) -> None:
        if row is not None:
            self.timeline.select(row)
