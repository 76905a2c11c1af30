"""The board: which live sessions need their person, and what each of them does."""

import asyncio
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer

from agentview.domain.line_sum import LineSum, SessionLines
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import IDLE_AFTER, Looping, LoopingLimits, SessionStatus
from agentview.domain.unread import SeenPlace
from agentview.facts.usage.counter import LiveCounter
from agentview.facts.usage.report import SessionCount
from agentview.notify.decision import Source, Subject
from agentview.query.parser import parse_query
from agentview.query.vocabulary import Surface
from agentview.sessions.clients.running import (
    listed_directories,
    look_at_clients,
    process_files,
    read_lists_again,
    report_directories,
)
from agentview.sessions.following.live_session import LiveSession, open_tail, until_client_look
from agentview.sessions.library.filters import LibraryFilter, asks_for_hidden, library_filter
from agentview.sessions.library.live_list import board_order, is_left_out, starting_sessions
from agentview.sessions.library.live_status import (
    BoardLine,
    Price,
    account_limits,
    board_line,
    remote_line,
)
from agentview.sessions.library.liveness import current_status, standing
from agentview.sessions.library.search_roots import Roots
from agentview.sessions.library.session_list import Entry
from agentview.sources.watch.watcher import Watcher
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.limit_text import limit_words
from agentview.ui.messages import AwayRequested, SessionChosen
from agentview.ui.screens.home.attention import AttentionWords, attention_words
from agentview.ui.screens.home.feed import LibraryFeed
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.screens.home.view import BOARD, HomeView
from agentview.ui.screens.library.resume import copy_resume_command
from agentview.ui.screens.session_marks import SessionMarks
from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.host_failures import WAITING
from agentview.ui.widgets.lists.board_list import BoardList
from agentview.ui.widgets.lists.column_names import ColumnNames
from agentview.ui.widgets.price_cache import PriceCache
from agentview.ui.widgets.sliced_work import LatestWork, in_slices
from agentview.ui.widgets.status_line import StatusLine

# Follows all live sessions at once: of each log the end is read, then what is appended.

_LINES = "agentview.sessions.following.line_worker:serve"
"""Sums up the lines that sessions changed."""


