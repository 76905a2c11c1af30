"""The library: all sessions found on this machine, filled in while it scans."""

import asyncio
from collections.abc import Callable, Generator, Sequence

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.message import Message

from agentview.domain.session import SessionRef
from agentview.domain.sort_order import Column, Grouping
from agentview.domain.unread import Unread
from agentview.query.help import hint
from agentview.query.parser import parse_query
from agentview.query.vocabulary import Surface
from agentview.sessions.library.columns import DESCENDING
from agentview.sessions.library.expiry import expiry_words
from agentview.sessions.library.filters import asks_for_deleted, asks_for_hidden, library_filter
from agentview.sessions.library.session_list import Entry
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.sort_group import ListQuery, ListView, arrange
from agentview.sessions.library.unread import unread_of
from agentview.settings.reading import EffectiveSettings
from agentview.timeline.view.format_numbers import counted
from agentview.ui.messages import (
    ComparisonRequested,
    CopyRequested,
    DemoRequested,
    SessionChosen,
    SettingChanged,
    WidgetsPrepared,
)
from agentview.ui.screens.home.feed import MANY, LibraryFeed, Progress
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.screens.home.preview_place import PreviewPlace
from agentview.ui.screens.home.view import BOARD, SEARCH, SESSIONS, HomeView
from agentview.ui.screens.library.deleted import DeletedSessions
from agentview.ui.screens.library.preview import NOWHERE, LibraryPreview, TurnElsewhere
from agentview.ui.screens.library.resume import copy_resume_command
from agentview.ui.screens.session_marks import TAGS_HINT, TITLE_HINT, SessionMarks
from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.host_failures import WAITING
from agentview.ui.widgets.lists.session_cells import working_sign
from agentview.ui.widgets.lists.session_list import ListHeading, SessionList
from agentview.ui.widgets.preview import Preview
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.sliced_work import LatestWork
from agentview.ui.widgets.status_line import StatusLine


class Blank(Container):
    """A container whose lines are not made and kept for each frame: others lie over nearly all."""

    BLANK = True


# What the library says of itself in words: how far it has come, how it stands, what is missing.

_TEXT_GROUPS = {Grouping.PROJECT: "by project", Grouping.DAY: "by day"}


def live_words(arranged: ListView, sign: str) -> str:
    return f"{sign} {arranged.live} live" if arranged.live else ""


def arrangement_words(wanted: ListQuery) -> str:
    return _TEXT_GROUPS.get(wanted.group, "")


def work_words(progress: Progress) -> str:
    """Return the present work in the background."""
    if progress.scanning:
        if not progress.total:
            return "looking"
        return f"reading {progress.checked:,} of {progress.total:,}"
    if progress.indexing:
        return f"indexed {progress.indexed:,} of {progress.to_index:,}"
    return ""


def undecided_words(arranged: ListView) -> list[str]:
    return [f"{arranged.undecided:,} of them are not indexed yet"] if arranged.undecided else []


def count_words(arranged: ListView, progress: Progress, *, filtered: bool) -> str:
    """How many are listed, and what the list does not know yet."""
    if filtered:
        words = f"{arranged.sessions:,} match"
        missing = arranged.undecided
    else:
        words = counted(arranged.sessions, "session")
        missing = 0 if progress.indexing else arranged.unindexed
    if missing and not (progress.scanning and not filtered):
        words += f", {missing:,} not indexed yet"
    return words


# What each key does in the library: one table for keys, help, hints and palette.

_FIND = Binding.Group("Find")
_SHOW = Binding.Group("Show")
_COPY = Binding.Group("Copy")
_SCREEN = Binding.Group("Screen")

