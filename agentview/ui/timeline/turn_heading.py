"""Heading of a turn, its subject and outcome: above its prompt, and on top while it lasts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Protocol

from agentview.domain.activity import Activity
from agentview.domain.line_sum import LineSum
from agentview.domain.session_state import LoopingLimits
from agentview.domain.suite_result import Contradiction
from agentview.domain.value import Value
from agentview.timeline.view.filter.row_flags import RowFlag
from agentview.timeline.view.format_numbers import counted, duration_text, lines_changed
from agentview.timeline.view.header import LOOPING, HeaderFacts, OpenSession, looping_words
from agentview.timeline.view.overview.turns import turn_counts, turn_seconds
from agentview.timeline.view.rows_protocol import Rows, RowsChanged
from agentview.timeline.view.sanitize import one_line
from agentview.timeline.view.titles.title import title_of
from agentview.timeline.view.view_state.cursor import TimelineCursor
from agentview.ui.widgets.deferred_layout import DeferredLayout, Steps
from agentview.ui.widgets.responsive_bar import Bar, Part, part

_REQUEST = 1_000
"""Characters of a request."""
_AT_ONCE = 0.001
"""Seconds for which lines are counted before a frame."""


class TurnHeading(Value):
    """A turn in words: its number, empty as long as earlier turns may come, and its course."""

    row: int
    number: str
    prompt: str
    course: str
    claim: Contradiction | None = None
    """Claim of its last words that its log contradicts."""

    @property
    def notice(self) -> str:
        return "" if self.claim is None else f"{self.claim.words}  !"


class LineCount(Protocol):
    """Lines that a turn changed; see `TurnLines`, which is imported by the first one."""

    @property
    def sum(self) -> LineSum | None: ...

    def is_counted(self, end: int) -> bool: ...

    def take(self, updated: Iterable[int], rows: Rows) -> None: ...

    def count(self, rows: Rows, end: int) -> Iterator[None]: ...


class TurnInView(Bar):
    """The request to the person, else the heading of the turn whose prompt is above the view.

    A click leads to that prompt, or to what contradicts the last words of the turn.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--number", "bar--prompt", "bar--course", "bar--ask", "bar--claim",
    }  # fmt: skip

    DEFAULT_CSS = """
    TurnInView {
        background: $background;
        .bar--number { color: $accent; }
        .bar--prompt { color: $foreground; text-style: bold; }
        .bar--course { color: $text-muted; }
        .bar--ask { color: $text-warning; text-style: bold; }
        .bar--claim { color: $text-warning; }
    }
    """

    def __init__(self, session: OpenSession, chosen: Callable[[int], object]) -> None:
        """`chosen` gets the row that the heading leads to when it is clicked."""
        super().__init__()
        self._session = session
        self._chosen = chosen
        self._heading: TurnHeading | None = None
        self._notice = ""

    @property
    def all_known(self) -> bool:
        """False as long as earlier turns may come."""
        return self._session.header().all_read

    def show(self, heading: TurnHeading | None) -> None:
        if heading != self._heading:
            self._heading = heading
            self.refresh()

    def show_notice(self, facts: HeaderFacts, now: float, limits: LoopingLimits) -> bool:
        """Show what the session asks, else what shows that its agent goes round in circles.

        Returns True if it does that at the time `now`, epoch seconds.
        """
        status, looping = facts.status, looping_words(facts.looping, now, limits)
        request = one_line(status.queued_subject or "", _REQUEST) if status.asks else ""
        if looping and not request:
            request = f"{LOOPING} {looping}"
        if request != self._notice:
            self._notice = request
            self.refresh()
        return bool(looping)

    def parts(self) -> Sequence[Part]:
        """Number and prompt; what came of it, which gives way first."""
        heading = self._heading
        if self._notice:
            return [part(self._notice, "bar--ask", 90, elastic=True)]
        if heading is None:
            return []
        parts = [part(heading.number, "bar--number", 60)] if heading.number else []
        if heading.notice:
            notice = part(heading.notice, "bar--claim", 80, elastic=True)
            return [*parts, part(heading.prompt, "bar--prompt", 30, elastic=True), notice]
        parts.append(part(heading.prompt, "bar--prompt", 90, elastic=True))
        if heading.course:
            parts.append(part(heading.course, "bar--course", 40, right=True))
        return parts

    def on_click(self) -> None:
        if self._heading is not None:
            claim = self._heading.claim
            self._chosen(self._heading.row if claim is None else claim.evidence)


