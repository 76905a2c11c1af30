"""The census of logs: which record types, tools and keys each version of each client writes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from agentview.domain.events import Event, ToolResult, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin
from agentview.domain.value import Value
from agentview.drift.log_files import is_lined, records
from agentview.drift.schema_diff import differences
from agentview.drift.schema_inference import NOTHING, Shape, TypeReference, merge, shape_of, tag_of
from agentview.errors import AgentViewError
from agentview.facts.accounting.map_keys import is_dynamic
from agentview.facts.accounting.record_types import parse, record_type
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.providers.contained import reading
from agentview.sources.open_file import read_at
from agentview.timeline.rows.reading import decode_line

UNKNOWN_VERSION = "unknown"
"""The version of a client whose logs do not name one."""

MCP = "(mcp)"
"""Stands for all tools of servers, whose names and arguments are no format of the client."""

_ARGUMENTS = TypeReference("arguments")
_RESULT = TypeReference("result")


class Place(Value):
    """A record that shows something: its file, and the line where it is known, else the offset."""

    path: str
    line: int | None
    offset: int
    length: int

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}" if self.line is not None else f"{self.path} @{self.offset}"
        )


_PATH_DEPTH = 4
"""Keys within keys of which it is counted how many values have them."""


def _paths(value: object, path: str, depth: int) -> Iterator[str]:
    """Paths of the keys in a value, spelled as those of differences."""
    if depth >= _PATH_DEPTH:
        return
    if isinstance(value, list):
        for item in cast("list[object]", value):
            tag = tag_of(item)
            yield from _paths(item, f"{path}[{tag or ''}]", depth + 1)
    elif isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            if not is_dynamic(key):
                inner = f"{path}.{key}" if path else key
                yield inner
                yield from _paths(item, inner, depth + 1)


@dataclass(slots=True)
class Occurrences:
    """Occurrences of one sort of value: how often, its shape, and an example of each part.

    `places` are by path of the shape, with "" for the first of all; `often` says how many of the
    values had each path, with "" for those that had any structure.
    """

    count: int = 0
    shape: Shape = NOTHING
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    often: Counter[str] = field(default_factory=Counter[str])

    def add(self, value: object, place: Place) -> None:
        """Count a value, and remember where anything new in its shape was seen."""
        self.count += 1
        self.often.update({"", *_paths(value, "", 0)})
        shape = shape_of(value)
        merged = merge(self.shape, shape)
        if merged == self.shape:
            return
        for change in differences(self.shape, merged):
            self.places.setdefault(change.path, place)
        self.places.setdefault("", place)
        self.shape = merged

    def join(self, other: "Occurrences") -> None:
        """Add all that another has seen."""
        self.count += other.count
        self.shape = merge(self.shape, other.shape)
        self.places = {**other.places, **self.places}
        self.often.update(other.often)


@dataclass(slots=True)
class ToolStats:
    """Occurrences of one tool; `kinds` counts its calls by their kinds."""

    kinds: Counter[str] = field(default_factory=Counter[str])
    arguments: Occurrences = field(default_factory=Occurrences)
    result: Occurrences = field(default_factory=Occurrences)

    @property
    def kind(self) -> str:
        """The kind of most of its calls; unknown when nothing knows any of them."""
        known = [kind for kind in sorted(self.kinds) if kind != ToolKind.UNKNOWN.value]
        return max(known, key=self.kinds.__getitem__, default=ToolKind.UNKNOWN.value)

    def join(self, other: "ToolStats") -> None:
        """Add all that another has seen."""
        self.kinds.update(other.kinds)
        self.arguments.join(other.arguments)
        self.result.join(other.result)


@dataclass(slots=True)
class TypeStats:
    """Occurrences of one record type; `unread` counts records that nothing could read."""

    records: Occurrences = field(default_factory=Occurrences)
    unread: int = 0

    def join(self, other: "TypeStats") -> None:
        """Add all that another has seen."""
        self.records.join(other.records)
        self.unread += other.unread


@dataclass(slots=True)
class VersionStats:
    """Occurrences in the logs of one version of a client."""

    files: int = 0
    types: dict[str, TypeStats] = field(default_factory=dict[str, TypeStats])
    tools: dict[str, ToolStats] = field(default_factory=dict[str, ToolStats])

    def join(self, other: "VersionStats") -> None:
        """Add all that another has seen."""
        self.files += other.files
        for name, seen in other.types.items():
            self.types.setdefault(name, TypeStats()).join(seen)
        for name, tool in other.tools.items():
            self.tools.setdefault(name, ToolStats()).join(tool)

    @property
    def record_count(self) -> int:
        return sum(seen.records.count for seen in self.types.values())


Versions = dict[str, VersionStats]


@dataclass(slots=True)
class SchemaInventory:
    """Occurrences by provider and by version of its client."""

    providers: dict[str, Versions] = field(default_factory=dict[str, Versions])
    unreadable: list[str] = field(default_factory=list[str])
    """Files that could not be read, each with the reason."""

    def version(self, provider: str, version: str) -> VersionStats:
        return self.providers.setdefault(provider, {}).setdefault(version, VersionStats())


def take_census(refs: Iterable[SessionRef]) -> SchemaInventory:
    """Read all logs to their ends and count what they hold; a file that fails is named."""
    census = SchemaInventory()
    for ref in refs:
        try:
            with reading(ref):
                _count_log(census, ref)
        except AgentViewError as error:
            census.unreadable.append(error.message)
    return census


def only_version(census: SchemaInventory, version: str) -> SchemaInventory:
    """The census of what one version of a client wrote."""
    kept = {
        name: {version: versions[version]}
        for name, versions in census.providers.items()
        if version in versions
    }
    return SchemaInventory(kept, census.unreadable)


def all_versions(versions: Mapping[str, VersionStats]) -> VersionStats:
    """Return the occurrences of all versions of a client, together."""
    joined = VersionStats()
    for seen in versions.values():
        joined.join(seen)
    return joined


def _count_log(census: SchemaInventory, ref: SessionRef) -> None:
    provider = load_provider(ref.provider)
    version = provider.info(ref).client_version or UNKNOWN_VERSION
    # What is one document has no lines, and its records no line numbers.
    lined = is_lined(provider, Path(ref.path))
    counted: set[str] = set()
    names: dict[str, str] = {}
    for number, line in enumerate(records(provider, Path(ref.path)), 1):
        events = decode_line(provider, ref, line)
        version = next(
            (e.facts.client_version for e in events if e.facts and e.facts.client_version), version
        )
        seen = census.version(provider.name, version)
        if version not in counted:
            counted.add(version)
            seen.files += 1
        place = Place(ref.path, number if lined else None, line.offset, line.length)
        _count_tools(seen, events, names, place)
        _count_record(seen, provider, line.data, events, place)


def _count_record(
    seen: VersionStats, provider: Provider, data: bytes | None, events: list[Event], place: Place
) -> None:
    value = parse(data) if data is not None else None
    counted = seen.types.setdefault(record_type(value, provider.record_type_keys), TypeStats())
    counted.records.add(without(value, events) if value is not None else {}, place)
    counted.unread += any(isinstance(event.body, Unparsed) for event in events)


def _count_tools(
    seen: VersionStats, events: list[Event], names: dict[str, str], place: Place
) -> None:
    for event in events:
        body = event.body
        if isinstance(body, ToolCall):
            name = MCP if body.origin is ToolOrigin.MCP else body.provider_name
            names[body.call_id] = name
            tool = seen.tools.setdefault(name, ToolStats())
            tool.kinds[body.kind.value] += 1
            arguments: object = _args_of(body) if name != MCP else dict[str, object]()
            if arguments is None:
                tool.arguments.count += 1
            else:
                tool.arguments.add(arguments, place)
        elif isinstance(body, ToolResult) and body.call_id in names:
            name = names[body.call_id]
            tool = seen.tools.setdefault(name, ToolStats())
            if body.structured is None or name == MCP or body.ok is False:
                # What failed says why, in a form of its own.
                tool.result.count += 1
            else:
                tool.result.add(body.structured, place)


def _args_of(call: ToolCall) -> object:
    """The arguments; None for those that a model wrote and that are no JSON."""
    return dict(call.args) if call.args is not None else parse(call.args_json.encode())


def without(value: object, events: Iterable[Event]) -> object:
    """A record whose parts that are the arguments or results of tools only say so.

    Tools are many, and the structure of what each takes and gives is not a structure of the record.
    """
    parts = [*_tool_parts(events)]
    return _replaced(value, parts, 0) if parts else value


def _tool_parts(events: Iterable[Event]) -> Iterator[tuple[object, TypeReference]]:
    for event in events:
        body = event.body
        if isinstance(body, ToolCall) and body.args:
            yield dict(body.args), _ARGUMENTS
        elif isinstance(body, ToolResult):
            structured = body.structured
            if isinstance(structured, dict | list):
                yield cast("object", structured), _RESULT


_DEPTH = 12


def _replaced(value: object, parts: list[tuple[object, TypeReference]], depth: int) -> object:
    if not isinstance(value, dict | list) or not value or depth > _DEPTH:
        return cast("object", value)
    for index, (part, stand) in enumerate(parts):
        if value == part:
            # Some results repeat the arguments: these are where they stand first.
            del parts[index]
            return stand
    if isinstance(value, list):
        return [_replaced(item, parts, depth + 1) for item in cast("list[object]", value)]
    fields = cast("dict[str, object]", value)
    return {key: _replaced(item, parts, depth + 1) for key, item in fields.items()}


_STEP = re.compile(r"\[[^\]]*\]|[^.\[]+")


def is_unread(provider: Provider, place: Place, path: str) -> bool | None:
    """Return whether nothing reads the key of the record at a place; None if unknown."""
    log, source = Path(place.path), SourceRef(place.path, place.offset, place.length)
    try:
        record = read_at(log, place.offset, place.length)
        unread = provider.reading.unused_keys(record, source, provider.discovery.ref(log))
    except AgentViewError:
        return None
    wanted = pointer_pattern(path)
    return any(wanted.match(f"{pointer}/") for pointer in unread)


def pointer_pattern(path: str) -> re.Pattern[str]:
    """Matches pointers, each with a slash behind it, of the key at a path or of what it is in."""
    steps = _STEP.findall(path)
    parts = ["[^/]*" if step.startswith("[") or step == "*" else re.escape(step) for step in steps]
    pattern = ""
    for part in reversed(parts):
        pattern = f"/{part}(?:/$|{pattern})" if pattern else f"/{part}/$"
    return re.compile(pattern)