class BoardFeed:
    """The lines of the board; `changed` is called when one of them says something else.

    Sessions come from the library, which hears of new ones. Nothing is done while nothing is
    written.
    """

    def __init__(
        self,
        feed: LibraryFeed,
        clock: Callable[[], float],
        seen: Callable[[SessionRef], SeenPlace | None],
        price: Price,
        changed: Callable[[], None],
    ) -> None:
        self._feed = feed
        self._clock = clock
        self._seen = seen
        self._price = price
        self._changed = changed
        self.filter: LibraryFilter | None = None
        """Filter of the sessions; None for all."""
        self.with_hidden = False
        """True if the filter asks for sessions that their person hid."""
        self.idle_after = IDLE_AFTER
        self.loops = LoopingLimits()
        self._entries: dict[str, Entry] = {}
        self._sessions: dict[str, LiveSession] = {}
        self._watcher: Watcher | None = None
        self._wanted = asyncio.Event()
        self._counter = LiveCounter[SessionCount](self._counted)
        self._editing = LiveCounter[SessionLines](self._summed, _LINES)
        self._counts: dict[str, SessionCount] = {}
        """Usage of sessions, by log, of those whose logs are not all read here."""
        self._changed_lines: dict[str, LineSum | None] = {}
        """Lines that sessions changed, by log."""
        self._made: dict[str, tuple[object, BoardLine | None]] = {}
        """Lines by log, with what they were made of."""
        self._lines: list[BoardLine] = []
        """The lines as they were given last."""
        self._registries: set[str] = set()
        """Directories in which clients say what they do."""
        self._roots: Roots = ()
        """Where sessions are, once that is known."""
        self._starting: list[str] = []
        """Logs of clients that had none when the lines were given last."""
        self._tasks: list[asyncio.Task[None]] = []
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Follow what is live, and what will be."""
        self._unsubscribe = self._feed.subscribe(self._wanted.set)
        self._wanted.set()
        self._watcher = Watcher()
        self._tasks = [
            asyncio.create_task(self._open_live(self._watcher)),
            asyncio.create_task(self._follow(self._watcher)),
            asyncio.create_task(self._look_at_clients()),
            asyncio.create_task(self._watch_lists(self._watcher)),
        ]

    def close(self) -> None:
        """Follow nothing any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        for task in self._tasks:
            task.cancel()
        if self._watcher is not None:
            self._watcher.close()
        self._counter.close()
        self._editing.close()

    def _counted(self, count: SessionCount) -> None:
        self._counts[count.path] = count
        self._changed()

    def _summed(self, count: SessionLines) -> None:
        self._changed_lines[count.path] = count.lines
        self._changed()

    def _count(self, paths: Iterable[str]) -> None:
        """Have counted what sessions used, where their ends do not say it all."""
        entries = (self._entries[path] for path in paths if path in self._entries)
        here = [each for each in entries if not each.info.ref.is_remote]
        self._editing.ask((each.info.ref for each in here), self._entries.keys())
        parts = (each for each in here if each.agents or not self._is_read(each.path))
        self._counter.ask((each.info.ref for each in parts), self._entries.keys())

    def _is_read(self, path: str) -> bool:
        session = self._sessions.get(path)
        return session is not None and session.log.progress >= 1.0

    def lines(self) -> Generator[None, None, list[BoardLine]]:
        """Return the present activity of each live session, in steps."""
        now = self._clock()
        found: list[BoardLine] = []
        for path, session in tuple(self._sessions.items()):
            line = self._line(path, session, now)
            if line is not None:
                found.append(line)
            yield
        found += self._remote_lines(now)
        if not self.with_hidden:
            found = [line for line in found if not is_left_out(line.facts, line.group)]
        starting = self._starting_lines()
        self._starting = [line.path for line in starting]
        self._lines = sorted(
            [*found, *starting],
            key=lambda line: board_order(line.group, line.status, line.facts.info),
        )
        return self._lines

    def _starting_lines(self) -> list[BoardLine]:
        """The lines of clients that have no log yet."""
        passes = self.filter
        return [
            BoardLine(each.facts, each.facts.info.title, each.status, pid=each.pid)
            for each in starting_sessions(self._roots, self._has_log)
            if passes is None or passes.passes(each.facts, ()) is not False
        ]

    def _remote_lines(self, now: float) -> list[BoardLine]:
        """The lines of sessions on other machines, which say themselves what they do."""
        entries = (entry for entry in self._entries.values() if entry.info.ref.is_remote)
        made = (
            remote_line(entry, now, self._seen(entry.info.ref), self.idle_after)
            for entry in entries
        )
        return [line for line in made if line is not None]

    def _has_log(self, ref: SessionRef) -> bool:
        """True if the log of a session is known, also where it has another place than expected."""
        known = (facts.info.ref for facts in self._feed.listing.facts())
        return any(each.session_id == ref.session_id for each in known if each.host is None)

    async def _watch_lists(self, watcher: Watcher) -> None:
        """Notice clients that begin."""
        self._roots = await self._feed.roots()
        # It imports the providers, which takes a tenth of a second.
        for directory in await asyncio.to_thread(listed_directories, self._roots):
            self._watch_directory(watcher, directory)
        self._changed()

    def _line(self, path: str, session: LiveSession, now: float) -> BoardLine | None:
        """The line of a session; made again only when something of it is not as it was."""
        entry = self._entries.get(path)
        if entry is None:
            return None
        seen = self._seen(entry.info.ref)
        counted = self._counts.get(path)
        lines = self._changed_lines.get(path)
        known_by = (
            session, session.store.revision, entry.facts, entry.agents, seen, counted, lines,
        )  # fmt: skip
        made = self._made.get(path)
        if made is not None and made[0] == known_by:
            line = made[1]
            if line is not None and line.holds(now, self.idle_after):
                return line
        line = board_line(
            entry, session, now, seen, self._price, counted, self.idle_after, self.loops
        )
        line = None if line is None else replace(line, lines=lines)
        self._made[path] = known_by, line
        return line

    def forget_prices(self) -> None:
        self._made.clear()

    async def _look_at_clients(self) -> None:
        while True:
            await until_client_look()
            await asyncio.to_thread(look_at_clients)
            changed = await in_slices(self._is_outdated(self._clock()))
            if changed or self._starting != [line.path for line in self._starting_lines()]:
                self._changed()

    def _is_outdated(self, now: float) -> Generator[None, None, bool]:
        """Return True if a line says what does not hold any more, in steps."""
        for line in self._lines:
            if line.path in self._entries and not line.holds(now, self.idle_after):
                return True
            yield
        return False

    async def _open_live(self, watcher: Watcher) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            live = await in_slices(self._live())
            for path in [path for path in self._sessions if path not in live]:
                session = self._sessions.pop(path)
                session.close()
                self._made.pop(path, None)
                self._counts.pop(path, None)
                self._changed_lines.pop(path, None)
                watcher.remove([Path(path), *map(Path, process_files(session.ref))])
            before, self._entries = self._entries, live
            for path, entry in live.items():
                if path not in self._sessions and not entry.info.ref.is_remote:
                    session = await asyncio.to_thread(
                        open_tail, entry.info.ref, live=True, info=entry.info
                    )
                    self._sessions[path] = session
                    watcher.add_files([Path(path)])
                    self._watch_client(watcher, entry.info.ref)
            self._count(path for path, entry in live.items() if entry != before.get(path))
            self._changed()

    def _watch_client(self, watcher: Watcher, ref: SessionRef) -> None:
        watcher.add_files(map(Path, process_files(ref)))
        for directory in report_directories(ref):
            self._watch_directory(watcher, directory)

    def _watch_directory(self, watcher: Watcher, directory: str) -> None:
        if directory not in self._registries:
            self._registries.add(directory)
            watcher.add_tree(Path(directory))

    def _live(self) -> Generator[None, None, dict[str, Entry]]:
        """Sessions that are live by what the library knows, or by their logs as they are."""
        now, passes = self._clock(), self.filter
        shown = {line.path for line in (yield from self.lines())}
        live: dict[str, Entry] = {}
        for entry in (yield from self._feed.listing.entries()):
            wanted = standing(entry.info, now).in_sight or entry.path in shown
            if wanted and (passes is None or passes.passes(entry.facts, entry.agents) is not False):
                live[entry.path] = entry
            yield
        return live

    async def _follow(self, watcher: Watcher) -> None:
        async for paths in watcher:
            await read_lists_again(paths)
            for path in paths:
                session = self._sessions.get(str(path))
                if session is not None:
                    await session.log.read_on()
            self._count(map(str, paths))
            self._changed()


