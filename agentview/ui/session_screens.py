"""Opens the screens of sessions one over the other, and leads back from them.

What only sessions need is imported when one is opened: the library may come first.
"""

import asyncio
import shutil
from collections.abc import Callable

from textual import on
from textual.message import Message
from textual.screen import Screen as TextualScreen

from agentview.annotations.seen import SeenPlaces
from agentview.domain.session import SessionRef, Stream
from agentview.domain.unread import SeenPlace
from agentview.errors import AgentViewError
from agentview.settings import LaunchOptions, NewestSessions, Screen
from agentview.settings.values import NotifySettings
from agentview.timeline.header import OpenSession
from agentview.ui.messages import (
    AgentChosen,
    FileRequested,
    RowRequested,
    SeenChanged,
    SessionChosen,
)
from agentview.ui.notifications import Notifications
from agentview.ui.render.palette import PLAIN, Palette
from agentview.ui.screens.live_settings import LiveSettings
from agentview.ui.screens.session.options import ViewOptions
from agentview.ui.screens.waiting import WaitingScreen
from agentview.ui.system_actions import OutsideApp
from agentview.ui.widgets.status_line import StatusLine

_RECORDS_A_LINE = 3
"""Records at the end of a log that are sure to fill a line of the screen, at the level `title`."""


def open_log(ref: SessionRef, live: bool) -> OpenSession:
    """The session of a log, its end read; `live`: it is being written."""
    from agentview.ingest.live_session import TAIL_LINES, LiveSession
    from agentview.providers import load_provider

    session = LiveSession(load_provider(ref.provider), ref, live=live)
    session.open(max(TAIL_LINES, _RECORDS_A_LINE * shutil.get_terminal_size().lines))
    return session


