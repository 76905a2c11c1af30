"""Opens the screens of sessions one over the other, and leads back from them.

What only sessions need is imported when one is opened: the library may come first.
"""

import asyncio
import shutil
from collections.abc import Callable
from contextlib import ExitStack

from textual.app import App
from textual.message import Message
from textual.screen import Screen as TextualScreen

from agentview.domain.session import SessionRef, Stream
from agentview.domain.unread import SeenPlace
from agentview.errors import AgentViewError, NotFound
from agentview.sessions.library.search_roots import SearchRoots
from agentview.settings import NewestSessions, ReplayRequest, Screen
from agentview.timeline.view.header import OpenSession
from agentview.ui.app_state import AppState
from agentview.ui.messages import (
    AgentChosen,
    AnnotationsChanged,
    BlameRequested,
    ComparisonRequested,
    DemoRequested,
    FileRequested,
    RowRequested,
    SeenChanged,
    SessionChosen,
)
from agentview.ui.notifications import Notifications
from agentview.ui.screens.report_options import ReportOptions
from agentview.ui.screens.session.options import NavigationPath, ViewOptions
from agentview.ui.screens.waiting import WaitingScreen
from agentview.ui.widgets.status_line import StatusLine

_RECORDS_A_LINE = 3
"""Records at the end of a log that are sure to fill a line of the screen, at the level `title`."""


def open_log(ref: SessionRef, live: bool) -> OpenSession:
    """The session of a log, its end read; `live`: it is being written."""
    from agentview.providers import load_provider
    from agentview.sessions.following.live_session import LiveSession
    from agentview.sessions.following.log_ingest import TAIL_LINES

    session = LiveSession(load_provider(ref.provider), ref, live=live)
    session.open(max(TAIL_LINES, _RECORDS_A_LINE * shutil.get_terminal_size().lines))
    return session


def _played(ref: SessionRef, asked: ReplayRequest) -> OpenSession:
    from agentview.sessions.following.replay import open_replay

    return open_replay(
        ref, speed=asked.speed, start=asked.start, seconds=asked.seconds, word=asked.word
    )


def _replay_clock(session: OpenSession) -> Callable[[], float] | None:
    """Return the clock of a session that is played; None for one that is shown as it is."""
    from agentview.sessions.following.live_session import LiveSession

    played = session.replay if isinstance(session, LiveSession) else None
    return None if played is None else played.clock


def _session_screen(
    session: OpenSession, options: ViewOptions, trail: NavigationPath | None = None
) -> TextualScreen[None]:
    """Return the screen of a session, or of an agent of it; of one that is played with its keys."""
    from agentview.ui.screens.session.screen import SessionScreen

    if _replay_clock(session) is None:
        return SessionScreen(session, options, trail)
    from agentview.ui.screens.session.replay import replay_screen

    return replay_screen(session, options, trail)


