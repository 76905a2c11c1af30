"""Accounts of several logs added up, and what in them is worth a look."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agentview.domain.value import Value
from agentview.facts.accounting.call_account import CallCounts
from agentview.facts.accounting.classify import RecordReport
from agentview.facts.accounting.log_bytes import Separators
from agentview.facts.accounting.log_report import LogAccount
from agentview.facts.accounting.outcome import TROUBLE, RecordOutcome


@dataclass(slots=True)
class OutcomeTotals:
    """Many logs as one. Records and bytes are by fate, in the order of the fates."""

    files: int = 0
    file_bytes: int = 0
    bytes: int = 0
    records: int = 0
    record_bytes: int = 0
    events: int = 0
    lines: int = 0
    whole: bool = True
    calls: CallCounts = field(default_factory=CallCounts)
    cut: int = 0
    """Compressed files that end in the middle of what they held."""
    derived: int = 0
    """Sessions whose records are made of an archive or a directory."""
    faults: list[str] = field(default_factory=list[str])
    """Faults of databases, each once."""
    separators: Separators = field(default_factory=Separators)
    records_by_fate: dict[RecordOutcome, int] = field(
        default_factory=lambda: dict.fromkeys(RecordOutcome, 0)
    )
    bytes_by_fate: dict[RecordOutcome, int] = field(
        default_factory=lambda: dict.fromkeys(RecordOutcome, 0)
    )


class Finding(Value):
    """Records of one provider that share a fate, a type and a reason; `path` has the first."""

    provider: str
    fate: RecordOutcome
    record_type: str | None
    reason: str | None
    records: int
    bytes: int
    files: int
    path: str
    examples: tuple[RecordReport, ...]
    """In the file at `path`."""
    client_versions: tuple[str, ...]


def added_up(accounts: Iterable[LogAccount]) -> OutcomeTotals:
    """All accounts together."""
    total = OutcomeTotals()
    for account in accounts:
        total.files += 1
        total.file_bytes += account.file_bytes
        total.bytes += account.bytes
        total.records += account.records
        total.record_bytes += account.record_bytes
        total.events += account.events
        total.lines += account.lines
        total.whole = total.whole and account.whole
        total.calls = total.calls.plus(account.calls)
        total.cut += account.cut
        total.derived += account.derived
        if account.fault is not None and account.fault not in total.faults:
            total.faults.append(account.fault)
        total.separators = total.separators.plus(account.separators)
        for fate, tally in account.by_fate.items():
            total.records_by_fate[fate] += tally.records
            total.bytes_by_fate[fate] += tally.bytes
    return total


def complete(total: OutcomeTotals) -> bool | None:
    """True if all that the logs have is in a record, and every call shown; None if not compared."""
    if not total.whole or total.faults or not total.calls.whole:
        return False
    return None if total.derived else True


def findings(
    accounts: Iterable[LogAccount], fates: Iterable[RecordOutcome] = TROUBLE
) -> Sequence[Finding]:
    """Return findings with one of the fates, in the order of the fates, the most frequent first."""
    wanted = frozenset(fates)
    found: dict[tuple[str, RecordOutcome, str | None, str | None], Finding] = {}
    for account in accounts:
        seen_here: set[object] = set()
        for each in account.types:
            if each.fate not in wanted:
                continue
            provider, tally = account.ref.provider, each.tally
            key = (provider, each.fate, each.record_type, each.reason)
            known = found.get(key)
            versions = () if each.client_version is None else (each.client_version,)
            if known is None:
                known = Finding(*key, 0, 0, 0, account.ref.path, tally.examples, ())
            found[key] = Finding(
                *key,
                records=known.records + tally.records,
                bytes=known.bytes + tally.bytes,
                files=known.files + (key not in seen_here),
                path=known.path,
                examples=known.examples,
                client_versions=tuple(dict.fromkeys((*known.client_versions, *versions))),
            )
            seen_here.add(key)
    order = list(RecordOutcome)
    return sorted(
        found.values(),
        key=lambda each: (
            order.index(each.fate),
            -each.records,
            each.path,
            each.examples[0].offset,
        ),
    )
