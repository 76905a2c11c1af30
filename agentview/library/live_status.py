"""What a live session does right now, in one line."""

from collections.abc import Callable, Iterable

from agentview.domain.session_state import SessionStatus
from agentview.domain.unread import SeenPlace, Unread
from agentview.domain.usage_limit import UsageLimits, current
from agentview.domain.value import Value, replace
from agentview.ingest.live_session import LiveSession
from agentview.library.last_turn import newest_row
from agentview.library.live_list import attention_order
from agentview.library.liveness import is_live, status_and_client
from agentview.library.session_list import Entry
from agentview.library.session_record import SessionFacts
from agentview.library.unread import unread_of
from agentview.store.token_totals import Spent
from agentview.timeline.cost import NO_COST, Cost
from agentview.timeline.header import HeaderFacts
from agentview.timeline.titles.title import Title, title_of


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

    @property
    def path(self) -> str:
        """Its log."""
        return self.facts.info.ref.path


Price = Callable[[Spent], tuple[float, bool] | None]
"""US dollars for tokens, and whether that is all; None where no price is known."""


def board_line(
    entry: Entry, session: LiveSession, now: float, seen: SeenPlace | None, price: Price
) -> BoardLine | None:
    """The line of a session as its log is now; None when nobody is at work in it any more."""
    known, header = entry.info, session.header()
    info = replace(
        known,
        title=entry.facts.added.title or header.title or known.title,
        last_activity=header.last_activity or known.last_activity,
        status=session.store.log_status(),
    )
    if not is_live(info, now):
        return None
    row = newest_row(session.store)
    later = row is not None and any(map(session.store.shown, range(row + 1, session.store.end)))
    tokens, cost = _used(entry, header, price)
    facts = replace(entry.facts, info=info)
    status, client = status_and_client(info, now)
    return BoardLine(
        facts,
        info.title,
        status,
        None if row is None else title_of(session.store.activity(row)),
        session.store.place(row) if row is not None and later else None,
        _context(facts, header),
        tokens,
        cost,
        header.limits,
        unread_of(facts, seen, session),
        None if client is None else client.pid,
    )


def account_limits(lines: Iterable[BoardLine], now: float) -> dict[str, UsageLimits]:
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
    """The fill by the end of the log, else by its index."""
    totals = facts.totals
    if header.context_fill is not None or totals is None or not totals.context_window:
        return header.context_fill
    tokens = totals.context_tokens
    return None if tokens is None else min(1.0, tokens / totals.context_window)


def _used(entry: Entry, header: HeaderFacts, price: Price) -> tuple[int | None, Cost]:
    """Tokens and cost: by the log where all of it was read, else as it was indexed last."""
    if not header.all_read or entry.agents:
        return entry.figures.tokens, entry.figures.cost
    prices = [price(spent) for spent in header.spent]
    known = [found for found in prices if found is not None]
    whole = len(known) == len(prices) and all(complete for _, complete in known)
    estimate = sum(cost for cost, _ in known) if known else None
    return header.usage.context, Cost(header.cost, estimate, whole)


def board_order(line: BoardLine) -> tuple[float, float, str]:
    """Sorts lines: who needs its person most first; of equal ones who does so longest."""
    return attention_order(line.status, line.path)
