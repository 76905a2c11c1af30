"""What became of the records of logs, as text."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from agentview.cli.sheet import Line, Row, Tone, aligned, heading
from agentview.inspection.account import LogAccount
from agentview.inspection.fates import SHOWN, TROUBLE, Fate, label, meaning
from agentview.inspection.session_files import Left
from agentview.inspection.sums import Finding, Sum, added_up, findings
from agentview.inspection.versions import in_order, seen, unseen
from agentview.providers import load_evidence, load_provider
from agentview.timeline.quantities import UNKNOWN, byte_size, counted

_FINDINGS = 40
_LEFT = 20
_BOOKKEEPING = 20
_FILES = 200
_LINES = 4
_REASON = 72

_TONES = {
    Fate.PARTIAL: Tone.WARN,
    Fate.UNKNOWN: Tone.WARN,
    Fate.MALFORMED: Tone.BAD,
    Fate.OVERSIZE: Tone.WARN,
    Fate.EVENT: Tone.GOOD,
}


def lines(accounts: Sequence[LogAccount], left: Sequence[Left]) -> Iterator[Line]:
    """All of it: files, fates, what could not be read, bookkeeping, versions, other files."""
    total = added_up(accounts)
    if accounts:
        yield from _files(accounts)
        yield from _fates(total)
        yield from _trouble(findings(accounts), alone=len(accounts) == 1)
        yield from _bookkeeping(findings(accounts, [Fate.HIDDEN]))
        yield from _versions(accounts)
    yield from _left(left)


def _files(accounts: Sequence[LogAccount]) -> Iterator[Line]:
    yield [(_summary(accounts), Tone.HEAD)]
    rows: list[Row] = [_heads("RECORDS", "SHOWN", "NOT READ", "BYTES", "FILE")]
    for account in accounts[:_FILES]:
        trouble = sum(account.by_fate[fate].records for fate in TROUBLE)
        shown = sum(account.by_fate[fate].records for fate in SHOWN)
        rows.append(
            [
                f"{account.records:,}",
                f"{shown:,}",
                (f"{trouble:,}", Tone.WARN) if trouble else ("0", Tone.FAINT),
                f"{account.bytes:,}",
                _name(account),
            ]
        )
    yield from aligned(rows, right=range(4))
    if len(accounts) > _FILES:
        yield [
            (f"  … and {counted(len(accounts) - _FILES, 'more file')}; --json has all", Tone.FAINT)
        ]


def _summary(accounts: Sequence[LogAccount]) -> str:
    labels = dict.fromkeys(load_provider(account.ref.provider).label for account in accounts)
    agents = sum(1 for account in accounts if account.ref.parent_id is not None)
    sessions = len(accounts) - agents
    parts = [counted(sessions, "session")] if sessions else []
    parts += [counted(agents, "sub-agent")] if agents else []
    return f"{', '.join(labels)}: {', '.join(parts)}"


def _name(account: LogAccount) -> str:
    path = home_relative(account.ref.path)
    packed = account.file_bytes != account.bytes
    return f"{path}  ({byte_size(account.file_bytes)} on disk)" if packed else path


def home_relative(path: str) -> str:
    """A path with `~` for the home directory."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path


def _fates(total: Sum) -> Iterator[Line]:
    yield from heading("What became of the records")
    rows: list[Row] = [_heads("FATE", "RECORDS", "BYTES", "")]
    for fate in Fate:
        records = total.records_by_fate[fate]
        if records or fate is Fate.EVENT:
            tone = _TONES.get(fate, Tone.PLAIN)
            size = f"{total.bytes_by_fate[fate]:,}"
            rows.append([(label(fate), tone), f"{records:,}", size, (meaning(fate), Tone.FAINT)])
    rows.append(
        ["between records", "", f"{total.separators.total:,}", (_between(total), Tone.FAINT)]
    )
    rows.append([("sum", Tone.HEAD), f"{total.records:,}", f"{total.bytes:,}", _verdict(total)])
    yield from aligned(rows, right=(1, 2))


def _verdict(total: Sum) -> tuple[str, Tone]:
    if total.whole:
        files = "the whole file" if total.files == 1 else "all of the files"
        return f"✓ every record, {files}", Tone.GOOD
    return f"✗ {counted(total.separators.other, 'byte')} unaccounted for", Tone.BAD


