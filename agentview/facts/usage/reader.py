"""Reads logs of sessions for what they used, and reads on when they have grown."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from msgspec.structs import astuple

from agentview.domain.index_entry import Flag, RecordFacts
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.facts.usage.accumulator import UsageAccumulator
from agentview.facts.usage.aggregate import UsageGroups
from agentview.facts.usage.claims import Claim, SessionClaims, always
from agentview.facts.usage.kept_session import KeptSession, State
from agentview.facts.usage.log_usage import LogUsage, log_usage, turn_at, with_agents
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.report import ContextPoint, CountedResponse, SessionUsage, TurnUsage
from agentview.facts.usage.tally import Pricing
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.timeline.rows.applied_record import take_records
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.branches.lineage import Lineage
from agentview.timeline.rows.session_refresh import SessionRefresher

# Where a log has abandoned branches; it is joined only where something forks in it.

_RECORDS = 256
"""Records that are joined at a time, behind which old keys are packed."""


class Forks:
    """Watches a log that is read from its start, and reads it again once something forks in it."""

    def __init__(self, provider: Provider, ref: SessionRef) -> None:
        self._provider = provider
        self._ref = ref
        self._lineage = Lineage(lambda _: None)
        self._row = 0
        self._first: int | None = None
        """The row of the first prompt."""
        self._rewound = False
        self._joined: tuple[IndexedLog, Assembler] | None = None

    def take(self, records: Sequence[RecordFacts]) -> None:
        """See records that follow those before."""
        self._rewound = self._rewound or any(
            fact.tie is not None and fact.tie.rewinds is not None
            for record in records
            for fact in record.events
        )
        if self._provider.reading.record_keys is not None:
            facts = take_records(records).facts
            self._lineage.take(self._row, facts, front=False)
            if self._first is None:
                turns = (at for at, fact in enumerate(facts) if fact.flags & Flag.TURN)
                first = next(turns, None)
                self._first = None if first is None else self._row + first
            self._row += len(facts)

    def read_on(self) -> Iterator[None]:
        """Join what was written, where something forks; raises AgentViewError as a reader does."""
        if not self._may_fork():
            return
        if self._joined is None:
            self._joined = IndexedLog(self._ref), Assembler.of(self._provider)
        log, joined = self._joined
        more = True
        while more:
            chunk = log.poll()
            if chunk.reset:
                joined = Assembler.of(self._provider)
                self._joined = log, joined
            self._join(joined, chunk.records)
            more = chunk.more
            yield
        self._join(joined, log.finish())

    def places(self) -> list[tuple[int, int]]:
        """Byte ranges of the abandoned branches, in order."""
        return [] if self._joined is None else self._joined[1].branches.places()

    def _may_fork(self) -> bool:
        """True if a record goes back, or continues somewhere else than behind the one before it.

        The first prompt of a log has no parent, and goes back behind nothing.
        """
        lineage = self._lineage
        again = any(row != self._first for row in lineage.roots)
        return self._rewound or again or bool(lineage.links or lineage.waiting)

    def _join(self, joined: Assembler, records: Sequence[RecordFacts]) -> None:
        for start in range(0, len(records), _RECORDS):
            joined.append(records[start : start + _RECORDS])
            joined.settle()
            joined.summary.settle()


POINTS = 600
"""Points of the context that are given at most; of several that share one, the highest."""


class LogUsageReader:
    """Counts what one log used; `poll` reads what was written since."""

    def __init__(
        self,
        ref: SessionRef,
        pricing: Pricing,
        claim: Claim = always,
        *,
        agents: bool = True,
        each: bool = False,
        period: Period = ALL_TIME,
    ) -> None:
        self.ref = ref
        self.pricing, self._claim, self._agents = pricing, claim, agents
        self._each, self._period = each, period
        self._provider = load_provider(ref.provider)
        self._growing = SessionRefresher(self._provider, ref)
        self._log = IndexedLog(ref)
        self._polled = False
        self.ledger = self._opened()

    def poll(self, *, over: bool = False) -> Iterator[None]:
        """Read on to the end of the log, a piece at a time; with `over` also a torn last line.

        A log that was rewritten, or that now identifies its session differently, is counted again.
        Raises AgentViewError when it cannot be read.
        """
        more = True
        while more:
            chunk = self._log.poll()
            found = self._growing.again() if self._polled else None
            if found is not None:
                self.ref, self._log = found, IndexedLog(found)
                self.ledger = self._opened()
                continue
            if chunk.reset:
                self.ledger = self._opened()
            self._take(chunk.records)
            more = chunk.more
            yield
        self._polled = True
        self._take(self._log.finish())
        if over:
            self._take(self._log.finish_torn())
        self._log.keep()
        yield from self._forks.read_on()
        self.ledger.abandon(self._forks.places())

    def _take(self, records: Sequence[RecordFacts]) -> None:
        self.ledger.take(records)
        self._forks.take(records)

    def _opened(self) -> UsageAccumulator:
        self._forks = Forks(self._provider, self.ref)
        return UsageAccumulator(
            self.pricing, self._claim, agents=self._agents, each=self._each, period=self._period
        )


class SessionUsageReader:
    """Counts what a session and the agents that it started used.

    For a session that is being written: `poll` reads what is new in its logs, and in those of new
    agents; `usage` says what it has come to. Without `agents` only what the session itself used is
    counted, and with a `period` only what was used in it. With `each` all responses are kept, for
    `responses`, which takes no period.
    """

    def __init__(
        self,
        ref: SessionRef,
        pricing: Pricing,
        claims: SessionClaims | None = None,
        *,
        agents: bool = True,
        each: bool = False,
        period: Period = ALL_TIME,
    ) -> None:
        self.ref = ref
        self._with_agents = agents
        self._claims = SessionClaims(ref.provider) if claims is None else claims
        self._open = partial(LogUsageReader, pricing=pricing, each=each, period=period)
        self._main = self._open(ref, claim=self._claims.of(ref), agents=agents)
        self._agents: dict[str, LogUsageReader] = {}
        self._trouble: dict[str, str] = {}
        self._left_out = False
        """Whether there are agents that are not counted."""
        keeps = claims is None and not each and not ref.shared and period.is_all
        self._kept = KeptSession(ref) if keeps and isinstance(pricing, PriceList) else None
        self._counted: State | None = None
        """The state of the logs in which they used `_usage`."""
        self._usage: SessionUsage | None = None

    def poll(self, *, over: bool = False) -> None:
        """Read on. Raises AgentViewError when the session's own log cannot be read."""
        for _ in self.steps(over=over):
            pass

    def steps(self, *, over: bool = False) -> Iterator[int]:
        """The same a piece at a time; gives the bytes of the session's own log that were read."""
        state = self._state(over)
        if state is not None and state == self._counted:
            return
        self._usage = None if self._kept is None or state is None else self._kept.find(state)
        if self._usage is None:
            yield from self._read(over=over)
            if self._kept is not None and state is not None and state == self._state(over):
                self._usage = self._sum()
                self._kept.put(state, self._usage)
        self._counted = None if self._usage is None else state

    def _state(self, over: bool) -> State | None:
        return None if self._kept is None else self._kept.state(self._with_agents, over)

    def _read(self, *, over: bool) -> Iterator[int]:
        for _ in self._main.poll(over=over):
            yield self._main.ledger.reach
        if self.ref.shared:
            return
        discovery = load_provider(self.ref.provider).discovery
        if not self._with_agents:
            self._left_out = bool(discovery.children(self.ref))
            return
        children = session_logs(discovery, self.ref)[1:]
        for gone in self._agents.keys() - {child.path for child in children}:
            del self._agents[gone]
            self._trouble.pop(gone, None)
        for child in children:
            meter = self._agents.get(child.path)
            try:
                if meter is None:
                    meter = self._open(child, claim=self._claims.of(child))
                    self._agents[child.path] = meter
                with reading(child):
                    for _ in meter.poll(over=over):
                        yield self._main.ledger.reach
            except AgentViewError as error:
                self._trouble[child.path] = error.message
            else:
                self._trouble.pop(child.path, None)

    def usage(self) -> SessionUsage:
        """Return the usage, as far as the logs have been read."""
        return self._sum() if self._usage is None else self._usage

    def _sum(self) -> SessionUsage:
        main = self._main.ledger
        sums = main.sums()
        own, agents = log_usage(main, sums), list[tuple[str, LogUsage]]()
        for path, agent in self._agents.items():
            used = agent.ledger.sums()
            agents.append((path, log_usage(agent.ledger, used)))
            sums.take_agent(used, _turn_at(main, agent.ledger))
        whole = with_agents(self.ref, own, agents, left_out=self._left_out)
        provider = load_provider(self.ref.provider)
        return SessionUsage(
            *astuple(whole),
            turns=tuple(_turns(main, sums)),
            pace=tuple(sums.pace.points()),
            context=tuple(_points(main)),
            window=provider.window(main.model, main.fills[-1] if main.fills else None),
            trouble=tuple(self._trouble.values()),
        )

    def responses(self) -> Iterator[CountedResponse]:
        """All responses that `usage` adds up, log after log; all of them only with `each`."""
        main = self._main.ledger
        for meter in (self._main, *self._agents.values()):
            turn = None if meter is self._main else _turn_at(main, meter.ledger)
            for name, response in meter.ledger.responses().items():
                price = meter.pricing(response.model, response.usage, response.time)
                number = response.turn if turn is None else turn
                yield CountedResponse(
                    id=name.partition("total:")[2] if name.startswith("\x00") else name,
                    is_correction=name.startswith("\x00"),
                    log=meter.ref,
                    stream=response.stream or meter.ref.stream,
                    is_agent=response.side or turn is not None,
                    turn=number,
                    model=response.model,
                    time=response.time,
                    usage=response.usage,
                    counts=response.counts,
                    price=price,
                    client_cost=response.cost,
                )


