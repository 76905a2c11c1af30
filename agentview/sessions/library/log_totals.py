"""What a log holds as a whole: read once from its beginning to its end."""

from collections.abc import Callable, Sequence
from pathlib import Path

from agentview.domain.index_entry import CallFact, EventFact, Flag, RecordFacts, Role
from agentview.domain.session import SessionInfo
from agentview.domain.tools import ToolKind
from agentview.domain.unread import MOST
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.facts.search.indexer import LogDocuments
from agentview.facts.usage.accumulator import UsageAccumulator
from agentview.facts.usage.pricing import PriceList
from agentview.normalize.calls_in_order import CallRecord, CallsInOrder
from agentview.providers import load_provider
from agentview.sessions.library.session_record import SessionTotals
from agentview.sources.open_file import read_head
from agentview.timeline.rows.assembler import Assembler

_FILES = 2_000
"""Paths that are kept of a log."""
_TOOLS = 200
"""Names of tools that are kept of a log."""


class StoppedError(Exception):
    """Nobody waits for the totals any longer."""


def totals_of_log(
    info: SessionInfo,
    pricing: PriceList,
    stopped: Callable[[], bool] = lambda: False,
    documents: LogDocuments | None = None,
) -> SessionTotals:
    """Return what a log holds, agents that write into it included.

    The same scan gives the full-text index its `documents`, if it wants them. Raises
    AgentViewError when the log cannot be read, StoppedError when `stopped` says so, WriteFailed
    as that index does.
    """
    totals = LogTotals(info, pricing)
    # A reader waits for a log that is not there yet.
    read_head(Path(info.ref.path), 1)
    with IndexedLog(info.ref, documents) as log:
        more = True
        while more:
            if stopped():
                raise StoppedError
            chunk = log.poll()
            totals.take(chunk.records, reset=chunk.reset)
            more = chunk.more
            if documents is not None:
                documents.keep_from_time_to_time()
        totals.take(log.finish())
        totals.take(log.finish_torn())
    if documents is not None:
        documents.finish()
    return totals.totals()


class LogTotals:
    """Adds up the facts of a log, which it takes in file order."""

    def __init__(self, info: SessionInfo, pricing: PriceList) -> None:
        self.info, self._pricing = info, pricing
        self._provider = load_provider(info.ref.provider)
        self._begin()

    def _begin(self) -> None:
        self.ended = False
        """Whether all of the log was taken."""
        self._ledger = UsageAccumulator(self._pricing)
        self._assembler = Assembler.of(self._provider)
        self._calls = _Calls()

    def take(self, records: Sequence[RecordFacts], *, reset: bool = False) -> None:
        """Take what was read; with `reset` the log begins again."""
        if reset:
            self._begin()
        self._ledger.take(records)
        self._assembler.append(records)
        self._calls.take(records)

    def end(self) -> None:
        """Know that the log was read to its end."""
        self.ended = True

    def totals(self) -> SessionTotals:
        """Return what it has come to."""
        ref, ledger = self.info.ref, self._ledger
        sums = ledger.sums()
        used = sums.own
        used.merge(sums.agents)
        summary = self._assembler.summary
        model = summary.text("model") or self.info.model
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
            context_window=self._provider.context_window(model) if model is not None else None,
            abandoned=tuple(self._assembler.branches.places()),
            newest=self._assembler.newest(MOST),
        )


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
        """Take the calls of records, and which of them failed."""
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
