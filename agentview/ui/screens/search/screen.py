"""The search in all sessions: a line to type into, and what it finds while it is typed."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from itertools import islice
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.timer import Timer

from agentview.domain.annotations import Note
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.value import Value
from agentview.facts.search.index_query import IndexQuery, index_query
from agentview.facts.search.indexer import Progress
from agentview.facts.search.results import Account
from agentview.query.help import hint, summary
from agentview.query.parser import QueryError, parse_query
from agentview.query.vocabulary import Surface
from agentview.sessions.library.filters import asks_for_hidden, library_filter
from agentview.sessions.library.session_list import Entry
from agentview.sessions.library.session_record import notes_by_log
from agentview.sessions.library.sort_group import ListQuery, ListView, Row, arrange
from agentview.timeline.view.format_numbers import counted
from agentview.ui.messages import SessionChosen
from agentview.ui.screens.home.feed import LibraryFeed
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.screens.home.preview_place import PreviewPlace
from agentview.ui.screens.home.view import SEARCH, HomeView
from agentview.ui.screens.search.elsewhere import FindElsewhere
from agentview.ui.screens.search.facets import facets_of, pressed
from agentview.ui.screens.search.preview import HitPreview, Shown
from agentview.ui.screens.search.source import Results, SearchFeed, options_for
from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.facet_bar import FacetBar, FacetGroup
from agentview.ui.widgets.lists.search_results import (
    AgentLine,
    FoundLine,
    FurtherLine,
    HitLine,
    HitList,
    MoreLine,
    SessionLine,
)
from agentview.ui.widgets.preview import Preview
from agentview.ui.widgets.prompt_line import InputLine, LineInput
from agentview.ui.widgets.sliced_work import LatestWork
from agentview.ui.widgets.status_line import StatusLine

_QUERY_FIND = Binding.Group("Find")


class QueryInput(LineInput):
    """The field; its keys are reported, since the list cannot be seen to be led from here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "open", id="query.open", group=_QUERY_FIND,
                tooltip="Open the match under the cursor"),
        Binding("down", "step(1)", "choose", key_display="↓/↑", id="query.next", group=_QUERY_FIND,
                tooltip="Next match"),
        Binding("up", "step(-1)", "previous", show=False, id="query.previous", group=_QUERY_FIND,
                tooltip="Previous match"),
        Binding("tab", "screen.list", "list", id="query.list", group=_QUERY_FIND,
                tooltip="Go to the list, where letters are keys"),
        Binding("alt+1", "screen.view('board')", "views", key_display="alt+1\u20134",
                id="query.views", group=_QUERY_FIND, tooltip="Show another view of home"),
        Binding("escape", "cancel", "back", key_display="esc", id="query.leave", group=_QUERY_FIND,
                tooltip="Back to the library"),
    ]  # fmt: skip


class QueryLine(InputLine):
    """Label, field, and at its end a word on what has come of it so far."""

    FIELD = QueryInput


# What the search screen says of a query and of what came of it.

KEYS = "↓ ↑ choose, ⏎ opens, tab goes to the list, esc back"


def report_words(
    error: QueryError | None,
    query: IndexQuery,
    results: Results,
    owners: Mapping[str, str],
    *,
    searching: bool,
) -> str:
    """Return the outcome of the line, shown at its end.

    `owners` are the logs of sessions by those of the agents that they started.
    """
    if error is not None:
        return error.short
    if query.empty:
        return ""
    if not results.groups:
        return "searching…" if searching else "no matches"
    more = "+" if results.account.more else ""
    paths = (group.ref.path for group in results.groups)
    count = len({owners.get(path, path) for path in paths})
    sessions = f"{count:,}{more} session"
    plural = "" if count == 1 and not more else "s"
    least = "+" if any(group.least for group in results.groups) else ""
    found = f"{results.hits:,}{least} matches" if least else counted(results.hits, "match")
    return f"{found} in {sessions}{plural}{' …' if searching else ''}"


