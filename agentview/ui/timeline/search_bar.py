"""Search and filter of a timeline: the line that is typed into, and what becomes of it."""

from collections.abc import Callable, Generator, Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from agentview.query.help import hint
from agentview.query.vocabulary import Surface
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.rows_protocol import FoldingRows, Rows, is_folded
from agentview.ui.messages import RowsFiltered
from agentview.ui.render.collapsible import Folds
from agentview.ui.render.style.query_pattern import found_pattern
from agentview.ui.timeline.filter_task import FilterTask
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.search_task import SearchTask
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.prompt_line import InputLine, LineInput
from agentview.ui.widgets.sliced_work import LatestWork
from agentview.ui.widgets.status_line import StatusLine

# The lines of search and filter in a session, and what their keys do.

_FIND = Binding.Group("Find")


class SearchInput(LineInput):
    """The field of the search."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "done", id="search_line.done", group=_FIND,
                tooltip="Keep this position; n and N continue"),
        Binding("down", "step(1)", "next", key_display="↓/↑", id="search_line.next", group=_FIND,
                tooltip="Next match"),
        Binding("up", "step(-1)", "previous", show=False, id="search_line.previous", group=_FIND,
                tooltip="Previous match"),
        Binding("escape", "cancel", "back", key_display="esc", id="search_line.cancel",
                group=_FIND, tooltip="Cancel the search and return"),
    ]  # fmt: skip


class SearchLine(InputLine):
    """The line of the search."""

    FIELD = SearchInput


class FilterInput(LineInput):
    """The field of the filter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "keep", id="filter_line.keep", group=_FIND,
                tooltip="Keep the filter"),
        Binding("escape", "cancel", "show all", key_display="esc", id="filter_line.cancel",
                group=_FIND, tooltip="Clear the filter"),
    ]  # fmt: skip


class FilterLine(InputLine):
    """The line of the filter."""

    FIELD = FilterInput


_REST = 10.0
_LEAST_REST = 0.2
"""Times as long as it took to apply a filter, and seconds, until it is applied again unasked."""

_SEARCH = "search"
_FILTER = "filter"


