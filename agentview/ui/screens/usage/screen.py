"""The usage view: what all sessions used in a period, by day, project, model and other keys."""

from collections.abc import Iterator, Sequence
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer

from agentview.domain.period import ALL_TIME, Period
from agentview.facts.usage.group_by import TIMES, GroupKey
from agentview.query.parser import quoted
from agentview.query.values import PERIODS, stretch
from agentview.sessions.fleet.hosts import HERE_ALONE, Machines
from agentview.sessions.library.search_roots import SearchRoots
from agentview.sessions.library.session_list import distinct_names
from agentview.sessions.spending.feed import UsageFeed
from agentview.sessions.spending.table import UsageRow, UsageTable
from agentview.timeline.view.cost import cost_of_all
from agentview.timeline.view.format_numbers import UNKNOWN, counted, date_time, tokens
from agentview.timeline.view.sanitize import one_line
from agentview.ui.messages import SessionChosen
from agentview.ui.screens.home.feed import LibraryFeed
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.screens.home.view import SESSIONS, USAGE, HomeView, SpendingWords
from agentview.ui.widgets.budget_meters import BudgetMeters
from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.host_failures import WAITING
from agentview.ui.widgets.lists.column_names import ColumnNames
from agentview.ui.widgets.lists.usage_list import UsageList
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.responsive_bar import Bar, Part, part
from agentview.ui.widgets.status_line import StatusLine
from agentview.ui.widgets.tab_bar import TabBar

_GROUP = Binding.Group("Group")
_WHEN = Binding.Group("When")
_SCREEN = Binding.Group("Screen")

LABELS = {
    GroupKey.DAY: "day",
    GroupKey.WEEK: "week",
    GroupKey.MONTH: "month",
    GroupKey.PROJECT: "project",
    GroupKey.MODEL: "model",
    GroupKey.PROVIDER: "client",
    GroupKey.HOST: "host",
    GroupKey.TOOL: "tool",
    GroupKey.SESSION: "session",
}
"""Groupings of rows, in the order of the tabs."""

_PRESETS = ("today", "7d", "this month", "all")
_PERIOD = "period"

_AGAIN = 3.0
"""Seconds at least until sessions that have changed are counted again."""
_SHARE = 10
"""Between two counts passes so many times as much as the first of them took."""

_SENTENCE = 240
_MODELS = 8
"""Models without a price that are named."""

_FIELDS = {
    GroupKey.DAY: "active",
    GroupKey.WEEK: "active",
    GroupKey.MONTH: "active",
    GroupKey.PROJECT: "project",
    GroupKey.MODEL: "model",
    GroupKey.PROVIDER: "provider",
    GroupKey.HOST: "host",
    GroupKey.TOOL: "tool",
}
"""The field of a query that selects the sessions of a row."""