def remark(
    account: Account, undecided: int, trouble: str | None, silent: Sequence[str] = ()
) -> str | None:
    """Return the sessions not looked at, and why; None when all were."""
    reasons: list[str] = []
    if account.late:
        reasons.append(f"time was up: {counted(account.late, 'session')} not read")
    if account.undecided:
        reasons.append(f"{counted(account.undecided, 'record')} took the pattern too long")
    if account.too_long:
        reasons.append(f"{counted(account.too_long, 'record')} over 16 MB not searched")
    if account.unreadable:
        reasons.append(f"{counted(account.unreadable, 'session')} not readable")
    if undecided:
        reasons.append(f"{counted(undecided, 'session')} left out: not read yet")
    if trouble is not None:
        reasons.append(trouble)
    return " · ".join([*reasons, *silent]) or None


Titles = dict[str, tuple[str, ...]]
"""Titles of sessions, by the path of the log."""

_ROWS = 500
"""Rows of a step of work."""

_FIND = Binding.Group("Find")
_SHOW = Binding.Group("Show")
_SCREEN = Binding.Group("Screen")

_WITH_PREVIEW = 120
"""Columns from which the preview is next to the matches."""
_BELOW = 32
"""Rows from which each kind of facet has a row."""
_LEAST = 16
"""Rows from which there are facets."""
_FACETS = 4
_PAUSE = 0.05
"""Seconds after the last key before what was typed is looked for."""

_SOON = 0.02
"""Seconds for which answers are gathered before they are shown."""


class Scope(Value):
    """The sessions that are searched: their logs by number, and what else is known of them."""

    arranged: ListView
    owners: dict[str, str]
    """Logs of sessions by those of the agents that they started."""
    logs: list[int]
    notes: dict[str, tuple[Note, ...]]
    order: dict[str, int]
    """Places of the logs in the list."""


