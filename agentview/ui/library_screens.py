"""Opens the library and what is reached from it: the board, saved filters, search."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from textual.app import App
from textual.screen import Screen as TextualScreen

from agentview.domain.session import SessionInfo, SessionRef
from agentview.query.parser import quoted
from agentview.sessions.library.search_roots import Roots, ScanBatch, SearchRoots, Take
from agentview.settings import Screen
from agentview.settings.values import NotifyScope
from agentview.ui.app_state import AppState
from agentview.ui.notifications import Notifications
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.screens.library.options import LibraryViewOptions
from agentview.ui.screens.library.source import LibrarySources, Watch

FIRST = 200
"""Sessions that are read for the first frame."""
_PATIENCE = 0.05
"""Seconds that the screen waits for a program that holds the catalogue."""


class LibraryScreens:
    """Shows the sessions of this machine.

    What a search or the board needs is imported when they are opened.
    """

    def __init__(
        self,
        app: App[None],
        state: AppState,
        notifications: Notifications,
        roots: Sequence[tuple[str, Path]] | None,
    ) -> None:
        """`roots` are provider and directory of each place of the library, None for all known."""
        self._app = app
        self._state = state
        self._notifications = notifications
        self._roots = roots
        self._labels: dict[str, str] = {}

    def screen(self) -> TextualScreen[None]:
        """The screen that the program begins with: all sessions, or the board."""
        return self._board() if self._state.start.screen is Screen.BOARD else self._sessions()

    def _sessions(self) -> TextualScreen[None]:
        from agentview.ui.screens.index_updater import IndexUpdater
        from agentview.ui.screens.library.screen import LibraryScreen

        screen = LibraryScreen(self._sources(), self._options(), self._filter_line())
        IndexUpdater(screen.feed, self._state.clock)
        screen.feed.takers.append(self._take_listed)
        return screen

    def _board(self) -> TextualScreen[None]:
        from agentview.sessions.library.session_list import Listing
        from agentview.ui.screens.library.source import LibraryFeed
        from agentview.ui.screens.live_sessions import BoardScreen

        feed = LibraryFeed(self._sources(), Listing())
        feed.takers.append(self._take_listed)
        line = self._filter_line()
        return BoardScreen(feed, self._options(), self._notifications, line, alone=True)

    def _filter_line(self) -> str:
        start = self._state.start
        project = project_filter(start.project) if start.project else None
        return " ".join(filter(None, (project, start.query)))

    def _sources(self) -> LibrarySources:
        from agentview.sessions.library.cache_db import SessionCache
        from agentview.sessions.library.session_record import SessionFacts

        start, settings = self._state.start, self._state.live.settings
        fixed = start.places or self._roots
        places = SearchRoots(start.provider, settings.sessions.roots, fixed)

        def first() -> Sequence[SessionFacts]:
            with SessionCache(patience=_PATIENCE) as catalogue:
                self._labels.update(catalogue.labels())
                return catalogue.newest(FIRST, places.test())

        return LibrarySources(
            partial(_scanned, places),
            partial(_indexed, places),
            first,
            partial(_watch, places),
            partial(_named, places),
            partial(_roots, places),
        )

    def _take_listed(self, infos: Sequence[SessionInfo]) -> None:
        """Have changes notified that the library sees."""
        if self._state.live.settings.notify.scope is not NotifyScope.ALL:
            return
        from agentview.notify.decision import Source
        from agentview.sessions.library.liveness import current_status, may_be_live

        now = self._state.clock()
        found = ((info, current_status(info, now)) for info in infos if may_be_live(info.ref, now))
        self._notifications.listed(found, Source.LIBRARY)

    def _label(self, provider: str) -> str:
        """Return what people call a provider; as it is known, since importing one takes long."""
        from agentview.sessions.library.cache_db import SessionCache

        if provider not in self._labels:
            with SessionCache(patience=_PATIENCE) as catalogue:
                self._labels.update(catalogue.labels())
        if provider not in self._labels:
            from agentview.providers import load_provider

            self._labels[provider] = load_provider(provider).label
        return self._labels[provider]

    def _options(self) -> LibraryViewOptions:
        return LibraryViewOptions(
            self._state.live.settings,
            self._space,
            lambda: self._state.masking,
            self._state.clock,
            self._label,
            _resume_line,
            self._state.annotations.seen,
            self._state.annotations.load,
            lambda: self._state.annotations.by_session,
        )

    def _space(self) -> RenderContext:
        from agentview.ui.render.render_options import timeline_space

        return timeline_space(self._state.live.settings, self._state.palette)

    def refresh_looks(self, screen: TextualScreen[object]) -> None:
        """Let a screen of the library take colours and settings as they are now."""
        from agentview.ui.screens.library.screen import LibraryScreen
        from agentview.ui.screens.live_sessions import BoardScreen
        from agentview.ui.screens.search.screen import SearchScreen

        if isinstance(screen, LibraryScreen | BoardScreen | SearchScreen):
            screen.set_looks(self._options())

    async def choose_filter(self) -> None:
        """Let the person choose one of the saved filters."""
        from agentview.ui.screens.library.screen import LibraryScreen
        from agentview.ui.screens.saved_filters import SavedFiltersScreen

        library = self._app.screen
        if not isinstance(library, LibraryScreen):
            return
        filters = self._state.live.settings.library.filters
        if filters:
            await self._app.push_screen(SavedFiltersScreen(filters), library.use_saved_filter)
        else:
            library.say("no saved filters: m saves the filter under a name")

    async def show_board(self) -> None:
        """Show what all live sessions do."""
        from agentview.ui.screens.library.screen import LibraryScreen
        from agentview.ui.screens.live_sessions import BoardScreen

        library = self._app.screen
        if isinstance(library, LibraryScreen):
            board = BoardScreen(library.feed, self._options(), self._notifications)
            await self._app.push_screen(board)

    async def search(self) -> None:
        """Search inside all sessions that the library knows, in those that its filter leaves."""
        from agentview.ui.screens.library.screen import LibraryScreen
        from agentview.ui.screens.search.screen import SearchScreen

        library = self._app.screen
        if isinstance(library, LibraryScreen):
            line = f"{library.filter_line} " if library.filter_line else ""
            await self._app.push_screen(SearchScreen(library.feed, self._options(), line))


# Given to the library, and run in threads of it once the first frame is on the screen.


def _scanned(places: SearchRoots, stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
    from agentview.sessions.library.scan.workers import scan_in_worker

    yield from scan_in_worker(places, stopped)


def _indexed(places: SearchRoots, stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
    from agentview.sessions.library.scan.workers import index_in_worker

    yield from index_in_worker(places, stopped)


def _watch(places: SearchRoots, take: Take) -> Watch:
    from agentview.sessions.library.scan.watcher import SessionWatch

    return SessionWatch(places, take)


def _named(places: SearchRoots) -> list[str]:
    """Where sessions are looked for, and which clients are here that nothing reads."""
    from agentview.providers import provider_names
    from agentview.providers.other_clients import other_clients
    from agentview.sessions.library.scan.scanner import roots_of

    others = [client.name for client in other_clients(os.environ, provider_names())]
    note = [f"not read: {', '.join(others)}"] if others else []
    return [*(str(root) for _, root in roots_of(places)), *note]


def _roots(places: SearchRoots) -> Roots:
    from agentview.sessions.library.scan.scanner import roots_of

    return roots_of(places)


def _resume_line(ref: SessionRef, cwd: str | None) -> str | None:
    from agentview.providers import load_provider
    from agentview.timeline.view.resume_command import resume_line

    return resume_line(load_provider(ref.provider), ref, cwd)


def project_filter(project: str) -> str:
    """The filter line for a project: a name as it is, a path in full."""
    is_path = os.sep in project or project in {".", "..", "~"}
    wanted = os.path.realpath(Path(project).expanduser()) if is_path else project
    return f"project:{quoted(wanted)}" if " " in wanted else f"project:{wanted}"
