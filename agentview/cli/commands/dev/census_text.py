"""A census, and what differs between two, as lines of text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from textwrap import wrap

from rich.cells import cell_len, set_cell_size

from agentview.drift.inventory_diff import DiffSection, Finding, ProviderDiff
from agentview.drift.schema_diff import Difference
from agentview.drift.schema_inventory import Place, SchemaInventory, VersionStats, is_unread
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import one_line

_NAMED = 4
"""Record types that are named where a change is the same in many."""

_SIGNS: Mapping[Difference, str] = {
    Difference.NEW: "+",
    Difference.GONE: "-",
    Difference.CHANGED: "~",
    Difference.UNSEEN: " ",
}
_TITLES = {DiffSection.TYPE: "record types", DiffSection.TOOL: "tools"}
_WIDTH = 100
"""Columns of what is reported in short."""

_CHECKED = 500
"""Differences of which it is looked up whether anything reads them."""


def census_lines(census: SchemaInventory) -> list[str]:
    """Record types and tools with their counts, for each client and version."""
    lines: list[str] = []
    for name, versions in sorted(census.providers.items()):
        for version, seen in sorted(versions.items()):
            lines += [*_version_lines(load_provider(name).label, version, seen), ""]
    return lines[:-1]


def _version_lines(label: str, version: str, seen: VersionStats) -> Iterator[str]:
    counts = f"{counted(seen.files, 'file')}, {counted(seen.record_count, 'record')}"
    yield one_line(f"{label} {version}: {counts}")
    rows = [
        (name, each.records.count, f"{each.unread} unread" if each.unread else "")
        for name, each in seen.types.items()
    ]
    yield from _table("RECORD TYPE", "RECORDS", rows)
    tools = [(name, tool.arguments.count, tool.kind) for name, tool in seen.tools.items()]
    if tools:
        yield from _table("TOOL", "CALLS", tools)


def _table(head: str, number: str, rows: Sequence[tuple[str, int, str]]) -> Iterator[str]:
    ordered = sorted(rows, key=lambda row: (-row[1], row[0]))
    width = max(len(head), *(cell_len(one_line(name)) for name, _, _ in ordered))
    yield f"  {head:<{width}}  {number:>8}"
    for name, count, note in ordered:
        yield f"  {set_cell_size(one_line(name), width)}  {count:>8,}  {note}".rstrip()


def diff_lines(diffs: Sequence[ProviderDiff], apart: Sequence[str] = ()) -> list[str]:
    """Differences by provider: those that agentview may not understand first."""
    lines: list[str] = []
    for diff in diffs:
        lines += [*_provider_lines(diff), ""]
    lines += [f"{each}." for each in apart]
    return lines[:-1] if lines and not lines[-1] else lines


class _Rank(Enum):
    """How much a difference matters to who keeps agentview reading the format."""

    FIRST = "gone, changed, or not understood"
    UNREAD = "new, and nothing reads it"
    DATA = "new in arguments and results"
    READ = "new, and read already; --json has the places"


class _Places:
    """Files of examples, each listed once, with a number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def short(self, place: Place | None) -> str:
        """The place behind a finding: `  [2]:17`, or the byte where there are no lines."""
        if place is None:
            return ""
        number = self._numbers.setdefault(place.path, len(self._numbers) + 1)
        where = f":{place.line}" if place.line is not None else f" at byte {place.offset:,}"
        return f"  [{number}]{where}"

    def lines(self) -> Iterator[str]:
        for path, number in self._numbers.items():
            yield f"  [{number}] {one_line(path)}"


def _provider_lines(diff: ProviderDiff) -> Iterator[str]:
    versions = [_together(diff.before), _together(diff.after)]
    label = load_provider(diff.provider).label
    head = f"{label} {' → '.join(versions) if versions[0] != versions[1] else versions[1]}"
    shown = [finding for finding in diff.findings if finding.matters]
    if not shown:
        yield f"{head}: nothing new, gone or changed."
        yield from _unseen_lines(diff)
        return
    places = _Places()
    yield f"{head}: {_summary(shown)}. It is read in agentview/providers/{diff.provider}."
    ranked = _ranked(load_provider(diff.provider), shown)
    for rank in (_Rank.FIRST, _Rank.UNREAD, _Rank.DATA):
        if ranked[rank]:
            yield f"  {rank.value}"
            yield from _listed(ranked[rank], places)
    if ranked[_Rank.READ]:
        yield f"  {_Rank.READ.value}"
        yield from _in_short(ranked[_Rank.READ])
    yield from _unseen_lines(diff)
    yield from places.lines()


Alike = Sequence[Finding]
"""The same change in several records or tools, which is reported once."""


