"""Usage of sessions, one after the other; no unchanged log is read."""

from array import array
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.usage.claims import ResponseDedupe, SessionClaims
from agentview.facts.usage.kept_usage import ALL, MAIN, KeptUsage
from agentview.facts.usage.log_usage import LogUsage, in_period, with_agents
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.report import UsageSums
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.log_totals import LogCounts
from agentview.sessions.library.session_record import SessionTotals
from agentview.system.progress import in_turn

_AT_ONCE = 256
"""Logs whose totals are kept at once."""
_DIGEST = 8
_PARTS = {ALL: b"p", MAIN: b"q"}
"""The first byte of the variants that are of a part of the time."""


class NotCountedYetError(AgentViewError):
    """Nothing is kept of a log, and it is not to be read."""


class SessionOutcome(Value):
    """The counts of a session; neither usage nor trouble if it was not counted yet."""

    ref: SessionRef
    usage: UsageSums | None
    is_agent: bool
    """It is an agent's, whose session is not among the others."""
    trouble: str | None = None
    """Why it could not be read."""


class CountedSessions:
    """Counts sessions, each response for the first one that has it, and keeps what it reads.

    Without `agents` only what sessions themselves used is counted, with a `period` only what was
    used in it: a log is read for that if a part of it is in the period.
    """

    def __init__(
        self,
        logs: Sequence[SessionRef],
        catalogue: SessionCache,
        *,
        agents: bool = True,
        period: Period = ALL_TIME,
        reads: bool = True,
    ) -> None:
        """`logs` are those that will be asked for; unless it `reads`, only what is kept counts."""
        self._logs, self._reads = logs, reads
        self._catalogue, self._agents, self._period = catalogue, agents, period
        self._variant = ALL if agents else MAIN
        self._pricing = PriceList()
        self._claims = ResponseDedupe()
        self._kept = KeptUsage(catalogue.database)
        self._kept.load(logs)
        self._totals: list[tuple[str, SessionTotals]] = []

    def count(self, session: SessionRef, period: Period | None = None) -> UsageSums:
        """Return the usage of the next session, in a period of its own where one is given.

        Raises AgentViewError if its log is unreadable.
        """
        claims = self._claims.of(session.provider)
        within = self._period if period is None else period
        with reading(session):
            main = self._of_log(session, claims, within)
            discovery = load_provider(session.provider).discovery
            if session.shared:
                return with_agents(session, main, ())
            if not self._agents:
                left_out = bool(discovery.children(session))
                return with_agents(session, main, (), left_out=left_out)
            children = session_logs(discovery, session)[1:]
            agents = [
                (log.path, self._of_log(log, claims, within, partly=True)) for log in children
            ]
            return with_agents(session, main, agents)

    def each(self) -> Iterator[SessionOutcome]:
        """Count all sessions in the order of the logs, agents whose session is not there last.

        What a session has of the past of another counts once.
        """
        mains = [ref for ref in self._logs if ref.parent_id is None]
        children = [ref for ref in self._logs if ref.parent_id is not None]
        read: set[str] = set()
        for ref in in_turn("counting", (*mains, *children), len(self._logs), "logs"):
            is_agent = ref.parent_id is not None and len(self._logs) > 1
            if ref.path in read or (is_agent and not self._agents):
                continue
            try:
                usage = self.count(ref)
            except AgentViewError as error:
                trouble = None if isinstance(error, NotCountedYetError) else error.message
                yield SessionOutcome(ref, None, is_agent, trouble)
                continue
            read.update((ref.path, *usage.agent_paths))
            yield SessionOutcome(ref, usage, is_agent)
        self.keep()

    def keep(self) -> None:
        """Keep what was read so far."""
        self._kept.write()
        self._catalogue.put_totals(self._totals)
        self._totals.clear()

    def _of_log(
        self, log: SessionRef, claims: SessionClaims, period: Period, *, partly: bool = False
    ) -> LogUsage:
        """Usage of a log; with `partly`, of what is readable of a damaged one."""
        found = self._kept.find(log, self._variant)
        if found is not None:
            refused = claims.refused(log, found.shared, found.owned)
            kept = self._kept.find(log, self._without(refused)) if refused else found
            used = None if kept is None else in_period(kept.usage(), period)
            part = None if used else self._kept.find(log, self._part(refused, period))
            used = part.usage() if part is not None else used
            if used is not None:
                return used
        elif not self._reads:
            raise NotCountedYetError(log.path)
        stamp = self._kept.stamp(log)
        counts = LogCounts(log, self._pricing, agents=self._agents)
        try:
            with reading(log):
                counts.read()
        except AgentViewError:
            if not partly:
                raise
            stamp = None
        usage = counts.usage()
        self._kept.put(log, stamp, self._variant, usage, counts.keys)
        self._add_totals(counts)
        refused = claims.refused(log, counts.keys.shared, counts.keys.owned)
        if refused:
            usage = counts.usage_without(refused)
            self._kept.put(log, stamp, self._without(refused), usage)
        used = in_period(usage, period)
        if used is None:
            used = counts.usage_without(refused, period)
            self._kept.put(log, stamp, self._part(refused, period), used)
        return used

    def _part(self, refused: Sequence[int], period: Period) -> bytes:
        """The variant of a period that the log is partly in, without the responses at places."""
        name = repr((period.after, period.before)).encode() + array("Q", refused).tobytes()
        return _PARTS[self._variant] + blake2b(name, digest_size=_DIGEST).digest()

    def _without(self, refused: Sequence[int]) -> bytes:
        """The variant without the responses at some places."""
        places = array("Q", refused).tobytes()
        return self._variant + blake2b(places, digest_size=_DIGEST).digest()

    def _add_totals(self, counts: LogCounts) -> None:
        """Have the totals of a log that was read kept, if the catalogue has it without them."""
        if not counts.is_whole or not self._agents:
            return
        facts = self._catalogue.get(counts.ref.path)
        if facts is not None and not facts.is_current:
            self._totals.append((counts.ref.path, counts.totals(facts.info)))
            if len(self._totals) >= _AT_ONCE:
                self.keep()