class SessionScreensApp(OutsideApp):
    """Shows sessions: the one it began with, those that are chosen, agents, single activities."""

    def __init__(
        self,
        start: LaunchOptions,
        clock: Callable[[], float],
        open_session: Callable[[SessionRef, bool], OpenSession],
        live: LiveSettings,
    ) -> None:
        super().__init__()
        self._start = start
        self._clock = clock
        self._open_session = open_session
        self._live = live
        self._close_pipe: Callable[[], None] = lambda: None
        self.piped: OpenSession | None = None
        """The session that comes through the pipe, once enough of it came."""
        self._seen = SeenPlaces()
        self.notifications = Notifications(self)
        self._tasks: list[asyncio.Task[None]] = []
        self._sessions: list[OpenSession] = []
        self.palette: Palette = PLAIN

    def close_sessions(self) -> None:
        """Stop reading; what a pipe left on disk is deleted."""
        self.notifications.close()
        for task in self._tasks:
            task.cancel()
        for session in self._sessions:
            session.close()
        if self.piped is not None and self._start.report is not None:
            self._start.report(self.piped)
        self._close_pipe()

    # What notifications need

    def notify_settings(self) -> NotifySettings:
        """The settings of notifications as they are now."""
        return self._live.settings.notify

    def now(self) -> float:
        """The time, epoch seconds."""
        return self._clock()

    def to_terminal(self, text: str) -> None:
        """Write to the terminal, between two frames."""
        if self._driver is not None:
            self._driver.write(text)

    def _session_screen(self, ref: SessionRef, *, live: bool) -> TextualScreen[None]:
        return self._screen_of(self._open_session(ref, live))

    def _screen_of(self, session: OpenSession) -> TextualScreen[None]:
        from agentview.ui.screens.session.screen import SessionScreen

        self._sessions.append(session)
        if not self._start.demo:
            self.notifications.follow(session)
        return SessionScreen(session, self._looks(session))

    def _looks(self, session: OpenSession) -> ViewOptions:
        from agentview.providers import load_provider

        start, provider = self._start, load_provider(session.ref.provider)
        # A session from the library is followed while somebody is at work in it.
        followed = start.screen is not Screen.SESSION and session.header().followed
        return ViewOptions(
            palette=self.palette,
            detail=self._live.preferences(live=start.live or followed),
            clock=self._clock,
            unused_keys=lambda record, source: provider.unused_keys(record, source, session.ref),
            raw=start.raw,
            note="demo" if start.demo else "",
            settings=self._live.settings,
            masking=self.masking,
            tell_seen=self._tell_seen,
        )

    def _tell_seen(self, ref: SessionRef, seen: SeenPlace) -> None:
        self._seen.put(ref.provider, ref.session_id, ref.stream.id, seen)
        for screen in self.screen_stack:
            screen.post_message(SeenChanged())

    async def _take_pipe(self, descriptor: int) -> None:
        from agentview.ingest.piped import piped_session
        from agentview.sources.pipe import PipeReader

        waiting = self.screen
        try:
            pipe = PipeReader(descriptor, tee=self._start.tee)
            self._close_pipe = pipe.close
            session = self.piped = await piped_session(pipe)
        except AgentViewError as error:
            _tell(waiting, error.message)
            return
        if session is None:
            _tell(waiting, "the pipe was closed before a session began")
            return
        screen = self._screen_of(session)
        # Not switched to: Textual cannot take away the screen that the program began with.
        await self.push_screen(screen)
        session.start()

    async def _take_newer(self, successors: NewestSessions) -> None:
        """Show each session that begins in the directory, in place of the one before it."""
        from agentview.ingest.latest import newest_sessions

        known = set(successors.known)
        places = [successors.directory]
        async for ref in newest_sessions(places, successors.scan, known=known):
            session = self._open_session(ref, True)
            screen = self._screen_of(session)
            await self.push_screen(screen)
            session.start()
            for line in screen.query(StatusLine):
                line.say("a newer session began; q returns to the one before", lasting=True)

    @on(SessionChosen)
    async def _session_chosen(self, event: SessionChosen) -> None:
        from agentview.ui.screens.session.screen import SessionScreen

        session = self._open_session(event.ref, True)
        screen = self._screen_of(session)
        await self.push_screen(screen)
        session.start()
        if isinstance(screen, SessionScreen):
            screen.open_at(event.place, event.query)

    # Handlers by name: the classes of these messages are not imported before the first frame.

    def on_session_actions_detail_requested(self, event: Message) -> None:
        """Show one activity on a screen of its own."""
        from agentview.ui.screens.detail import DetailScreen
        from agentview.ui.screens.session.screen import SessionScreen

        if not isinstance(event, SessionScreen.DetailRequested):
            return
        screen = event.screen
        detail = DetailScreen(screen.session, event.row, screen.looks, screen.neighbour)
        self.push_screen(detail, screen.show_row)

    @on(FileRequested)
    def _file_asked(self, event: FileRequested) -> None:
        from agentview.ingest.live_session import LiveSession
        from agentview.ui.screens.file_changes import FileChangesScreen
        from agentview.ui.screens.session.screen import SessionScreen
        from agentview.ui.widgets.panel.files import FilesTab

        screen = self.screen
        if isinstance(screen, SessionScreen) and isinstance(screen.session, LiveSession):
            changes = screen.query_one(FilesTab).changes
            if changes is not None:
                shown = FileChangesScreen(screen.session, changes, event.path, screen.looks)
                own = screen.session.ref.stream
                self.push_screen(shown, lambda place: _show_step(screen, own, place))

    async def on_session_actions_agent_requested(self, event: Message) -> None:
        """Show what agents did, each on a screen over the one of who started it."""
        from agentview.ui.screens.session.screen import SessionScreen
        from agentview.ui.screens.session.subagent_path import agent_of, call_of, log_of, trail_to

        if not isinstance(event, SessionScreen.AgentRequested):
            return
        screen = event.screen
        for stream in event.way:
            base = log_of(screen.session)
            row = None if base is None else call_of(base, stream)
            agent = None if base is None else await agent_of(base, stream, row)
            if base is None or agent is None:
                event.screen.say("the log of this agent was not found")
                if row is not None and isinstance(screen, SessionScreen):
                    screen.show_place(row)
                return
            trail = trail_to(screen, base, row, agent)
            screen = SessionScreen(agent, event.screen.looks, trail)
            await self.push_screen(screen)
            # The log of an agent is read and closed by the session that it belongs to.
        if event.row is not None and isinstance(screen, SessionScreen):
            screen.show_place(event.row)

    async def on_session_actions_branch_requested(self, event: Message) -> None:
        """Show an abandoned branch on a screen of its own."""
        from agentview.ui.screens.session.screen import SessionScreen
        from agentview.ui.screens.session.subagent_path import branch_of

        if not isinstance(event, SessionScreen.BranchRequested):
            return
        found = branch_of(event.screen, event.row)
        if found is None:
            event.screen.action_expand()
            return
        session, trail = found
        self._sessions.append(session)
        await self.push_screen(SessionScreen(session, event.screen.looks, trail))
        session.start()

    async def on_session_actions_leave_requested(self, event: Message) -> None:
        """Lead back to what is behind a session, or end the program."""
        from agentview.ui.screens.session.screen import SessionScreen

        if not isinstance(event, SessionScreen.LeaveRequested):
            return
        screen = self.screen
        behind = self.screen_stack[-2] if len(self.screen_stack) > 1 else None
        leads_back = behind is not None and not isinstance(behind, WaitingScreen)
        if leads_back and isinstance(screen, SessionScreen):
            if screen.session in self._sessions:
                self.notifications.unfollow(screen.session)
                screen.session.close()
                self._sessions.remove(screen.session)
            await self.pop_screen()
        elif event.hard:
            self.exit()
        elif isinstance(screen, SessionScreen):
            screen.say("q quits")


def _show_step(
    screen: TextualScreen[object], own: Stream, place: tuple[Stream, int] | None
) -> None:
    """Show a row of a stream, in the timeline of the agent whose stream it is."""
    if place is None:
        return
    stream, row = place
    screen.post_message(RowRequested(row) if stream == own else AgentChosen((stream,), row))


def _tell(screen: TextualScreen[object], sentence: str) -> None:
    if isinstance(screen, WaitingScreen):
        screen.say(sentence)
