"""Where a log has abandoned branches; it is joined only where something forks in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from agentview.domain.index_entry import Flag, RecordFacts
from agentview.domain.session import SessionRef
from agentview.providers.base import Provider
from agentview.sources.document_lines import LogReader
from agentview.sources.line_splitter import Line
from agentview.store.applied_record import take_records
from agentview.store.assembler import Assembler
from agentview.store.lineage import Lineage
from agentview.store.reading import log_reader
from agentview.store.reducing import reduce_lines

_LINES = 256
"""Lines that are joined at a time, behind which old keys are packed."""


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
        self._joined: tuple[LogReader, Assembler] | None = None

    def take(self, records: Sequence[RecordFacts]) -> None:
        """See records that follow those before."""
        self._rewound = self._rewound or any(
            fact.tie is not None and fact.tie.rewinds is not None
            for record in records
            for fact in record.events
        )
        if self._provider.record_keys is not None:
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
            reader = log_reader(self._provider, Path(self._ref.path))
            self._joined = reader, Assembler.of(self._provider)
        reader, joined = self._joined
        more = True
        while more:
            chunk = reader.poll()
            if any(not isinstance(item, Line) for item in chunk.items):
                joined = Assembler.of(self._provider)
                self._joined = reader, joined
            self._join(joined, [item for item in chunk.items if isinstance(item, Line)])
            more = chunk.more
            yield
        self._join(joined, reader.finish())

    def places(self) -> list[tuple[int, int]]:
        """Byte ranges of the abandoned branches, in order."""
        return [] if self._joined is None else self._joined[1].branches.places()

    def _may_fork(self) -> bool:
        """Whether a record goes back, or goes on somewhere else than behind the one before it.

        The first prompt of a log has no parent, and goes back behind nothing.
        """
        lineage = self._lineage
        again = any(row != self._first for row in lineage.roots)
        return self._rewound or again or bool(lineage.links or lineage.waiting)

    def _join(self, joined: Assembler, lines: Sequence[Line]) -> None:
        for start in range(0, len(lines), _LINES):
            joined.append(reduce_lines(self._ref, lines[start : start + _LINES]))
            joined.settle()
            joined.summary.settle()
