"""The away report: what the sessions of this machine did since their person looked."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from agentview.domain.period import Period
from agentview.domain.session import SessionInfo
from agentview.domain.session_state import Group, SessionStatus
from agentview.domain.unread import SeenPlace
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.query.values import moment
from agentview.reports.away.kept_work import KeptWork
from agentview.reports.away.work import SessionWork
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions
from agentview.sessions.library.live_list import GROUPS, WithState, is_left_out, with_states
from agentview.sessions.library.liveness import KEPT, activity_time
from agentview.sessions.library.session_record import SessionFacts
from agentview.sources.one_look import one_look
from agentview.system.progress import in_turn
from agentview.timeline.view.cost import NO_COST, Cost, cost_of_all


class AwaySession(Value):
    """A session that was active since its person looked."""

    info: SessionInfo
    """Its title is the person's own one where there is one."""
    status: SessionStatus
    """As it is now."""
    group: Group
    live: bool
    after: float
    """The moment from which on it is reported, epoch seconds."""
    work: SessionWork
    tokens: int | None = None
    cost: Cost = NO_COST
    agents: int = 0
    """Agents with a log of their own that did something."""


class UnreadSession(Value):
    """A session whose log cannot be read."""

    path: str
    reason: str


class AwayReport(Value):
    """All sessions that were active, those that need their person first."""

    after: float | None
    """The moment from which on all are reported; None where each has its own."""
    sessions: tuple[AwaySession, ...]
    unreadable: tuple[UnreadSession, ...] = ()

    @property
    def needs(self) -> int:
        return sum(each.group is Group.NEEDS_YOU for each in self.sessions)

    @property
    def cost(self) -> Cost:
        return cost_of_all(each.cost for each in self.sessions)


Seen = Callable[[SessionInfo], SeenPlace | None]
"""How far a session was read."""


def since_seen(seen: Seen, now: float) -> Callable[[SessionInfo], float]:
    """The moment from which on a session is new to its person: that of what was on a screen last.

    Of a session that never was, the beginning of the day; at most a week back.
    """
    today = moment("today", now) or now

    def after(info: SessionInfo) -> float:
        place = seen(info)
        known = None if place is None else place.time or place.at
        return max(today if known is None else known, now - KEPT)

    return after


def away_report(
    found: Sequence[SessionFacts],
    after: float | Callable[[SessionInfo], float],
    catalogue: SessionCache,
    now: float,
    idle_after: float,
) -> AwayReport:
    """Report on sessions and their agents after a moment, which may differ by session."""

    def moments(info: SessionInfo) -> float:
        return after(info) if callable(after) else after

    near = with_states(_near(found, moments), now, idle_after)
    listed = [each for each in near if not is_left_out(each.facts, each.group)]
    active = list(_active(listed, moments))
    oldest = sorted(active, key=lambda each: each.facts.info.ref.modified or 0.0)
    refs = [each.facts.info.ref for each in oldest]
    kept = KeptWork(catalogue.database, refs)
    known = {each.facts.info.ref.path: each.facts.info.ref for each in oldest}
    counting = CountedSessions(
        [agent.info.ref for each in oldest for agent in (each.facts, *each.agents)], catalogue
    )
    sessions: list[AwaySession] = []
    unreadable: list[UnreadSession] = []
    with one_look(len(refs), known):
        for each in in_turn("reading", oldest, len(oldest), "sessions"):
            info = each.facts.info
            try:
                made = _session(each, moments(info), kept, counting)
            except AgentViewError as error:
                unreadable.append(UnreadSession(info.ref.path, error.message))
                continue
            if not made.work.is_empty:
                sessions.append(made)
    kept.write()
    counting.keep()
    sessions.sort(key=_order)
    return AwayReport(None if callable(after) else after, tuple(sessions), tuple(unreadable))


def _near(
    found: Sequence[SessionFacts], after: Callable[[SessionInfo], float]
) -> list[SessionFacts]:
    """The sessions that were active, with their agents and those that started them.

    To find out the states of all the others takes longer than all else.
    """
    infos = [facts.info for facts in found]
    active = [info.ref for info in infos if activity_time(info) > after(info)]
    near = {(ref.provider, one) for ref in active for one in (ref.session_id, ref.parent_id)}
    return [
        facts
        for facts in found
        if (facts.info.ref.provider, facts.info.ref.session_id) in near
        or (
            facts.info.ref.parent_id and (facts.info.ref.provider, facts.info.ref.parent_id) in near
        )
    ]


def _active(
    found: Iterable[WithState], after: Callable[[SessionInfo], float]
) -> Iterator[WithState]:
    for each in found:
        since = after(each.facts.info)
        if any(activity_time(one.info) > since for one in (each.facts, *each.agents)):
            yield each


def _session(
    each: WithState, after: float, kept: KeptWork, counting: CountedSessions
) -> AwaySession:
    info = each.facts.info
    began_since = info.started is not None and info.started > after
    work = kept.of(info.ref, None if began_since else after)
    usage = counting.count(info.ref, Period(after=after))
    return AwaySession(
        info=info,
        status=each.status,
        group=each.group,
        live=each.live,
        after=after,
        work=work,
        tokens=usage.total.tokens,
        cost=usage.cost,
        agents=usage.agent_logs,
    )


def _order(each: AwaySession) -> tuple[int, float, str]:
    return GROUPS.index(each.group), -activity_time(each.info), each.info.ref.path