class SearchScreen(HomeView):
    """Finds activities in all sessions that the library knows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,i", "edit", "edit", key_display="/", id="search.edit", group=_FIND,
                tooltip="Edit the query"),
        Binding("f", "facets", "narrow", id="search.facets", group=_FIND,
                tooltip="Narrow the search by client, project, kind or time"),
        Binding("p", "preview", "preview", id="search.preview", group=_SHOW,
                tooltip="Toggle the preview of the match in its place"),
        Binding("J", "scroll_preview(1)", "preview down", show=False, id="search.preview_down",
                group=_SHOW, tooltip="Scroll the preview down"),
        Binding("K", "scroll_preview(-1)", "preview up", show=False, id="search.preview_up",
                group=_SHOW, tooltip="Scroll the preview up"),
        Binding("escape,q", "leave", "back", id="search.leave", group=_SCREEN,
                tooltip="Back to the library"),
    ]  # fmt: skip
    NAME = SEARCH
    AUTO_FOCUS = "LineInput"
    QUERIES = Surface.EVERYWHERE
    """The queries that it takes, for its help."""

    def __init__(
        self,
        feed: LibraryFeed,
        options: LibraryViewOptions,
        line: str = "",
        find: FindElsewhere | None = None,
    ) -> None:
        """`line` is in the line at first; the sessions of `feed` are searched.

        `find` asks the other machines that have some of these.
        """
        super().__init__(feed, options)
        self._line = line
        self._error: QueryError | None = None
        self._query = IndexQuery()
        self._undecided = 0
        self._logs: list[int] = []
        self._sessions = 0
        """Sessions that are searched, each with its agents."""
        self._owners: Mapping[str, str] = {}
        self._order: Mapping[str, int] = {}
        self._notes: Mapping[str, Sequence[Note]] = {}
        self._fresh = False
        """Sessions have come that were not searched."""
        self._asked: object = None
        self._whole: frozenset[str] = frozenset()
        """Logs of which all hits are shown."""
        self._pages = 1
        self._index_words = ""
        self._trouble: str | None = None
        self._hits = SearchFeed(self._soon, self._built, find)
        self._choosing = LatestWork(self._passing, self._take_passing)
        self._indexing = LatestWork(self._everything, self._hits.build)
        self._input = QueryLine("search", line, hint(Surface.EVERYWHERE), id="query")
        self._facets = FacetBar()
        self._list = HitList(options.clock, options.label, options.signs)
        self._list.display = False
        self._place = PreviewPlace(self, _WITH_PREVIEW, shown=options.settings.library.preview)
        self._preview = Preview()
        self._reader = HitPreview(self._preview, lambda: self.options)
        self._notice = EmptyState()
        self._status = StatusLine()
        self._pause: Timer | None = None
        self._timer: Timer | None = None
        self._unsubscribe: Callable[[], None] = _nothing

    def compose(self) -> ComposeResult:
        """Header, the line, what is found and where it is, status."""
        self._place.fit(self.app.size.width, self.app.size.height)  # pyright: ignore[reportUnknownMemberType]
        yield self.header
        yield self._input
        yield self._facets
        with Container(id="body"):
            yield self._list
            yield self._preview
        yield self._notice
        yield self._status

    def on_mount(self) -> None:
        """Begin to look."""
        self.begin_feed()
        self._hits.begin()
        self._unsubscribe = self.feed.subscribe(self._library_changed)
        self._read_line(self._line)
        self._begin_indexing()

    def on_unmount(self) -> None:
        """Look no longer."""
        self._unsubscribe()
        self._choosing.stop()
        self._indexing.stop()
        self._reader.stop()
        self._hits.close()

    def on_resize(self, event: events.Resize) -> None:
        """Put the preview and facets where there is room for them."""
        self._place.fit(event.size.width, event.size.height)
        self._status.forget_keys()
        self._show_facets()
        self.call_after_refresh(self._reader.again, self)

    def set_options(self, options: LibraryViewOptions) -> None:
        """Show everything in other colours, secrets masked or not."""
        super().set_options(options)
        self._list.set_signs(options.signs)
        self._reader.again(self)
        self._ask()

    # What is asked for

    def _read_line(self, line: str) -> None:
        """Look for another line."""
        self._line = line
        query = parse_query(line, Surface.EVERYWHERE)
        self._error, self._query = query.error, index_query(query)
        self._whole, self._pages = frozenset(), 1
        self._choosing.renew()

    def search_for(self, line: str) -> None:
        """Search for another line, which the person may change."""
        self._input.show(line)
        self._input.start()
        if not self._input.is_mounted:
            self._line = line

    def rest(self) -> None:
        """End the workers; what they had not found yet is looked for when this is shown again."""
        if self._hits.searching:
            self._asked = None
        if self._is_indexing():
            self._index_words = ""
        self._hits.close()

    def on_screen_resume(self) -> None:
        self._library_changed()

    def _library_changed(self) -> None:
        if not self.is_active:
            return
        self._choosing.renew_later()
        self._begin_indexing()
        if self._hits.results.groups:
            # What was learned of their sessions is shown next to hits.
            self._soon()

    def _passing(self) -> Generator[None, None, Scope]:
        now = self.options.clock()
        query = self._query
        wanted = ListQuery(
            library_filter(query.sessions, now),
            agents=not query.lists_sessions,
            hidden=asks_for_hidden(query.sessions),
        )
        arranged = yield from arrange(self.feed.listing, wanted, now)
        titles: dict[str, Sequence[str]] = {}
        owners: dict[str, str] = {}
        order: dict[str, int] = {}
        session = ""
        noted = False
        for number, row in enumerate(arranged.rows):
            if isinstance(row, Entry):
                order[row.path] = number
                if not row.info.ref.is_remote:
                    titles[row.path] = row.facts.titles
                noted = noted or bool(row.facts.added.notes)
                if row.nested:
                    owners[row.path] = session
                else:
                    session = row.path
            if not number % _ROWS:
                yield
        logs = yield from self._numbered(arranged)
        named = iter(titles.items())
        while part := dict(islice(named, _ROWS)):
            self._fresh = self._hits.entitle(part) or self._fresh
            yield
        entries = (row.facts for row in arranged.rows if isinstance(row, Entry))
        return Scope(arranged, owners, logs, notes_by_log(entries) if noted else {}, order)

    def _numbered(self, arranged: ListView) -> Generator[None, None, list[int]]:
        """Number the logs of the sessions of this machine, in steps."""
        logs: list[int] = []
        refs = _refs(arranged.rows)
        while part := list(islice(refs, _ROWS)):
            logs += self._hits.number(part)
            yield
        return logs

    def _take_passing(self, found: Scope) -> None:
        """Search in the sessions that pass the filter, now that they are known."""
        self._owners, self._notes, self._order = found.owners, found.notes, found.order
        self._sessions = found.arranged.sessions
        self._undecided = found.arranged.undecided
        known = set(self._logs)
        self._logs = found.logs
        # Sessions that are written all the time must not keep a search from coming to its end.
        self._fresh = self._fresh or not known.issuperset(self._logs)
        if self._asked != self._question() or not self._hits.searching:
            self._ask()

    def _question(self) -> object:
        return self._line, self._whole, self._pages, self.options.masking(), self._notes

    def _ask(self) -> None:
        query, question = self._query, self._question()
        if query.empty or self._error is not None:
            self._asked, self._fresh = question, False
            self._hits.clear()
            self._show()
        elif question != self._asked or self._fresh:
            self._asked, self._fresh = question, False
            options = options_for(
                self._whole,
                self._pages,
                self._notes,
                pattern=query.reads_logs,
                masking=self.options.masking(),
            )
            self._hits.ask(self._line, self._logs, options, self._order)
            self._show_facts()

    # The index

    def _begin_indexing(self) -> None:
        if not self.feed.progress.scanning and not self._index_words:
            self._index_words = "looking at the index"
            self._indexing.renew()

    def _everything(self) -> Generator[None, None, list[int]]:
        every = ListQuery(agents=True)
        arranged = yield from arrange(self.feed.listing, every, self.options.clock())
        return (yield from self._numbered(arranged))

    def _built(self, progress: Progress | None) -> None:
        if progress is None:
            self._index_words = "indexed"
        elif progress.trouble is not None:
            self._trouble = progress.trouble
        else:
            part = progress.bytes / (progress.all_bytes or 1)
            self._index_words = f"indexing {min(part, 0.99):.0%}"
        self._soon()

    # What is shown

    def _soon(self) -> None:
        if self._timer is None:
            self._timer = self.set_timer(_SOON, self._show)

    def _show(self) -> None:
        self._timer = None
        if not self.is_attached:
            return
        if not self._input.is_mounted:
            self._soon()
            return
        lines = list(self._lines())
        self._list.show_rows(lines)
        # Not by a class of the screen: all its styles would be worked out again.
        self.query_one("#body").display, self._notice.display = bool(lines), not lines
        self._list.display = bool(lines)
        self._show_facets()
        self._show_facts()
        if self._fresh and not self._hits.searching:
            self._ask()

    def _lines(self) -> Iterator[FoundLine]:
        """Matches, those of agents below their sessions."""
        results = self._hits.results
        session = ""
        for group in results.groups:
            facts = self.feed.listing.get(group.ref.path)
            owner = self._owners.get(group.ref.path, group.ref.path)
            own = owner == group.ref.path
            if owner != session or own:
                session = owner
                known = facts if own else self.feed.listing.get(owner)
                ref = known.info.ref if known else group.ref
                yield SessionLine(known.info if known else None, ref, own and not group.whole)
            if not own:
                yield AgentLine(facts.info if facts else None, group.ref, not group.whole)
            for hit in group.hits:
                abandoned = facts.is_abandoned(hit.place[0]) if facts and hit.place else None
                yield HitLine(group.ref, hit, bool(abandoned))
            if group.more:
                yield MoreLine(group.ref, group.more, group.least)
        if results.account.more:
            yield FurtherLine()

    def _show_facts(self) -> None:
        results, searching = self._hits.results, self._hits.searching
        account = results.account
        work = f"reading {account.logs:,} of {account.all_logs:,}" if searching else ""
        self.header.show("", "", work or self._index_work(), self._count_words())
        self._input.report(
            report_words(self._error, self._query, results, self._owners, searching=searching)
        )
        self._status.show_search(
            remark(account, self._undecided, self._trouble, self._hits.failures)
        )
        if not results.groups:
            self._notice.say(*self._nothing_words(searching=searching))

    def _index_work(self) -> str:
        return self._index_words if self._is_indexing() else ""

    def _is_indexing(self) -> bool:
        return self._index_words.startswith("indexing")

    def _count_words(self) -> str:
        return counted(self._sessions, "session")

    def _nothing_words(self, *, searching: bool) -> tuple[str, tuple[str, ...], str]:
        query = self._query
        if self._error is not None:
            hints = (self._error.hint,) if self._error.hint else ()
            return self._error.message, hints, "⊘"
        if query.empty:
            return f"search {self._count_words()}", (*summary(Surface.EVERYWHERE), KEYS), "○"
        if searching:
            return "searching", (), "◌"
        wider = "*word searches inside words, regex:/…/ all of long results too"
        return "no matches", (self._line, wider), "⊘"

    # What the person does

    @on(InputLine.Changed)
    def _typed(self, event: InputLine.Changed) -> None:
        event.stop()
        if event.value == self._line:
            return
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(_PAUSE, lambda: self._read_typed(event.value))

    def _read_typed(self, line: str) -> None:
        self._list.start_over()
        self._read_line(line)

    @on(InputLine.Submitted)
    def _submitted(self, event: InputLine.Submitted) -> None:
        """Open the match under the cursor; where it belongs to another line, look for this one."""
        event.stop()
        if event.value == self._line and not self._hits.awaited and self._list.current_row:
            self._list.action_choose()
            return
        if self._pause is not None:
            self._pause.stop()
        self._read_typed(event.value)

    @on(InputLine.Cancelled)
    def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        self.action_leave()

    @on(InputLine.Stepped)
    def _stepped(self, event: InputLine.Stepped) -> None:
        event.stop()
        self._list.action_move(event.direction)

    def on_descendant_focus(self) -> None:
        self._status.forget_keys()

    @on(HitList.Chosen)
    def _chosen(self, event: HitList.Chosen) -> None:
        event.stop()
        match event.line:
            case HitLine():
                place = event.line.hit.place
                query = self._query.activities if place is not None else ""
                self.post_message(SessionChosen(event.line.ref, place, query))
            case MoreLine():
                self._whole |= {event.line.ref.path}
                self._ask()
            case FurtherLine():
                self._pages += 1
                self._ask()
            case SessionLine() | AgentLine():
                self.post_message(SessionChosen(event.line.ref))

    # Preview and facets

    @on(HitList.Moved)
    def _moved(self, event: HitList.Moved) -> None:
        event.stop()
        line = self._list.current_row
        if isinstance(line, HitLine):
            facts = self.feed.listing.get(line.ref.path)
            self._reader.follow(Shown(line, facts.info if facts else None, self._query), self)
        else:
            self._reader.follow(None, self)

    def offers(self, action: str) -> bool:
        """Offer the preview and the facets only where there is room for them."""
        width, height = self.size
        if action == "preview":
            return self._place.has_room(width, height)
        return action != "facets" or height >= _LEAST

    def action_preview(self) -> None:
        """Show the match under the cursor in its place, or hide it."""
        if not self._place.toggle(self.size.width, self.size.height):
            self._status.say("the window is too small for the preview")
        self.call_after_refresh(self._reader.again, self)

    def action_scroll_preview(self, direction: int) -> None:
        self._preview.scroll_rows(direction * max(1, self._preview.size.height // 2))

    def _show_facets(self) -> None:
        height = self.size.height
        rows = _FACETS if height >= _BELOW else 2 if height >= _LEAST else 0
        groups = () if self._query.empty else self._facet_groups()
        self._facets.show(groups, rows)
        if self.focused is self._facets and not groups:
            self.action_list()

    def _facet_groups(self) -> Sequence[FacetGroup]:
        return facets_of(
            self._hits.results.groups,
            self._line,
            self._info,
            self.options.label,
            self.options.clock(),
        )

    def _info(self, ref: SessionRef) -> SessionInfo | None:
        facts = self.feed.listing.get(ref.path)
        return facts.info if facts else None

    def action_facets(self) -> None:
        if self._facets.size.height:
            self.set_focus(self._facets)
        else:
            self._status.say("the window is too small to narrow the search by key")

    @on(FacetBar.Left)
    def _facets_left(self, event: FacetBar.Left) -> None:
        event.stop()
        self.action_list()

    @on(FacetBar.Pressed)
    def _facet_pressed(self, event: FacetBar.Pressed) -> None:
        event.stop()
        line = pressed(self._line, event.facet)
        self._input.show(line)
        self._read_typed(line)

    def action_list(self) -> None:
        self.set_focus(self._list if self._list.display else self._input.query_one(LineInput))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing leads to the line where it is being typed into."""
        del parameters
        return action != "edit" or not isinstance(self.focused, QueryInput)

    def action_edit(self) -> None:
        self._input.start()


def _refs(rows: Sequence[Row]) -> Iterator[SessionRef]:
    refs = (row.info.ref for row in rows if isinstance(row, Entry))
    return (ref for ref in refs if not ref.is_remote)


def _nothing() -> None:
    return
