"""Counts what all sessions used, in a worker: one question after the other, the newest alone."""

import time
from collections.abc import Sequence

from agentview.domain.period import ALL_TIME
from agentview.facts.usage.group_by import Breakdown, GroupKey, Totals
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions
from agentview.sessions.library.filters import active_with_agents, oldest_first
from agentview.sessions.library.scan.messages import unpack_request
from agentview.sessions.library.scan.scanner import roots_of, sessions_under
from agentview.sessions.library.search_roots import Roots
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.spending.budgets import spending
from agentview.sessions.spending.table import (
    Answered,
    Asked,
    Names,
    Shortfalls,
    UsageTable,
    rows_of,
)
from agentview.sources.one_look import one_look
from agentview.system.workers.connection import Connection

KEYS = (
    GroupKey.DAY,
    GroupKey.WEEK,
    GroupKey.MONTH,
    GroupKey.PROJECT,
    GroupKey.MODEL,
    GroupKey.PROVIDER,
    GroupKey.TOOL,
    GroupKey.SESSION,
)
"""Groups of sums that are made in one pass."""

_REPORT = 0.5
"""Seconds between two reports on how far it has come."""


def serve_budgets(connection: Connection) -> None:
    """Answer each `BudgetQuestion` with what was spent; first comes where sessions are."""
    places = connection.receive()
    if places is None:
        return
    roots = roots_of(unpack_request(places))
    with SessionCache() as catalogue:
        while (asked := connection.receive()) is not None:
            sessions = sessions_under(roots, catalogue)
            spent = spending(asked.budgets, sessions, catalogue, time.time(), reads=asked.reads)
            connection.send(spent)


def serve(connection: Connection) -> None:
    """Answer what is asked: first comes where sessions are, then each `Asked`.

    Each is answered by one or more `Answered`; the last is done. A newer question ends one.
    """
    places = connection.receive()
    if places is None:
        return
    roots = roots_of(unpack_request(places))
    with SessionCache() as catalogue:
        server = _Server(connection, roots, catalogue)
        while (asked := connection.receive()) is not None:
            server.answer(asked)


class _Sums:
    """Sums for one question, by all keys."""

    def __init__(self, asked: Asked, all_sessions: int) -> None:
        self.period, self.reads = asked.period, asked.reads
        self.totals = Totals(None)
        self.breakdowns = {key: Breakdown(key) for key in KEYS}
        self.all_sessions = all_sessions
        self.looked_at = self.pending = self.unreadable = 0
        self.done = False

    def table(self, by: GroupKey, names: Names) -> UsageTable:
        totals, breakdown = self.totals, self.breakdowns[by]
        rows = rows_of(breakdown, names)
        tally = totals.all.tally
        untimed = 0 if self.period.is_all else totals.untimed
        short = Shortfalls(
            self.pending,
            self.unreadable,
            untimed,
            tally.usage.unfinished or 0,
            tuple(sorted(totals.unpriced, key=lambda name: (name is None, name or ""))),
        )
        return UsageTable(
            by,
            self.period,
            tuple(rows),
            len(breakdown.groups) - len(rows),
            tally,
            totals.all.cost,
            totals.all.sessions,
            totals.agent_logs,
            totals.turns,
            self.looked_at,
            self.all_sessions,
            self.done,
            short,
        )


class _Server:
    def __init__(self, connection: Connection, roots: Roots, catalogue: SessionCache) -> None:
        self._connection = connection
        self._roots = roots
        self._catalogue = catalogue
        self._sessions: Sequence[SessionFacts] | None = None
        self._names: Names = {}
        self._sums: _Sums | None = None

    def answer(self, asked: Asked) -> None:
        """Answer a question, unless another one comes meanwhile."""
        sums = self._sums
        fresh = self._sessions is None or asked.look
        if sums is None or fresh or (sums.period, sums.reads) != (asked.period, asked.reads):
            self._sums = sums = self._counted(asked, fresh=fresh)
        if sums is not None:
            self._send(asked, sums)

    def _send(self, asked: Asked, sums: _Sums) -> None:
        self._connection.send(Answered(asked.number, sums.table(asked.by, self._names)))

    def _counted(self, asked: Asked, *, fresh: bool) -> _Sums | None:
        """Count for a question; None if another one has come.

        First the sessions of the period alone, then all of them: a session of before may have a
        response that is repeated in one of the period, and then it counts there.
        """
        sessions = self._sessions
        if sessions is None or fresh:
            sessions = oldest_first(sessions_under(self._roots, self._catalogue))
            self._sessions = sessions
            self._names = {
                facts.info.ref.path: (facts.info.title, facts.info.project) for facts in sessions
            }
        if asked.period != ALL_TIME:
            within = active_with_agents(sessions, asked.period)
            sums = self._count(asked, within, last=len(within) == len(sessions))
            if sums is None or sums.done:
                return sums
            self._send(asked, sums)
            sums = self._count(asked, sessions, last=True, quiet=True)
        else:
            sums = self._count(asked, sessions, last=True)
        return sums

    def _count(
        self,
        asked: Asked,
        sessions: Sequence[SessionFacts],
        *,
        last: bool,
        quiet: bool = False,
    ) -> _Sums | None:
        refs = [facts.info.ref for facts in sessions]
        sums = _Sums(asked, len(refs))
        reported = time.monotonic()
        counting = CountedSessions(refs, self._catalogue, period=asked.period, reads=asked.reads)
        with one_look(len(refs), {ref.path: ref for ref in refs}):
            for outcome in counting.each():
                sums.looked_at += 1
                if outcome.usage is None:
                    sums.pending += outcome.trouble is None
                    sums.unreadable += outcome.trouble is not None
                else:
                    project = self._names.get(outcome.ref.path, (None, None))[1]
                    sums.totals.add(outcome.usage, project, agent=outcome.is_agent)
                    if outcome.usage.is_inside:
                        for breakdown in sums.breakdowns.values():
                            breakdown.add(outcome.usage, project)
                if self._connection.waiting():
                    counting.keep()
                    return None
                if not quiet and time.monotonic() - reported > _REPORT:
                    reported = time.monotonic()
                    self._send(asked, sums)
        sums.looked_at = sums.all_sessions
        sums.done = last
        return sums
