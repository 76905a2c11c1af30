"""Fates of the records of logs, as text."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentview.cli.output.sheet import Line, Row, Tone, aligned, heading
from agentview.facts.accounting.log_report import LogAccount
from agentview.facts.accounting.outcome import SHOWN, TROUBLE, RecordOutcome, label, meaning
from agentview.facts.accounting.session_files import SkippedFile
from agentview.facts.accounting.totals import Finding, OutcomeTotals, added_up, findings
from agentview.facts.accounting.versions import in_order, seen, unseen
from agentview.providers import load_evidence, load_provider
from agentview.sessions.targets.session_line import home_relative
from agentview.timeline.view.format_numbers import UNKNOWN, byte_size, counted
from agentview.timeline.view.sanitize import one_line

_FINDINGS = 40
_LEFT = 20
_ID = re.compile(r"(?<![^\W_])(?=[0-9a-f-]*\d)[0-9a-f][0-9a-f-]{7,}(?![^\W_])", re.IGNORECASE)
"""A part of a path that a client made up: an id, a hash, a long number."""
_TYPES = 30
_FILES = 200
_LINES = 4
_PLACE = 36

_GROUPS = (
    SHOWN,
    (RecordOutcome.TWIN, RecordOutcome.REPLACED, RecordOutcome.ABANDONED),
    (RecordOutcome.HIDDEN,),
    TROUBLE - SHOWN,
)
"""Fates that are counted together for a type; each is in one group."""

_TONES = {
    RecordOutcome.PARTIAL: Tone.WARN,
    RecordOutcome.UNKNOWN: Tone.WARN,
    RecordOutcome.MALFORMED: Tone.BAD,
    RecordOutcome.OVERSIZE: Tone.WARN,
    RecordOutcome.EVENT: Tone.GOOD,
}


def lines(accounts: Sequence[LogAccount], left: Sequence[SkippedFile]) -> Iterator[Line]:
    """All of it: fates, what could not be read, types, versions, files, other files."""
    if accounts:
        base = _base(accounts)
        yield [(_summary(accounts), Tone.HEAD)]
        yield [(f"  {_path(accounts[0]) if base is None else home_relative(base)}", Tone.PLAIN)]
        yield from _fates(added_up(accounts))
        yield from _calls(accounts)
        yield from _trouble(findings(accounts), base)
        yield from _types(findings(accounts, RecordOutcome))
        yield from _versions(accounts)
        if base is not None:
            yield from _files(accounts, base)
    yield from _left(left)


def _base(accounts: Sequence[LogAccount]) -> str | None:
    """The directory that several files lie below; None when there is but one."""
    if len(accounts) == 1:
        return None
    places = {os.path.dirname(os.path.abspath(account.ref.path)) for account in accounts}  # noqa: PTH100, PTH120
    return os.path.commonpath(places)


def _files(accounts: Sequence[LogAccount], base: str) -> Iterator[Line]:
    yield from heading("Files")
    rows: list[Row] = [_heads("RECORDS", "SHOWN", "UNREADABLE", "BYTES", "FILE")]
    for account in accounts[:_FILES]:
        trouble = sum(account.by_fate[fate].records for fate in TROUBLE)
        shown = sum(account.by_fate[fate].records for fate in SHOWN)
        rows.append(
            [
                f"{account.records:,}",
                f"{shown:,}",
                (f"{trouble:,}", Tone.WARN) if trouble else ("0", Tone.FAINT),
                f"{account.bytes:,}",
                _path(account, base),
            ]
        )
    yield from aligned(rows, right=range(4))
    yield from _more(len(accounts) - _FILES)


def _summary(accounts: Sequence[LogAccount]) -> str:
    labels = dict.fromkeys(load_provider(account.ref.provider).label for account in accounts)
    agents = sum(1 for account in accounts if account.ref.parent_id is not None)
    sessions = len(accounts) - agents
    parts = [counted(sessions, "session")] if sessions else []
    parts += [counted(agents, "sub-agent")] if agents else []
    return f"{', '.join(labels)}: {', '.join(parts)}"


def _path(account: LogAccount, base: str | None = None) -> str:
    path = account.ref.path
    shown = one_line(home_relative(path) if base is None else _below(path, base))
    packed = account.file_bytes != account.bytes
    return f"{shown}  ({byte_size(account.file_bytes)} on disk)" if packed else shown


def _below(path: str, base: str) -> str:
    return os.path.relpath(path, base)


def _fates(total: OutcomeTotals) -> Iterator[Line]:
    yield from heading("What became of the records")
    rows: list[Row] = [_heads("OUTCOME", "RECORDS", "BYTES", "")]
    for fate in RecordOutcome:
        records = total.records_by_fate[fate]
        if records or fate is RecordOutcome.EVENT:
            tone = _TONES.get(fate, Tone.PLAIN)
            size = f"{total.bytes_by_fate[fate]:,}"
            rows.append([(label(fate), tone), f"{records:,}", size, (meaning(fate), Tone.FAINT)])
    rows.append(
        ["between records", "", f"{total.separators.total:,}", (_between(total), Tone.FAINT)]
    )
    rows.append([("sum", Tone.HEAD), f"{total.records:,}", f"{total.bytes:,}", _verdict(total)])
    yield from aligned(rows, right=(1, 2))


def _calls(accounts: Sequence[LogAccount]) -> Iterator[Line]:
    counts = added_up(accounts).calls
    if not counts.recorded:
        return
    said = f"  {counted(counts.recorded, 'call')} recorded, {counts.shown:,} shown"
    if counts.whole:
        yield [(said, Tone.PLAIN)]
        return
    lost = counted(counts.recorded - counts.shown, "call")
    lines = ", ".join(f"{line:,}" for line in accounts[0].calls.lost[:_LINES])
    where = f" (line {lines})" if len(accounts) == 1 else ""
    yield [(said, Tone.PLAIN), (f"  ✗ {lost} taken for repetitions of others{where}", Tone.BAD)]


def _verdict(total: OutcomeTotals) -> tuple[str, Tone]:
    if total.whole and total.faults:
        return f"✗ only what could be read; damaged: {one_line(total.faults[0])}", Tone.BAD
    if total.whole and not total.calls.whole:
        return "✗ every record, but not every call is shown", Tone.BAD
    if total.whole and total.derived:
        return "every record made of it; bytes of the source are not compared", Tone.PLAIN
    if total.whole and total.cut:
        which = "the file" if total.files == 1 else counted(total.cut, "file")
        be = "is" if total.cut == 1 else "are"
        return f"✓ every record that is there; {which} {be} cut off", Tone.WARN
    if total.whole:
        files = "the whole file" if total.files == 1 else "all of the files"
        return f"✓ every record, {files}", Tone.GOOD
    return f"✗ {counted(total.separators.other, 'byte')} unaccounted for", Tone.BAD


def _between(total: OutcomeTotals) -> str:
    found = total.separators
    parts = [f"line ends {found.terminators:,}"]
    parts += [f"blanks {found.blanks:,}"] if found.blanks else []
    parts += [f"in {counted(found.blank_lines, 'blank line')}"] if found.blank_lines else []
    parts += [f"brackets and commas {found.framing:,}"] if found.framing else []
    parts += [f"byte order marks {found.bom:,}"] if found.bom else []
    return ", ".join(parts)


def _trouble(found: Sequence[Finding], base: str | None) -> Iterator[Line]:
    """Return the trouble spots; without `base` they are in one file, which need not be named."""
    if not found:
        return
    yield from heading("What could not be read")
    rows: list[Row] = [
        [
            (label(each.fate), _TONES[each.fate]),
            f"{each.records:,}",
            _where(each, base),
            (_what(each), Tone.FAINT),
        ]
        for each in found[:_FINDINGS]
    ]
    yield from aligned([_heads("OUTCOME", "RECORDS", "WHERE", "WHAT IT IS"), *rows], right=(1,))
    yield from _more(len(found) - _FINDINGS)


def _what(each: Finding) -> str:
    """The type of a record, or why it could not be read, whatever says more."""
    reason, named = each.reason or "", each.record_type
    if named is None or (named.startswith("(") and reason and named not in reason):
        return reason or UNKNOWN
    return named if named in reason or not reason else f"{named}: {reason}"


def _where(each: Finding, base: str | None) -> str:
    numbers = ", ".join(str(example.line) for example in each.examples[:_LINES])
    more = ", …" if each.records > min(_LINES, len(each.examples)) else ""
    noun = "line" if each.records == 1 else "lines"
    file = "" if base is None else f" of {_below(each.path, base)}"
    return _cut(f"{noun} {numbers}{more}{file}", _PLACE)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _types(found: Sequence[Finding]) -> Iterator[Line]:
    """Record types with what became of their records, and why those have no row that have none."""
    counts: defaultdict[str, Counter[RecordOutcome]] = defaultdict(Counter)
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in found:
        name = each.record_type or UNKNOWN
        counts[name][each.fate] += each.records
        if each.fate is RecordOutcome.HIDDEN and each.reason is not None:
            reasons[name][each.reason] += each.records
    yield from heading("Record types")
    largest = sorted(counts, key=lambda name: (-counts[name].total(), name))
    rows: list[Row] = [_heads("RECORDS", "SHOWN", "SUPERSEDED", "HIDDEN", "UNREADABLE", "TYPE", "")]
    for name in largest[:_TYPES]:
        totals = [sum(counts[name][fate] for fate in fates) for fates in _GROUPS]
        cells = [(f"{count:,}", Tone.PLAIN if count else Tone.FAINT) for count in totals]
        why = reasons[name].most_common(1)
        others = f" (and {len(reasons[name]) - 1} more)" if len(reasons[name]) > 1 else ""
        note = f"{why[0][0]}{others}" if why else ""
        rows.append([f"{counts[name].total():,}", *cells, name, (note, Tone.FAINT)])
    yield from aligned(rows, right=range(5))
    yield from _more(len(largest) - _TYPES)


def _more(count: int) -> Iterator[Line]:
    if count > 0:
        yield [(f"  … and {count:,} more; --json has all", Tone.FAINT)]


def _versions(accounts: Sequence[LogAccount]) -> Iterator[Line]:
    by_provider: dict[str, set[str]] = {}
    for account in accounts:
        stated = {version for version in account.versions if version is not None}
        by_provider.setdefault(account.ref.provider, set()).update(stated)
    rows: list[Row] = []
    for provider, versions in sorted(by_provider.items()):
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


def _left(left: Sequence[SkippedFile]) -> Iterator[Line]:
    unreadable = [each for each in left if each.unreadable]
    others = [each for each in left if not each.unreadable]
    yield from _other_files("Not opened", unreadable, Tone.BAD)
    yield from _other_files("No sessions", others, Tone.FAINT)


def _other_files(title: str, left: Sequence[SkippedFile], tone: Tone) -> Iterator[Line]:
    if left:
        noun = "place" if any(each.unreadable for each in left) else "file"
        yield from heading(f"{title}: {counted(len(left), noun)}")
        alike = _alike(left)
        yield from aligned(
            [
                [(each[0].why, tone), (_count(each), Tone.FAINT), _place(name, each)]
                for name, each in alike[:_LEFT]
            ]
        )
        yield from _more(sum(len(each) for _, each in alike[_LEFT:]))


def _alike(left: Sequence[SkippedFile]) -> list[tuple[str, list[SkippedFile]]]:
    """Files of one reason whose paths differ in ids, numbers and names alone, the most first."""
    groups: dict[tuple[str, str], list[SkippedFile]] = defaultdict(list)
    for each in left:
        path = Path(home_relative(each.path))
        folder = _ID.sub("*", str(path.parent))
        why = each.path if each.unreadable else each.why
        groups[why, f"{folder}/*{path.suffix}"].append(each)
    found = [(name, group) for (_, name), group in groups.items()]
    return sorted(found, key=lambda group: -len(group[1]))


def _place(pattern: str, group: Sequence[SkippedFile]) -> str:
    return pattern if len(group) > 1 else home_relative(group[0].path)


def _count(group: Sequence[SkippedFile]) -> str:
    return counted(len(group), "file") if len(group) > 1 else ""


def _heads(*names: str) -> Row:
    return [(name, Tone.FAINT) for name in names]
