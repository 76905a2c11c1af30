"""Opens the screens of sessions one over the other, and leads back from them."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual import on
from textual.screen import Screen as TextualScreen

from agentview.domain.session import SessionRef, Stream
from agentview.errors import AgentViewError
from agentview.ingest.newest import newest_sessions
from agentview.ingest.piped import piped_session
from agentview.ingest.session import LiveSession
from agentview.providers import load_provider, provider_names
from agentview.settings import Screen, Start, Successors
from agentview.tailing.stdin import PipeReader
from agentview.timeline.header import OpenSession
from agentview.ui.messages import AgentChosen, FileAsked, RowAsked, SessionChosen
from agentview.ui.outside import OutsideApp
from agentview.ui.render.palette import PLAIN, Palette
from agentview.ui.screens.live_settings import LiveSettings, goes_on_at
from agentview.ui.screens.session import SessionScreen
from agentview.ui.screens.session_looks import Looks
from agentview.ui.screens.waiting import WaitingScreen
from agentview.ui.widgets.places import Place


def open_log(ref: SessionRef, live: bool) -> OpenSession:
    """The session of a log, its end read; `live`: it is being written."""
    session = LiveSession(load_provider(ref.provider), ref, live=live)
    session.open()
    return session


class SessionScreensApp(OutsideApp):
    """Shows sessions: the one it began with, those that are chosen, agents, single activities."""

    def __init__(
        self,
        start: Start,
        clock: Callable[[], float],
        open_session: Callable[[SessionRef, bool], OpenSession],
        live: LiveSettings,
    ) -> None:
        super().__init__()
        self._start = start
        self._clock = clock
        self._open_session = open_session
        self._live = live
        self._pipe: PipeReader | None = None
        self.piped: LiveSession | None = None
        """The session that comes through the pipe, once enough of it came."""
        self._tasks: list[asyncio.Task[None]] = []
        self._sessions: list[OpenSession] = []
        self._bookmarks: dict[str, set[Place]] = {}
        self.palette: Palette = PLAIN

    def close_sessions(self) -> None:
        """Stop reading; what a pipe left on disk is deleted."""
        for task in self._tasks:
            task.cancel()
        for session in self._sessions:
            session.close()
        if self.piped is not None and self._start.report is not None:
            self._start.report(self.piped)
        if self._pipe is not None:
            self._pipe.close()

    def _session_screen(self, ref: SessionRef, *, live: bool) -> SessionScreen:
        return self._screen_of(self._open_session(ref, live))

    def _screen_of(self, session: OpenSession) -> SessionScreen:
        self._sessions.append(session)
        return SessionScreen(session, self._looks(session))

    def _looks(self, session: OpenSession) -> Looks:
        start = self._start
        # A session from the library is followed while somebody is at work in it.
        goes_on = start.screen is Screen.LIBRARY and goes_on_at(self._clock(), session.header())
        return Looks(
            palette=self.palette,
            detail=self._live.preferences(live=start.live or goes_on),
            clock=self._clock,
            unused_keys=load_provider(session.ref.provider).unused_keys,
            raw=start.raw,
            note="demo" if start.demo else "",
            bookmarks=self._bookmarks,
            settings=self._live.settings,
            masking=self.masking,
        )

    async def _take_pipe(self, descriptor: int) -> None:
        waiting = self.screen
        try:
            self._pipe = PipeReader(descriptor, tee=self._start.tee)
            session = self.piped = await piped_session(self._pipe)
        except AgentViewError as error:
            _tell(waiting, error.message)
            return
        if session is None:
            _tell(waiting, "the pipe was closed before a session came through it")
            return
        screen = self._screen_of(session)
        # Not switched to: Textual cannot take away the screen that the program began with.
        await self.push_screen(screen)
        session.start()

    async def _take_newer(self, successors: Successors) -> None:
        """Show each session that begins in the directory, in place of the one before it."""

        def scan(place: Path) -> list[SessionRef]:
            return [ref for name in provider_names() for ref in load_provider(name).scan(place)]

        known = set(successors.known)
        async for ref in newest_sessions([successors.directory], scan, known=known):
            screen = self._session_screen(ref, live=True)
            await self.push_screen(screen)
            screen.session.start()
            screen.say("a newer session began here; q leads back to the one before")

    @on(SessionChosen)
    async def _session_chosen(self, event: SessionChosen) -> None:
        screen = self._session_screen(event.ref, live=True)
        await self.push_screen(screen)
        screen.session.start()
        screen.open_at(event.place, event.query)

    @on(SessionScreen.DetailAsked)
    def _detail_asked(self, event: SessionScreen.DetailAsked) -> None:
        from agentview.ui.screens.detail import DetailScreen

        screen = event.screen
        detail = DetailScreen(screen.session, event.row, screen.looks, screen.neighbour)
        self.push_screen(detail, screen.show_row)

    @on(FileAsked)
    def _file_asked(self, event: FileAsked) -> None:
        from agentview.ui.screens.file_changes import FileChangesScreen
        from agentview.ui.widgets.panel.files import FilesTab

        screen = self.screen
        if isinstance(screen, SessionScreen) and isinstance(screen.session, LiveSession):
            changes = screen.query_one(FilesTab).changes
            if changes is not None:
                shown = FileChangesScreen(screen.session, changes, event.path, screen.looks)
                self.push_screen(shown, partial(_show_step, screen))

    @on(SessionScreen.AgentAsked)
    async def _agent_asked(self, event: SessionScreen.AgentAsked) -> None:
        # Not wanted for the first frame.
        from agentview.ui.screens.agent_trails import agent_of, call_of, log_of, trail_to

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

    @on(SessionScreen.LeaveAsked)
    async def _leave_asked(self, event: SessionScreen.LeaveAsked) -> None:
        screen = self.screen
        behind = self.screen_stack[-2] if len(self.screen_stack) > 1 else None
        leads_back = behind is not None and not isinstance(behind, WaitingScreen)
        if leads_back and isinstance(screen, SessionScreen):
            if screen.session in self._sessions:
                screen.session.close()
                self._sessions.remove(screen.session)
            await self.pop_screen()
        elif event.hard:
            self.exit()
        elif isinstance(screen, SessionScreen):
            screen.say("q quits")


def _show_step(screen: SessionScreen, place: tuple[Stream, int] | None) -> None:
    """Show a row of a stream, in the timeline of the agent whose stream it is."""
    if place is None:
        return
    stream, row = place
    own = stream == screen.session.ref.stream
    screen.post_message(RowAsked(row) if own else AgentChosen((stream,), row))


def _tell(screen: TextualScreen[object], sentence: str) -> None:
    if isinstance(screen, WaitingScreen):
        screen.say(sentence)
