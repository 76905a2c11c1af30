"""Counts what all sessions used, in a worker: one question after the other, the newest alone."""

import time
from collections.abc import Sequence

from agentview.domain.period import ALL_TIME
from agentview.domain.session import SessionInfo
from agentview.facts.usage.group_by import Breakdown, GroupKey, Totals
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions, SessionOutcome
from agentview.sessions.library.filters import active_with_agents, oldest_first
from agentview.sessions.library.scan.messages import unpack_request
from agentview.sessions.library.scan.scanner import roots_of, sessions_under
from agentview.sessions.library.search_roots import Roots
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.spending.budgets import spending
from agentview.sessions.spending.elsewhere import Counted, Elsewhere
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
    GroupKey.HOST,
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
    """Answer what is asked: first comes where sessions are, the machines, then each `Asked`.

    Each is answered by one or more `Answered`; the last is done. A newer question ends one.
    """
    places = connection.receive()
    if places is None or (machines := connection.receive()) is None:
        return
    asked_for = unpack_request(places)
    roots = roots_of(asked_for) if machines.here else ()
    with SessionCache() as catalogue:
        elsewhere = Elsewhere(machines, asked_for.provider)
        server = _Server(connection, roots, catalogue, elsewhere)
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
        self.done = self.asking = False
        self.silent: tuple[str, ...] = ()

    def take(self, outcome: SessionOutcome, project: str | None) -> None:
        """Count a session."""
        self.looked_at += 1
        if outcome.usage is None:
            self.pending += outcome.trouble is None
            self.unreadable += outcome.trouble is not None
            return
        self.totals.add(outcome.usage, project, agent=outcome.is_agent)
        if outcome.usage.is_inside:
            for breakdown in self.breakdowns.values():
                breakdown.add(outcome.usage, project)

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
            self.silent,
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
            self.asking,
        )


class _Server:
    def __init__(
        self, connection: Connection, roots: Roots, catalogue: SessionCache, elsewhere: Elsewhere
    ) -> None:
        self._connection = connection
        self._roots = roots
        self._catalogue = catalogue
        self._elsewhere = elsewhere
        self._sessions: Sequence[SessionFacts] | None = None
        self._names: dict[str, tuple[str | None, str | None]] = {}
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
        if self._elsewhere.any:
            return self._with_others(asked, sessions, fresh=fresh)
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

    def _with_others(
        self, asked: Asked, sessions: Sequence[SessionFacts], *, fresh: bool
    ) -> _Sums | None:
        """Count with what other machines count; what they said before is shown until they do."""
        others = self._elsewhere
        before = others.before(asked.period)
        within = active_with_agents(sessions, asked.period)
        sums = self._count(asked, within, last=False, others=before or ())
        if sums is None:
            return None
        if fresh or not others.is_known(asked.period):
            sums.asking = True
            self._send(asked, sums)
            reported = time.monotonic()
            for outcome, info in others.answers(asked.period, self._connection.waiting):
                if before is not None:
                    continue
                self._take_other(sums, outcome, info)
                if time.monotonic() - reported > _REPORT:
                    reported = time.monotonic()
                    self._send(asked, sums)
            if self._connection.waiting():
                return None
        known = others.before(asked.period) or ()
        return self._count(asked, sessions, last=True, quiet=True, others=known)

    def _take_other(self, sums: _Sums, outcome: SessionOutcome, info: SessionInfo) -> None:
        self._names[outcome.ref.path] = info.title, info.project
        sums.take(outcome, info.project)

    def _count(
        self,
        asked: Asked,
        sessions: Sequence[SessionFacts],
        *,
        last: bool,
        quiet: bool = False,
        others: Sequence[Counted] = (),
    ) -> _Sums | None:
        refs = [facts.info.ref for facts in sessions]
        sums = _Sums(asked, len(refs) + len(others))
        sums.silent = self._elsewhere.failures
        for outcome, info in others:
            self._take_other(sums, outcome, info)
        reported = time.monotonic()
        counting = CountedSessions(refs, self._catalogue, period=asked.period, reads=asked.reads)
        with one_look(len(refs), {ref.path: ref for ref in refs}):
            for outcome in counting.each():
                sums.take(outcome, self._names.get(outcome.ref.path, (None, None))[1])
                if self._connection.waiting():
                    counting.keep()
                    return None
                if not quiet and time.monotonic() - reported > _REPORT:
                    reported = time.monotonic()
                    self._send(asked, sums)
        sums.looked_at = sums.all_sessions
        sums.done = last
        return sums
