"""What a log holds as a whole: read once from its beginning to its end."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from agentview.domain.events import Event
from agentview.domain.index_entry import Flag, RecordFacts, Role
from agentview.domain.session import SessionInfo
from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    NotebookEditPayload,
    Payload,
    WritePayload,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.unread import MOST
from agentview.library.session_record import SessionTotals
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Item
from agentview.sources.open_file import read_head
from agentview.store.assembler import Assembler
from agentview.store.decode_line import decode_line
from agentview.store.index_entry import reduce_record
from agentview.store.reading import log_reader
from agentview.usage.accumulator import UsageAccumulator
from agentview.usage.pricing import PriceList

_FILES = 2_000
"""Paths that are kept of a log."""
_TOOLS = 200
"""Names of tools that are kept of a log."""


class StoppedError(Exception):
    """Nobody waits for the totals any longer."""


def totals_of_log(
    info: SessionInfo, pricing: PriceList, stopped: Callable[[], bool] = lambda: False
) -> SessionTotals:
    """What a log holds, agents that write into it included.

    Raises AgentViewError when it cannot be read, StoppedError when `stopped` says so.
    """
    provider = load_provider(info.ref.provider)
    path = Path(info.ref.path)
    log = _Log(info, provider, pricing)
    # A reader waits for a log that is not there yet.
    read_head(path, 1)
    reader = log_reader(provider, path)
    more = True
    while more:
        if stopped():
            raise StoppedError
        chunk = reader.poll()
        log.take(chunk.items)
        more = chunk.more
    log.take(reader.finish())
    log.take(reader.finish_torn())
    return log.totals()


class _Log:
    """Takes the lines of a log in file order."""

    def __init__(self, info: SessionInfo, provider: Provider, pricing: PriceList) -> None:
        self._info, self._provider, self._pricing = info, provider, pricing
        self._begin()

    def _begin(self) -> None:
        session = self._info.ref
        index_record = self._provider.index_record
        self._outline = index_record(session) if index_record is not None else None
        self._ledger = UsageAccumulator(self._pricing)
        self._assembler = Assembler.of(self._provider)
        self._calls = _Calls()

    def take(self, items: "Sequence[Item] | Sequence[Line]") -> None:
        """Take what was read; what is not a line says that the log begins again."""
        records: list[RecordFacts] = []
        for item in items:
            if not isinstance(item, Line):
                self._begin()
                records.clear()
                continue
            records.append(self._reduced(item))
        self._join(records)

    def _join(self, records: "list[RecordFacts]") -> None:
        self._ledger.take(records)
        self._assembler.append(records)
        for record in records:
            for fact in record.events:
                if fact.role == Role.RESULT and fact.flags & Flag.PROBLEM:
                    self._calls.failed.add(fact.key)

    def _reduced(self, line: Line) -> RecordFacts:
        outline = self._outline
        facts = outline(line.data) if outline is not None and line.data is not None else None
        if facts is not None and not any(fact.role == Role.CALL for fact in facts):
            return RecordFacts(line.offset, line.length, facts)
        session = self._info.ref
        events = decode_line(self._provider, session, line)
        self._calls.take(events)
        return reduce_record(line.offset, line.length, events, session.stream)

    def totals(self) -> SessionTotals:
        """What it has come to."""
        ref, ledger = self._info.ref, self._ledger
        sums = ledger.sums()
        used = sums.own
        used.merge(sums.agents)
        summary = self._assembler.summary
        model = summary.text("model") or self._info.model
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
        self.failed: set[str | None] = set()
        self._paths: dict[str, dict[str, None]] = {}
        """Calls by the path that they change, in the order of the first of each."""

    def take(self, events: Sequence[Event]) -> None:
        """Take the calls of a record."""
        for event in events:
            call = event.body
            if not isinstance(call, ToolCall):
                continue
            if call.provider_name and len(self.names) < _TOOLS:
                self.names[call.provider_name] = None
            for path in _changed_by(call.payload):
                if path and (path in self._paths or len(self._paths) < _FILES):
                    self._paths.setdefault(path, {})[call.call_id] = None

    def changed(self) -> tuple[str, ...]:
        """Paths of which a call that changes them did not fail."""
        return tuple(path for path, calls in self._paths.items() if not self.failed >= calls.keys())


def _changed_by(payload: Payload) -> Iterator[str]:
    if isinstance(payload, WritePayload | NotebookEditPayload):
        yield payload.path
    elif isinstance(payload, DeletePayload):
        yield from payload.paths
    elif isinstance(payload, EditPayload):
        for edit in payload.files:
            yield edit.path
            if edit.move_to:
                yield edit.move_to
