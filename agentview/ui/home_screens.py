"""Home: makes its views, shows the one that is asked for, and keeps which one was shown last."""

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from textual.app import App
from textual.message import Message
from textual.screen import Screen as TextualScreen

from agentview.domain.session import EVERY, HERE, SessionInfo, SessionRef
from agentview.domain.session_state import Group
from agentview.query.parser import quoted
from agentview.sessions.library.client_marks import client_marks
from agentview.sessions.library.live_list import board_sessions
from agentview.sessions.library.liveness import KEPT, activity_time, may_be_live
from agentview.sessions.library.search_roots import Roots, ScanBatch, SearchRoots, Take
from agentview.sessions.library.session_list import Listing
from agentview.settings import Screen
from agentview.settings.values import NotifyScope
from agentview.ui.app_state import AppState
from agentview.ui.notifications import Notifications
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.screens.home.attention import AttentionWatch, AttentionWords, attention_words
from agentview.ui.screens.home.feed import (
    Hosts,
    LibraryFeed,
    LibrarySources,
    SayOfHost,
    TakeHosts,
    Watch,
)
from agentview.ui.screens.home.last_view import keep_view, last_view
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.screens.home.view import (
    BOARD,
    SEARCH,
    SESSIONS,
    USAGE,
    HomeView,
    SpendingWords,
    view_of,
)

FIRST = 200
"""Sessions that are read for the first frame."""
_PATIENCE = 0.05
"""Seconds that the screen waits for a program that holds the catalogue."""