def _ranked(provider: Provider, findings: Sequence[Finding]) -> dict[_Rank, list[Alike]]:
    together: dict[tuple[DiffSection, str], list[Finding]] = {}
    for finding in findings:
        change = str(finding.change) if finding.change is not None else finding.name
        together.setdefault((finding.part, change), []).append(finding)
    ranked: dict[_Rank, list[Alike]] = {rank: [] for rank in _Rank}
    for count, alike in enumerate(together.values()):
        ranked[_rank(provider, alike[0], look=count < _CHECKED)].append(alike)
    return ranked


def _rank(provider: Provider, finding: Finding, *, look: bool) -> _Rank:
    if finding.difference is not Difference.NEW:
        return _Rank.FIRST
    if finding.change is None:
        return _Rank.READ if finding.understood else _Rank.FIRST
    if finding.part is not DiffSection.KEY:
        return _Rank.DATA
    place = finding.place if look else None
    unread = place is None or is_unread(provider, place, finding.change.path) is not False
    return _Rank.UNREAD if unread else _Rank.READ


def _listed(found: Sequence[Alike], places: _Places) -> Iterator[str]:
    for title, group in _grouped(found):
        yield f"    {title}"
        for finding in group:
            line = _name_line(finding) if finding.change is None else _change_line(finding)
            gone = finding.difference is Difference.GONE
            yield f"      {line}{'' if gone else places.short(finding.place)}"


def _in_short(found: Sequence[Alike]) -> Iterator[str]:
    for title, group in _grouped(found):
        names = [
            f"{one_line(each.name)} ({each.after:,})"
            if each.change is None
            else one_line(each.change.path)
            for each in group
        ]
        yield from wrap(
            f"{title}: {', '.join(names)}",
            width=_WIDTH,
            initial_indent="    ",
            subsequent_indent="      ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _grouped(found: Sequence[Alike]) -> Iterator[tuple[str, Sequence[Finding]]]:
    groups: dict[str, list[Finding]] = {}
    for alike in found:
        groups.setdefault(_whose(alike), []).append(alike[0])
    yield from groups.items()


def _together(versions: Sequence[str]) -> str:
    return one_line(", ".join(versions))


def _summary(shown: Sequence[Finding]) -> str:
    counts = {
        each: sum(finding.difference is each for finding in shown)
        for each in (Difference.NEW, Difference.GONE, Difference.CHANGED)
    }
    return ", ".join(f"{count} {each.value}" for each, count in counts.items() if count)


def _name_line(finding: Finding) -> str:
    noun = "record" if finding.part is DiffSection.TYPE else "call"
    sign, name = _SIGNS[finding.difference], one_line(finding.name)
    if finding.difference is Difference.GONE:
        became = f"; now {one_line(finding.became)}?" if finding.became is not None else ""
        return f"{sign} {name}: {counted(finding.before, noun)} before{became}"
    return f"{sign} {name}: {counted(finding.after, noun)}; {finding.note}"


def _change_line(finding: Finding) -> str:
    became = f"; now {finding.became}?" if finding.became is not None else ""
    return one_line(f"{finding.change}{became}")


def _whose(alike: Alike) -> str:
    part = alike[0].part
    if part in _TITLES:
        return _TITLES[part]
    names = [one_line(finding.name) for finding in alike]
    more = len(names) - _NAMED
    shown = names[:_NAMED] if more > 1 else names
    listed = ", ".join(shown) + (f" and {more} more" if more > 1 else "")
    return f"keys of {listed}" if part is DiffSection.KEY else f"{part.value}s of {listed}"


def _unseen_lines(diff: ProviderDiff) -> Iterator[str]:
    count = sum(not finding.matters for finding in diff.findings)
    if count:
        what = counted(count, "optional part")
        yield f"  {what} did not occur this time, which says little: see --json."


def diffs_form(diffs: Sequence[ProviderDiff]) -> list[dict[str, object]]:
    return [
        {
            "provider": diff.provider,
            "before": list(diff.before),
            "after": list(diff.after),
            "differs": diff.matters,
            "findings": [_finding_form(finding) for finding in diff.findings],
        }
        for diff in diffs
    ]


def _finding_form(finding: Finding) -> dict[str, object]:
    change = finding.change
    form: dict[str, object] = {
        "difference": finding.difference.value,
        "part": finding.part.value,
        "name": finding.name,
        "before": finding.before,
        "after": finding.after,
    }
    if change is not None:
        form |= {"path": change.path, "type_before": change.before, "type_after": change.after}
    if finding.became is not None:
        form["became"] = finding.became
    if finding.note is not None:
        form["note"] = finding.note
    if finding.place is not None:
        place = finding.place
        form["place"] = {"file": place.path, "line": place.line, "offset": place.offset}
    return form