class SessionScreens:
    """Shows sessions: the one it began with, those that are chosen, agents, single activities."""

    def __init__(
        self,
        app: App[None],
        state: AppState,
        notifications: Notifications,
        open_session: Callable[[SessionRef, bool], OpenSession],
    ) -> None:
        """`open_session` reads the end of a log; its flag says that the log is being written."""
        self._app = app
        self._state = state
        self._open_session = open_session
        self._notifications = notifications
        self._close_pipe: Callable[[], None] = lambda: None
        self._piped: OpenSession | None = None
        """The session that comes through the pipe, once enough of it came."""
        self._sessions: list[OpenSession] = []
        self._held: dict[OpenSession, ExitStack] = {}
        """Connections to the machines of sessions, closed with these."""

    def start(self) -> None:
        for session in self._sessions:
            session.start()

    def close(self) -> None:
        """Stop reading; what a pipe left on disk is deleted."""
        for session in self._sessions:
            session.close()
        if self._piped is not None and self._state.start.report is not None:
            self._state.start.report(self._piped)
        self._close_pipe()
        for held in self._held.values():
            held.close()

    def screen(self, ref: SessionRef, *, live: bool) -> TextualScreen[None]:
        """A screen of the session of a log; `live`: it is being written."""
        request = self._state.start.replay
        session = self._open_session(ref, live) if request is None else _played(ref, request)
        return self._screen_of(session)

    def refresh_view(self, screen: TextualScreen[object]) -> None:
        """Let a screen of a session take colours and settings as they are now."""
        from agentview.ui.screens.away import AwayScreen
        from agentview.ui.screens.blame import BlameScreen
        from agentview.ui.screens.compare import CompareScreen
        from agentview.ui.screens.detail import DetailScreen
        from agentview.ui.screens.file_changes import FileChangesScreen
        from agentview.ui.screens.session.screen import SessionScreen

        if isinstance(screen, SessionScreen | DetailScreen | FileChangesScreen):
            screen.set_options(self._options(screen.session))
        elif isinstance(screen, AwayScreen | BlameScreen | CompareScreen):
            screen.refresh_view()

    def _screen_of(self, session: OpenSession) -> TextualScreen[None]:
        self._sessions.append(session)
        if _replay_clock(session) is None:
            self._notifications.follow(session)
        return _session_screen(session, self._options(session))

    def _options(self, session: OpenSession) -> ViewOptions:
        from agentview.providers import load_provider

        state, provider = self._state, load_provider(session.ref.provider)
        start = state.start
        # A session from the library is followed while somebody is at work in it.
        followed = start.screen is not Screen.SESSION and session.header().followed
        replay = _replay_clock(session)
        return ViewOptions(
            palette=state.palette,
            detail=state.live.preferences(live=start.live or followed),
            clock=state.clock if replay is None else replay,
            unused_keys=lambda record, source: provider.reading.unused_keys(
                record, source, session.ref
            ),
            raw=start.raw,
            settings=state.live.settings,
            masking=state.masking,
            keep_seen=self._keep_seen if replay is None else lambda _ref, _place: None,
            annotated=self._annotated,
        )

    def _keep_seen(self, ref: SessionRef, seen: SeenPlace) -> None:
        self._state.annotations.put_seen(ref, seen)
        for screen in self._app.screen_stack:
            screen.post_message(SeenChanged())

    def _annotated(self) -> None:
        for screen in self._app.screen_stack:
            screen.post_message(AnnotationsChanged())

    async def take_pipe(self, descriptor: int) -> None:
        """Show the session that comes through a pipe, once enough of it came."""
        from agentview.sessions.following.piped import piped_session
        from agentview.sources.pipe import PipeReader

        waiting = self._app.screen
        try:
            pipe = PipeReader(descriptor, tee=self._state.start.tee)
            self._close_pipe = pipe.close
            session = self._piped = await piped_session(pipe)
        except AgentViewError as error:
            _say_on(waiting, error.message)
            return
        if session is None:
            _say_on(waiting, "the pipe was closed before a session began")
            return
        screen = self._screen_of(session)
        # Not switched to: Textual cannot take away the screen that the program began with.
        await self._app.push_screen(screen)
        session.start()

    async def take_newer(self, successors: NewestSessions) -> None:
        """Show each session that begins in the directory, in place of the one before it."""
        from agentview.sessions.following.latest import newest_sessions

        known = set(successors.known)
        places = [successors.directory]
        async for ref in newest_sessions(places, successors.scan, known=known):
            session = await asyncio.to_thread(self._open_session, ref, True)
            screen = self._screen_of(session)
            await self._app.push_screen(screen)
            session.start()
            for line in screen.query(StatusLine):
                line.say("a newer session began; q returns to the one before", lasting=True)

    async def choose(self, event: SessionChosen) -> None:
        """Show a session at the place asked for, unless another screen is shown meanwhile."""
        from agentview.ui.screens.session.screen import SessionScreen

        behind = self._app.screen
        # In a thread: a file system may take as long as it likes.
        session = await asyncio.to_thread(self._open_session, event.ref, True)
        if self._app.screen is not behind:
            session.close()
            return
        screen = self._screen_of(session)
        await self._app.push_screen(screen)
        session.start()
        if isinstance(screen, SessionScreen):
            await screen.open_at(event.place, event.query)
        if event.continues:
            for line in screen.query(StatusLine):
                line.say("its client continues here; q returns to the one before", lasting=True)

    async def choose_remote(self, ref: SessionRef) -> None:
        """Follow the log of a session on another machine."""
        from agentview.domain.remote_place import parse_place
        from agentview.sessions.fleet.remote_tail import followed
        from agentview.sessions.following.piped import piped_session
        from agentview.sources.pipe import PipeReader

        place, behind = parse_place(ref.path), self._app.screen
        _say_below(behind, f"connecting to {ref.host} …")
        held = ExitStack()
        try:
            opened = followed(place, place.path or "")
            descriptor = await asyncio.to_thread(held.enter_context, opened)
            session = await piped_session(held.enter_context(PipeReader(descriptor)))
        except NotFound:
            session = None
            # Such as one in a database.
            _say_below(behind, f"its log is not a file; on {ref.host}: agentview open {ref.own_id}")
        except AgentViewError as error:
            session = None
            _say_below(behind, error.message)
        if session is None or self._app.screen is not behind:
            await asyncio.to_thread(held.close)
            return
        _say_below(behind, "")
        self._held[session] = held
        await self._app.push_screen(self._screen_of(session))
        session.start()

    async def play_demo(self, event: DemoRequested) -> None:
        """Play the sample session."""
        from agentview.sessions.targets.demo import DEMO, SECONDS, demo_session

        try:
            # In a thread: it imports all providers.
            ref = await asyncio.to_thread(demo_session)
        except AgentViewError as error:
            event.say(error.message)
            return
        session = _played(ref, ReplayRequest(seconds=SECONDS, word=DEMO))
        await self._app.push_screen(self._screen_of(session))
        session.start()

    def show_detail(self, event: Message) -> None:
        """Show one activity on a screen of its own."""
        from agentview.ui.screens.detail import DetailScreen
        from agentview.ui.screens.session.screen import SessionScreen

        if not isinstance(event, SessionScreen.DetailRequested):
            return
        screen = event.screen
        detail = DetailScreen(screen.session, event.row, screen.options, screen.neighbour)
        self._app.push_screen(detail, screen.show_row)

    def show_file(self, event: FileRequested) -> None:
        """Show what was done to a file."""
        from agentview.sessions.following.live_session import LiveSession
        from agentview.ui.screens.file_changes import FileChangesScreen
        from agentview.ui.screens.session.screen import SessionScreen
        from agentview.ui.widgets.panel.files import FilesTab

        screen = self._app.screen
        if isinstance(screen, SessionScreen) and isinstance(screen.session, LiveSession):
            changes = screen.query_one(FilesTab).changes
            if changes is not None:
                shown = FileChangesScreen(screen.session, changes, event.path, screen.options)
                own = screen.session.ref.stream
                self._app.push_screen(shown, lambda place: _show_step(screen, own, place))

    def show_blame(self, event: BlameRequested) -> None:
        """Show which sessions wrote the lines of a file, as it is now."""
        from agentview.ui.editor import local_file
        from agentview.ui.screens.blame import BlameScreen

        try:
            path = local_file(event.place)
        except AgentViewError as error:
            event.say(error.message)
        else:
            self._app.push_screen(BlameScreen(path, event.place.line, self._report_options()))

    def show_comparison(self, event: ComparisonRequested) -> None:
        """Show where two sessions differ."""
        from agentview.ui.screens.compare import CompareScreen

        self._app.push_screen(CompareScreen(event.a, event.b, self._report_options()))

    def show_report(self, places: SearchRoots) -> None:
        """Show what sessions did since their person looked."""
        from agentview.ui.screens.away import AwayScreen

        idle_after = self._state.live.settings.board.idle_after
        self._app.push_screen(AwayScreen(places, 3600.0 * idle_after, self._report_options()))

    def _report_options(self) -> ReportOptions:
        from agentview.ui.render.render_options import timeline_space

        state = self._state
        return ReportOptions(
            lambda: timeline_space(state.live.settings, state.palette), lambda: state.masking
        )

    async def show_agents(self, event: Message) -> None:
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
                if row is not None:
                    screen.show_place(row)
                return
            trail = trail_to(screen, base, row, agent)
            shown = _session_screen(agent, event.screen.options, trail)
            await self._app.push_screen(shown)
            screen = shown if isinstance(shown, SessionScreen) else screen
            # The log of an agent is read and closed by the session that it belongs to.
        if event.row is not None:
            screen.show_place(event.row)

    async def show_branch(self, event: Message) -> None:
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
        await self._app.push_screen(SessionScreen(session, event.screen.options, trail))
        session.start()

    async def leave(self, event: Message) -> None:
        """Lead back to what is behind a session, or end the program."""
        from agentview.ui.screens.session.screen import SessionScreen

        if not isinstance(event, SessionScreen.LeaveRequested):
            return
        screen = self._app.screen
        behind = self._app.screen_stack[-2] if len(self._app.screen_stack) > 1 else None
        leads_back = behind is not None and not isinstance(behind, WaitingScreen)
        if leads_back and isinstance(screen, SessionScreen):
            if screen.session in self._sessions:
                self._notifications.unfollow(screen.session)
                screen.session.close()
                self._sessions.remove(screen.session)
                held = self._held.pop(screen.session, None)
                if held is not None:
                    # In a thread: it waits for ssh to end.
                    await asyncio.to_thread(held.close)
            await self._app.pop_screen()
        elif event.hard:
            self._app.exit()
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


def say_opening(screen: TextualScreen[object]) -> None:
    """Say below a list that what was chosen from it takes a while."""
    _say_below(screen, "opening …")


def _say_below(screen: TextualScreen[object], sentence: str) -> None:
    for line in screen.query(StatusLine):
        line.say(sentence)


def _say_on(screen: TextualScreen[object], sentence: str) -> None:
    if isinstance(screen, WaitingScreen):
        screen.say(sentence)