class UsageTotals(Bar):
    """The sums of the period, and whether they are lower bounds."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--cost", "bar--quiet", "bar--text", "bar--why"}

    DEFAULT_CSS = """
    UsageTotals {
        background: $background;
        .bar--cost { color: $foreground; text-style: bold; }
        .bar--text { color: $foreground; }
        .bar--quiet { color: $text-muted; }
        .bar--why { color: $text-warning; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._table: UsageTable | None = None

    def show(self, table: UsageTable) -> None:
        """Show the sums of a table."""
        self._table = table
        self.refresh()

    def parts(self) -> Sequence[Part]:
        """Cost and tokens, then how many sessions, agents and turns; dashes until it is known."""
        table = self._table
        if table is None:
            unknown = part(UNKNOWN, "bar--cost", 90), part(f"{UNKNOWN} tokens", "bar--text", 80)
            return [*unknown, part(f"{UNKNOWN} sessions", "bar--quiet", 60)]
        plus = "" if table.whole or table.cost.text().endswith("+") else "+"
        known = table.cost.shown is not None
        agents = counted(table.agents, "sub-agent")
        return [
            part(f"{table.cost.text()}{plus if known else ''}", "bar--cost", 90),
            part(f"{tokens(table.total.tokens)} tokens", "bar--text", 80),
            part(counted(table.sessions, "session"), "bar--quiet", 60),
            *([part(agents, "bar--quiet", 40)] if table.agents else []),
            part(counted(table.turns, "turn"), "bar--quiet", 50),
            *([] if (rows := rows_apart(table)) is None else [part(rows, "bar--quiet", 30)]),
            *([] if table.whole else [part("+ at least: w why", "bar--why", 70, right=True)]),
        ]


def rows_apart(table: UsageTable) -> str | None:
    """The sum of the rows as text; None where it is that of the table, or not all are there."""
    rows = cost_of_all(row.cost for row in table.rows).text()
    return None if table.more or not table.rows or rows == table.cost.text() else f"rows {rows}"


def reasons(table: UsageTable) -> Iterator[str]:
    """Why the sums are lower bounds, or differ from those of the rows, a sentence each."""
    short = table.short
    if rows_apart(table) is not None:
        yield "Clients reported the cost of some whole sessions; that of their parts is estimated."
    if short.pending:
        yield f"{counted(short.pending, 'session')} not counted yet: the logs were not read so far."
    if short.unreadable:
        yield f"{counted(short.unreadable, 'session')} not counted: the logs cannot be read."
    if short.untimed:
        yield (
            f"{counted(short.untimed, 'session')} with records without a time, which are in no"
            " period."
        )
    if short.unfinished:
        yield f"{counted(short.unfinished, 'response')} without a final count of the output."
    for name in short.unpriced[:_MODELS]:
        yield f"{name or 'Unknown model'}: no known price, or only for a part of the tokens."
    yield from (one_line(sentence, _SENTENCE) for sentence in short.silent)
    if len(short.unpriced) > _MODELS:
        yield f"… and {len(short.unpriced) - _MODELS} more models without a known price."


class UsageScreen(HomeView):
    """Shows usage; a row leads to its sessions."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b,right", "group(1)", "group", key_display="b", id="usage.group", group=_GROUP,
                tooltip="Group by the next key, such as project or model"),
        Binding("B,left", "group(-1)", "previous", show=False, id="usage.group_back",
                group=_GROUP, tooltip="Group by the previous key"),
        Binding("p", "preset", "period", id="usage.period", group=_WHEN,
                tooltip="Change the period: today, 7d, this month, all"),
        Binding("slash,P", "period", "from–to", key_display="/", id="usage.type_period",
                group=_WHEN, tooltip="Type a period, such as monday..today"),
        Binding("w", "why", "why +", id="usage.why", group=_SCREEN,
                tooltip="Show or hide why the sums are lower bounds"),
        Binding("r,f5", "again", "again", show=False, id="usage.again", group=_SCREEN,
                tooltip="Count again"),
        Binding("escape,q", "leave", "back", id="usage.leave", group=_SCREEN,
                tooltip="Back to the sessions"),
    ]  # fmt: skip
    NAME = USAGE
    AUTO_FOCUS = "UsageList"

    def __init__(
        self,
        feed: LibraryFeed,
        options: LibraryViewOptions,
        places: SearchRoots,
        machines: Machines = HERE_ALONE,
    ) -> None:
        """`places` are where the sessions are that are counted, `machines` those that have them."""
        super().__init__(feed, options)
        several = bool(machines.hosts or machines.spools)
        self._keys = tuple(key for key in LABELS if several or key is not GroupKey.HOST)
        self._by = GroupKey.DAY
        self._period = "this month"
        self._names: dict[str, str] = {}
        """Short names of projects."""
        self._table: UsageTable | None = None
        self._trouble = False
        self._why = False
        self._stale = False
        """Sessions have changed since they were counted."""
        self._asked_at = self._took = 0.0
        """When sessions were counted last, and how long that took."""
        self._timer: Timer | None = None
        self._usage = UsageFeed(places, machines, self._take, self._ended)
        self._totals = UsageTotals()
        self._meters = BudgetMeters()
        self._tabs = TabBar(tuple(LABELS[key] for key in self._keys))
        self._list = UsageList(self._name_of, options.signs)
        self._heading = ColumnNames(lambda: self._list.column_names(LABELS[self._list.table.by]))
        self._notice = EmptyState("counting")
        self._status = StatusLine()

    def compose(self) -> ComposeResult:
        """Header, sums, keys, rows, status."""
        yield self.header
        yield self._totals
        yield self._meters
        yield self._tabs
        yield self._heading
        yield self._list
        yield self._notice
        yield self._status

    def on_mount(self) -> None:
        """Begin to count."""
        self.add_class("-empty")
        self.begin_feed()
        self._unsubscribe = self.feed.subscribe(self._fed)
        self._ask(look=True)

    def on_unmount(self) -> None:
        """Count no more."""
        self._unsubscribe()
        self._usage.close()

    def on_screen_resume(self) -> None:
        """Count what has changed meanwhile."""
        self._stale = True
        self._count_again()

    def on_minute_passed(self) -> None:
        self._count_again()

    def set_options(self, options: LibraryViewOptions) -> None:
        """Show everything in other colours and with other signs."""
        super().set_options(options)
        self._list.set_signs(options.signs)

    def show_spending(self, words: SpendingWords) -> None:
        """Show what was spent of each budget too."""
        super().show_spending(words)
        self._meters.show(words.meters)

    # Counting

    def _within(self) -> Period:
        return stretch(self._period, self.options.clock()) or ALL_TIME

    def _fed(self) -> None:
        self._stale = True
        self._count_again()

    def _count_again(self) -> None:
        if self._timer is None and self._stale and self.is_current:
            self._timer = self.set_timer(max(_AGAIN, _SHARE * self._took), self._ask_again)

    def _ask_again(self) -> None:
        self._timer = None
        if self._usage.busy or self.feed.progress.scanning:
            self._count_again()
        elif self.is_current:
            self._ask(look=True)

    def _ask(self, *, look: bool = False) -> None:
        """Ask for the table; the library reads logs first, what it leaves is read for this."""
        progress = self.feed.progress
        reads = not (progress.scanning or progress.indexing) and self._table is not None
        if look:
            self._stale = not reads
            self._asked_at = monotonic()
        self._trouble = False
        self._usage.ask(self._by, self._within(), look=look, reads=reads)
        self._show()

    def _take(self, table: UsageTable) -> None:
        self._table = table
        if table.done and self._asked_at:
            self._took, self._asked_at = monotonic() - self._asked_at, 0.0
        projects = {row.key for row in table.rows if row.key and table.by is GroupKey.PROJECT}
        projects |= {row.project for row in table.rows if row.project}
        self._names = distinct_names(projects)
        if table.done and table.short.pending:
            self._stale = True
            self._count_again()
        self._show()

    def _ended(self) -> None:
        self._trouble = True
        self._show()

    # What is shown

    def _show(self) -> None:
        if not self.is_attached:
            return
        table = self._table
        self.header.show("", self._period, self._work(), "")
        if table is None:
            self._notice.say("counting stopped" if self._trouble else "counting")
            return
        self._totals.show(table)
        if table.by is self._by:
            self._list.show_table(table)
            self._heading.refresh()
        empty = not table.rows
        if self.has_class("-empty") and not empty:
            self.call_after_refresh(self._list.focus)
        self.set_class(empty or self._why, "-empty")
        if self._why:
            lines = tuple(reasons(table)) or ("All figures are exact.",)
            self._notice.say("why sums are lower bounds", (*lines, "w shows the rows again"), "+")
        elif empty and (self._usage.busy or table.short.pending):
            self._notice.say("counting")
        elif empty:
            hint = "p changes the period, / takes one from–to"
            self._notice.say(f"nothing was used: {self._period}", (hint,), "○")

    def _work(self) -> str:
        """How far counting has come."""
        table = self._table
        if table is None or not (self._usage.busy or table.short.pending):
            return ""
        if table.asking:
            return WAITING
        counted_now = table.counted - table.short.pending
        return f"counted {counted_now:,} of {table.all_sessions:,}"

    def _name_of(self, row: UsageRow) -> str:
        if self._by is GroupKey.SESSION:
            name = self._names.get(row.project or "", "")
            if row.ref is not None and row.ref.host is not None:
                name = f"{row.ref.host}:{name}"
            return f"{row.title or 'untitled'}{f' · {name}' if name else ''}"
        if row.key is None:
            return "no tool" if self._by is GroupKey.TOOL else UNKNOWN
        if self._by is GroupKey.PROJECT:
            return self._names.get(row.key, row.key)
        if self._by is GroupKey.PROVIDER:
            return self.options.label(row.key)
        return row.key

    # What the person does

    def action_group(self, step: int) -> None:
        self._group_by(self._keys.index(self._by) + step)

    @on(TabBar.Chosen)
    def _tab_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
        self._group_by(event.index)

    def _group_by(self, index: int) -> None:
        self._by = self._keys[index % len(self._keys)]
        self._tabs.choose(index)
        self._list.start_over()
        self._ask()

    def action_preset(self) -> None:
        """Take the next of the usual periods."""
        at = _PRESETS.index(self._period) if self._period in _PRESETS else -1
        self._take_period(_PRESETS[(at + 1) % len(_PRESETS)])

    async def action_period(self) -> None:
        """Let the person type a period."""
        for line in self.query(InputLine):
            await line.remove()
        line = InputLine("period", self._period, PERIODS, id=_PERIOD)
        await self.mount(line, before=self._status)
        line.start()

    @on(InputLine.Changed)
    def _typed(self, event: InputLine.Changed) -> None:
        event.stop()
        within = stretch(event.value, self.options.clock())
        event.line.report(_bounds(within) if within is not None else "not a period")

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        if stretch(event.value, self.options.clock()) is None:
            self._status.say(f"not a period: {event.value}; {PERIODS}")
            return
        await event.line.remove()
        self._list.focus()
        self._take_period(" ".join(event.value.split()))

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await event.line.remove()
        self._list.focus()

    def _take_period(self, period: str) -> None:
        self._period = period
        self._list.start_over()
        self._ask()

    def action_why(self) -> None:
        """Show or hide why the sums are lower bounds."""
        self._why = not self._why
        self._show()
        if not self._why:
            self._list.focus()

    def action_again(self) -> None:
        self._ask(look=True)

    @on(UsageList.Chosen)
    def _chosen(self, event: UsageList.Chosen) -> None:
        event.stop()
        row = event.row
        if row.ref is not None:
            self.post_message(SessionChosen(row.ref))
        elif row.key is None:
            self._status.say("no filter selects these sessions")
        else:
            self.post_message(self.Requested(SESSIONS, self._filter_of(row.key)))

    def _filter_of(self, key: str) -> str:
        """The filter line that lists the sessions of a row."""
        name = _FIELDS[self._by]
        terms = [(name, key)]
        if self._by not in TIMES and not self._within().is_all:
            terms.append(("active", self._period))
        return " ".join(f"{name}:{_value(value)}" for name, value in terms)


def _value(text: str) -> str:
    return quoted(text) if set(text) & set(' "\\') else text


def _bounds(within: Period) -> str:
    """A period in words."""
    bounds = (("from", within.after), ("to", within.before))
    found = [f"{word} {date_time(at)}" for word, at in bounds if at is not None]
    return " ".join(found) or "all of time"