def _between(total: Sum) -> str:
    found = total.separators
    parts = [f"line ends {found.terminators:,}"]
    parts += [f"blanks {found.blanks:,}"] if found.blanks else []
    parts += [f"in {counted(found.blank_lines, 'blank line')}"] if found.blank_lines else []
    parts += [f"brackets and commas {found.framing:,}"] if found.framing else []
    parts += [f"byte order marks {found.bom:,}"] if found.bom else []
    return ", ".join(parts)


def _trouble(found: Sequence[Finding], *, alone: bool) -> Iterator[Line]:
    """What needs a look; `alone` when there is one file, which need not be named."""
    if not found:
        return
    yield from heading("What could not be read")
    rows: list[Row] = [
        [
            (label(each.fate), _TONES[each.fate]),
            f"{each.records:,}",
            _where(each, alone=alone),
            each.record_type or UNKNOWN,
            (_why(each), Tone.FAINT),
        ]
        for each in found[:_FINDINGS]
    ]
    yield from aligned([_heads("FATE", "RECORDS", "WHERE", "TYPE", "WHY"), *rows], right=(1,))
    yield from _more(len(found) - _FINDINGS)


def _why(each: Finding) -> str:
    reason = each.reason or ""
    if each.record_type is not None and each.record_type in reason:
        return ""
    return reason if len(reason) <= _REASON else f"{reason[:_REASON]}…"


def _where(each: Finding, *, alone: bool) -> str:
    numbers = ", ".join(str(example.line) for example in each.examples[:_LINES])
    more = ", …" if each.records > min(_LINES, len(each.examples)) else ""
    start = "line " if alone else f"{home_relative(each.path)}:"
    return f"{start}{numbers}{more}"


def _bookkeeping(found: Sequence[Finding]) -> Iterator[Line]:
    if not found:
        return
    yield from heading("Bookkeeping, which has no row")
    largest = sorted(found, key=lambda each: -each.records)
    rows: list[Row] = [_heads("RECORDS", "TYPE", "WHAT IT IS")]
    rows += [
        [f"{each.records:,}", each.record_type or UNKNOWN, (each.reason or UNKNOWN, Tone.FAINT)]
        for each in largest[:_BOOKKEEPING]
    ]
    yield from aligned(rows, right=(0,))
    yield from _more(len(found) - _BOOKKEEPING)


def _more(count: int) -> Iterator[Line]:
    if count > 0:
        yield [(f"  … and {count:,} more; --json has all", Tone.FAINT)]


def _versions(accounts: Sequence[LogAccount]) -> Iterator[Line]:
    told: dict[str, set[str]] = {}
    for account in accounts:
        stated = {version for version in account.versions if version is not None}
        told.setdefault(account.ref.provider, set()).update(stated)
    rows: list[Row] = []
    for provider, versions in sorted(told.items()):
        if versions:
            name = load_provider(provider).label
            rows.append([name, ", ".join(in_order(versions)), version_note(provider, versions)])
    if rows:
        yield from heading("Client versions")
        yield from aligned(rows)


def version_note(provider: str, versions: set[str]) -> tuple[str, Tone]:
    """Says when a version is newer than all whose logs were read when this was written."""
    evidence = load_evidence(provider)
    new = unseen(evidence, versions)
    if not new:
        return "", Tone.PLAIN
    known = seen(evidence)
    be = "has" if len(new) == 1 else "have"
    text = f"{', '.join(new)} {be} not been seen yet; seen: {known[0]} … {known[-1]}"
    return text, Tone.WARN


def _left(left: Sequence[Left]) -> Iterator[Line]:
    unreadable = [each for each in left if each.unreadable]
    others = [each for each in left if not each.unreadable]
    if unreadable:
        yield from heading(f"Not opened: {counted(len(unreadable), 'file')}")
        yield from aligned(
            [[(home_relative(each.path), Tone.BAD), each.why] for each in unreadable[:_LEFT]]
        )
        yield from _more(len(unreadable) - _LEFT)
    if others:
        yield from heading(f"No sessions: {counted(len(others), 'file')}")
        yield from aligned(
            [[home_relative(each.path), (each.why, Tone.FAINT)] for each in others[:_LEFT]]
        )
        yield from _more(len(others) - _LEFT)


def _heads(*names: str) -> Row:
    return [(name, Tone.FAINT) for name in names]
