"""Differences of two censuses: record types, tools and keys that are new, gone or changed."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.drift.schema_diff import Change, Difference, differences, moved
from agentview.drift.schema_inference import NOTHING, Shape, collapsed
from agentview.drift.schema_inventory import (
    Occurrences,
    Place,
    SchemaInventory,
    ToolStats,
    TypeStats,
    VersionStats,
    all_versions,
)
from agentview.drift.schema_json import in_words

_ALIKE = 0.6
"""Of all keys of two things the part that both have, from which one may be the other renamed."""


_EXPECTED = 5
"""So often at least would have come what came never: by chance that happens once in 150 times."""

_UNKNOWN_TOOL = "agentview does not know it: shown as JSON"


class DiffSection(StrEnum):
    """Subject of a difference."""

    TYPE = "record type"
    TOOL = "tool"
    KEY = "key"
    ARGUMENT = "argument"
    RESULT = "result"


class Finding(Value):
    """One difference: of a record type or tool as a whole, or of a key of one.

    `name` is that of the record type or tool; `change` is set for keys, arguments and results.
    """

    part: DiffSection
    difference: Difference
    name: str
    before: int = 0
    """Records, or calls, of that name in the baseline."""
    after: int = 0
    change: Change | None = None
    became: str | None = None
    """The probable new place of a removed entry."""
    note: str | None = None
    """The effect on agentview."""
    understood: bool | None = None
    """True if agentview reads the record type, or knows the tool; None for anything else."""
    place: Place | None = None
    """A record that shows it."""

    @property
    def matters(self) -> bool:
        return self.difference is not Difference.UNSEEN


class ProviderDiff(Value):
    """Differences in the output of one client; versions are those that were compared."""

    provider: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def matters(self) -> bool:
        return any(finding.matters for finding in self.findings)


def compare(baseline: SchemaInventory, census: SchemaInventory) -> list[ProviderDiff]:
    """Differences, for each provider that both have; versions of one client are taken together."""
    found: list[ProviderDiff] = []
    for name in sorted(baseline.providers.keys() & census.providers.keys()):
        before, after = baseline.providers[name], census.providers[name]
        findings = compare_versions(all_versions(before), all_versions(after))
        found.append(ProviderDiff(name, tuple(sorted(before)), tuple(sorted(after)), findings))
    return found


def compare_work(before: VersionStats, after: VersionStats) -> tuple[Finding, ...]:
    """Return the differences of two versions whose sessions did different work.

    A record type or tool that did not occur is gone only where another took its place.
    """
    return tuple(
        replace(finding, difference=Difference.UNSEEN)
        if finding.difference is Difference.GONE
        and finding.part in (DiffSection.TYPE, DiffSection.TOOL)
        and finding.became is None
        else finding
        for finding in compare_versions(before, after)
    )


def compare_versions(before: VersionStats, after: VersionStats) -> tuple[Finding, ...]:
    """Return the differences between two versions: types first, then tools, then keys."""
    types = _names(
        DiffSection.TYPE,
        {name: seen.records for name, seen in before.types.items()},
        {name: seen.records for name, seen in after.types.items()},
        {name: _of_type(seen) for name, seen in after.types.items()},
    )
    tools = _names(
        DiffSection.TOOL,
        {name: seen.arguments for name, seen in before.tools.items()},
        {name: seen.arguments for name, seen in after.tools.items()},
        {name: _of_tool(seen) for name, seen in after.tools.items()},
    )
    keys: list[Finding] = []
    for name in sorted(before.types.keys() & after.types.keys()):
        keys += _keys(DiffSection.KEY, name, before.types[name].records, after.types[name].records)
    for name in sorted(before.tools.keys() & after.tools.keys()):
        was, now = before.tools[name], after.tools[name]
        keys += _keys(DiffSection.ARGUMENT, name, was.arguments, now.arguments)
        keys += _keys(DiffSection.RESULT, name, was.result, now.result)
    return (*types, *tools, *keys)


def _of_type(seen: TypeStats) -> tuple[bool, str]:
    return not seen.unread, "agentview cannot read it" if seen.unread else "agentview reads it"


def _of_tool(tool: ToolStats) -> tuple[bool, str]:
    known = tool.kind != "unknown"
    return known, f"shown as {tool.kind}" if known else _UNKNOWN_TOOL


def _names(
    part: DiffSection,
    before: Mapping[str, Occurrences],
    after: Mapping[str, Occurrences],
    notes: Mapping[str, tuple[bool, str]],
) -> list[Finding]:
    gone, new = before.keys() - after.keys(), after.keys() - before.keys()
    findings = [
        Finding(
            part,
            Difference.GONE,
            name,
            before=before[name].count,
            became=_successor(before[name].shape, {each: after[each].shape for each in new}),
        )
        for name in sorted(gone)
    ]
    findings += [
        Finding(
            part,
            Difference.NEW,
            name,
            after=after[name].count,
            note=notes[name][1],
            understood=notes[name][0],
            place=after[name].places.get(""),
        )
        for name in sorted(new)
    ]
    return findings


def _successor(shape: Shape, new: Mapping[str, Shape]) -> str | None:
    """The one new name whose keys are most like those of what is gone, if they are alike."""
    keys = _paths(shape)
    alike = {name: _likeness(keys, _paths(other)) for name, other in new.items()}
    best = max(alike.values(), default=0.0)
    names = [name for name, likeness in alike.items() if likeness == best]
    return names[0] if best >= _ALIKE and len(names) == 1 else None


def _likeness(some: frozenset[str], others: frozenset[str]) -> float:
    """How many of all keys both have, 0 to 1."""
    return len(some & others) / len(some | others) if some and others else 0.0


def _paths(shape: Shape, depth: int = 2) -> frozenset[str]:
    """Names of keys, and of those in them."""
    if shape.members is None or depth == 0:
        return frozenset()
    fields = shape.members.fields
    inner = (f"{key}.{each}" for key in fields for each in _paths(fields[key].shape, depth - 1))
    return frozenset((*fields, *inner))


def _keys(part: DiffSection, name: str, before: Occurrences, after: Occurrences) -> list[Finding]:
    if before.shape == NOTHING or (after.shape == NOTHING and not _is_missed("", before, after)):
        return []
    if after.shape == NOTHING:
        lost = Change("(itself)", Difference.GONE, before=in_words(before.shape))
        return [Finding(part, Difference.GONE, name, before.count, after.count, lost)]
    changes = [
        replace(change, difference=Difference.GONE)
        if change.difference is Difference.UNSEEN
        and change.after is None
        and _is_missed(change.path, before, after)
        else change
        for change in differences(collapsed(before.shape), collapsed(after.shape))
    ]
    places = moved(changes)
    return [
        Finding(
            part,
            change.difference,
            name,
            before.count,
            after.count,
            change,
            became=places.get(change.path),
            place=_example(after.places, change.path),
        )
        for change in changes
    ]


def _is_missed(path: str, before: Occurrences, after: Occurrences) -> bool:
    """True if what not all had would have come by now, as often as it did, and never came."""
    had = before.often[path] if before.often[path] or path else before.count
    return not after.often[path] and had * after.count >= _EXPECTED * before.count > 0


def _example(places: Mapping[str, Place], path: str) -> Place | None:
    """A record that has the path, or what the path is in."""
    while path not in places:
        cut = max(path.rfind("."), path.rfind("["))
        if cut <= 0:
            return places.get("")
        path = path[:cut]
    return places[path]


def matters(diffs: Iterable[ProviderDiff]) -> bool:
    return any(diff.matters for diff in diffs)