def measure(
    ref: SessionRef,
    pricing: Pricing,
    claims: SessionClaims | None = None,
    *,
    agents: bool = True,
    period: Period = ALL_TIME,
) -> SessionUsage:
    """Usage of a session and its agents in a period. Raises AgentViewError if it is unreadable."""
    with reading(ref):
        meter = SessionUsageReader(ref, pricing, claims, agents=agents, period=period)
        meter.poll(over=True)
        return meter.usage()


def _turn_at(main: UsageAccumulator, agent: UsageAccumulator) -> int:
    return turn_at([turn.started for turn in main.turns], agent.extent.began)


def _turns(main: UsageAccumulator, sums: UsageGroups) -> Iterator[TurnUsage]:
    """Turns that stand, and those before that were paid for, in order."""
    if 0 in sums.by_turn:
        yield TurnUsage(0, "", main.extent.began, sums.by_turn[0])
    standing = 0
    for number, turn in enumerate(main.turns, 1):
        abandoned = main.is_abandoned(turn.place[0])
        stands = turn.stands and not abandoned
        standing += stands
        if (stands and main.extent.period.has(turn.started)) or number in sums.by_turn:
            tally = sums.by_turn[number]
            yield TurnUsage(
                standing,
                turn.prompt,
                turn.started,
                tally,
                turn.place,
                abandoned=abandoned,
                at=number,
            )


def _points(main: UsageAccumulator) -> Iterator[ContextPoint]:
    """The context after each response, or after the fullest of several neighbours; now at last."""
    count = len(main.fills)
    step = max(1, -(-(count - 1) // (POINTS - 1)))
    compacted = set(main.compacted)
    edges = sorted(
        {
            *range(0, count, step),
            *(at for at in compacted if at < count),
            *(max(count - 1, 0), count),
        }
    )
    for start, stop in pairwise(edges):
        at = max(range(start, stop), key=main.fills.__getitem__)
        yield ContextPoint(main.times[at], main.fills[at], start in compacted)