LIBRARY_BINDINGS: list[Binding] = [
    Binding("slash,f", "filter", "filter", key_display="/", id="library.filter", group=_FIND,
            tooltip="Filter as you type, by words and queries"),
    Binding("ctrl+f", "search", "search", id="library.search", group=_FIND,
            tooltip="Search inside all sessions"),
    Binding("w", "board", "board", id="library.board", group=_SHOW,
            tooltip="Show all live sessions on the board"),
    Binding("s", "sort", "sort", id="library.sort", group=_SHOW,
            tooltip="Sort by the next column; a click on its name does too"),
    Binding("S", "reverse", "reverse", show=False, id="library.reverse", group=_SHOW,
            tooltip="Reverse the order"),
    Binding("b", "group", "group", id="library.group", group=_SHOW,
            tooltip="Change grouping: project, day, none"),
    Binding("a", "agents", "sub-agents", id="library.agents", group=_SHOW,
            tooltip="Toggle sub-agents below their sessions"),
    Binding("p", "preview", "preview", id="library.preview", group=_SHOW,
            tooltip="Toggle the preview of the last turn"),
    Binding("J", "scroll_preview(1)", "preview down", show=False, id="library.preview_down",
            group=_SHOW, tooltip="Scroll the preview down"),
    Binding("K", "scroll_preview(-1)", "preview up", show=False, id="library.preview_up",
            group=_SHOW, tooltip="Scroll the preview up"),
    Binding("m", "keep_filter", "save filter", show=False, id="library.keep_filter", group=_FIND,
            tooltip="Save the filter under a name"),
    Binding("apostrophe", "saved_filters", "saved filters", show=False, id="library.saved_filters",
            group=_FIND, tooltip="Saved filters"),
    Binding("asterisk", "star", "star", show=False, key_display="*", id="library.star",
            group=_SHOW, tooltip="Toggle the star of the session; filter is:starred"),
    Binding("T", "title", "own title", show=False, id="library.title", group=_SHOW,
            tooltip="Give the session a title of your own"),
    Binding("t", "tags", "tags", show=False, id="library.tags", group=_SHOW,
            tooltip="Give the session tags; filter tag:NAME"),
    Binding("H", "hide", "hide", show=False, id="library.hide", group=_SHOW,
            tooltip="Hide the session from lists; is:hidden lists it"),
    Binding("equals_sign", "compare", "compare", show=False, key_display="=",
            id="library.compare", group=_SHOW,
            tooltip="Mark the session, then compare another one with it"),
    Binding("c", "resume", "resume", show=False, id="library.resume", group=_COPY,
            tooltip="Copy the command that resumes the session"),
    Binding("y", "copy_id", "copy id", show=False, id="library.copy_id", group=_COPY,
            tooltip="Copy the id of the session"),
    Binding("Y", "copy_path", "copy path", show=False, id="library.copy_path", group=_COPY,
            tooltip="Copy the path of the log"),
    Binding("enter", "demo", "demo", id="library.demo", group=_SHOW,
            tooltip="Play a sample session, where there is none of your own"),
    Binding("r,f5", "rescan", "rescan", show=False, id="library.rescan", group=_FIND,
            tooltip="Rescan for sessions"),
    Binding("escape", "dismiss_filter", "all", show=False, id="library.dismiss",
            group=_SCREEN, tooltip="Clear the filter"),
    Binding("q", "leave", "quit", id="library.quit", group=_SCREEN, tooltip="Quit"),
]  # fmt: skip


_WITH_PREVIEW = 190
"""Columns from which the preview stands next to the list."""
_PLACES = 11
"""Lines on places without sessions; `agentview doctor` has all of them."""
_GROUPS = tuple(Grouping)
_FILTER, _NAME, _TITLE, _TAGS = "filter", "name", "title", "tags"