_SHOW = Binding.Group("Show")
_COPY = Binding.Group("Copy")
_SCREEN = Binding.Group("Screen")
_SOON = 0.05
"""Seconds for which changes are gathered before the lines are shown again."""


class Reminders(Protocol):
    """Notifies the person of what the board sees."""

    def looping(
        self, subject: Subject, found: Looping | None, words: str, source: Source
    ) -> None: ...

    def listed(
        self, infos: Iterable[tuple[SessionInfo, SessionStatus]], source: Source
    ) -> None: ...

    def unlisted(self, infos: Iterable[SessionInfo]) -> None: ...


class BoardScreen(HomeView):
    """All live sessions; new ones appear, those that are over go."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "report", "report", id="board.report", group=_SHOW,
                tooltip="What sessions did since you looked"),
        Binding("J", "jump", "terminal", id="board.jump", group=_SHOW,
                tooltip="Go to the tmux pane that the session runs in"),
        Binding("c", "resume", "resume", id="board.resume", group=_COPY,
                tooltip="Copy the command that resumes the session"),
        Binding("asterisk", "star", "star", show=False, key_display="*", id="board.star",
                group=_SHOW, tooltip="Toggle the star of the session"),
        Binding("escape,q,w", "leave", "back", id="board.leave", group=_SCREEN,
                tooltip="Leave the board"),
    ]  # fmt: skip
    NAME = BOARD
    AUTO_FOCUS = "BoardList"

    def __init__(
        self,
        feed: LibraryFeed,
        options: LibraryViewOptions,
        reminders: Reminders,
        filter_line: str = "",
    ) -> None:
        """`filter_line` says what is left in."""
        super().__init__(feed, options)
        self._reminders = reminders
        self._listed: dict[str, SessionInfo] = {}
        """Sessions that were on the board last, by their logs."""
        self._filter_line = filter_line
        self._list = BoardList(options.clock, options.signs)
        self._heading = ColumnNames(self._list.column_names)
        self._notice = EmptyState("looking for live sessions")
        self._status = StatusLine()
        self._prices = PriceCache(self._priced)
        self._live = BoardFeed(feed, options.clock, self._seen, self._prices, self._soon)
        self._work = LatestWork(self._live.lines, self._take)
        self._timer: Timer | None = None
        self._marks = SessionMarks(self._status.say, self.marked)

    def compose(self) -> ComposeResult:
        """Header, names of columns, lines, status."""
        yield self.header
        yield self._heading
        yield self._list
        yield self._notice
        yield self.failures
        yield self._status

    def on_mount(self) -> None:
        """Begin to follow."""
        self.add_class("-empty")
        self.begin_feed()
        query = parse_query(self._filter_line, Surface.SESSIONS)
        self._live.filter = library_filter(query, self.options.clock())
        self._live.with_hidden = asks_for_hidden(query)
        self._live.idle_after = 3600.0 * self.options.settings.board.idle_after
        self._live.loops = self.options.settings.looping
        self._live.start()
        self.load_seen()

    def on_minute_passed(self) -> None:
        self._soon()

    def on_screen_resume(self) -> None:
        """Show what was read meanwhile."""
        self._soon()
        self.load_seen()

    def seen_changed(self) -> None:
        self._soon()

    def show_attention(self, words: AttentionWords) -> None:
        """Say what the lines say: they are newer."""

    def on_unmount(self) -> None:
        """Follow nothing any more."""
        self._work.stop()
        self._live.close()
        self._reminders.unlisted(self._listed.values())
        self._prices.close()

    def set_options(self, options: LibraryViewOptions) -> None:
        """Show everything in other colours and with other signs."""
        super().set_options(options)
        self._list.set_signs(options.signs)

    def _seen(self, ref: SessionRef) -> SeenPlace | None:
        return self.options.seen(ref)

    async def action_star(self) -> None:
        if (line := self._list.current) is not None:
            await self._marks.toggle_star(line.facts.info.ref, starred=line.facts.added.starred)

    def _priced(self) -> None:
        self._live.forget_prices()
        self._soon()

    def _soon(self) -> None:
        if self._timer is None and self.is_attached:
            self._timer = self.set_timer(_SOON, self._show)

    def _show(self) -> None:
        self._timer = None
        self._work.renew_later()

    def _take(self, lines: Sequence[BoardLine]) -> None:
        now = self.options.clock()
        self.failures.show(self.feed.silent)
        self._list.show_lines(lines)
        self._remind(lines, now)
        self._heading.refresh()
        live = sum(line.live for line in lines)
        self.header.show(
            "",
            self._filter_line,
            "",
            counted(live, "live session") if live else "",
        )
        words = attention_words(lines, limit_words(account_limits(lines, now), now))
        self.header.show_attention(words.needs, words.working, words.limits)
        if self.has_class("-empty") and lines:
            self.call_after_refresh(self._list.focus)
        self.set_class(not lines, "-empty")
        if self.feed.progress.scanning:
            self._notice.say("looking for live sessions")
        elif self.feed.silent:
            self._notice.say(WAITING, sorted(self.feed.silent))
        else:
            self._notice.say("no session is live now", ("new live sessions appear here",), "○")

    def _remind(self, lines: Sequence[BoardLine], now: float) -> None:
        """Have the person notified, also of sessions that have left the board since they ended."""
        shown = {line.path: line.facts.info for line in lines}
        left = [info for path, info in self._listed.items() if path not in shown]
        self._listed = shown
        found = [(line.facts.info, line.status) for line in lines]
        found += [(info, current_status(info, now)) for info in left]
        self._reminders.listed(found, Source.BOARD)
        for line in lines:
            info = line.facts.info
            subject = Subject(info.ref, info.title, info.project)
            self._reminders.looping(subject, line.loops, line.looping, Source.BOARD)
        self._reminders.unlisted(left)

    @on(BoardList.Chosen)
    def _chosen(self, event: BoardList.Chosen) -> None:
        event.stop()
        self.post_message(SessionChosen(event.line.facts.info.ref, event.line.place))

    def action_report(self) -> None:
        self.post_message(AwayRequested())

    async def action_resume(self) -> None:
        """Copy the command that resumes the session; it is not run."""
        line = self._list.current
        if line is not None:
            info = line.facts.info
            await copy_resume_command(self, self.options, info, self._status.say)

    async def action_jump(self) -> None:
        """Go to the pane of tmux that the client of the session runs in."""
        line = self._list.current
        if line is None:
            return
        if (host := line.facts.info.ref.host) is not None:
            self._status.say(f"this session runs on {host}")
            return
        if line.pid is None:
            self._status.say("the process of this session is not known")
            return
        # Imported when it is wanted: few use it.
        from agentview.ui.tmux import go_to_pane

        said = await asyncio.to_thread(go_to_pane, line.pid)
        if said is not None:
            self._status.say(said)
