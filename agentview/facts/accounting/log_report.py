"""A whole log accounted for: each record has one fate, each byte is in a record or between two.

Records are joined as the screen joins them; of each, some bytes are kept, so that logs of any size
are read once, in a piece.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.accounting.call_account import CallCounts
from agentview.facts.accounting.classify import RecordReport, RecordReports
from agentview.facts.accounting.log_bytes import (
    LogBytes,
    OnProgress,
    Separators,
    nothing,
    records_of,
)
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.sources.compressed import SUFFIXES, is_cut
from agentview.sources.database_check import damage_in
from agentview.sources.line_splitter import Line
from agentview.sources.member import database_of, is_member, log_stat, member_of
from agentview.sources.packed_file import content_size

EXAMPLES = 5
"""Places that are kept of each fate; all are counted."""

_BATCH_RECORDS = 512
_BATCH_BYTES = 4 * 1024 * 1024


class Tally(Value):
    """Records counted, their bytes without what lies between, and what the first ones are."""

    records: int = 0
    bytes: int = 0
    examples: tuple[RecordReport, ...] = ()


class TypeTally(Value):
    """Records of one fate, type, reason and client version; None where the log does not say."""

    fate: RecordOutcome
    record_type: str | None
    reason: str | None
    client_version: str | None
    tally: Tally


class LogAccount(Value):
    """Records and bytes of a log by fate. `by_fate` has all fates; their sums are the whole log."""

    ref: SessionRef
    file_bytes: int
    """As the file system has it; of a compressed log less than it holds."""
    bytes: int
    """Bytes that were read: the records and what lies between them."""
    records: int
    record_bytes: int
    events: int
    lines: int
    document: bool
    separators: Separators
    by_fate: dict[RecordOutcome, Tally]
    types: tuple[TypeTally, ...]
    versions: dict[str | None, Tally]
    """By the version of the client that wrote it, as the log last said."""
    calls: CallCounts
    cut: bool = False
    """True if the log is compressed and its file ends in the middle of what it held."""
    derived: bool = False
    """True if the records are made of an archive or a directory, whose bytes are not counted."""
    fault: str | None = None
    """Fault of the database that has the records."""

    @property
    def whole(self) -> bool:
        """True if every record has a fate and every byte a place."""
        fates = self.by_fate.values()
        return (
            sum(tally.records for tally in fates) == self.records
            and sum(tally.bytes for tally in fates) == self.record_bytes
            and self.record_bytes + self.separators.total == self.bytes
            and not self.separators.other
        )

    @property
    def complete(self) -> bool | None:
        """True if all that the source has is in a record and shown; None if not compared."""
        if not self.whole or self.fault is not None or not self.calls.whole:
            return False
        return None if self.derived else True


def account_log(ref: SessionRef, on_progress: OnProgress = nothing) -> LogAccount:
    """Read one log and say what became of it. Raises NotFound and Unreadable."""
    with reading(ref):
        return _account(ref, on_progress)


def _account(ref: SessionRef, on_progress: OnProgress) -> LogAccount:
    path = Path(ref.path)
    verdicts = RecordReports(ref)
    whole = LogBytes()
    batch: list[tuple[Line, int]] = []
    held = 0
    for line, number in records_of(load_provider(ref.provider), path, whole, on_progress):
        batch.append((line, number))
        held += len(line.data or b"")
        if len(batch) == _BATCH_RECORDS or held > _BATCH_BYTES:
            verdicts.take(batch)
            batch, held = [], 0
    verdicts.take(batch)
    fates = _Fates()
    database = database_of(path)
    for verdict in verdicts.all():
        fates.add(verdict)
    return LogAccount(
        ref=ref,
        file_bytes=_size_on_disk(path, whole.size),
        bytes=whole.size,
        records=len(verdicts.offsets),
        record_bytes=sum(verdicts.lengths),
        events=verdicts.events,
        lines=whole.lines,
        document=whole.document,
        separators=whole.separators,
        by_fate={fate: fates.by_fate[fate].tally() for fate in RecordOutcome},
        types=tuple(
            TypeTally(*key, tally=count.tally()) for key, count in _sorted_types(fates.by_type)
        ),
        versions={version: count.tally() for version, count in fates.by_version.items()},
        calls=verdicts.calls(),
        cut=is_cut(path),
        derived=is_member(path) and database is None,
        fault=None if database is None else damage_in(database),
    )


def _size_on_disk(path: Path, read: int) -> int:
    """Bytes of the file; what was read of it when it has grown or gone since.

    For a session in an archive, the bytes of that; for another that is not a file, what was read.
    """
    if is_member(path):
        member = None if database_of(path) is not None else member_of(path)
        return read if member is None else log_stat(member[0]).st_size
    try:
        size = content_size(path, log_stat(path).st_size)
    except OSError:
        return read
    return size if path.suffix in SUFFIXES else min(size, read)


@dataclass(slots=True)
class _Count:
    records: int = 0
    bytes: int = 0
    examples: list[RecordReport] = field(default_factory=list[RecordReport])

    def add(self, verdict: RecordReport) -> None:
        self.records += 1
        self.bytes += verdict.length
        if len(self.examples) < EXAMPLES:
            self.examples.append(verdict)

    def tally(self) -> Tally:
        return Tally(self.records, self.bytes, tuple(self.examples))


_TypeKey = tuple[RecordOutcome, str | None, str | None, str | None]


def _sorted_types(counts: dict[_TypeKey, _Count]) -> Sequence[tuple[_TypeKey, _Count]]:
    """By fate, the most frequent first."""
    order = list(RecordOutcome)
    return sorted(
        counts.items(),
        key=lambda item: (order.index(item[0][0]), -item[1].records, str(item[0])),
    )


class _Fates:
    """Records counted by all that they are distinguished by."""

    def __init__(self) -> None:
        self.by_fate = {fate: _Count() for fate in RecordOutcome}
        self.by_type: dict[_TypeKey, _Count] = {}
        self.by_version: dict[str | None, _Count] = {}

    def add(self, verdict: RecordReport) -> None:
        """Count a record."""
        fate, version = verdict.fate, verdict.client_version
        self.by_fate[fate].add(verdict)
        self.by_version.setdefault(version, _Count()).add(verdict)
        key = (fate, verdict.record_type, verdict.reason, version)
        self.by_type.setdefault(key, _Count()).add(verdict)