class LibraryScreen(HomeView):
    """Sessions to choose from."""

    BINDINGS = LIBRARY_BINDINGS  # pyright: ignore[reportAssignmentType]
    NAME = SESSIONS
    AUTO_FOCUS = "SessionList"
    BLANK = True
    QUERIES = Surface.SESSIONS
    """The queries that it takes, for its help."""

    class FiltersRequested(Message):
        """The person wants to choose one of the saved filters."""

    def __init__(
        self,
        feed: LibraryFeed,
        options: LibraryViewOptions,
        filter_line: str = "",
        elsewhere: TurnElsewhere = NOWHERE,
    ) -> None:
        super().__init__(feed, options)
        self.listing = feed.listing
        self.filter_line = filter_line
        """Filter of the sessions; empty when all are shown."""
        settings = options.settings.library
        self._wanted = ListQuery(
            None, settings.sort, settings.reverse, settings.group, periods=True
        )
        self._place = PreviewPlace(self, _WITH_PREVIEW, shown=settings.preview)
        self._arranged = ListView()
        self._deleted = DeletedSessions(self._work_again)
        self._work = LatestWork(self._arrangement, self._take)
        self._heading = ListHeading(options.signs)
        self._list = SessionList(
            options.clock,
            options.client,
            options.signs,
            settings.sort,
            self._unread,
            feed.is_archived,
            words=settings.last_words,
        )
        self._compared: SessionRef | None = None
        """The session that another one is to be compared with."""
        self._named: Sequence[str] = ()
        """Lines on the clients that are here and the places that were looked at."""
        self._naming: asyncio.Task[None] | None = None
        self._titled: SessionRef | None = None
        """The session that a title or tags are typed for."""
        """The session that a title is typed for."""
        self._marks = SessionMarks(self.say, self.marked)
        self._notice = EmptyState("looking for sessions")
        self._preview = Preview()
        self._reader = LibraryPreview(self._preview, options, feed.is_archived, elsewhere)
        self._status = StatusLine()

    def compose(self) -> ComposeResult:
        """Header, list, preview, status; the filter line comes in between when it is asked for."""
        self._place.fit(self.app.size.width, self.app.size.height)  # pyright: ignore[reportUnknownMemberType]
        yield self.header
        with Blank(id="body"):
            with Blank(id="listed"):
                yield self._heading
                yield self._list
                yield self._notice
            yield self._preview
        yield self.failures
        yield self._status

    def on_mount(self) -> None:
        """Begin to look, over what is known already."""
        self.begin_feed()
        self.feed.subscribe(self._fed)
        # The first frame shows what is known.
        self._work.renew(at_once=True)

    def _unread(self, facts: SessionFacts) -> Unread | None:
        return unread_of(facts, self.options.seen(facts.info.ref))

    def seen_changed(self) -> None:
        self._list.refresh_view()

    def on_screen_resume(self) -> None:
        """Look again: sessions may have continued meanwhile."""
        if not self.feed.progress.scanning:
            self.feed.look(quietly=True)
        self._work.renew_later()
        self.load_seen()

    def on_minute_passed(self) -> None:
        self._work.renew_later()

    def on_unmount(self) -> None:
        """Look no longer."""
        self._work.stop()
        self._deleted.stop()
        self._reader.stop()
        if self._naming is not None:
            self._naming.cancel()

    def on_resize(self, event: events.Resize) -> None:
        """Put the preview where there is room for it."""
        self._place.fit(event.size.width, event.size.height)
        self._status.forget_keys()
        self.call_after_refresh(self._reader.again, self)

    def set_options(self, options: LibraryViewOptions) -> None:
        """Show everything in other colours and with other signs."""
        super().set_options(options)
        self._list.set_signs(options.signs)
        self._work.renew()
        self._reader.again(self)

    # What is listed

    def _fed(self) -> None:
        self._work.renew_later()
        self._show_facts()
        self.failures.show(self.feed.silent)

    def _work_again(self) -> None:
        self._work.renew()

    def _arrangement(self) -> Generator[None, None, ListView]:
        now = self.options.clock()
        query = parse_query(self.filter_line, Surface.SESSIONS)
        self._wanted = replace(
            self._wanted, filter=library_filter(query, now), hidden=asks_for_hidden(query)
        )
        listing = self._deleted.listing if asks_for_deleted(query) else self.listing
        return arrange(listing, self._wanted, now)

    def _take(self, arranged: ListView) -> None:
        self._arranged = arranged
        if arranged.sessions >= MANY:
            # To look through them for garbage would take a tenth of a second, now and then.
            self.post_message(WidgetsPrepared())
        wanted = self._wanted
        descending = (wanted.sort in DESCENDING) != wanted.reverse
        self._list.show(arranged.rows, wanted.sort, arranged.heat)
        self._heading.show(wanted.sort, self.options.signs, descending=descending)
        self._show_facts()

    def _show_facts(self) -> None:
        """Show around the list what it contains and what is still to come."""
        filtered = self._wanted.filter is not None
        progress = self.feed.progress
        self.header.show(
            live_words(self._arranged, working_sign(self.options.signs)),
            arrangement_words(self._wanted),
            work_words(progress),
            count_words(self._arranged, progress, filtered=filtered),
            () if filtered or progress.scanning else expiry_words(self.feed.expiring),
        )
        typing = bool(self.query(InputLine))
        self._status.show_filter(f"filter {self.filter_line}" if filtered and not typing else None)
        for line in self.query(InputLine):
            error = self._wanted.filter.error if self._wanted.filter is not None else None
            line.report(error.short if error is not None else "")
        self._show_notice(empty=not self._arranged.rows)

    def _show_notice(self, *, empty: bool) -> None:
        if self.has_class("-empty") and not empty:
            # A list that is not there takes no keys, and does not get them back by itself.
            self.call_after_refresh(self._focus_list)
            # Nor does the preview have room yet.
            self.call_after_refresh(self._reader.again, self)
        self.set_class(empty, "-empty")
        if not empty:
            return
        if self.focused is self._list:
            # Its keys would go to rows that are not there.
            self.set_focus(None)
            self._status.forget_keys()
        if self._wanted.filter is None and len(self.listing):
            self._notice.say("all sessions are hidden", ["the filter is:hidden lists them"], "⊘")
        elif self._wanted.filter is not None and len(self.listing):
            hints = [self.filter_line, "esc shows all", *undecided_words(self._arranged)]
            self._notice.say("no matches", hints, "⊘")
        elif self.feed.progress.scanning:
            self._notice.say("looking for sessions")
        elif self.feed.silent:
            self._notice.say(WAITING, sorted(self.feed.silent))
        else:
            self._say_places()
            if self._naming is None:
                self._naming = asyncio.create_task(self._find_places())

    def _say_places(self) -> None:
        """Say that nothing was found, and where it was looked for as far as that is known."""
        shown = self._named[:_PLACES]
        more = len(self._named) - len(shown)
        rest = (f"… and {more} more; agentview doctor lists them",) if more else ()
        self._notice.say(
            "no sessions found", ("⏎ plays a sample, r rescans", "", *shown, *rest), "○"
        )

    async def _find_places(self) -> None:
        # In a thread: it imports all providers.
        self._named = await asyncio.to_thread(self.feed.places)
        self._show_facts()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A sample is played where there is no session to open."""
        del parameters
        return action != "demo" or (self.has_class("-empty") and not len(self.listing))

    def action_demo(self) -> None:
        self.post_message(DemoRequested(self.say))

    def _focus_list(self) -> None:
        if self.focused is None:
            self.set_focus(self._list)
            self._status.forget_keys()

    # The preview

    @on(SessionList.Moved)
    def _moved(self, event: SessionList.Moved) -> None:
        event.stop()
        self._reader.follow(self._list.current, self)

    def offers(self, action: str) -> bool:
        return action != "preview" or self._place.has_room(self.size.width, self.size.height)

    def action_preview(self) -> None:
        """Show the last turn of the session under the cursor, or hide it."""
        if not self._place.toggle(self.size.width, self.size.height):
            self._status.say("the window is too small for the preview")
        self.call_after_refresh(self._reader.again, self)

    def action_scroll_preview(self, direction: int) -> None:
        self._preview.scroll_rows(direction * max(1, self._preview.size.height // 2))

    # What is chosen

    @on(SessionList.Chosen)
    def _chosen(self, event: SessionList.Chosen) -> None:
        event.stop()
        if not self._is_deleted(event.entry):
            self.post_message(SessionChosen(event.entry.info.ref))

    def _is_deleted(self, entry: Entry) -> bool:
        """True for a session without a log, of which only the preview has something."""
        if entry.facts.is_deleted:
            self._status.say("its log is deleted: the preview has the prompts that are kept")
        return entry.facts.is_deleted

    def action_search(self) -> None:
        self.post_message(
            self.Requested(SEARCH, f"{self.filter_line} " if self.filter_line else "")
        )

    def action_board(self) -> None:
        self.post_message(self.Requested(BOARD))

    def action_compare(self) -> None:
        """Mark the session under the cursor; of another one, compare the marked one with it."""
        entry = self._list.current
        if entry is None or self._is_deleted(entry):
            return
        marked, self._compared = self._compared, None
        if marked is None:
            self._compared = entry.info.ref
            self._status.say("marked; = on another session compares the two, = here unmarks")
        elif marked.path == entry.info.ref.path:
            self._status.say("unmarked")
        else:
            self.post_message(ComparisonRequested(marked, entry.info.ref))
        self._list.show_mark(None if self._compared is None else self._compared.path)

    async def action_resume(self) -> None:
        """Copy the command that resumes the session; it is not run."""
        entry = self._list.current
        if entry is None or self._is_deleted(entry):
            return
        await copy_resume_command(self, self.options, entry.info, self._status.say)

    async def action_star(self) -> None:
        if (entry := self._list.current) is not None:
            await self._marks.toggle_star(entry.info.ref, starred=entry.facts.added.starred)

    async def action_title(self) -> None:
        if (entry := self._list.current) is not None:
            self._titled = entry.info.ref
            await self._ask(_TITLE, "title", entry.facts.added.title or "", TITLE_HINT)

    async def action_tags(self) -> None:
        if (entry := self._list.current) is not None:
            self._titled = entry.info.ref
            await self._ask(_TAGS, "tags", " ".join(entry.facts.added.tags), TAGS_HINT)

    async def action_hide(self) -> None:
        if (entry := self._list.current) is not None:
            await self._marks.toggle_hidden(entry.info.ref, hidden=entry.facts.added.hidden)

    def action_copy_id(self) -> None:
        self._copy("session id", lambda ref: ref.session_id)

    def action_copy_path(self) -> None:
        self._copy("path", lambda ref: ref.path)

    def _copy(self, what: str, text: Callable[[SessionRef], str]) -> None:
        entry = self._list.current
        if entry is not None and not self._is_deleted(entry):
            text_of = text(entry.info.ref)
            self.post_message(CopyRequested(text_of, what, self._status.say))

    # What is listed, and how

    async def action_filter(self) -> None:
        await self._ask(_FILTER, "filter", self.filter_line, hint(Surface.SESSIONS))

    async def _ask(self, name: str, label: str, value: str, tip: str) -> None:
        for line in self.query(InputLine):
            await line.remove()
        line = InputLine(label, value, tip, id=name)
        await self.mount(line, before=self._status)
        line.start()
        self._show_facts()

    @on(InputLine.Changed)
    def _typed(self, event: InputLine.Changed) -> None:
        event.stop()
        if event.line.id == _FILTER:
            self.use_filter(event.value)

    def search_for(self, line: str) -> None:
        self.use_filter(line)

    def use_filter(self, line: str) -> None:
        if line != self.filter_line:
            self.filter_line = line
            self._list.start_over()
            self._work.renew()

    def use_saved_filter(self, line: str | None) -> None:
        if line is not None:
            self.use_filter(line)

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        tags = self._marks.tags_of(event.value) if event.line.id == _TAGS else ()
        query = parse_query(self.filter_line, Surface.SESSIONS)
        if tags is None or (event.line.id == _FILTER and query.error is not None):
            return
        await self._end_line(event.line)
        if event.line.id == _NAME:
            self._keep_filter(event.value.strip())
        if event.line.id == _TITLE and self._titled is not None:
            await self._marks.set_title(self._titled, event.value)
        if event.line.id == _TAGS and self._titled is not None:
            await self._marks.set_tags(self._titled, tags)

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await self._end_line(event.line)
        if event.line.id == _FILTER:
            self.action_dismiss_filter()

    async def _end_line(self, line: InputLine) -> None:
        await line.remove()
        self._list.focus()
        self._show_facts()

    @on(InputLine.Stepped)
    def _stepped(self, event: InputLine.Stepped) -> None:
        event.stop()
        self._list.action_move(event.direction)

    def action_dismiss_filter(self) -> None:
        """Show all sessions."""
        self.filter_line = ""
        self._work.renew()

    async def action_keep_filter(self) -> None:
        """Save the filter line under a name."""
        if self._wanted.filter is None:
            self._status.say("no filter to save: / makes one")
            return
        await self._ask(_NAME, "save filter as", "", "a name; esc cancels")

    def _keep_filter(self, name: str) -> None:
        if name:
            key = f"library.filters.{name}"
            self.post_message(SettingChanged(key, self.filter_line, self._kept))

    def _kept(self, _in_force: EffectiveSettings, said: str) -> None:
        self._status.say(said)

    def action_saved_filters(self) -> None:
        self.post_message(self.FiltersRequested())

    def say(self, words: str) -> None:
        self._status.say(words)

    @on(ListHeading.SortRequested)
    def _sort_asked(self, event: ListHeading.SortRequested) -> None:
        event.stop()
        if event.column is self._wanted.sort:
            self.action_reverse()
        else:
            self._arrange_by(event.column)

    def action_sort(self) -> None:
        """Sort by the next of the columns that are shown."""
        shown = list(self._list.columns.places)
        at = shown.index(self._wanted.sort) if self._wanted.sort in shown else -1
        self._arrange_by(shown[(at + 1) % len(shown)])

    def _arrange_by(self, column: Column) -> None:
        self._wanted = replace(self._wanted, sort=column, reverse=False)
        self._work.renew()

    def action_reverse(self) -> None:
        """Reverse the order."""
        self._wanted = replace(self._wanted, reverse=not self._wanted.reverse)
        self._work.renew()

    def action_group(self) -> None:
        """Put sessions together by the next thing there is."""
        at = _GROUPS.index(self._wanted.group)
        self._wanted = replace(self._wanted, group=_GROUPS[(at + 1) % len(_GROUPS)])
        self._work.renew()

    def action_agents(self) -> None:
        """Show the agents that sessions started below them, or hide them."""
        self._wanted = replace(self._wanted, agents=not self._wanted.agents)
        self._work.renew()

    def action_rescan(self) -> None:
        """Look again; sessions that are gone are no longer shown."""
        self.feed.look()
        self._status.say("rescanning")