class SearchBar(Vertical):
    """Takes no room until it is asked for a line. Moves the timeline, updates the status line."""

    DEFAULT_CSS: ClassVar[str] = """
    SearchBar { height: auto; }
    """

    def __init__(
        self,
        rows: Rows,
        timeline: TimelineView,
        status: StatusLine,
        awaited: PendingJump,
        noted: Callable[[str], Sequence[int]],
    ) -> None:
        """`noted` gives the rows whose notes a query finds."""
        super().__init__()
        self._awaited = awaited
        self._rows = rows
        self._timeline = timeline
        self._status = status
        self._search = SearchTask(rows, self._search_progressed, status.say, noted)
        self._narrowing = FilterTask(rows, self._filter_progressed, status.say)
        self._applying = LatestWork(
            self._filtering,
            self._filter_applied,
            rested=self._filter_progressed,
            rest=_REST,
            least=_LEAST_REST,
        )
        self._applied = (0, 0, True)
        """Line, rows and whether these were all, of the filter that was applied last."""
        self._origin: int | None = None
        self._arrived = True
        self._unfolded: int | None = None
        """A match for which its abandoned branch was opened."""
        self._opened: tuple[int, DetailLevel, Folds] | None = None
        """The match that was opened, and how it was before."""
        self._asked: InputLine | None = None
        """The line that is typed into; none any more once it is left, though it may still be there.
        """

    def on_unmount(self) -> None:
        """Look for nothing any more."""
        self._search.rest()
        self._search.close()
        self._applying.stop()
        self._narrowing.close()

    @property
    def filter_line(self) -> str | None:
        """The filter that is applied; None when there is none, or it is still being worked out."""
        narrowing = self._narrowing
        applied = narrowing.active and narrowing.done and self._applied[0] == narrowing.number
        return narrowing.line if applied else None

    def rows_changed(self, change: RowsChanged) -> None:
        """Take rows that came or changed into account."""
        if change.reset:
            self._search.begin(self._search.query, self._rows.first)
            self._narrowing.begin(self._narrowing.line)
            return
        self._search.rows_changed(change.updated)
        self._narrowing.rows_changed(change.updated)
        if self._narrowing.active and self._applied[0] == self._narrowing.number:
            self._timeline.filter_again(change.updated)

    def selection_changed(self) -> None:
        if self._search.query:
            self._show_search()

    async def search(self) -> None:
        """Let the person type what to search for."""
        self._origin = self._timeline.selected
        self._search.prepare()
        await self._ask(SearchLine("/", id=_SEARCH))

    def begin(self, query: str) -> None:
        """Search for a text as if it had been typed, and stay where the reader is."""
        selected = self._timeline.selected
        self._search.begin(query, self._rows.first if selected is None else selected)
        self._timeline.show_found(found_pattern(query))
        self._show_search()

    def show_in(self, row: int) -> None:
        """Bring what is searched for into view, in a row that is shown in full."""
        found = found_pattern(self._search.query)
        if found is not None:
            self._timeline.show_match(row, found)

    async def filter(self) -> None:
        """Let the person type what to leave in."""
        self._narrowing.prepare()
        await self._ask(
            FilterLine("filter", self._narrowing.line, hint(Surface.ACTIVITIES), id=_FILTER)
        )

    def step(self, direction: int) -> None:
        """Go to the next (1) or previous (-1) match."""
        if not self._search.query:
            self._status.say("no search yet; / starts one")
            return
        self._awaited.go("the previous match", lambda: self._step(direction))

    def _step(self, direction: int) -> bool:
        """Go to the match; False when it is before the first row that is known."""
        timeline = self._timeline
        start = timeline.selected if timeline.selected is not None else self._rows.first
        found = self._search.step(start, direction, self._can_show)
        if self._search.unread and direction < 0 and (found is None or found >= start):
            return False
        if found is None:
            self._say_nothing_found()
            return True
        if (found - start) * direction < 0:
            self._status.say(f"search wrapped to {'top' if direction > 0 else 'bottom'}")
        self._reveal(found)
        self._show_search()
        return True

    def _is_abandoned(self, row: int) -> bool:
        rows = self._rows
        return row in self._search.hits and isinstance(rows, FoldingRows) and rows.is_open(row)

    def _can_show(self, row: int) -> bool:
        return self._timeline.is_shown(row) or is_folded(self._rows, row)

    def _say_nothing_found(self) -> None:
        search = self._search
        if len(search.hits):
            what = f"{len(search.hits):,} found for {search.query}"
            self._status.say(f"{what}, all hidden by the filter")
        elif search.unread or not search.done:
            self._status.say(f"nothing found for {search.query} so far")
        else:
            self._status.say(f"nothing found for {search.query}")

    def dismiss(self) -> bool:
        """Clear the filter, else the search; False when there was neither."""
        if self._narrowing.active:
            self._narrowing.begin("")
            return True
        if self._search.query:
            self._end_search()
            return True
        return False

    async def _ask(self, line: InputLine) -> None:
        self._asked = None
        await self.remove_children()
        await self.mount(line)
        self._asked = line
        line.start()
        self._status.forget_keys()

    async def _leave(self, line: InputLine) -> None:
        self._asked = None
        await line.remove()
        self._status.forget_keys()

    def _line(self, name: str) -> InputLine | None:
        line = self._asked
        return line if line is not None and line.id == name else None

    def _search_progressed(self) -> None:
        if not self.is_mounted:
            return
        line = self._line(_SEARCH)
        if line is not None and not self._arrived and self._origin is not None:
            found = self._search.nearest(self._origin)
            if found is not None:
                self._arrived = True
                self._reveal(found)
            elif self._search.query and self._search.done:
                self._close_opened()
                self._timeline.select(self._origin)
        self._show_search()

    def _filter_progressed(self) -> None:
        if not self.is_mounted:
            return
        narrowing, line = self._narrowing, self._line(_FILTER)
        state = (narrowing.number, narrowing.found, narrowing.done)
        number, _, final = self._applied
        first = narrowing.done and (number != narrowing.number or not final)
        due = first or (narrowing.partly and not self._applying.busy)
        if state != self._applied and due:
            self._applied = state
            self._applying.renew()
        if line is not None:
            line.report(narrowing.report())
        shown = narrowing.active and line is None
        text = f"filter {narrowing.line}  {narrowing.report()}".rstrip()
        self._status.show_filter(text if shown else None)

    def _filtering(self) -> Generator[None, None, None]:
        """Apply the filter as it is known now, where it knows of any row that it leaves in."""
        narrowing = self._narrowing
        passes = narrowing.passes if narrowing.active else None
        yield from self._timeline.filtering(passes, partly=not narrowing.done)

    def _filter_applied(self, _: None) -> None:
        self.post_message(RowsFiltered())
        self._show_search()

    def _show_search(self) -> None:
        query, line = self._search.query, self._line(_SEARCH)
        left_out = self._timeline.left_out() if self._narrowing.active else None
        selected = self._timeline.selected
        found = self._search.report(selected, left_out) if query else ""
        if selected is not None and self._is_abandoned(selected):
            found = f"{found}, abandoned branch"
        if line is not None:
            line.report(found)
        shown = bool(query) and line is None
        self._status.show_search(f"/{query}  {found}" if shown else None)

    def _reveal(self, row: int) -> None:
        """Select a match and open it, so that what matched can be seen; the one before closes."""
        timeline, found = self._timeline, found_pattern(self._search.query)
        self._close_opened(keep=row)
        if is_folded(self._rows, row) and isinstance(self._rows, FoldingRows):
            self._rows.open_fold(row)
            self._unfolded = row
        if not timeline.select(row) or found is None:
            return
        level = timeline.level(row)
        self._opened = (row, level, timeline.folds(row))
        seen = level is not DetailLevel.TITLE and timeline.shows(row, found)
        if level is not DetailLevel.FULL and not seen:
            timeline.set_level(row, DetailLevel.FULL)
        if level is DetailLevel.FULL or not seen:
            timeline.show_match(row, found)

    def _close_opened(self, keep: int | None = None) -> None:
        """Have the match before as it was, but for the branch that has the row to `keep`."""
        self._close_row()
        unfolded, rows = self._unfolded, self._rows
        if unfolded is None or not isinstance(rows, FoldingRows):
            return
        rows.open_fold(unfolded, False)
        if keep is not None and is_folded(rows, keep):
            rows.open_fold(unfolded)
        else:
            self._unfolded = None

    def _close_row(self) -> None:
        if self._opened is not None:
            row, level, folds = self._opened
            self._opened = None
            self._timeline.set_folds(row, folds)
            if self._timeline.level(row) is not level:
                self._timeline.set_level(row, level)

    def _end_search(self) -> None:
        self._search.rest()
        self._search.begin("", 0)
        self._timeline.show_found(None)
        self._close_opened()
        self._show_search()

    @on(InputLine.Changed)
    def _typed(self, event: InputLine.Changed) -> None:
        event.stop()
        if event.line.id == _FILTER:
            self._narrowing.begin(event.value, self._timeline.selected)
            return
        self._arrived = False
        start = self._rows.first if self._origin is None else self._origin
        self._search.begin(event.value, start)
        self._timeline.show_found(found_pattern(event.value))
        self._show_search()

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        if event.line.id == _FILTER and not self._narrowing.understood:
            # It stays with what is wrong: without it, all is shown as if nothing had been asked.
            return
        await self._leave(event.line)
        self._search.rest()
        self._narrowing.rest()
        self._show_search()
        self._filter_progressed()

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await self._leave(event.line)
        if event.line.id == _FILTER:
            self._narrowing.begin("")
            self._narrowing.rest()
            return
        self._end_search()
        if self._origin is not None:
            self._timeline.select(self._origin)

    @on(InputLine.Stepped)
    def _stepped(self, event: InputLine.Stepped) -> None:
        event.stop()
        if event.line.id == _SEARCH:
            self.step(event.direction)
