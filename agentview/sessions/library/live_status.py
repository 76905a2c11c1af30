"""The present activity of a live session, in one line."""

from collections.abc import Callable, Iterable
from typing import Protocol

from msgspec.structs import replace

from agentview.domain.line_sum import LineSum
from agentview.domain.session_state import Group, Looping, LoopingLimits, SessionStatus
from agentview.domain.unread import SeenPlace, Unread
from agentview.domain.usage_limit import UsageLimits, current
from agentview.domain.value import Value
from agentview.facts.usage.report import SessionCount
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.library.last_turn import newest_row
from agentview.sessions.library.liveness import standing
from agentview.sessions.library.session_list import Entry
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.unread import unread_of
from agentview.timeline.rows.token_totals import Spent
from agentview.timeline.view.cost import NO_COST, Cost
from agentview.timeline.view.header import HeaderFacts, looping_words
from agentview.timeline.view.overview.last_words import last_words
from agentview.timeline.view.titles.title import Title, title_of


class BoardLine(Value):
    """A live session: `doing` is the title of its newest activity, or of a call under way."""

    facts: SessionFacts
    title: str | None
    status: SessionStatus
    doing: Title | None = None
    place: tuple[int, int] | None = None
    """Where that is in the log, as `LogRows.row_of` takes it; None where it is the last of it."""
    context: float | None = None
    """Part of the model's context that is full, 0 to 1."""
    tokens: int | None = None
    cost: Cost = NO_COST
    limits: UsageLimits = ()
    """Limits of the account as the log stated them last."""
    unread: Unread | None = None
    pid: int | None = None
    """The process of its client."""
    running: int = 0
    """Commands and agents in the background that have not ended, as far as was read."""
    loops: Looping | None = None
    """The property that its last calls share, while it works."""
    looping: str = ""
    """The words that say that the agent goes round in circles; empty where it does not."""
    live: bool = True
    group: Group = Group.WORKING
    contradicted: str = ""
    """Of a session that is done, what its last words say against its log, in words."""
    words: str = ""
    """Of a session that is done, the last sentence of its agent."""
    lines: LineSum | None = None
    """Lines that it and its agents changed, as the files came to be."""

    @property
    def path(self) -> str:
        return self.facts.info.ref.path

    def holds(self, now: float, idle_after: float) -> bool:
        """Return True if its state, and what it means for its person, are as they were."""
        state = standing(self.facts.info, now)
        return (state.status, state.live, state.in_sight, self.group) == (
            self.status,
            self.live,
            True,
            state.group(read=self.is_read, idle_after=idle_after),
        )

    @property
    def project(self) -> str | None:
        return self.facts.info.project

    @property
    def is_read(self) -> bool:
        """True if all of it was on a screen."""
        return self.unread is not None and not self.unread.count


Price = Callable[[Spent], tuple[float, bool] | None]
"""US dollars for tokens, and whether that is all; None where no price is known."""


def board_line(
    entry: Entry,
    session: LiveSession,
    now: float,
    seen: SeenPlace | None,
    price: Price,
    counted: SessionCount | None,
    idle_after: float,
    loops: LoopingLimits,
) -> BoardLine | None:
    """The line of a session as its log is now; None when it has left the board.

    `counted` is what it used, where not all of that is in `session`. `loops` says from when on an
    agent goes round in circles.
    """
    known, header = entry.info, session.header()
    info = replace(
        known,
        title=entry.facts.added.title or header.title or known.title,
        last_activity=header.last_activity or known.last_activity,
        status=session.store.log_status(),
    )
    state = standing(info, now)
    if not state.in_sight:
        return None
    row = newest_row(session.store)
    later = row is not None and any(map(session.store.shown, range(row + 1, session.store.end)))
    tokens, cost = _used(entry, header, price, counted)
    facts = replace(entry.facts, info=info)
    unread = unread_of(facts, seen, session)
    read = unread is not None and not unread.count
    group = state.group(read=read, idle_after=idle_after)
    claim = session.contradiction() if group is Group.DONE else None
    return BoardLine(
        facts,
        info.title,
        state.status,
        None if row is None else title_of(session.store.activity(row)),
        session.store.place(row) if row is not None and later else None,
        _context(facts, header),
        tokens,
        cost,
        header.limits,
        unread,
        None if state.client is None else state.client.pid,
        len(session.store.running()) if state.live else 0,
        header.looping,
        looping_words(header.looping, now, loops),
        state.live,
        group,
        "" if claim is None else claim.words,
        (last_words(session.store) or "") if group is Group.DONE else "",
    )


def remote_line(
    entry: Entry, now: float, seen: SeenPlace | None, idle_after: float
) -> BoardLine | None:
    """The line of a session on another machine, as that machine knows it; see `board_line`."""
    facts, info = entry.facts, entry.info
    state = standing(info, now)
    if not state.in_sight:
        return None
    unread = unread_of(facts, seen)
    return BoardLine(
        facts,
        info.title,
        state.status,
        context=_counted_context(facts),
        tokens=entry.figures.tokens,
        cost=entry.figures.cost,
        limits=info.limits,
        unread=unread,
        live=state.live,
        group=state.group(read=unread is not None and not unread.count, idle_after=idle_after),
    )


class Limited(Protocol):
    """A session with limits of its account, as its log stated them last."""

    @property
    def facts(self) -> SessionFacts: ...

    @property
    def limits(self) -> UsageLimits: ...


def account_limits(lines: Iterable[Limited], now: float) -> dict[str, UsageLimits]:
    """The limits that hold at the time `now`, by provider and as any session stated them last."""
    newest: dict[tuple[str, str], UsageLimits] = {}
    for line in lines:
        groups: dict[str, UsageLimits] = {}
        for limit in current(line.limits, now):
            groups[limit.group] = (*groups.get(limit.group, ()), limit)
        for group, limits in groups.items():
            key = line.facts.info.ref.provider, group
            if key not in newest or _stated(limits) > _stated(newest[key]):
                newest[key] = limits
    found: dict[str, UsageLimits] = {}
    for (provider, _), limits in sorted(newest.items()):
        found[provider] = (*found.get(provider, ()), *limits)
    return found


def _stated(limits: UsageLimits) -> float:
    return max(limit.at or 0.0 for limit in limits)


def _context(facts: SessionFacts, header: HeaderFacts) -> float | None:
    return _counted_context(facts) if header.context_fill is None else header.context_fill


def _counted_context(facts: SessionFacts) -> float | None:
    """The fill by the index of the log."""
    totals = facts.totals
    if totals is None or not totals.context_window or totals.context_tokens is None:
        return None
    return min(1.0, totals.context_tokens / totals.context_window)


def _used(
    entry: Entry, header: HeaderFacts, price: Price, counted: SessionCount | None
) -> tuple[int | None, Cost]:
    """Tokens and cost: by the log where all of it was read here, else as they were counted.

    Until then as they were indexed, if that is of the logs as they are.
    """
    if not header.all_read or entry.agents:
        if counted is not None:
            return counted.tokens, counted.cost
        current = all(facts.is_current for facts in (entry.facts, *entry.agents))
        return (entry.figures.tokens, entry.figures.cost) if current else (None, NO_COST)
    prices = [price(spent) for spent in header.spent]
    known = [found for found in prices if found is not None]
    whole = len(known) == len(prices) and all(complete for _, complete in known)
    estimate = sum(cost for cost, _ in known) if known else None
    return header.usage.context, Cost(header.cost, estimate, whole)
