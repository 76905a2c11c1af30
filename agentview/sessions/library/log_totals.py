"""Totals of a log, read once from its beginning to its end."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from agentview.domain.activity import RowKind
from agentview.domain.events import Message
from agentview.domain.index_entry import KIND_CODES, CallFact, EventFact, Flag, RecordFacts, Role
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.tools import ToolKind
from agentview.domain.unread import MOST
from agentview.facts.kept.indexed_log import FactsChunk, IndexedLog
from agentview.facts.search.indexer import LogDocuments
from agentview.facts.usage.accumulator import UsageAccumulator
from agentview.facts.usage.aggregate import UsageGroups
from agentview.facts.usage.claims import ResponseKeys, all_but
from agentview.facts.usage.log_usage import LogUsage, log_usage
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.tally import Tally
from agentview.normalize.calls_in_order import CallRecord, CallsInOrder
from agentview.providers import load_provider
from agentview.sessions.following.live_session import open_tail
from agentview.sessions.library.session_record import SessionTotals
from agentview.sources.open_file import read_head
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.view.overview.last_words import FURTHEST, last_sentence, last_words

_MESSAGE = KIND_CODES[RowKind.MESSAGE]
_FILES = 2_000
"""Paths that are kept of a log."""
_TOOLS = 200
"""Names of tools that are kept of a log."""
_HELD = 8_192
"""Records of a log that are in memory while it is counted; a longer one is read again if need be.
"""


class StoppedError(Exception):
    """Nobody waits for the totals any longer."""


def totals_of_log(
    info: SessionInfo, pricing: PriceList, stopped: Callable[[], bool] = lambda: False
) -> SessionTotals:
    """Return the totals of a log, agents that write into it included.

    Raises AgentViewError when the log cannot be read, StoppedError when `stopped` says so.
    """
    counts = LogCounts(info.ref, pricing)
    counts.read(stopped)
    return counts.totals(info)


class LogCounts:
    """Adds up the facts of a log, which is read once for its totals and for what it used.

    Without `agents`, what agents that write into the log used does not count.
    """

    def __init__(self, ref: SessionRef, pricing: PriceList, *, agents: bool = True) -> None:
        self.ref, self._pricing, self._agents = ref, pricing, agents
        self._provider = load_provider(ref.provider)
        self._begin()

    def _begin(self) -> None:
        self.is_whole = False
        """Whether all of the log was taken."""
        self.keys = ResponseKeys(self.ref)
        """Those of all responses."""
        self._ledger = UsageAccumulator(self._pricing, self.keys, agents=self._agents)
        self._assembler = Assembler.of(self._provider)
        self._calls = _Calls()
        self._message: tuple[int, EventFact | None] = 0, None
        """The last message, and the byte offset of its record."""
        self._sums: UsageGroups | None = None
        self._records: list[RecordFacts] | None = []
        """All of them, as long as they are few."""

    def read(
        self,
        stopped: Callable[[], bool] = lambda: False,
        documents: LogDocuments | None = None,
    ) -> None:
        """Read the log to its end.

        The same scan gives the full-text index its `documents`, if it wants them. Raises
        AgentViewError when the log cannot be read, StoppedError when `stopped` says so, WriteFailed
        as that index does.
        """
        self._begin()
        # A reader waits for a log that is not there yet.
        read_head(Path(self.ref.path), 1)
        for chunk in _chunks(self.ref, documents):
            self._take(chunk.records, reset=chunk.reset)
            if stopped():
                raise StoppedError
            if documents is not None:
                documents.keep_from_time_to_time()
        if documents is not None:
            documents.finish()
        self.is_whole = True

    def _take(self, records: Sequence[RecordFacts], *, reset: bool) -> None:
        if reset:
            self._begin()
        self._ledger.take(records)
        self._assembler.append(records)
        self._calls.take(records)
        messages = (
            (record.offset, fact)
            for record in reversed(records)
            for fact in reversed(record.events)
            if fact.kind == _MESSAGE and fact.stream is None
        )
        self._message = next(messages, self._message)
        if self._records is not None:
            self._records += records
            if len(self._records) > _HELD:
                self._records = None

    def usage(self) -> LogUsage:
        """Its usage, if no other log counts its responses; change it only behind `totals`."""
        return self._used(self._ledger, self._summed())

    def _summed(self) -> UsageGroups:
        if self._sums is None:
            self._sums = self._ledger.sums()
        return self._sums

    def usage_without(self, refused: Sequence[int], period: Period = ALL_TIME) -> LogUsage:
        """Its usage in a period without the responses at some places among its `keys`.

        Raises AgentViewError when a long log, which is read again, cannot be.
        """
        held = None if self._records is None else [FactsChunk(self._records, reset=True)]
        ledger = self._ledger
        for number, chunk in enumerate(_chunks(self.ref) if held is None else held):
            if chunk.reset or not number:
                ledger = UsageAccumulator(
                    self._pricing, all_but(refused), agents=self._agents, period=period
                )
            ledger.take(chunk.records)
        return self._used(ledger, ledger.sums())

    def _used(self, ledger: UsageAccumulator, sums: UsageGroups) -> LogUsage:
        ledger.abandon(self._assembler.branches.places())
        return log_usage(ledger, sums)

    def totals(self, info: SessionInfo) -> SessionTotals:
        """Its totals, agents that write into it included; `info` is of the same log."""
        ref, ledger = info.ref, self._ledger
        sums, used = self._summed(), Tally()
        used.merge(sums.own)
        used.merge(sums.agents)
        summary = self._assembler.summary
        model = summary.text("model") or info.model
        return SessionTotals(
            size=ref.size or 0,
            modified=ref.modified or 0.0,
            turns=summary.turns,
            calls={kind: count for kind in ToolKind if (count := summary.count(kind))},
            tools=tuple(self._calls.names),
            problems=summary.problems,
            files=self._calls.changed(),
            models=tuple(name for name in sums.by_model if name is not None),
            usage=used.usage,
            cost=used.worth(ledger.client_cost),
            context_tokens=summary.context,
            context_window=self._provider.window(model, summary.context),
            abandoned=tuple(self._assembler.branches.places()),
            newest=self._assembler.newest(MOST),
            last_words=self._last_words(),
        )

    def _last_words(self) -> str | None:
        """The last sentence of the agent; the end of the log is read where it is not at hand."""
        rows = self._assembler.rows
        found = (
            row
            for row in range(rows.end - 1, max(rows.first, rows.end - FURTHEST) - 1, -1)
            if rows.kind(row) == _MESSAGE and not rows.flags(row) & (Flag.ABSENT | Flag.SIDE)
        )
        row = next(found, None)
        if row is None:
            return None
        offset, _, sub = rows.span(row)
        at, fact = self._message
        whole = fact is not None and fact.origin is not None and fact.tie is None
        if fact is None or not whole or (at, fact.sub) != (offset, sub):
            return last_words(open_tail(self.ref, live=False).store)
        body = fact.event().body
        return last_sentence(body.text) if isinstance(body, Message) else None


def _chunks(ref: SessionRef, documents: LogDocuments | None = None) -> Iterator[FactsChunk]:
    with IndexedLog(ref, documents) as log:
        more = True
        while more:
            chunk = log.poll()
            yield chunk
            more = chunk.more
        yield FactsChunk(log.finish())
        yield FactsChunk(log.finish_torn())


class _Calls:
    """Names of the tools that were called, and the files that calls changed."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self._order = CallsInOrder()
        self._failed: set[int] = set()
        self._refused: set[int] = set()
        self._paths: dict[str, dict[int, None]] = {}
        """Numbers of the calls that change a path, in the order of the first of each."""

    def take(self, records: Sequence[RecordFacts]) -> None:
        for record in records:
            for fact in record.events:
                found = self._order.take(fact)
                if found is not None:
                    self._take(fact, found)

    def _take(self, fact: EventFact, record: CallRecord) -> None:
        problem = bool(fact.flags & Flag.PROBLEM)
        if record.asks:
            # The last request for permission decides.
            self._refused.discard(record.call)
            self._refused.update([record.call] if problem else ())
        elif fact.role == Role.RESULT:
            self._failed.update([record.call] if problem else ())
        elif fact.call is not None:
            self._change(fact.call, record.call)

    def _change(self, call: CallFact, number: int) -> None:
        if call.name and len(self.names) < _TOOLS:
            self.names[call.name] = None
        for path in call.paths:
            if path in self._paths or len(self._paths) < _FILES:
                self._paths.setdefault(path, {})[number] = None

    def changed(self) -> tuple[str, ...]:
        """Paths of which a call that changes them did not fail."""
        left = self._failed | self._refused
        return tuple(path for path, calls in self._paths.items() if not left >= calls.keys())