class TurnHeadings:
    """The headings of turns by the row of their prompt, made again after a change.

    The newest turn has no duration while its end is out of view, where nothing is decoded.
    """

    def __init__(
        self,
        reader: TimelineCursor,
        activity: Callable[[int], Activity],
        all_known: Callable[[], bool],
        changed: Callable[[], object],
    ) -> None:
        """`changed` is called when a heading says more than before."""
        self._reader = reader
        self._activity = activity
        self._all_known = all_known
        self._changed = changed
        self._searches: dict[int, Steps] = {}
        self._claims: dict[int, Contradiction | None] = {}
        """By the row of the prompt."""
        self._lines: dict[int, LineCount] = {}
        """By the row of the prompt."""
        self._counting = False
        self._searching = DeferredLayout(self._searched)
        self._known: dict[tuple[int, bool], TurnHeading] = {}
        """By the row of the prompt, and whether the end of the session is in view."""
        self._prompts: dict[int, tuple[str, Activity]] = {}

    def take(self, change: RowsChanged) -> None:
        """Make the headings again; lines that were counted stay."""
        self._known.clear()
        self._searches.clear()
        self._claims.clear()
        self._searching.want({})
        if change.reset:
            self._prompts.clear()
            self._lines.clear()
        for lines in self._lines.values():
            lines.take(change.updated, self._reader.shown.rows)
        for row in change.updated:
            self._prompts.pop(row, None)

    def begin_to_count(self) -> None:
        """Count lines from now on: not before the first frame, which needs no differences."""
        self._counting = True
        known, self._known = self._known, {}
        for row, _ in known:
            # It is painted again once lines are counted, if there are any.
            self.of(row)

    def begin_of(self, row: int) -> int | None:
        """The row of the prompt of the turn that a row is part of; None before the first."""
        return self._reader.shown.traits.find(RowFlag.TURN, row, -1, filtered=True)

    def of(self, row: int) -> TurnHeading:
        """The heading of the turn that begins at a row."""
        key = row, self._reader.window.at_end
        known = self._known.get(key)
        # Whether earlier turns may come is asked until none may.
        if known is None or not known.number:
            known = self._known[key] = self._made(*key)
        return known

    def _made(self, row: int, at_end: bool) -> TurnHeading:
        shown = self._reader.shown
        following = shown.traits.find(RowFlag.TURN, row + 1, 1, filtered=True)
        over = following is not None or at_end
        prompt, begin = self._prompt(row)
        end = shown.traits.end if following is None else following
        counts = turn_counts(shown.rows, row, end)
        course: list[str] = []
        if over:
            seconds = turn_seconds(begin, self._activity(counts.last))
            if seconds is not None and seconds >= 1:
                course.append(duration_text(seconds))
        if calls := counts.fine + counts.failed + counts.open:
            course.append(counted(calls, "call"))
        self._search(row, end, over=over)
        if (lines := self._lines.get(row)) is not None and (done := lines.sum) is not None:
            course.append(lines_changed(done.added, done.removed, net=done.net, whole=done.whole))
        if counts.failed:
            course.append(counted(counts.failed, "problem"))
        number = str(shown.traits.number(RowFlag.TURN, row)) if self._all_known() else ""
        claim = self._claims.get(row) if over else None
        return TurnHeading(row, number, prompt, " · ".join(filter(None, course)), claim)

    def claim(self, row: int) -> Contradiction | None:
        """Claim in the last words of the turn of a row that its log contradicts."""
        from agentview.timeline.view.overview.claims import contradiction

        begin = self.begin_of(row)
        if begin is None:
            return None
        following = self._reader.shown.traits.find(RowFlag.TURN, begin + 1, 1, filtered=True)
        rows = self._reader.shown.rows
        return contradiction(rows, begin, rows.end if following is None else following)

    def close(self) -> None:
        self._searching.close()

    def _search(self, row: int, end: int, *, over: bool) -> None:
        """Count the lines of a turn, and look for its claim once it is over, between two frames."""
        lines = self._lines.get(row)
        counted = not self._counting or (lines is not None and lines.is_counted(end))
        if row not in self._searches and not (counted and (row in self._claims or not over)):
            steps = Steps(self._steps(row, end, over=over))
            # What a turn that was counted before has grown by comes with the frame of its rows.
            if lines is None or not steps.continue_for(_AT_ONCE):
                self._searches[row] = steps
                self._searching.want(self._searches)

    def _steps(self, row: int, end: int, *, over: bool) -> Iterator[None]:
        rows = self._reader.shown.rows
        if over and row not in self._claims:
            # Imported here: the first frame needs none of it.
            from agentview.timeline.view.overview.claims import search_contradiction

            self._claims[row] = yield from search_contradiction(rows, row, end)
        if self._counting:
            from agentview.facts.edits.turn_lines import TurnLines

            yield from self._lines.setdefault(row, TurnLines(row)).count(rows, end)

    def _searched(self, row: int) -> None:
        self._searches.pop(row, None)
        self._known.pop((row, not self._reader.window.at_end), None)
        known = self._known.pop((row, self._reader.window.at_end), None)
        if known is not None and self.of(row) != known:
            self._changed()

    def _prompt(self, row: int) -> tuple[str, Activity]:
        known = self._prompts.get(row)
        if known is None:
            activity = self._activity(row)
            known = self._prompts[row] = title_of(activity).subject, activity
        return known