class HomeScreens:
    """Shows the sessions of this machine in views, of which each is made when it is first wanted.

    What a view needs is imported then.
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
        self._clients: dict[str, tuple[str, str, int]] = {}
        self._makers: Mapping[str, Callable[[], HomeView]] = {
            BOARD: self._board,
            SESSIONS: self._sessions,
            SEARCH: self._search,
            USAGE: self._usage,
        }
        self._views: dict[str, HomeView] = {}
        self._feed = LibraryFeed(self._sources(), Listing())
        self._feed.subscribe(self._watch_budgets)
        self._budgets = None
        self._spent = SpendingWords()
        """Costs, as views show them."""
        self._attention = AttentionWords()
        """Who needs the person, as views show it."""
        self._watch = AttentionWatch(self._look, self._show_attention)
        self._feed.subscribe(self._watch.changed)
        self.first = self._first()
        """The name of the view that the program begins with."""
        self._feed.takers.append(self._take_listed)

    def _first(self) -> str:
        """Choose the view to begin with: the board if a session that is known needs its person."""
        if self._state.start.screen is not Screen.HOME:
            return BOARD if self._state.start.screen is Screen.BOARD else SESSIONS
        self._feed.begin()
        now = self._state.clock()
        idle_after = 3600.0 * self._state.live.settings.board.idle_after
        recent = [each for each in self._feed.listing.facts() if may_be_live(each.info.ref, now)]
        listed = board_sessions(recent, now, idle_after=idle_after)
        if any(each.group is Group.NEEDS_YOU for each in listed):
            return BOARD
        last = last_view()
        return last if last in self._makers else SESSIONS

    @property
    def styles(self) -> str:
        return view_of(self.first).styles

    def screen(self) -> TextualScreen[None]:
        return self._view(self.first)

    def _view(self, name: str) -> HomeView:
        """The view of a name; one that is hidden is as it was left."""
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = self._makers[name]()
            view.show_spending(self._spent)
            view.show_attention(self._attention)
            if name != self.first:
                # Textual then keeps it while another one is shown.
                self._app.install_screen(view, name)  # pyright: ignore[reportUnknownMemberType]
        return view

    def sessions(self) -> Sequence[SessionInfo]:
        """Sessions that are known, without those of agents, in any order."""
        found = (facts.info for facts in self._feed.listing.facts())
        return [info for info in found if info.ref.parent_id is None]

    def hidden(self) -> list[HomeView]:
        """The views that were made and are not shown."""
        shown = self._app.screen_stack
        return [view for view in self._views.values() if view not in shown]

    async def show_requested(self, event: Message) -> None:
        if isinstance(event, HomeView.Requested):
            await self.show(event.name, event.line)

    async def show(self, name: str, line: str | None = None) -> None:
        """Show a view in place of the one that is shown; `line` is what it is to look for."""
        stack, view = self._app.screen_stack, self._view(name)
        if not isinstance(shown := stack[-1], HomeView) or view is shown:
            return
        shown.rest()
        if line is not None:
            view.search_for(line)
        if self._state.start.screen is Screen.HOME:
            await asyncio.to_thread(keep_view, name)
        # Textual cannot take away the screen that the program began with: it stays below.
        if len(stack) == 1:
            await self._app.push_screen(view)
        elif view is stack[0]:
            await self._app.pop_screen()
        else:
            await self._app.switch_screen(view)  # pyright: ignore[reportUnknownMemberType]

    async def leave(self) -> None:
        """Go back to the sessions, or end the program there, or where the board alone is wanted."""
        last = BOARD if self._state.start.screen is Screen.BOARD else SESSIONS
        if self._app.screen is self._views.get(last):
            self._app.exit()
        else:
            await self.show(last)

    def _sessions(self) -> HomeView:
        from agentview.ui.screens.index_updater import IndexUpdater
        from agentview.ui.screens.library.preview import turns_elsewhere
        from agentview.ui.screens.library.screen import LibraryScreen

        IndexUpdater(self._feed, self._state.clock)
        find = turns_elsewhere(self._state.start.hosts, self._state.live.settings.hosts)
        return LibraryScreen(self._feed, self._options(), self._filter_line(), find)

    def _board(self) -> HomeView:
        from agentview.ui.screens.live_sessions import BoardScreen

        # In home, the board has all sessions: what the list is filtered by is not seen there.
        alone = self._state.start.screen is Screen.BOARD
        line = self._filter_line() if alone else ""
        return BoardScreen(self._feed, self._options(), self._notifications, line)

    def _search(self) -> HomeView:
        from agentview.ui.screens.search.elsewhere import finder
        from agentview.ui.screens.search.screen import SearchScreen

        start, known = self._state.start, self._state.live.settings.hosts
        find = finder(start.hosts, known, start.provider)
        return SearchScreen(self._feed, self._options(), find=find)

    def _usage(self) -> HomeView:
        from agentview.sessions.fleet.hosts import chosen_machines
        from agentview.ui.screens.usage.screen import UsageScreen

        start, known = self._state.start, self._state.live.settings.hosts
        machines = chosen_machines(start.hosts, known)
        return UsageScreen(self._feed, self._options(), self.places(), machines)

    def places(self) -> SearchRoots:
        """Where sessions are looked for."""
        start, settings = self._state.start, self._state.live.settings
        return SearchRoots(start.provider, settings.sessions.roots, start.places or self._roots)

    def _watch_budgets(self) -> None:
        """Begin to count what is spent, once sessions are found."""
        settings = self._state.live
        if self._budgets is None and not self._feed.progress.scanning:
            # Not wanted for the first frame.
            from agentview.ui.screens.home.budgets import BudgetWatch

            self._budgets = BudgetWatch(
                self._feed,
                self.places(),
                lambda: settings.settings.budget,
                self._show_spending,
                self._notifications.announce,
            )
            self._budgets.changed()

    def _show_spending(self, words: SpendingWords) -> None:
        self._spent = words
        for view in self._views.values():
            view.show_spending(words)

    def _look(self) -> AttentionWords:
        """Look at the states of all sessions, in a thread."""
        # Not wanted for the first frame.
        from agentview.sessions.library.live_status import account_limits
        from agentview.timeline.view.limit_text import limit_words

        now = self._state.clock()
        idle_after = 3600.0 * self._state.live.settings.board.idle_after
        every = self._feed.listing.facts()
        recent = [each for each in every if now - activity_time(each.info) < KEPT]
        listed = board_sessions(recent, now, idle_after=idle_after)
        return attention_words(listed, limit_words(account_limits(listed, now), now))

    def _show_attention(self, words: AttentionWords) -> None:
        self._attention = words
        for view in self._views.values():
            view.show_attention(words)

    def minute_passed(self) -> None:
        """Count again: a budget may begin with the day, and a state end with time."""
        self._watch.changed()
        if self._budgets is not None:
            self._budgets.changed()

    def close(self) -> None:
        """Count nothing any more."""
        self._watch.close()
        if self._budgets is not None:
            self._budgets.close()

    def _filter_line(self) -> str:
        start = self._state.start
        project = project_filter(start.project) if start.project else None
        return " ".join(filter(None, (project, start.query)))

    def _sources(self) -> LibrarySources:
        from agentview.sessions.library.cache_db import SessionCache
        from agentview.sessions.library.session_record import SessionFacts

        places = self.places()

        def first() -> Sequence[SessionFacts]:
            with SessionCache(patience=_PATIENCE) as catalogue:
                self._labels.update(catalogue.labels())
                return catalogue.newest(FIRST, places.test())

        start, settings = self._state.start, self._state.live.settings
        hosts = partial(_hosts, start.hosts, settings.hosts, start.provider)
        if start.hosts and not {HERE, EVERY} & {*start.hosts}:
            own = LibrarySources(_nothing, hosts=hosts)
            return _spooled(start.hosts, settings.hosts, places, own)
        sources = LibrarySources(
            partial(_scanned, places),
            partial(_indexed, places),
            first,
            partial(_watch, places),
            partial(_named, places),
            partial(_roots, places),
            hosts,
        )
        return _spooled(start.hosts, settings.hosts, places, sources) if start.hosts else sources

    def _take_listed(self, infos: Sequence[SessionInfo]) -> None:
        """Have changes notified that the library sees."""
        if self._state.live.settings.notify.scope is not NotifyScope.ALL:
            return
        from agentview.notify.decision import Source
        from agentview.sessions.library.liveness import current_status

        now = self._state.clock()
        found = ((info, current_status(info, now)) for info in infos if may_be_live(info.ref, now))
        self._notifications.listed(found, Source.LIBRARY)

    def _label(self, provider: str) -> str:
        """Return the label of a provider; as it is known, since importing one takes long."""
        from agentview.sessions.library.cache_db import SessionCache

        if provider not in self._labels:
            with SessionCache(patience=_PATIENCE) as catalogue:
                self._labels.update(catalogue.labels())
        if provider not in self._labels:
            from agentview.providers import load_provider

            self._labels[provider] = load_provider(provider).label
        return self._labels[provider]

    def _client(self, provider: str) -> tuple[str, str, int]:
        self._label(provider)
        if provider not in self._clients:
            marks = client_marks(self._labels)
            self._clients = {
                name: (self._labels[name], mark, number)
                for number, (name, mark) in enumerate(marks.items())
            }
        return self._clients[provider]

    def _options(self) -> LibraryViewOptions:
        return LibraryViewOptions(
            self._state.live.settings,
            self._space,
            lambda: self._state.masking,
            self._state.clock,
            self._label,
            self._client,
            _resume_line,
            self._state.annotations.seen,
            self._state.annotations.load,
            lambda: self._state.annotations.by_session,
        )

    def _space(self) -> RenderContext:
        from agentview.ui.render.render_options import timeline_space

        return timeline_space(self._state.live.settings, self._state.palette)

    def refresh_view(self) -> None:
        for view in self._views.values():
            view.set_options(self._options())

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


# Given to the library, and run in threads of it once the first frame is on the screen.


def _scanned(places: SearchRoots, stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
    from agentview.sessions.library.scan.workers import scan_in_worker

    yield from scan_in_worker(places, stopped)


def _indexed(places: SearchRoots, stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
    from agentview.sessions.library.scan.workers import index_in_worker

    yield from index_in_worker(places, stopped)


def _nothing(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
    return iter(())


def _hosts(
    names: Sequence[str],
    known: Mapping[str, str],
    provider: str | None,
    take: TakeHosts,
    say: SayOfHost,
) -> Hosts | None:
    if not names:
        return None
    from agentview.sessions.fleet.following import FollowedHosts
    from agentview.sessions.fleet.hosts import chosen_machines

    return FollowedHosts(chosen_machines(names, known).hosts, provider, take, say)


def _spooled(
    names: Sequence[str], known: Mapping[str, str], places: SearchRoots, own: LibrarySources
) -> LibrarySources:
    """The same sources with copies of other machines, where these are wanted."""
    from agentview.sessions.fleet.hosts import chosen_machines
    from agentview.sessions.fleet.spools import host_of_spools, roots_of_spools, with_hosts
    from agentview.sessions.library.scan.scanner import roots_of

    machines = chosen_machines(names, known)
    if not machines.spools:
        return own
    named = host_of_spools(machines.spools)

    def every() -> SearchRoots:
        here = roots_of(places) if machines.here else ()
        copies = roots_of_spools(machines.spools, places.provider)
        return SearchRoots(fixed=[*here, *copies])

    def scan(stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield from with_hosts(_scanned(every(), stopped), named)

    def index(stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield from with_hosts(_indexed(every(), stopped), named)

    def watch(take: Take) -> Watch:
        return _watch(every(), lambda infos, gone: take([named(info) for info in infos], gone))

    def roots() -> Roots:
        return every().fixed or ()

    return replace(own, scan=scan, index=index, watch=watch, roots=roots)


def _watch(places: SearchRoots, take: Take) -> Watch:
    from agentview.sessions.library.scan.watcher import SessionWatch

    return SessionWatch(places, take)


def _named(places: SearchRoots) -> list[str]:
    """Which clients are installed, which of them nothing reads, and where sessions are looked for.

    Directories that exist come first.
    """
    from agentview.providers import provider_names
    from agentview.providers.other_clients import other_clients
    from agentview.sessions.clients.installed import installed_clients
    from agentview.sessions.library.scan.scanner import roots_of

    roots = roots_of(places)
    here = installed_clients(os.environ, roots)
    others = [client.name for client in other_clients(os.environ, provider_names())]
    lines = [f"installed: {', '.join(here)}" if here else "no supported client is installed"]
    lines += [f"installed, not supported: {', '.join(others)}"] if others else []
    existing = sorted((root for _, root in roots), key=lambda root: not root.is_dir())
    return [*lines, "", "looked in:", *map(str, existing)]


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
