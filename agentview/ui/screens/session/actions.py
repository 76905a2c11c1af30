"""What the keys of the session screen do."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from agentview.domain.activity import Activity, RowKind
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.providers import load_provider
from agentview.settings.values import OnEnter
from agentview.timeline.clipboard_text import copied_output, copied_subject
from agentview.timeline.detail_levels import DetailLevel
from agentview.timeline.file_location import file_place
from agentview.timeline.header import OpenSession
from agentview.timeline.rows_protocol import FoldingRows
from agentview.ui.messages import AgentChosen, CopyRequested, EditRequested
from agentview.ui.screens.diff_mode import diff_mode_turned
from agentview.ui.screens.session.options import ViewOptions
from agentview.ui.timeline.bookmarks import Bookmarks
from agentview.ui.timeline.navigation import GotoBar
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.read_progress import ReadProgress
from agentview.ui.timeline.search_bar import SearchBar
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.status_line import StatusLine

# What each key does on the session screen: one table for keys, help, hints and palette.

_MOVE = Binding.Group("Move")
_DETAIL = Binding.Group("Detail")
_FIND = Binding.Group("Find")
_COPY = Binding.Group("Copy and open")
_SCREEN = Binding.Group("Screen")

SESSION_BINDINGS: list[Binding] = [
    Binding("j,down", "move(1)", "move", key_display="j/k", id="timeline.down", group=_MOVE,
            tooltip="Next activity"),
    Binding("k,up", "move(-1)", "previous", show=False, id="timeline.up", group=_MOVE,
            tooltip="Previous activity"),
    Binding("enter", "enter", "expand", key_display="⏎", id="timeline.enter", group=_DETAIL,
            tooltip="Expand; open its sub-agent or abandoned branch"),
    Binding("space", "expand", "expand", show=False, id="timeline.expand", group=_DETAIL,
            tooltip="Expand this activity: title, summary, full"),
    Binding("1", "level('title')", "detail", key_display="1 2 3", id="timeline.title",
            group=_DETAIL, tooltip="Show all activities as one line"),
    Binding("2", "level('summary')", "summary", show=False, id="timeline.summary",
            group=_DETAIL, tooltip="Show all activities as a summary"),
    Binding("3", "level('full')", "full", show=False, id="timeline.full",
            group=_DETAIL, tooltip="Show all activities in full"),
    Binding("t", "kind_level", "this kind", show=False, id="timeline.kind_level",
            group=_DETAIL, tooltip="Change the detail of all activities of this kind"),
    Binding("slash", "search", "search", id="timeline.search", group=_FIND,
            tooltip="Search for a text"),
    Binding("f", "filter", "filter", id="timeline.filter", group=_FIND,
            tooltip="Filter: words, kind:shell, tool:Bash, file:src/, problems"),
    Binding("e", "problem(1)", "error", id="timeline.next_problem", group=_MOVE,
            tooltip="Next problem"),
    Binding("E", "problem(-1)", "previous error", show=False, id="timeline.previous_problem",
            group=_MOVE, tooltip="Previous problem"),
    Binding("o", "open", "open", id="timeline.open", group=_COPY,
            tooltip="Open this activity on its own screen"),
    Binding("r", "raw", "raw", id="timeline.raw", group=_DETAIL,
            tooltip="Toggle the raw view: bytes, JSON and events"),
    Binding("F", "follow", "follow", id="timeline.follow", group=_MOVE,
            tooltip="Toggle following the newest activity"),
    Binding("a", "agent", "agent", show=False, id="timeline.agent", group=_COPY,
            tooltip="Open the sub-agent of this call"),
    Binding("d", "diff_mode", "diffs", show=False, id="timeline.diff_mode", group=_DETAIL,
            tooltip="Split or unified diffs"),
    Binding("s", "panel", "panel", id="session.panel", group=_SCREEN,
            tooltip="Toggle the side panel: turns, files, todos, problems"),
    Binding("z", "fold", "fold", show=False, id="timeline.fold", group=_DETAIL,
            tooltip="Fold or unfold all its parts; a click folds one"),
    Binding("R", "raw_all", "raw debug", show=False, id="timeline.raw_all", group=_DETAIL,
            tooltip="Toggle the raw view of all, with hidden records"),
    Binding("pagedown,ctrl+f", "page(1)", "page down", show=False, id="timeline.page_down",
            group=_MOVE, tooltip="One screen down"),
    Binding("pageup,ctrl+b", "page(-1)", "page up", show=False, id="timeline.page_up",
            group=_MOVE, tooltip="One screen up"),
    Binding("ctrl+d", "half(1)", "half down", show=False, id="timeline.half_down",
            group=_MOVE, tooltip="Half a screen down"),
    Binding("ctrl+u", "half(-1)", "half up", show=False, id="timeline.half_up",
            group=_MOVE, tooltip="Half a screen up"),
    Binding("g,home", "start", "start", show=False, id="timeline.start", group=_MOVE,
            tooltip="To the first activity"),
    Binding("G,end", "end", "end", show=False, id="timeline.end", group=_MOVE,
            tooltip="To the newest activity, and follow"),
    Binding("right_curly_bracket", "turn(1)", "turn", show=False, id="timeline.next_turn",
            group=_MOVE, tooltip="Next turn"),
    Binding("left_curly_bracket", "turn(-1)", "previous turn", show=False,
            id="timeline.previous_turn", group=_MOVE, tooltip="Start of this turn, or previous"),
    Binding("n", "match(1)", "next match", show=False, id="timeline.next_match", group=_FIND,
            tooltip="Next match"),
    Binding("N", "match(-1)", "previous match", show=False, id="timeline.previous_match",
            group=_FIND, tooltip="Previous match"),
    Binding("colon", "jump", "jump", show=False, id="timeline.jump", group=_MOVE,
            tooltip="Go to a time, line, byte or turn"),
    Binding("b", "bookmark", "bookmark", show=False, id="timeline.bookmark", group=_MOVE,
            tooltip="Toggle bookmark"),
    Binding("apostrophe", "next_bookmark", "next bookmark", show=False,
            id="timeline.next_bookmark", group=_MOVE, tooltip="Next bookmark"),
    Binding("u", "unread", "new", show=False, id="timeline.unread", group=_MOVE,
            tooltip="To what is new since the session was last read"),
    Binding("y", "copy_subject", "copy", show=False, id="timeline.copy", group=_COPY,
            tooltip="Copy the subject: command, path or text"),
    Binding("Y", "copy_output", "copy output", show=False, id="timeline.copy_output",
            group=_COPY, tooltip="Copy its output"),
    Binding("v", "edit", "edit", show=False, id="timeline.edit", group=_COPY,
            tooltip="Open its file in $VISUAL or $EDITOR, at the line"),
    Binding("c", "resume", "resume", show=False, id="session.resume", group=_COPY,
            tooltip="Copy the command that resumes the session"),
    Binding("escape", "dismiss_or_back", "back", show=False, id="session.dismiss",
            group=_SCREEN, tooltip="Close the search or filter, else go back"),
    Binding("q", "back", "back", id="session.back", group=_SCREEN,
            tooltip="Back to the library, or quit"),
]  # fmt: skip


_LEVELS = tuple(DetailLevel)


class NavigationPath(Value):
    """How the reader came to the timeline of an agent."""

    session: OpenSession
    """The session that the first of the agents was started in."""
    names: tuple[str, ...]
    """What the session and the agents are called, the one that is shown last."""


class SessionActions(Screen[None]):
    """The actions of a session screen; the screen itself makes the parts that they act on."""

    BINDINGS: ClassVar[list[BindingType]] = [*SESSION_BINDINGS]

    session: OpenSession
    looks: ViewOptions
    trail: NavigationPath | None = None
    """None for a session that no agent's timeline led from."""
    timeline: TimelineView
    _awaited: PendingJump
    _finder: SearchBar
    _places: GotoBar
    _bookmarks: Bookmarks
    _progress: ReadProgress
    _status: StatusLine
    _raw_all = False

    class DetailRequested(Message):
        """The person wants one activity on a screen of its own."""

        def __init__(self, screen: "SessionActions", row: int) -> None:
            self.screen = screen
            self.row = row
            super().__init__()

    class AgentRequested(Message):
        """The person wants to see what agents did, of which each was started by the one before.

        The first of the streams is of an agent that the session of the screen started.
        """

        def __init__(
            self, screen: "SessionActions", way: Sequence[Stream], row: int | None = None
        ) -> None:
            """`row` is where to go in the log of the last one."""
            self.screen = screen
            self.way = tuple(way)
            self.row = row
            super().__init__()

    class BranchRequested(Message):
        """The person wants the timeline of the abandoned branch that is folded at a row."""

        def __init__(self, screen: "SessionActions", row: int) -> None:
            self.screen = screen
            self.row = row
            super().__init__()

    class LeaveRequested(Message):
        """The person is done with the session; `hard` also when nothing is behind it."""

        def __init__(self, *, hard: bool) -> None:
            self.hard = hard
            super().__init__()

    def show_facts(self) -> None:
        """Show the facts around the timeline again."""
        raise NotImplementedError

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
        """Show more of the selected activity, after everything the title alone.

        An abandoned branch opens in place, and folds again.
        """
        row, session = self.timeline.selected, self.session
        if row is None:
            return
        if session.kind(row) is not RowKind.BRANCH or not isinstance(session, FoldingRows):
            self.timeline.cycle_level(row)
            return
        opened = not session.is_open(row)
        session.open_fold(row, opened)
        self.timeline.set_level(row, DetailLevel.FULL if opened else DetailLevel.TITLE)

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

    def action_fold(self) -> None:
        """Fold all parts of the selected activity, or open them."""
        if self.timeline.selected is not None:
            self.timeline.fold(self.timeline.selected)

    def action_diff_mode(self) -> None:
        """Show diffs side by side, or one below the other."""
        split = self.timeline.shows_split
        self.post_message(diff_mode_turned(split=split, say=self._status.say))

    def action_raw(self) -> None:
        """Turn the selected activity over."""
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
        self._bookmarks.toggle()

    def action_next_bookmark(self) -> None:
        """Go to the next bookmark."""
        self._bookmarks.next()

    def action_unread(self) -> None:
        """Go to what is new since the session was read last."""
        self._progress.go()

    # Copy and open

    def action_copy_subject(self) -> None:
        """Copy what the selected activity is about."""
        self._copy(copied_subject, "nothing to copy")

    def action_copy_output(self) -> None:
        """Copy the output of the selected activity."""
        self._copy(copied_output, "no output to copy")

    def _copy(self, part: Callable[[Activity], tuple[str, str]], nothing: str) -> None:
        row = self.timeline.selected
        what, text = ("", "") if row is None else part(self._seen(row))
        if text:
            self.post_message(CopyRequested(text, what, self.say))
        else:
            self._status.say(nothing)

    def _seen(self, row: int) -> Activity:
        return self.looks.seen(self.session.activity(row))

    def action_edit(self) -> None:
        """Open the file that the selected activity is about in the person's editor."""
        row = self.timeline.selected
        place = None if row is None else file_place(self.session.activity(row))
        if place is None:
            self._status.say("no file is named here")
        else:
            self.post_message(EditRequested(place, self.say))

    @on(TimelineView.ActivityOpened)
    def action_open(self) -> None:
        """Show the selected activity on a screen of its own."""
        if self.timeline.selected is not None:
            self.post_message(self.DetailRequested(self, self.timeline.selected))

    def action_agent(self) -> None:
        """Show what the agent did that the selected call started."""
        row = self.timeline.selected
        stream = self.session.activity(row).child if row is not None else None
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
        kind = self.session.kind(row)
        agent = kind is ToolKind.SUBAGENT_TASK
        if kind is RowKind.BRANCH:
            self.post_message(self.BranchRequested(self, row))
        elif agent and self.session.activity(row).child is not None:
            self.action_agent()
        elif self.looks.settings.detail.on_enter is OnEnter.OPEN:
            self.action_open()
        else:
            self.action_expand()

    def action_resume(self) -> None:
        """Copy the command with which its client continues with the session."""
        # Not wanted for the first frame.
        from agentview.timeline.resume_command import resume_line

        session = self.trail.session if self.trail is not None else self.session
        provider = load_provider(session.ref.provider)
        line = resume_line(provider, session.ref, session.header().cwd)
        if line is None:
            self._status.say(f"{provider.label} has no command that resumes this session")
        else:
            self.post_message(CopyRequested(line, "command", lambda _: self.say(f"copied: {line}")))

    def action_dismiss_or_back(self) -> None:
        """Clear the filter or search, else go back if there is something behind this screen."""
        if not (self._places.dismiss() or self._finder.dismiss()):
            self.post_message(self.LeaveRequested(hard=False))

    def on_breadcrumb_left(self) -> None:
        """Go back to where the agent was started."""
        self.post_message(self.LeaveRequested(hard=False))

    def action_back(self) -> None:
        """Go back, or end the program when there is nothing behind this screen."""
        self.post_message(self.LeaveRequested(hard=True))

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
